// Every page, drawer and dialog in each language, on a desktop and in the window of the tray: no line is cut, wider than its place or left in English,
// and nothing makes the page scroll sideways. A page is opened once and speaks one language after the other, since what takes the
// time is to open it.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LANGUAGE_NAMES, type Language } from '../../src-renderer/data/languages.ts'
import { bringWords, cutWords } from '../support/cut-words.ts'
import { fillForPanels, go, lookAtPanels, PANELS } from '../support/dashboard-panels.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { catalogue } from '../support/words.ts'

/** English last: what finds its way on the page by words finds it in English again. */
const LANGUAGES = (Object.keys(LANGUAGE_NAMES) as Language[]).toReversed()
const WIDTHS = [1280, 420] as const
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
  ['bills', 'h1'],
  ['try', 'textarea'],
  ['audit', 'tbody tr'],
  ['settings', 'tr:has-text("hold_wait_ms")'],
] as const
const WITH_FILTERS: ReadonlySet<string> = new Set([
  'keys',
  'models',
  'providers',
  'usage',
  'requests',
  'ledger',
  'audit',
])

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await fillForPanels(dashboard)
})
afterAll(() => dashboard.close())

/** What is wrong in any language at any width, with where it was seen. The page is in English before and after. */
async function faultsIn(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    found.push(...(await cutWords(page)).map((fault) => `${name}, ${width}, ${fault}`))
  }
  return found
}

it('fits on every page in each language', async () => {
  const found: string[] = []
  await dashboard.visit('/overview', async (page) => {
    await bringWords(page, LANGUAGES)
    for (const [name, sign] of PAGES) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.locator(`nav a[href="/app/${name}"]`).click()
      await page.waitForURL(`**/app/${name}`)
      await page.locator(sign).first().waitFor()
      // The fields of filters, where they are behind a button.
      const filters = page.getByRole('main').getByRole('button', { name: 'Filters', exact: true })
      if (WITH_FILTERS.has(name)) await filters.click()
      found.push(...(await faultsIn(page, name)))
    }
  })
  expect(found).toEqual([])
}, 240_000)

it('fits in every drawer and dialog in each language', async () => {
  const found: string[] = []
  await dashboard.visit('/overview', async (page) => {
    await bringWords(page, LANGUAGES)
    for (const [of, panels] of Object.entries(PANELS)) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await go(page, of)
      const look = async (name: string) => {
        const faults = await faultsIn(page, name)
        // The next one is opened where everything has room.
        await page.setViewportSize({ width: 1280, height: 900 })
        return faults
      }
      found.push(...(await lookAtPanels(page, panels, look)))
    }
  })
  expect(found).toEqual([])
}, 240_000)

it('finds what is planted, in each language', async () => {
  await dashboard.visit('/settings', async (page) => {
    await bringWords(page, LANGUAGES)
    await page.evaluate(PLANT)
    const found = await faultsIn(page, 'planted')
    for (const [fault, languages] of Object.entries({
      'button "planted-wide" is wider than its place by': LANGUAGES,
      'a "planted-cut" is cut by what is around it': LANGUAGES,
      'a "planted-beyond" is beyond the edge of the window': LANGUAGES,
      'p "Sign out" is left in English': LANGUAGES.filter((language) => language !== 'en'),
    })) {
      for (const width of WIDTHS) {
        const ofWidth = found.filter((line) => line.startsWith(`planted, ${width}, `) && line.includes(fault))
        const seen = LANGUAGES.filter((language) => ofWidth.some((line) => line.includes(` ${language}: `)))
        expect(seen, `${fault}, ${width}`).toEqual(languages)
      }
    }
    // What can be scrolled to is not cut.
    expect(found.filter((line) => line.includes('planted-scrolled'))).toEqual([])
  })
}, 120_000)

/** Boxes in boxes, since what cuts is seldom the parent. */
const PLANT = `(() => {
  const make = (tag, text, style, ...around) => {
    const element = Object.assign(document.createElement(tag), { textContent: text })
    Object.assign(element.style, style)
    const outer = around.reduceRight((inner, box) => {
      const div = document.createElement('div')
      Object.assign(div.style, box)
      div.append(inner)
      return div
    }, element)
    document.body.append(outer)
  }
  const wide = { display: 'block', width: '300px' }
  make('button', 'planted-wide', { display: 'block', width: '20px', whiteSpace: 'nowrap' })
  make('a', 'planted-cut', wide, { width: '100px', overflow: 'hidden' }, { width: '300px' })
  make('a', 'planted-beyond', { ...wide, position: 'absolute', left: '-100px' })
  make('a', 'planted-scrolled', wide, { width: '50px', overflow: 'hidden' }, { width: '50px', overflowX: 'auto' }, { width: '300px' })
  make('p', 'Sign out', {})
})()`

it('fetches a language when it is chosen, on the way in too', async () => {
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      const scripts: Promise<string>[] = []
      page.on('response', (answer) => {
        if (answer.url().endsWith('.js')) scripts.push(answer.text())
      })
      const fetched = async () => {
        const all = (await Promise.all(scripts)).join('\n')
        return LANGUAGES.filter((language) => all.includes(catalogue(language, 'common').get('notFound') ?? ''))
      }
      await page.reload()
      const choice = page.getByLabel('Language')
      await choice.waitFor()
      expect(await choice.locator('option').allTextContents()).toEqual(Object.values(LANGUAGE_NAMES))
      expect(await fetched()).toEqual(['en'])
      await choice.selectOption('fr')
      await page.getByRole('button', { name: 'Se connecter' }).waitFor()
      await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('fr')
      expect(await fetched()).toEqual(['fr', 'en'])
    },
    { isStranger: true },
  )
}, 60_000)
