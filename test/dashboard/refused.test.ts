// What was refused, as the dashboard shows it: on Requests, on the key's page, in Usage, and by the id of an error.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
let ids: string[] = []

beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await admin.call('addPackage', { body: { name: 'empty', type: 'topup', credits: 0 } })
  const { key } = await admin.call('createKey', { body: { name: 'spent', package: 'empty' } })
  ids = []
  for (let index = 0; index < 28; index++) ids.push(await ask(key))
  await ask(`key_${'x'.repeat(43)}`)
  await ask(dashboard.key)
})
afterAll(() => dashboard.close())

async function ask(key: string): Promise<string> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}

const table = (page: Page) => page.getByRole('table', { name: 'Refused before they were calls' })
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Receipt' })

describe('refused requests', () => {
  it('stand on Requests, the same in one line, with what to do', async () => {
    await dashboard.visit('/requests', async (page) => {
      const row = table(page).getByRole('row').filter({ hasText: 'spent' })
      await row.waitFor()
      expect(await row.innerText()).toMatch(/28[\s\S]*spent[\s\S]*402[\s\S]*The credits of this key are used up/)
      expect(await table(page).getByRole('row').filter({ hasText: 'no known key' }).count()).toBe(1)
      await row.getByRole('button').click()
      await drawer(page).getByText('Add credits to the key').waitFor()
      expect(await drawer(page).innerText()).toMatch(/Times\s+28/)
    })
  })

  it('are found by the id that an error came with', async () => {
    await dashboard.visit('/requests', async (page) => {
      const field = page.getByRole('search').getByRole('textbox')
      await field.fill('nothing of the kind')
      await field.press('Enter')
      await page.getByText('An id such as').waitFor()
      await field.fill(`request_id: ${ids[17]}`)
      await field.press('Enter')
      await drawer(page).getByText('The credits of this key are used up').waitFor()
      expect(new URL(page.url()).searchParams.get('open')).toBe(ids[17])
    })
  })

  it('go with the filters that fit them, and are no part of others', async () => {
    await dashboard.visit('/requests?key=spent', async (page) => {
      await table(page).waitFor()
      expect(await table(page).getByRole('row').count()).toBe(2)
    })
    await dashboard.visit('/requests?status=failed', async (page) => {
      await page.getByText('No request fits the filters').waitFor()
      expect(await table(page).count()).toBe(0)
    })
  })

  it("stand on the key's page and beside the sums of Usage", async () => {
    await dashboard.visit('/keys?open=spent', async (page) => {
      const own = page.getByRole('table', { name: 'Refused' })
      await expect.poll(() => own.innerText()).toMatch(/used up[\s\S]*× 28[\s\S]*402/)
    })
    await dashboard.visit('/usage', async (page) => {
      await page.getByText('29 requests were refused before they started.').waitFor()
    })
  })
})
