// Pages that come without moving: how far what is in sight shifts while a page loads (CLS), at the width of a desktop and of the
// tray's window, and how many bytes the first load of each page takes over the wire, with nothing in the browser's cache.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

const MAX_CLS = 0.02
const MAX_FIRST_LOAD_BYTES = 350_000
/** Less than a page waits for its answers. */
const ANSWER_MS = 500
/** The font and what every page has are more than this; less is of a browser that had them already. */
const LEAST_BYTES = 200_000
/** So long after the last answer nothing more is asked for. */
const IDLE_MS = 300

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

/** `slowestMs` is the time of the answer that took longest; `shifted` says what moved from where to where, for whoever mends it. */
type Load = {
  readonly cls: number
  readonly bytes: number
  readonly slowestMs: number
  readonly shifted: readonly string[]
}

/** By the browser's own records. Answers of the API are no part of what a first load takes: they hang on what is in the books. */
const MEASURE = `new Promise((resolve) => {
  const all = performance.getEntriesByType('resource')
  const files = all.filter(({ name }) => !name.includes('/api/'))
  const answers = all.filter((one) => !files.includes(one) && !one.name.includes('/events'))
  const slowestMs = Math.max(...answers.map(({ duration }) => duration))
  const bytes = [...performance.getEntriesByType('navigation'), ...files].reduce((sum, one) => sum + one.transferSize, 0)
  let cls = 0
  const shifted = []
  const add = (entries) => {
    for (const entry of entries) {
      cls += entry.value
      for (const { node, previousRect: from, currentRect: to } of entry.sources) {
        const text = node?.outerHTML ?? node?.textContent ?? 'gone'
        shifted.push([entry.value.toFixed(4), from.y, from.height, '->', to.y, to.height, text.slice(0, 120)].join(' '))
      }
    }
  }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve({ cls, bytes, slowestMs, shifted }), 50)
})`

async function load(page: Page, name: keyof typeof PAGES): Promise<Load> {
  await page.goto(`${dashboard.farebox.url}/health`)
  const browser = await page.context().newCDPSession(page)
  await browser.send('Network.clearBrowserCache')
  await browser.detach()
  const open = new Set<unknown>()
  let lastMs = Date.now()
  const ended = (request: unknown) => {
    open.delete(request)
    lastMs = Date.now()
  }
  page.on('request', (request) => request.url().includes('/events') || open.add(request))
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  await page.goto(`${dashboard.farebox.url}/app/${name}`)
  await page.locator(PAGES[name]).first().waitFor()
  await expect.poll(() => open.size === 0 && Date.now() - lastMs > IDLE_MS, { timeout: 15_000 }).toBe(true)
  for (const event of ['request', 'requestfinished', 'requestfailed'] as const) page.removeAllListeners(event)
  return page.evaluate<Load>(MEASURE)
}

/**
 * A page waits a moment for its first answers, and not for longer. Where a machine that is busy with other things takes longer for one
 * of them, the page is loaded again.
 */
async function loadInTime(page: Page, name: keyof typeof PAGES): Promise<Load> {
  for (let triesLeft = 4; ; triesLeft--) {
    const found = await load(page, name)
    if (found.slowestMs < ANSWER_MS || triesLeft === 0) return found
  }
}

it.each([1280, 420])(
  'nothing in sight moves while a page of %i pixels loads, and its files are within bounds',
  async (width) => {
    const look = async (page: Page) => {
      for (const name of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
        const { cls, bytes, shifted } = await loadInTime(page, name)
        expect.soft(cls, [name, ...shifted].join('\n')).toBeLessThan(MAX_CLS)
        expect.soft(bytes, `${name}: all of its files are loaded anew`).toBeGreaterThan(LEAST_BYTES)
        expect.soft(bytes, name).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES)
      }
    }
    await dashboard.visit('/settings', look, { width })
  },
  120_000,
)

it('movement is seen where there is some', async () => {
  await dashboard.visit('/settings', async (page) => {
    await page.evaluate(`{
      const block = document.createElement('div')
      block.style.height = '300px'
      document.querySelector('h1').before(block)
    }`)
    await expect.poll(async () => (await page.evaluate<Load>(MEASURE)).cls).toBeGreaterThan(MAX_CLS)
  })
})

it('a page whose answers are late is shown without them', async () => {
  await dashboard.visit('/settings', async (page) => {
    const shown = Promise.withResolvers<void>()
    await page.route('**/api/tools', async (route) => {
      await shown.promise
      await route.continue()
    })
    await page.goto(`${dashboard.farebox.url}/app/tools`)
    await page.locator('h1').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(0)
    shown.resolve()
    await page.locator('tbody tr').first().waitFor()
  })
})
