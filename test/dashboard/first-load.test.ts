// How many bytes the first load of each page takes over the wire, charts counted, with nothing in the browser's cache.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { gotoSettled } from '../support/settled.ts'

const MAX_FIRST_LOAD_BYTES = 350_000
/** The font and what every page has are more than this; less is of a browser that had them already. */
const LEAST_BYTES = 200_000

const PAGES = {
  overview: '.recharts-bar-rectangle',
  keys: 'tbody tr',
  packages: 'tbody tr',
  models: 'tbody tr',
  providers: 'tbody tr',
  tools: 'tbody tr',
  members: 'h1',
  usage: '.recharts-bar-rectangle',
  requests: '[data-id]',
  ledger: 'tbody tr',
  bills: 'h1',
  try: 'textarea',
  audit: 'tbody tr',
  settings: 'tbody tr',
} as const

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  for (const model of Array.from({ length: 8 }, () => 'demo-chat')) {
    await (await postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model })).text()
  }
})
afterAll(() => dashboard.close())

/** By the browser's own records. Answers of the API are no part of what a first load takes: they hang on what is in the books. */
const MEASURE = `{
  const files = performance.getEntriesByType('resource').filter(({ name }) => !name.includes('/api/'))
  const all = [...performance.getEntriesByType('navigation'), ...files]
  all.reduce((sum, { transferSize }) => sum + transferSize, 0)
}`

async function load(page: Page, name: keyof typeof PAGES): Promise<number> {
  await page.goto(`${dashboard.farebox.url}/health`)
  const browser = await page.context().newCDPSession(page)
  await browser.send('Network.clearBrowserCache')
  await browser.detach()
  await gotoSettled(page, `${dashboard.farebox.url}/app/${name}`)
  await page.locator(PAGES[name]).first().waitFor()
  return page.evaluate<number>(MEASURE)
}

it('the first load of each page is within bounds', async () => {
  await dashboard.visit('/settings', async (page) => {
    for (const name of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
      const bytes = await load(page, name)
      expect.soft(bytes, `${name}: all of its files are loaded anew`).toBeGreaterThan(LEAST_BYTES)
      expect.soft(bytes, name).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES)
    }
  })
}, 120_000)
