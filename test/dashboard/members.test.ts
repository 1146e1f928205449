// The page of members, against a real Farebox.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  await admin.call('addPackage', { body: { name: 'other', type: 'monthly', credits: 50 } })
})
afterAll(() => dashboard.close())

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const add = (name: string) =>
  dashboard.farebox.admin.call('addMember', { body: { name, password: PASSWORD, packages: ['team'] } })
const makeKey = (name: string, owner: string) =>
  dashboard.farebox.admin.call('createKey', { body: { name, package: 'team', owner } })
async function show(name: string) {
  const members = await dashboard.farebox.admin.call('listMembers', {})
  return members.find((member) => member.name === name)
}
async function chat(key: string): Promise<number> {
  const answer = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await answer.text()
  return answer.status
}

async function choose(page: Page, name: string, action: string) {
  await rowOf(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
  const title = new RegExp(`"${name}"`)
  return page.getByRole('dialog', { name: title }).or(page.getByRole('alertdialog', { name: title }))
}

describe('a new member', () => {
  it('signs in with the password that was set, and makes keys under the packages that were opened', async () => {
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Add a member' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a member' })
      await dialog.getByLabel('Name').fill('ada')
      await dialog.getByLabel('other').click()
      await dialog.getByLabel('Password', { exact: false }).first().fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Add a member' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await show('ada')).toMatchObject({ role: 'member', has_password: true })
      await dashboard.visit(
        '/packages',
        async (theirs) => {
          await rowOf(theirs, 'other').waitFor()
          expect(await rowOf(theirs, 'team').count()).toBe(0)
        },
        { member: { name: 'ada', password: PASSWORD } },
      )
    })
  })

  it('waits for a password where none was given, and gets one later', async () => {
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Add a member' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a member' })
      await dialog.getByLabel('Name').fill('later')
      await dialog.getByRole('button', { name: 'Add a member' }).click()
      await rowOf(page, 'later').getByText('No password yet').waitFor()
      const password = await choose(page, 'later', 'Set password')
      await password.getByLabel('Password', { exact: true }).fill('too short')
      await password.getByText('At least 10 characters.', { exact: true }).waitFor()
      expect(await password.getByRole('button', { name: 'Set password' }).isDisabled()).toBe(true)
      await password.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await password.getByRole('button', { name: 'Set password' }).click()
      await rowOf(page, 'later').getByText('Active').waitFor()
      await dashboard.visit(
        '/keys',
        async (theirs) => {
          await theirs.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
        },
        { member: { name: 'later', password: PASSWORD } },
      )
    })
  })

  it('is refused beside a name that is taken, with what was typed kept', async () => {
    await add('twice')
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Add a member' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a member' })
      await dialog.getByLabel('Name').fill('twice')
      await dialog.getByLabel('Role').selectOption('administrator')
      await dialog.getByRole('button', { name: 'Add a member' }).click()
      await dialog.getByRole('alert').filter({ hasText: "'twice'" }).waitFor()
      expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
      expect(await dialog.getByLabel('Role').inputValue()).toBe('administrator')
    })
  })

  it('leaves no password in the page once its dialog is closed', async () => {
    await add('secretive')
    await dashboard.visit('/members', async (page) => {
      const dialog = await choose(page, 'secretive', 'Set password')
      const field = dialog.getByLabel('Password', { exact: true })
      await field.fill('a very secret sentence')
      expect(await field.getAttribute('type')).toBe('password')
      await dialog.getByRole('button', { name: 'Show the password' }).click()
      expect(await field.getAttribute('type')).toBe('text')
      await dialog.getByRole('button', { name: 'Set password' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain('a very secret sentence')
      expect(String(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'))).not.toContain(
        'a very secret sentence',
      )
    })
  })
})

describe('an edit', () => {
  it('changes role and packages, and nothing else', async () => {
    await add('promoted')
    const before = await show('promoted')
    await dashboard.visit('/members', async (page) => {
      const dialog = await choose(page, 'promoted', 'Edit')
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Role').selectOption('administrator')
      await dialog.getByRole('radio', { name: 'All' }).click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await show('promoted')).toEqual({ ...before, role: 'administrator', packages: 'all' })
    })
  })
})

describe('limits', () => {
  it('are set, shown with what is used of them, and lifted again', async () => {
    await add('limited')
    const { key } = await makeKey('key-of-limited', 'limited')
    await dashboard.visit('/members', async (page) => {
      const dialog = await choose(page, 'limited', 'Edit')
      await dialog.getByLabel('Requests per minute').fill('0')
      await dialog.getByText('A whole number, at least 1.').waitFor()
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Requests per minute').fill('1')
      await dialog.getByLabel('Credits per day').fill('2.5')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await show('limited')).toMatchObject({ limits: { requests_per_minute: 1, credits_per_day: 2.5 } })
      expect([await chat(key), await chat(key)]).toEqual([200, 429])
      await page.reload()
      await openRow(rowOf(page, 'limited'))
      const drawer = page.getByRole('dialog', { name: 'limited' })
      await drawer.getByRole('heading', { name: 'Limits for all keys together' }).waitFor()
      await drawer.getByText('Credits today').waitFor()
      await drawer.getByText('2.50').waitFor()
      await drawer.getByRole('button', { name: 'Edit' }).click()
      const again = page.getByRole('dialog', { name: /"limited"/ })
      expect(await again.getByLabel('Credits per day').inputValue()).toBe('2.5')
      await again.getByLabel('Requests per minute').fill('')
      await again.getByRole('button', { name: 'Save' }).click()
      await again.waitFor({ state: 'detached' })
      expect(await show('limited')).toMatchObject({ limits: { requests_per_minute: null, credits_per_day: 2.5 } })
      expect(await chat(key)).toBe(200)
    })
  })
})

describe('suspending', () => {
  it('says that keys stop, stops them, ends the session, and takes all of it back', async () => {
    await add('paused')
    const { key } = await makeKey('key-of-paused', 'paused')
    await dashboard.visit(
      '/keys',
      async (theirs) => {
        await rowOf(theirs, 'key-of-paused').waitFor()
        await dashboard.visit('/members', async (page) => {
          const dialog = await choose(page, 'paused', 'Suspend')
          await dialog.getByText('Their key is refused from the next request').waitFor()
          await dialog.getByRole('button', { name: 'Suspend' }).click()
          await rowOf(page, 'paused').getByText('Suspended').waitFor()
          expect(await chat(key)).toBe(403)
          await theirs.reload()
          await theirs.waitForURL('**/app/sign-in')
          await rowOf(page, 'paused').getByRole('button', { name: 'Actions for paused' }).click()
          await page.getByRole('menuitem', { name: 'Resume' }).click()
          await rowOf(page, 'paused').getByText('Active').waitFor()
          expect(await chat(key)).toBe(200)
        })
      },
      { member: { name: 'paused', password: PASSWORD } },
    )
  })
})

describe('removing', () => {
  it('is refused with the reason while there are keys, and leads to them', async () => {
    await add('keeper')
    await makeKey('key-of-keeper', 'keeper')
    await dashboard.visit('/members', async (page) => {
      const dialog = await choose(page, 'keeper', 'Remove')
      await dialog.getByText('belong to nobody').waitFor()
      await dialog.getByRole('link', { name: 'Show keys' }).click()
      await page.waitForURL('**/keys?owner=keeper')
      await rowOf(page, 'key-of-keeper').waitFor()
      expect(await show('keeper')).toBeDefined()
    })
  })

  it('needs the name to be typed', async () => {
    await add('leaver')
    await dashboard.visit('/members', async (page) => {
      const dialog = await choose(page, 'leaver', 'Remove')
      expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
      await dialog.getByRole('textbox').fill('leaver')
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.waitFor({ state: 'detached' })
      await rowOf(page, 'leaver').waitFor({ state: 'detached' })
      expect(await show('leaver')).toBeUndefined()
    })
  })
})

describe('what members used this month', () => {
  it('stands beside them, with their keys and balances at one click, and what no member used below', async () => {
    await add('busy')
    await add('idle')
    const { key } = await makeKey('of-busy', 'busy')
    for (const used of [key, key, key, dashboard.key]) expect(await chat(used)).toBe(200)
    await dashboard.visit('/members', async (page) => {
      const cells = async (name: string) => (await rowOf(page, name).getByRole('cell').allInnerTexts()).slice(5, 8)
      await expect.poll(async () => (await cells('busy'))[0]).toBe('3')
      expect((await cells('idle'))[0]).toBe('0')
      const nobody = page.getByRole('table', { name: 'Used by no member this month' })
      await nobody
        .getByRole('row')
        .filter({ hasText: 'No owner' })
        .getByRole('cell', { name: '1', exact: true })
        .waitFor()
      await openRow(rowOf(page, 'busy'))
      const drawer = page.getByRole('dialog', { name: 'busy' })
      await drawer.getByText('of-busy').waitFor()
      await drawer.getByRole('link', { name: 'Show usage' }).click()
      await page.waitForURL(/\/usage\?.*member=busy/)
      await page.getByRole('table', { name: 'Usage table' }).getByText('of-busy').waitFor()
    })
  })

  it.each(['CSV', 'JSON'])('is saved as %s for the days that are chosen', async (format) => {
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export the usage of members' })
      await dialog.getByRole('radio', { name: format }).click()
      await dialog.getByLabel('Last day').fill('2020-01-01')
      expect(await dialog.getByRole('button', { name: 'Save the file' }).isDisabled()).toBe(true)
      const today = (await dialog.getByLabel('Last day').getAttribute('max')) ?? ''
      await dialog.getByLabel('Last day').fill(today)
      await dialog.getByLabel('First day').fill('2020-01-01')
      await dialog.getByRole('button', { name: 'Save the file' }).click()
      await dialog.getByRole('alert').getByText('at most 400 days').waitFor()
      await dialog.getByLabel('First day').fill(`${today.slice(0, 8)}01`)
      const started = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Save the file' }).click()
      const download = await started
      const days = String.raw`\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d`
      expect(download.suggestedFilename()).toMatch(
        new RegExp(`^farebox-members-${days}-[\\w+-]+\\.${format.toLowerCase()}$`),
      )
      const text = await readFile(await download.path(), 'utf8')
      await dialog.waitFor({ state: 'detached' })
      const { time_zone: zone } = await dashboard.farebox.admin.call('usageReport', {})
      expect(text).toContain(zone)
      if (format === 'CSV') expect(text).toMatch(/\r\n.*,value,busy,[0-9a-f-]{36},3,/)
      else {
        const { group, series } = JSON.parse(text) as { group: string; series: { name: string | null }[] }
        expect(group).toBe('member')
        expect(series.map(({ name }) => name)).toEqual(expect.arrayContaining(['busy', null]))
      }
    })
  })
})

describe('for everybody', () => {
  it('a member is led away from the page', async () => {
    await add('curious')
    await dashboard.visit(
      '/members',
      async (page) => {
        await page.waitForURL('**/app/overview')
      },
      { member: { name: 'curious', password: PASSWORD } },
    )
  })
})
