// What is left and until when, wherever a key's credits stand: it runs out before its reset, it is left over at the reset, or it lasts
// as long as it lasts where nothing is ever renewed.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { chatModel, setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const HOUR_MS = 3_600_000
/** A month is far from its ends then, whenever this runs. */
const now = new Date()
const TENTH_MS = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 10)
/** Each call costs 0.01 credits, and holds little. */
const PRICE = { input: 10, output: 0 }
const USAGE = { prompt_tokens: 1000, completion_tokens: 0 }
const CALLS = { fast: 3, slow: 1, prepaid: 1 } as const

let aheadMs = TENTH_MS - now.getTime()
let dashboard: Dashboard
let upstream: Upstream
const keys = { fast: '', slow: '', prepaid: '' }
beforeAll(async () => {
  const clock = { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() }
  ;[dashboard, upstream] = await Promise.all([startDashboard({ clock }), startUpstream()])
  const { farebox } = dashboard
  await setUpUpstream(farebox, upstream.url, [
    { name: 'fast', type: 'monthly', credits: 0.05 },
    { name: 'slow', type: 'monthly', credits: 10 },
    { name: 'prepaid', type: 'topup', credits: 1 },
  ])
  upstream.script({ type: 'answer', usage: USAGE })
  await farebox.admin.call('addModel', { body: chatModel('dear', { price: PRICE }) })
  for (const name of ['fast', 'slow', 'prepaid'] as const) {
    keys[name] = (await farebox.admin.call('createKey', { body: { name, package: name } })).key
    for (let count = 0; count < CALLS[name]; count += 1) {
      const answer = await postChat({ url: farebox.url, key: keys[name] }, { model: 'dear', max_tokens: 5 })
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    }
  }
  // The first hour says nothing of a pace.
  aheadMs += 2 * HOUR_MS
})
afterAll(async () => {
  await dashboard.close()
  await upstream.close()
})

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const SAID = {
  fast: [/runs out/, /resets/],
  slow: [/7\.\d\d unused at this rate/, /resets/],
  prepaid: [/lasts about .* at this rate/],
} as const

describe('what is left', () => {
  it.each(['fast', 'slow', 'prepaid'] as const)(
    'to the key "%s" stands on Keys, Packages and its page',
    async (name) => {
      const isSaid = async (read: () => Promise<string>) => {
        for (const words of SAID[name]) await expect.poll(read).toMatch(words)
        if (name === 'prepaid') expect(await read()).not.toMatch(/resets|refills/)
      }
      for (const path of [`/keys?q=${name}`, '/packages']) {
        await dashboard.visit(path, (page) => isSaid(() => rowOf(page, name).innerText()))
      }
      const isOnItsPage = (page: Page) => isSaid(() => page.getByRole('region', { name: 'Balance' }).innerText())
      await dashboard.visit('/own-key', isOnItsPage, { key: keys[name] })
    },
  )

  it('to each key stands on the overview by itself, the most urgent first', async () => {
    await dashboard.visit('/overview', async (page) => {
      const tile = page.locator('dl > div').filter({ hasText: /^Credits · fast/ })
      const text = async () => (await tile.innerText()).replaceAll(/\s+/g, ' ')
      await expect.poll(text).toMatch(/0\.02.*left of.*0\.05.*runs out.*resets/)
      expect(await text()).toMatch(/prepaid.*lasts about/)
    })
  })
})
