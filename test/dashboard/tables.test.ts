// Tables and what they open: they fit their window, stay where they are when more is known, and give the focus back.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { chatModel } from '../support/farebox.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { call } = dashboard.farebox.admin
  const name = 'a-package-with-a-rather-long-name'
  await call('addPackage', { body: { name, type: 'monthly', credits: 4567.89 } })
  await call('addMember', { body: { name: 'Bartholomew of Northumberland', packages: 'all' } })
  await call('createKey', { body: { name: 'a-key-with-a-rather-long-name', package: name } })
  const millions = 'a-package-of-many-millions'
  await call('addPackage', { body: { name: millions, type: 'monthly', credits: 98_765_432.1 } })
  await call('createKey', { body: { name: 'rich', package: millions, owner: 'Bartholomew of Northumberland' } })
  await call('adjustKey', { id: 'rich', body: { credits: -12_345_678.123456, reason: 'spent elsewhere' } })
  const price = { input: 123.456789, output: 1234.567891, cache_read: 12.345678, cache_write: 123.456789 }
  const targets = [{ provider: 'demo', model: 'dear' }]
  await call('addModel', { body: chatModel('a-model-with-a-long-name', { price, targets, enabled: false }) })
  const asked = { url: dashboard.farebox.url, key: dashboard.key }
  await (await postChat(asked, { model: 'demo-chat' })).text()
})
afterAll(() => dashboard.close())

describe('tables', () => {
  const WIDE = [800, 1040, 1280, 1440]

  it.each<[path: string, name: string, widths: number[], language?: 'de']>([
    ['keys?q=a-key', 'Keys', WIDE],
    ['keys?q=rich', 'Keys', [420, ...WIDE]],
    ['models?q=a-model', 'Models and prices', WIDE],
    ['models?q=a-model', 'Modelle und Preise', WIDE, 'de'],
    ['members', 'Members', [800]],
    ['overview', 'Latest requests', [800]],
    ['ledger?key=rich', 'Ledger', [420]],
    ['usage?group=key', 'Usage table', [420]],
  ])('of %s fit a window', async (path, name, widths, language) => {
    const look = async (page: Page) => {
      // A card of the same name may be around it.
      const region = page.getByRole('region', { name, exact: true }).last()
      await region.getByRole('row').nth(1).waitFor()
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        await expect.poll(() => region.evaluate(tooWide), { message: `${width} px` }).toBe(0)
      }
    }
    await dashboard.visit(`/${path}`, look, language === undefined ? {} : { language })
  })

  it.each(['en', 'fr'] as const)(
    'of the latest requests fit with the longest names and times, in %s',
    async (language) => {
      const overview = await dashboard.farebox.admin.call('overview', {})
      const latest = overview.latest.map((one) => ({ ...one, ...LONGEST }))
      await dashboard.visit(
        '/settings',
        async (page) => {
          await page.route('**/api/overview', (route) => route.fulfill({ json: { ...overview, latest } }))
          await page.goto(`${dashboard.farebox.url}/app/overview`)
          const table = page.getByRole('table').filter({ hasText: LONGEST.model })
          await table.waitFor()
          for (const width of [420, ...WIDE]) {
            await page.setViewportSize({ width, height: 900 })
            await expect.poll(() => table.locator('..').evaluate(tooWide), { message: `${width} px` }).toBe(0)
          }
        },
        { language },
      )
    },
  )

  it('have their columns of members where they are before the usage is known', async () => {
    await dashboard.visit('/members', async (page) => {
      let letGo = () => {}
      const held = new Promise<void>((done) => (letGo = done))
      await page.route('**/api/usage-report**', async (route) => {
        await held
        await route.continue()
      })
      await page.reload()
      await page.getByRole('row').nth(1).waitFor()
      const before = await headsOf(page)
      letGo()
      await page.getByRole('table', { name: 'Used by no member this month' }).waitFor()
      expect(await headsOf(page)).toEqual(before)
    })
  })
})

describe('a drawer', () => {
  it.each(['keys', 'packages', 'models', 'providers', 'members', 'tools', 'audit'])(
    'of %s gives the focus back to its row, opened by key and by click',
    async (path) => {
      await dashboard.visit(`/${path}`, async (page) => {
        const row = page.getByRole('main').getByRole('row').nth(1)
        const isFocused = () => row.evaluate((element) => element === element.ownerDocument.activeElement)
        for (const open of [() => row.press('Enter'), () => openRow(row)]) {
          await open()
          await page.getByRole('dialog').waitFor()
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
          await expect.poll(isFocused).toBe(true)
        }
      })
    },
  )
})

const LONGEST = {
  key: 'a-key-with-a-rather-long-name-indeed',
  model: 'a-model-with-a-rather-long-name-of-two-makers',
  provider: 'a-provider-with-a-rather-long-name',
  input_tokens: 987_654,
  output_tokens: 123_456,
  charge_credits: 12_345.67,
  duration_ms: 3_599_000,
  outcome: 'out_of_credits',
}

function tooWide(box: { readonly scrollWidth: number; readonly clientWidth: number }): number {
  return box.scrollWidth - box.clientWidth
}

/** Where each column of the members begins. */
function headsOf(page: Page): Promise<number[]> {
  return page
    .getByRole('table', { name: 'Members' })
    .getByRole('columnheader')
    .evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().left))
}
