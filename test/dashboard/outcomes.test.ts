// Calls whose answer did not come whole, against a real Farebox and a provider that breaks off: each kind can be looked for, says what
// happened and what to do, and counts as failed wherever calls are counted, though its status is 200.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const HOUR_MS = 3_600_000
const PIECES = Array.from({ length: 4000 }, () => 'All these words are what the model says. ')

let aheadMs = 0
let key = ''
let dashboard: Dashboard
let upstream: Upstream
/** The call that ended so. */
const ids = { cut: '', out_of_credits: '', client_gone: '' }

beforeAll(async () => {
  const clock = { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs }
  ;[dashboard, upstream] = await Promise.all([startDashboard({ clock }), startUpstream()])
  const { admin } = dashboard.farebox
  await setUpUpstream(dashboard.farebox, upstream.url, [
    { name: 'plenty', type: 'topup', credits: 1000 },
    { name: 'little', type: 'topup', credits: 0.001 },
  ])
  ;({ key } = await admin.call('createKey', { body: { name: 'broken-off', package: 'plenty' } }))
  const { key: poor } = await admin.call('createKey', { body: { name: 'poor', package: 'little' } })
  upstream.once({ type: 'answer', pieces: PIECES.slice(0, 12), cut: { at: { insideEvent: 9 }, how: 'reset' } })
  ids.cut = await streamed(key)
  const stall = { at: { afterEvent: 3900 }, ms: Infinity } as const
  upstream.once({ type: 'answer', pieces: PIECES, usage: null, stall })
  ids.out_of_credits = await streamed(poor, { max_tokens: 30_000 })
  upstream.once({ type: 'endless', delayMs: 5 })
  ids.client_gone = await left()
  const { call } = admin
  await vi.waitFor(async () => expect((await call('usage', { query: { status: 'failed' } })).usage).toHaveLength(3), {
    timeout: 30_000,
  })
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
})

/** Reads an answer to its end, whatever that is. */
async function streamed(by: string, more: object = {}): Promise<string> {
  const answer = await postChat({ url: dashboard.farebox.url, key: by }, { stream: true, ...more })
  expect(answer.status).toBe(200)
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}

async function left(): Promise<string> {
  const leaving = new AbortController()
  const answer = await postChat({ url: dashboard.farebox.url, key }, { stream: true }, leaving.signal)
  await answer.body?.getReader().read()
  leaving.abort()
  return answer.headers.get('x-request-id') ?? ''
}

const idsOf = (page: Page) =>
  page.locator('[data-id]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))

describe('a call whose answer did not come whole', () => {
  it.each([
    ['cut', 'Cut short', 'The answer broke off.', 'look at the health of the provider'],
    ['out_of_credits', 'Out of credits', 'the credits held for it were used up', 'Add credits to the key'],
    ['client_gone', 'Client left', 'The client ended the call', 'What it got is charged'],
  ] as const)(
    '(%s) is found by its state, and says what happened and what to do',
    async (state, word, says, advice) => {
      await dashboard.visit('/requests', async (page) => {
        await page.locator(`[data-id="${ids.cut}"]`).waitFor()
        await page.getByRole('button', { name: 'Filters', exact: true }).click()
        await page.getByLabel('Status', { exact: true }).selectOption({ label: word })
        await page.waitForURL((url) => url.searchParams.get('status') === state)
        await expect.poll(() => idsOf(page)).toEqual([ids[state]])
        const row = page.locator(`[data-id="${ids[state]}"]`)
        expect(await row.innerText()).toMatch(new RegExp(`200\\s*${word}`))
        await row.click()
        const happened = page.getByRole('dialog', { name: 'Receipt' }).getByRole('region', { name: 'What happened' })
        await happened.getByText(says).waitFor()
        await happened.getByText(advice).waitFor()
      })
    },
  )

  it('is a failed one on Requests, on the overview, on the page of its key and in Usage', async () => {
    await dashboard.visit('/requests?status=failed', async (page) => {
      await expect.poll(async () => new Set(await idsOf(page))).toEqual(new Set(Object.values(ids)))
    })
    await dashboard.visit('/overview', async (page) => {
      await page
        .locator('dl > div')
        .filter({ hasText: /^Requests/ })
        .getByText('3 failed')
        .waitFor()
      const latest = page.getByRole('table', { name: 'Latest requests' })
      for (const word of ['Cut short', 'Out of credits', 'Client left']) await latest.getByText(word).waitFor()
    })
    await dashboard.visit('/keys?open=broken-off', async (page) => {
      const recent = page.getByRole('table', { name: 'Latest requests' })
      for (const word of ['Cut short', 'Client left']) await recent.getByText(word).waitFor()
    })
    await dashboard.visit('/usage?group=key', async (page) => {
      const cells = page.getByRole('row').filter({ hasText: 'broken-off' }).locator('td')
      await expect.poll(() => cells.allInnerTexts()).toContain('2')
      const heads = await page.getByRole('columnheader').allInnerTexts()
      const at = heads.findIndex((head) => head.startsWith('Failed'))
      expect(at).toBeGreaterThan(0)
      // The name of a row is no cell of this kind.
      expect(await cells.nth(at - 1).innerText()).toBe('2')
    })
  })
})

describe('a provider that refused our secret', () => {
  it('is not well again by waiting, but by a call that it answers', async () => {
    upstream.script({ type: 'status', status: 401 })
    await (await postChat({ url: dashboard.farebox.url, key })).text()
    aheadMs += HOUR_MS
    await dashboard.visit('/overview', async (page) => {
      await page.getByRole('link', { name: 'upstream refused the secret. Replace it in Providers.' }).click()
      await page.waitForURL(/\/app\/providers/)
      const row = page.locator('tr').filter({ hasText: 'upstream' })
      await row.getByText('Secret refused').waitFor()
      upstream.script({ type: 'answer' })
      await page.reload()
      await row.getByText('Secret refused').waitFor()
      expect((await postChat({ url: dashboard.farebox.url, key })).status).toBe(200)
      await page.reload()
      await row.getByText('Ok', { exact: true }).waitFor()
    })
  })
})
