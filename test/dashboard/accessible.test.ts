// Every page looked at by axe in light and for its colours in dark, every drawer and dialog in light (FAREBOX_LONG_TESTS: pages by
// all rules in dark, the rest for its colours), and without errors on the console. The one place for this: each look takes a second, so
// pages are walked through as people do.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADA, fillForPanels, go, lookAtPanels, PANELS, press } from '../support/dashboard-panels.ts'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { isLong } from '../support/cases.ts'

const TRAY_WIDTH = 420
const PAGES = [
  ['overview', '.recharts-bar-rectangle'],
  ['keys', 'tr:has-text("suspended-key")'],
  ['packages', 'tr:has-text("starter")'],
  ['models', 'tr:has-text("jumpy")'],
  ['providers', 'tr:has-text("elsewhere")'],
  ['tools', 'tr:has-text("Goose")'],
  ['members', 'tr:has-text("ada")'],
  ['usage', '.recharts-bar-rectangle'],
  ['requests', '[data-id]'],
  ['ledger', 'tr:has-text("first")'],
  ['try', 'textarea'],
  ['audit', 'tr:has-text("Set up the demo"), tr:has-text("Demo")'],
  ['settings', 'tr:has-text("hold_wait_ms")'],
] as const

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await fillForPanels(dashboard)
})
afterAll(() => dashboard.close())

/** What is wrong, with the name of what was looked at. */
async function look(page: Page, name: string, part?: string): Promise<string[]> {
  const parts = part === undefined ? {} : { part }
  const found: string[] = []
  const themes = part === undefined || isLong ? (['dark', 'light'] as const) : (['light'] as const)
  for (const theme of themes) {
    await page.evaluate(`localStorage.setItem('farebox-theme', '${theme}'); dispatchEvent(new StorageEvent('storage'))`)
    // Colours on their way from one theme to the other are of neither.
    const isDone = `document.documentElement.dataset.theme === '${theme}' && document.getAnimations().every((one) => one.playState === 'finished')`
    await expect.poll(() => page.evaluate(isDone)).toBe(true)
    found.push(
      ...(
        await seriousViolations(page, { ...parts, isColoursOnly: theme === 'dark' && (part !== undefined || !isLong) })
      ).map((text) => `${name}, ${theme}: ${text}`),
    )
  }
  return found
}

/** What is wrong with the drawers and dialogs of a page. */
function lookIn(page: Page, of: keyof typeof PANELS): Promise<string[]> {
  return lookAtPanels(page, PANELS[of], (name) => look(page, name, '[role=dialog], [role=alertdialog], [role=menu]'))
}

it('has no serious fault on any page', async () => {
  const found: string[] = []
  await dashboard.visit('/overview', async (page) => {
    for (const [name, sign] of PAGES) {
      await go(page, name)
      await page.locator(sign).first().waitFor()
      found.push(...(await look(page, name)))
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    found.push(...(await look(page, 'palette', '[role=dialog]')))
  })
  expect(found).toEqual([])
}, 240_000)

it('has no serious fault in the drawers and dialogs of keys, packages and members', async () => {
  await dashboard.visit('/keys', async (page) => {
    const found = await lookIn(page, 'keys')
    for (const name of ['packages', 'members'] as const) {
      await go(page, name)
      found.push(...(await lookIn(page, name)))
    }
    expect(found).toEqual([])
  })
}, 240_000)

it.each(['models', 'providers', 'tools'] as const)(
  'has no serious fault in the drawers and dialogs of %s',
  async (name) => {
    await dashboard.visit(`/${name}`, async (page) => expect(await lookIn(page, name)).toEqual([]))
  },
  240_000,
)

it('has no serious fault where a request is looked at, and where one is tried', async () => {
  await dashboard.visit('/requests', async (page) => {
    const found = await lookIn(page, 'requests')
    for (const name of ['ledger', 'audit'] as const) {
      await go(page, name)
      found.push(...(await lookIn(page, name)))
    }
    await go(page, 'try')
    await page.getByLabel('Model').selectOption('demo-chat')
    await press(page, 'Send')
    await page.getByText('Open the receipt').waitFor()
    found.push(...(await look(page, 'answer')))
    await page.getByLabel('Compare with').selectOption('jumpy')
    await press(page, 'Send')
    await expect.poll(() => page.getByText('Open the receipt').count()).toBe(2)
    found.push(...(await look(page, 'two answers')))
    await page.getByLabel('Compare with').selectOption('')
    await page.getByLabel('Model').selectOption('broken')
    await press(page, 'Send')
    await page.getByRole('tabpanel').getByRole('alert').waitFor()
    found.push(...(await look(page, 'refusal')))
    expect(found).toEqual([])
  })
}, 240_000)

it('has no serious fault on the way in: signing in, and the four steps of the first run', async () => {
  const found: string[] = []
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      found.push(...(await look(page, 'sign-in')))
      await page.getByLabel('Name').fill('ada')
      await page.getByLabel('Password').fill('a wrong password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      found.push(...(await look(page, 'sign-in that is refused')))
      await press(page, 'Use a key instead')
      await page.getByLabel('Key', { exact: true }).fill('no key of ours')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      found.push(...(await look(page, 'sign-in with a key that is refused')))
    },
    { isStranger: true },
  )
  const { link } = await dashboard.farebox.admin.call('createInvite', { body: { name: 'invited', packages: 'all' } })
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      await page.goto(link)
      await page.getByLabel('Your password').fill('short')
      found.push(...(await look(page, 'invite')))
      await page.getByLabel('Your password').fill(ADA.password)
      await press(page, 'Accept the invite')
      await page.getByLabel('Name').fill('from-the-invite')
      found.push(...(await look(page, 'welcome')))
      await press(page, 'Create the key')
      await page.getByText('Copy it now').waitFor()
      found.push(...(await look(page, 'welcome with a key')))
    },
    { isStranger: true },
  )
  await dashboard.visit('/first-run?step=provider', async (page) => {
    const isFitting = async (name: string) => {
      found.push(...(await look(page, name)))
      await page.setViewportSize({ width: TRAY_WIDTH, height: 760 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TRAY_WIDTH)
      await page.setViewportSize({ width: 1280, height: 900 })
    }
    await page.getByRole('tab', { name: 'The demo' }).waitFor()
    await isFitting('provider')
    await page.getByRole('tab', { name: 'The demo' }).click()
    await press(page, 'Go on with the demo')
    await page.getByLabel('Name').fill('from-the-first-run')
    await isFitting('key')
    await press(page, 'Create the key')
    await page.getByRole('heading', { name: 'Connect a tool' }).waitFor()
    await isFitting('connect')
    await press(page, 'I have pasted them')
    await page.getByText('Waiting for a request').waitFor()
    await isFitting('arrive')
  })
  await dashboard.visit(
    '/settings',
    async (page) => {
      await press(page, 'Change password')
      await page.getByLabel('New password', { exact: true }).fill('short')
      found.push(...(await look(page, 'change of a password', '[role=dialog]')))
    },
    { member: ADA },
  )
  await dashboard.visit(
    '/own-key',
    async (page) => {
      await page.getByText('demo-chat').first().waitFor()
      found.push(...(await look(page, 'the page of a key')))
      await page.setViewportSize({ width: TRAY_WIDTH, height: 760 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TRAY_WIDTH)
      await press(page, 'Revoke')
      found.push(...(await look(page, 'revoking the key', '[role=alertdialog]')))
    },
    { key: dashboard.key },
  )
  expect(found).toEqual([])
}, 240_000)
