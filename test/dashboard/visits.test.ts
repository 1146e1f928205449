// Visits share a page of the browser, and each finds it as somebody does who comes for the first time.

import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

const FOLDER = import.meta.dirname

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard.close())

it('leave nothing to the next, whoever that is', async () => {
  const { url } = dashboard.farebox
  let first: Page | undefined
  let before: unknown
  await dashboard.visit('/settings', async (page) => {
    first = page
    before = await stateOf(page)
    const context = page.context()
    await context.addCookies([{ name: 'left', value: 'behind', url }])
    await context.grantPermissions(['clipboard-read'])
    await page.route('**/health', (route) => route.fulfill({ body: 'of the page' }))
    await context.route('**/health', (route) => route.fulfill({ body: 'of the context' }))
    await (await context.newPage()).goto(`${url}/health`)
    await page.setViewportSize({ width: 420, height: 300 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'no-preference', media: 'print' })
    await page.evaluate(
      `localStorage.setItem('left', 'behind'); sessionStorage.setItem('left', 'behind'); window.left = 'behind'`,
    )
    await page.mouse.move(200, 200)
    await context.setOffline(true)
    expect(await stateOf(page)).not.toEqual(before)
  })
  const look = async (page: Page) => {
    expect(page, 'the page is the same').toBe(first)
    expect(await stateOf(page)).toEqual(before)
    // Where that is not free there is another one.
    await dashboard.visit('/sign-in', async (other) => expect(other).not.toBe(first), { isStranger: true })
  }
  await dashboard.visit('/settings', look, { key: dashboard.key })
})

it('add nothing to the page that cannot be taken away', () => {
  const files = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(`${FOLDER}/${name}`, 'utf8') }))
  const lasting =
    /\.(addInitScript|exposeFunction|exposeBinding|addLocatorHandler|setExtraHTTPHeaders|setDefaultTimeout|clock)\b/
  expect(
    files.filter(({ name, text }) => name !== 'visits.test.ts' && lasting.test(text)).map(({ name }) => name),
  ).toEqual([])
})

/** What a visit finds. Of storage and cookies the values are those of the session, and of each visit. */
async function stateOf(page: Page) {
  const health = await page.evaluate<string>(`fetch('/health').then((answer) => answer.text()).catch(String)`)
  return {
    health,
    cookies: (await page.context().cookies()).map(({ name }) => name),
    tabs: page.context().pages().length,
    ...(await page.evaluate<object>(STATE)),
  }
}

const STATE = `(async () => ({
  stored: [Object.keys(localStorage), Object.keys(sessionStorage)],
  size: [innerWidth, innerHeight],
  media: ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', 'print', '(forced-colors: active)'].map((text) => matchMedia(text).matches),
  permission: (await navigator.permissions.query({ name: 'clipboard-read' })).state,
  isOnline: navigator.onLine,
  isHovered: document.querySelector('main:hover, nav:hover') !== null,
  left: window.left ?? null,
}))()`
