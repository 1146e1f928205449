// Nothing moves under a reader's eyes while answers come in, which is measured by what the browser itself notes of it.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard, type Visit } from '../support/dashboard.ts'
import { gotoSettled } from '../support/settled.ts'
import { isLong } from '../support/cases.ts'

const MAX_SHIFT = 0.02
/** Each answer is held for a time between these, which is the same in every run and another for every address. */
const HELD_MS = { least: 300, most: 800 }
/** What comes first hangs on how long each answer is held. */
const ORDERS = isLong ? [1, 2, 3, 4, 5, 6] : [1]

/** By what each page is known to have its data. */
const PAGES = {
  overview: '.recharts-bar-rectangle',
  keys: 'tbody tr',
  packages: 'tbody tr',
  models: 'tbody tr',
  providers: 'tbody tr',
  tools: 'tbody tr',
  members: 'tbody tr',
  usage: '.recharts-bar-rectangle',
  requests: '[data-id]',
  ledger: 'tbody tr',
  bills: 'h1',
  try: 'textarea',
  audit: 'tbody tr',
  settings: 'tbody tr',
  'first-run': 'h1',
} as const

let dashboard: Dashboard
let key: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const { farebox } = dashboard
  key = dashboard.key
  await farebox.admin.call('addMember', { body: { name: 'ada', limits: { credits_per_day: 50 } } })
  await farebox.admin.call('createInvite', { body: { name: 'bob', packages: 'all' } })
  await farebox.admin.call('createKey', { body: { name: 'of-ada', package: 'starter', owner: 'ada' } })
  await farebox.admin.call('setProject', { id: 'site', body: { credits_per_day: 20 } })
  const models = ['demo-chat', 'demo-reasoning', 'nothing']
  for (const model of [...models, ...models]) await (await postChat({ url: farebox.url, key }, { model })).text()
  await (await postChat({ url: farebox.url, key: 'nobody' }, { model: 'demo-chat' })).text()
})
afterAll(() => dashboard.close())

describe('while answers come in one after the other', () => {
  it('nothing moves on any page, in a wide window and in that of the tray', async () => {
    await Promise.all(
      [1280, 420].map(async (width) => {
        await walk({ width }, PAGES)
        await walk({ width, key }, { 'own-key': 'h1' })
      }),
    )
  }, 600_000)

  it('what is shown is shown whole at once', async () => {
    await dashboard.visit('/try', async (page) => {
      expect(await page.evaluate(SHOWN_AT_ONCE)).toEqual({ before: 'hidden', after: 'visible' })
    })
  })
})

async function walk(as: Visit, pages: Readonly<Record<string, string>>): Promise<void> {
  await dashboard.visit(
    '/settings',
    async (page) => {
      for (const order of ORDERS) {
        for (const [name, sign] of Object.entries(pages)) {
          const { shift, told } = await shiftOf(page, { name, sign, order })
          expect.soft(shift, `${name}, ${as.width} px, order ${order}:\n${told}`).toBeLessThan(MAX_SHIFT)
        }
      }
      // What does move is noticed.
      await page.evaluate(MOVE)
      await expect.poll(async () => (await shiftsOf(page)).shift).toBeGreaterThan(MAX_SHIFT)
    },
    as,
  )
}

type Look = { readonly name: string; readonly sign: string; readonly order: number }

async function shiftOf(page: Page, { name, sign, order }: Look) {
  await page.route('**/api/**', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    if (pathname !== '/api/events') await sleep(heldMs(`${order} ${pathname}${search}`))
    await route.continue()
  })
  await gotoSettled(page, `${dashboard.farebox.url}/app/${name}`)
  await page.unrouteAll()
  await page.locator(sign).first().waitFor()
  return shiftsOf(page)
}

async function shiftsOf(page: Page) {
  const found = await page.evaluate<{ value: number; text: string }[]>(SHIFTS)
  return {
    shift: found.reduce((sum, { value }) => sum + value, 0),
    told: found.map(({ value, text }) => `${value.toFixed(4)} ${text}`).join('\n'),
  }
}

/** The same for the same text. */
function heldMs(text: string): number {
  const hash = Array.from(Buffer.from(text)).reduce((sum, byte) => (sum * 31 + byte) % 65_521, 7)
  return HELD_MS.least + (hash % (HELD_MS.most - HELD_MS.least))
}

/** Whether the innermost of ten boxes is seen as soon as the outermost is. */
const SHOWN_AT_ONCE = `(() => {
  const boxes = Array.from({ length: 10 }, () => document.createElement('div'))
  boxes.reduce((outer, inner) => (outer.append(inner), inner), document.body)
  boxes[0].style.visibility = 'hidden'
  const seen = () => getComputedStyle(boxes.at(-1)).visibility
  const before = seen()
  boxes[0].style.visibility = ''
  return { before, after: seen() }
})()`

const MOVE = `document.querySelector('main').prepend(Object.assign(document.createElement('p'), { style: 'height: 300px' }))`

/** All that the browser noted since the page was opened, with what moved from where to where. */
const SHIFTS = `new Promise((resolve) => {
  const nameOf = (node) => {
    const element = node instanceof Element ? node : node?.parentElement
    if (element === null || element === undefined) return 'something that is gone'
    return element.tagName.toLowerCase() + ' "' + element.textContent.slice(0, 30) + '"'
  }
  const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')
  const observer = new PerformanceObserver((list) => {
    const shifts = list.getEntriesByType('layout-shift').filter((entry) => !entry.hadRecentInput)
    resolve(shifts.map(({ value, startTime, sources }) => ({
      value,
      text: Math.round(startTime) + ' ms: ' + sources.map(({ node, previousRect, currentRect }) =>
        nameOf(node) + ' from ' + placeOf(previousRect) + ' to ' + placeOf(currentRect)).join('; '),
    })))
  })
  observer.observe({ type: 'layout-shift', buffered: true })
  // Which there always is, so that the observer is called where nothing has moved.
  observer.observe({ type: 'navigation', buffered: true })
})`
