// Who waits, on the overview. That members see only their own calls is for test/gateway/waiting.test.ts to hold.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { chat } from '../gateway/support.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let dashboard: Dashboard
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream()
  dashboard = await startDashboard({ env: { RATE_LIMIT_WAIT: 'true', FAREBOX_RATE_LIMIT_WAIT_MS: '600000' } })
  await setUpUpstream(dashboard.farebox, upstream.url)
  const { admin } = dashboard.farebox
  for (const name of ['ada', 'bob']) {
    await admin.call('addMember', { body: { name, limits: { concurrent_requests: 1 } } })
    for (const key of ['laptop', 'ci']) {
      const body = { name: `${key} of ${name}`, package: 'plenty', owner: name }
      keys.set(body.name, (await admin.call('createKey', { body })).key)
    }
  }
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
})

const keys = new Map<string, string>()
const waiting = () => dashboard.farebox.admin.call('listWaiting', {})

/** One call that runs, and one that waits for it: what ends both. */
async function holdUp(name: string): Promise<() => Promise<void>> {
  const leaving = new AbortController()
  upstream.once({ type: 'endless', delayMs: 20 })
  const { farebox } = dashboard
  const { signal } = leaving
  const running = await chat(farebox, keys.get(`laptop of ${name}`) ?? '', { stream: true }, { signal })
  expect(running.status).toBe(200)
  const before = (await waiting()).waiting_calls
  const held = chat(farebox, keys.get(`ci of ${name}`) ?? '').then((answer) => answer.text())
  await expect.poll(waiting).toMatchObject({ waiting_calls: before + 1 })
  return async () => {
    leaving.abort()
    await held
    // The last mention of it: what nobody holds is collected, and `fetch` ends a call whose answer was.
    await expect(running.text()).rejects.toThrow('abort')
  }
}

it('is nothing while nobody waits, and comes and goes by itself', async () => {
  await dashboard.visit('/overview', async (page) => {
    await page.getByText('left of').waitFor()
    const table = page.getByRole('table', { name: '1 request waits' })
    expect(await page.getByText(/requests? waits?/).count()).toBe(0)
    const end = await holdUp('ada')
    const row = table.getByRole('row').nth(1)
    await row.getByRole('cell', { name: 'concurrent requests of all keys of its member' }).waitFor()
    await row.getByRole('cell', { name: 'ci of ada' }).waitFor()
    await row.getByRole('cell', { name: 'unknown' }).waitFor()
    await page.getByText('laptop of ada: 1, the oldest began').waitFor()
    await end()
    await table.waitFor({ state: 'detached' })
  })
})

it('has everybody who waits, each with what is in their way', async () => {
  const ends = [await holdUp('ada'), await holdUp('bob')]
  await dashboard.visit('/overview', async (page) => {
    const table = page.getByRole('table', { name: '2 requests wait' })
    await table.getByRole('cell', { name: 'ci of ada' }).waitFor()
    await table.getByRole('cell', { name: 'ci of bob' }).waitFor()
  })
  for (const end of ends) await end()
})

it('fits into the window of the tray, in German too', async () => {
  const end = await holdUp('ada')
  await dashboard.visit(
    '/overview',
    async (page) => {
      const table = page.getByRole('table', { name: '1 Anfrage wartet' })
      await table.getByRole('cell', { name: 'gleichzeitige Anfragen aller Schlüssel des Mitglieds' }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
    },
    { language: 'de', width: 420 },
  )
  await end()
})
