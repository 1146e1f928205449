// The page of packages, against a real Farebox.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await add('open-to-ada', 10)
  await admin.call('addMember', { body: { ...ADA, packages: ['open-to-ada'] } })
})
afterAll(() => dashboard.close())

/** A monthly package in UTC with one key of the same name. */
async function add(name: string, credits: number): Promise<string> {
  const { admin } = dashboard.farebox
  await admin.call('addPackage', { body: { name, type: 'monthly', credits, timezone: 'UTC' } })
  return (await admin.call('createKey', { body: { name, package: name } })).key
}
async function show(name: string) {
  const packages = await dashboard.farebox.admin.call('listPackages', {})
  return packages.find((entity) => entity.name === name)
}
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

async function choose(page: Page, name: string, action: 'Edit' | 'Remove') {
  await rowOf(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
  const title = new RegExp(name)
  return page.getByRole('dialog', { name: title }).or(page.getByRole('alertdialog', { name: title }))
}

describe('a new package', () => {
  it('is what was filled in', async () => {
    await dashboard.visit('/packages', async (page) => {
      await page.getByRole('button', { name: 'Add a package' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a package' })
      await dialog.getByLabel('Name').fill('filled-in')
      await dialog.getByLabel('Type').selectOption({ label: 'Daily' })
      await dialog.getByRole('textbox', { name: 'Credits' }).fill('0,125')
      await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo')
      await dialog.getByLabel('Valid until').fill('2030-12-31')
      await dialog.getByLabel('Requests per minute').fill('60')
      await dialog.getByRole('radio', { name: 'Some' }).click()
      await dialog.getByLabel('demo-chat').click()
      // With three decimals after a comma the amount may also be a hundred and twenty-five.
      await dialog.getByText('without thousands separators').waitFor()
      expect(await dialog.getByRole('button', { name: 'Add a package' }).isDisabled()).toBe(true)
      await dialog.getByRole('textbox', { name: 'Credits' }).fill('0.125')
      await dialog.getByRole('button', { name: 'Add a package' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await show('filled-in')).toMatchObject({
        type: 'daily',
        credits: 0.125,
        timezone: 'Asia/Tokyo',
        limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null },
        models: ['demo-chat'],
        valid_until: '2030-12-31T15:00:00.000Z',
      })
    })
  })

  it('is refused beside the name that is taken, with what was typed kept', async () => {
    await dashboard.visit('/packages', async (page) => {
      await page.getByRole('button', { name: 'Add a package' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a package' })
      await dialog.getByLabel('Name').fill('open-to-ada')
      await dialog.getByRole('textbox', { name: 'Credits' }).fill('7')
      await dialog.getByRole('button', { name: 'Add a package' }).click()
      await dialog.getByRole('alert').filter({ hasText: 'already' }).waitFor()
      expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
      expect(await dialog.getByRole('textbox', { name: 'Credits' }).inputValue()).toBe('7')
    })
  })
})

describe('an edit', () => {
  it('says what keys lose before it is saved, and then takes exactly that', async () => {
    const key = await add('shrinking', 50)
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'shrinking', 'Edit')
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog.getByRole('textbox', { name: 'Credits' }).fill('49.7')
      await dialog.getByText('each key loses 0.30').waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await dashboard.farebox.balance(key)).toMatchObject({ total_credits: 49.7, remaining_credits: 49.7 })
    })
  })

  it('asks once more before it ends the cycles of keys', async () => {
    const key = await add('retyped', 5)
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'retyped', 'Edit')
      await dialog.getByLabel('Type').selectOption({ label: 'Daily' })
      await dialog.getByRole('button', { name: 'Save' }).click()
      const question = page.getByRole('alertdialog')
      await question.getByText('cannot be undone').waitFor()
      expect((await show('retyped'))?.type).toBe('monthly')
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await question.getByRole('button', { name: 'Apply' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect((await show('retyped'))?.type).toBe('daily')
      expect(await dashboard.farebox.balance(key)).toMatchObject({ daily_credits: 5 })
    })
  })

  it('forgets what keys have used only when that is asked for and confirmed', async () => {
    const key = await add('reset', 5)
    const { url } = dashboard.farebox
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
    })
    await answer.text()
    expect((await dashboard.farebox.balance(key))['used_credits']).not.toBe(0)
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'reset', 'Edit')
      await dialog.getByLabel('Reset used credits').click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Apply' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await dashboard.farebox.balance(key)).toMatchObject({ used_credits: 0, remaining_credits: 5 })
    })
  })

  it('keeps what it does not touch, and lifts limits that are emptied', async () => {
    const { admin } = dashboard.farebox
    const limits = { requests_per_minute: 60, tokens_per_minute: 1000 }
    await admin.call('addPackage', {
      body: { name: 'limited', type: 'topup', credits: 1, limits, valid_until: '2030-01-31', timezone: 'Asia/Tokyo' },
    })
    const before = await show('limited')
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'limited', 'Edit')
      expect(await dialog.getByLabel('Valid until').inputValue()).toBe('2030-01-31')
      await dialog.getByLabel('Tokens per minute').fill('')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await show('limited')).toEqual({ ...before, limits: { ...before?.limits, tokens_per_minute: null } })
    })
  })
})

describe('removing', () => {
  it('is refused with the reason where there are keys, and leads to them', async () => {
    await add('with-key', 1)
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'with-key', 'Remove')
      await dialog.getByText('because of their history').waitFor()
      await dialog.getByRole('link', { name: 'Show keys' }).click()
      await page.waitForURL('**/keys?package=with-key&state=all')
      await rowOf(page, 'with-key').waitFor()
      expect(await show('with-key')).toBeDefined()
    })
  })

  it('shows the words of the server where a key was made meanwhile', async () => {
    const { admin } = dashboard.farebox
    await admin.call('addPackage', { body: { name: 'raced', type: 'topup', credits: 1 } })
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'raced', 'Remove')
      await admin.call('createKey', { body: { name: 'raced', package: 'raced' } })
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByText('It cannot be removed.').waitFor()
    })
  })

  it('takes a package without keys away', async () => {
    await dashboard.farebox.admin.call('addPackage', { body: { name: 'unused', type: 'topup', credits: 1 } })
    await dashboard.visit('/packages', async (page) => {
      const dialog = await choose(page, 'unused', 'Remove')
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.waitFor({ state: 'detached' })
      await rowOf(page, 'unused').waitFor({ state: 'detached' })
      expect(await show('unused')).toBeUndefined()
    })
  })
})

describe('what is left', () => {
  it('is that of the key with the least, with when it comes back, and in the drawer that of each', async () => {
    const { farebox } = dashboard
    const key = await add('used-first', 10)
    await farebox.admin.call('createKey', { body: { name: 'untouched', package: 'used-first' } })
    await (await postChat({ url: farebox.url, key }, { model: 'demo-chat' })).text()
    const used = async () => (await farebox.admin.call('showKey', { id: 'used-first' })).balance.used_credits
    await expect.poll(used).toBeGreaterThan(0)
    await dashboard.visit('/packages', async (page) => {
      const row = rowOf(page, 'used-first')
      await row.getByText(/^resets in \d+ (?:month|day|hour|minute|second)s?$/).waitFor()
      expect(await row.innerText()).toMatch(/used-first: [\d.]+ \/ 10\.00/)
      expect(await row.innerText()).not.toContain('untouched')
      await openRow(row)
      const left = page.locator('section', { hasText: 'Remaining credits of its keys' }).getByRole('listitem')
      await expect
        .poll(async () => (await left.allInnerTexts()).map((text) => text.split(':')[0]))
        .toEqual(['used-first', 'untouched'])
    })
  })
})

describe('a member', () => {
  it('reads what is open to them, and can change nothing', async () => {
    await add('closed-to-ada', 1)
    await dashboard.visit(
      '/packages',
      async (page) => {
        await openRow(rowOf(page, 'open-to-ada'))
        const drawer = page.getByRole('dialog', { name: 'open-to-ada' })
        await drawer.getByText('10.00').waitFor()
        expect(await drawer.getByRole('button').allInnerTexts()).not.toContain('Edit')
        await page.keyboard.press('Escape')
        await drawer.waitFor({ state: 'detached' })
        expect(await rowOf(page, 'closed-to-ada').count()).toBe(0)
        expect(await page.getByRole('button', { name: 'Add a package' }).count()).toBe(0)
        expect(await page.getByRole('button', { name: /Actions for/ }).count()).toBe(0)
      },
      { member: ADA },
    )
  })
})

describe('for everybody', () => {
  it('it fits into the tray window', async () => {
    await dashboard.visit(
      '/packages',
      async (page) => {
        await openRow(rowOf(page, 'open-to-ada'))
        await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
        await page.getByRole('dialog', { name: 'Edit package "open-to-ada"' }).waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { width: 420 },
    )
  })
})
