// Projects and sessions in the dashboard: what projects may be charged, which keys are set to them, and what calls for them came to.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

const SESSION = 'b3b0c442-98fc-4c14-9afb-f4c8996fb924'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard.close())

const admin = () => dashboard.farebox.admin
const projects = () => admin().call('listProjects', {})
const cardOf = (page: Page, name = 'Limits of projects') => page.getByRole('region', { name })

async function use(key: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  expect(answer.status).toBe(200)
  await answer.text()
}

describe('limits of projects', () => {
  it('are set, changed and lifted beside the members', async () => {
    await dashboard.visit('/members', async (page) => {
      await cardOf(page).getByRole('button', { name: 'Limit a project' }).click()
      const dialog = page.getByRole('dialog', { name: 'Limit a project' })
      await dialog.getByLabel('Project').fill('not a name')
      await dialog.getByLabel('Credits per day').fill('1.5')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('cannot be the name of a project').waitFor()
      await dialog.getByLabel('Project').fill('Team/Website')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await cardOf(page).getByText('team/website').waitFor()
      expect(await projects()).toMatchObject([{ name: 'team/website', credits_per_day: 1.5, credits_per_month: null }])

      await cardOf(page).getByRole('button', { name: 'Edit the limits of team/website' }).click()
      const edit = page.getByRole('dialog', { name: 'Limits of "team/website"' })
      await edit.getByLabel('Credits per day').fill('-1')
      expect(await edit.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await edit.getByLabel('Credits per day').fill('')
      await edit.getByLabel('Credits per month').fill('20')
      await edit.getByRole('button', { name: 'Save' }).click()
      await edit.waitFor({ state: 'detached' })
      expect(await projects()).toMatchObject([{ credits_per_day: null, credits_per_month: 20 }])

      await cardOf(page).getByRole('button', { name: 'Remove limits of team/website' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Remove limits' }).click()
      // The card is hidden from those who ask by roles as long as the dialog is there.
      await page.getByRole('alertdialog').waitFor({ state: 'detached' })
      expect(await projects()).toEqual([])
      await cardOf(page).getByText('team/website').waitFor({ state: 'detached' })
    })
  })

  it('stand on the overview with what is used, in German and in the window of the tray too', async () => {
    await admin().call('setProject', { id: 'shop', body: { credits_per_day: 2, credits_per_month: 30 } })
    const { key } = await admin().call('createKey', { body: { name: 'of-shop', package: 'starter', project: 'shop' } })
    await use(key)
    const used = (await projects())[0]?.credits_today ?? 0
    expect(used).toBeGreaterThan(0)
    await dashboard.visit('/overview', async (page) => {
      const line = cardOf(page).getByRole('listitem').filter({ hasText: 'shop' })
      await line.getByTitle(`${used} credits`).first().waitFor()
      expect(await line.getByRole('img').count()).toBe(2)
      await page.getByRole('radio', { name: 'Project' }).click()
      await page.getByRole('table', { name: 'Totals of the chart' }).getByRole('link', { name: 'shop' }).waitFor()
    })
    await dashboard.visit(
      '/overview',
      async (page) => {
        await cardOf(page, 'Grenzen von Projekten').getByText('Diesen Monat').waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { language: 'de', theme: 'dark', width: 420 },
    )
  })
})

describe('what a key is counted to', () => {
  it('is said when it is made and changed later', async () => {
    await dashboard.visit('/keys', async (page) => {
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Create a key' })
      await dialog.getByLabel('Name').fill('labelled')
      await dialog.getByLabel('Project').fill('Website')
      await dialog.getByLabel('Tags').fill('no tag!')
      await dialog.getByRole('button', { name: 'Create a key' }).click()
      await dialog.getByRole('alert').first().waitFor()
      await dialog.getByLabel('Tags').fill('night, batch night')
      await dialog.getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('dialog', { name: 'labelled' }).waitFor()
    })
    const made = (await admin().call('listKeys', {})).find(({ name }) => name === 'labelled')
    expect(made).toMatchObject({ project: 'website', tool: null, tags: ['batch', 'night'] })
    await dashboard.visit(`/keys?open=${made?.id ?? ''}`, async (page) => {
      await page.getByRole('button', { name: 'Attribution' }).click()
      const dialog = page.getByRole('dialog', { name: 'Attribution of "labelled"' })
      expect(await dialog.getByLabel('Tags').inputValue()).toBe('batch, night')
      await dialog.getByLabel('Project').fill('')
      await dialog.getByLabel('Tool').fill('cron')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('was changed').first().waitFor()
    })
    const changed = await admin().call('showKey', { id: made?.id ?? '' })
    expect(changed).toMatchObject({ project: null, tool: 'cron', tags: ['batch', 'night'] })
  })
})

describe('usage', () => {
  it.each([
    ['tool', 'opencode', 2],
    ['project', 'garden', 2],
    ['tag', 'nightly', 1],
  ] as const)('by %s has what each came to, and leads to its calls', async (group, value, calls) => {
    const name = `by-${group}`
    const { key } = await admin().call('createKey', { body: { name, package: 'starter' } })
    const told = { 'user-agent': 'opencode/1.2', 'x-farebox-project': 'garden' }
    await use(key, { ...told, 'x-farebox-tags': 'nightly' })
    await use(key, told)
    await use(key, { 'user-agent': 'curl/8.1' })
    const { totals, series } = await admin().call('usageReport', { query: { key: name, group } })
    await dashboard.visit(`/usage?key=${name}`, async (page) => {
      await page.getByRole('combobox', { name: 'Group by' }).selectOption(group)
      const table = page.getByRole('table', { name: 'Usage table' })
      const row = (text: string) => table.getByRole('row').filter({ has: page.getByText(text, { exact: true }) })
      await row(value).waitFor()
      const costOf = async (text: string) => micro(await row(text).locator('td').first().innerText())
      const said = series.find((one) => one.name === value)?.totals
      expect(said?.requests).toBe(calls)
      expect(await costOf(value)).toBe(micro(String(said?.charge_credits)))
      expect(await costOf('Total')).toBe(micro(String(totals.charge_credits)))
      const rows = (await table.locator('tbody td:nth-child(2)').allInnerTexts()).map(micro)
      expect(rows.reduce((sum, cost) => sum + cost, 0n)).toBe(micro(String(totals.charge_credits)))
      await row(value).getByRole('link').click()
      await page.waitForURL((url) => url.searchParams.get(group) === value && url.pathname.endsWith('/requests'))
      await expect.poll(() => page.getByRole('grid').locator('[data-id]').count()).toBe(calls)
    })
  })
})

function micro(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`)
}

describe('usage by session', () => {
  it('has a row for each, with a way to its requests, and no course of time', async () => {
    await use(dashboard.key, { 'x-claude-code-session-id': SESSION })
    await use(dashboard.key, { 'x-claude-code-session-id': SESSION })
    await dashboard.visit('/usage', async (page) => {
      await page.getByRole('combobox', { name: 'Group by' }).selectOption('session')
      await page.getByText('Sessions have no chart').waitFor()
      const row = page.getByRole('row').filter({ hasText: SESSION })
      expect(await row.locator('td').allInnerTexts()).toContain('2')
      expect(await page.getByRole('radiogroup', { name: 'Table rows' }).count()).toBe(0)
      await row.getByRole('link').click()
      await page.waitForURL(/session=/)
      await page.getByRole('heading', { name: 'Requests' }).waitFor()
    })
  })
})
