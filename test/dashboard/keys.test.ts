// The page of keys, against a real Farebox with the demo provider.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await admin.call('addPackage', {
    body: { name: 'team', type: 'monthly', credits: 50, limits: { requests_per_minute: 60 } },
  })
  await admin.call('addPackage', { body: { name: 'day', type: 'daily', credits: 1 } })
  await admin.call('addPackage', { body: { name: 'free', type: 'unlimited' } })
  await admin.call('addMember', { body: { ...ADA, packages: ['team'] } })
})
afterAll(() => dashboard.close())

const make = (name: string, inPackage = 'team', owner?: string) =>
  dashboard.farebox.admin.call('createKey', {
    body: { name, package: inPackage, ...(owner === undefined ? {} : { owner }) },
  })
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const statusOf = async (id: string) => (await dashboard.farebox.admin.call('showKey', { id })).status

async function chat(key: string): Promise<number> {
  const response = await fetch(`${dashboard.farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.text()
  return response.status
}

const drawerOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Opens the drawer of a key and one of its actions. */
async function start(page: Page, name: string, action: string) {
  await openRow(rowOf(page, name))
  await drawerOf(page, name).getByRole('button', { name: action, exact: true }).click()
  const title = new RegExp(`^${action} .*"${name}"`)
  return page.getByRole('dialog', { name: title }).or(page.getByRole('alertdialog', { name: title }))
}

describe('a new key', () => {
  it('is shown once with lines to paste, works at once, and is nowhere afterwards', async () => {
    await dashboard.visit('/keys', async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('laptop')
      await page.getByRole('dialog').getByLabel('Package').selectOption({ label: 'team' })
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click()
      const made = page.getByRole('dialog', { name: /laptop/ })
      await made.getByText('shown only once').waitFor()
      await made.getByRole('button', { name: 'Copy: Value of the key' }).click()
      await made.getByText('Copied').first().waitFor()
      const value = String(await page.evaluate('navigator.clipboard.readText()'))
      expect(value).toMatch(/^key_[0-9A-Za-z]{38}$/)
      expect(await made.getByRole('region', { name: 'Terminal' }).innerText()).toContain(value)
      expect(await chat(value)).toBe(200)

      await page.keyboard.press('Escape')
      await made.getByText('cannot be shown again').waitFor()
      await page.keyboard.press('Escape')
      await made.waitFor({ state: 'detached' })
      await rowOf(page, 'laptop').waitFor()
      const kept = await page.evaluate(
        'document.body.innerHTML + JSON.stringify({ ...sessionStorage, ...localStorage })',
      )
      expect(kept).not.toContain(value)
      await page.reload()
      await rowOf(page, 'laptop').waitFor()
      expect(await page.content()).not.toContain(value)
    })
  })

  it('is refused beside the field that is wrong, with everything that was typed kept', async () => {
    await make('taken')
    await dashboard.visit('/keys', async (page) => {
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      const name = page.getByLabel('Name', { exact: true })
      await name.fill('taken')
      await page.getByRole('dialog').getByLabel('Package').selectOption({ label: 'day' })
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('alert').filter({ hasText: "There is a key named 'taken' already." }).waitFor()
      expect(await name.getAttribute('aria-invalid')).toBe('true')
      expect(await name.inputValue()).toBe('taken')
      expect(await page.getByRole('dialog').getByLabel('Package').locator('option:checked').innerText()).toBe('day')
    })
  })
})

describe('the credits of a key', () => {
  it('are those of GET /v1/balance to the last digit, also after a call and a top-up', async () => {
    const { key } = await make('exact')
    expect(await chat(key)).toBe(200)
    await dashboard.visit('/keys', async (page) => {
      const dialog = await start(page, 'exact', 'Top up')
      await dialog.getByLabel('Amount').fill('0,000001')
      await dialog.getByLabel('Reason').fill('the smallest there is')
      await dialog.getByRole('button', { name: 'Top up' }).click()
      await dialog.waitFor({ state: 'detached' })
      const balance = await dashboard.farebox.balance(key)
      expect(balance).toMatchObject({ total_credits: 50.000001, total_requests: 1 })
      const drawer = drawerOf(page, 'exact')
      for (const [name, member] of [
        ['Total', 'total_credits'],
        ['Used', 'used_credits'],
        ['Remaining', 'remaining_credits'],
      ] as const) {
        const shown = drawer
          .locator('dt', { hasText: new RegExp(`^${name}$`) })
          .locator('xpath=following-sibling::dd[1]')
        await expect.poll(async () => parseFloat(await shown.innerText())).toBe(balance[member])
      }
      await drawer
        .getByRole('link', { name: /now|ago/ })
        .first()
        .waitFor()
    })
  })

  it('are topped up once when the answer got lost and the button is pressed again', async () => {
    const { key } = await make('lossy')
    await dashboard.visit('/keys', async (page) => {
      let isLost = false
      await page.route('**/top-up', async (route) => {
        const answer = await route.fetch()
        if (isLost) return route.fulfill({ response: answer })
        isLost = true
        return route.abort()
      })
      const dialog = await start(page, 'lossy', 'Top up')
      await dialog.getByLabel('Amount').fill('5')
      await dialog.getByRole('button', { name: 'Top up' }).click()
      await dialog.getByText('the change is never made twice').waitFor()
      expect(await dialog.getByLabel('Amount').getAttribute('readonly')).not.toBeNull()
      await dialog.getByRole('button', { name: 'Top up' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await dashboard.farebox.balance(key)).toMatchObject({ total_credits: 55 })
    })
  })

  it('are not changed by what may be a thousand times what is meant', async () => {
    await make('ambiguous')
    await dashboard.visit('/keys', async (page) => {
      const dialog = await start(page, 'ambiguous', 'Correct')
      await dialog.getByLabel('Amount').fill('1,000')
      await dialog.getByLabel('Reason').fill('a mistake')
      await dialog.getByText('without thousands separators').waitFor()
      expect(await dialog.getByRole('button', { name: 'Correct' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Amount').fill('-1')
      expect(await dialog.getByRole('button', { name: 'Correct' }).isDisabled()).toBe(false)
      await dialog.getByLabel('Reason').fill('  ')
      expect(await dialog.getByRole('button', { name: 'Correct' }).isDisabled()).toBe(true)
    })
  })

  it('cannot be changed where a key is unlimited', async () => {
    await make('endless', 'free')
    await dashboard.visit('/keys', async (page) => {
      await openRow(rowOf(page, 'endless'))
      const drawer = drawerOf(page, 'endless')
      await drawer.getByRole('button', { name: 'Suspend' }).waitFor()
      expect(await drawer.getByRole('button', { name: 'Top up' }).count()).toBe(0)
    })
  })
})

describe('a key', () => {
  it('is made, used, suspended, resumed and revoked in the browser, and calls follow at each step', async () => {
    await dashboard.visit('/keys', async (page) => {
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('journey')
      await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click()
      const lines = await page.getByRole('region', { name: 'Terminal' }).innerText()
      const key = /key_[A-Za-z0-9]{38}/.exec(lines)?.[0] ?? ''
      await page.keyboard.press('Escape')
      await page.getByText('cannot be shown again').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await chat(key)).toBe(200)

      const suspend = await start(page, 'journey', 'Suspend')
      await suspend.getByText('running answers end').waitFor()
      await suspend.getByRole('button', { name: 'Suspend' }).click()
      await suspend.waitFor({ state: 'detached' })
      expect(await chat(key)).toBe(403)
      const drawer = drawerOf(page, 'journey')
      await drawer.getByRole('button', { name: 'Resume' }).click()
      await drawer.getByRole('button', { name: 'Suspend' }).waitFor()
      expect(await chat(key)).toBe(200)
      await drawer.getByRole('button', { name: 'Revoke' }).click()
      const revoke = page.getByRole('alertdialog', { name: /^Revoke .*"journey"/ })
      await revoke.getByRole('textbox').fill('journey')
      await revoke.getByRole('button', { name: 'Revoke' }).click()
      await revoke.waitFor({ state: 'detached' })
      expect(await chat(key)).toBe(403)
      const { usage } = await dashboard.farebox.admin.call('usage', { query: { key: 'journey' } })
      expect(usage.map(({ status }) => status)).toEqual([200, 200])
    })
  })

  it('is revoked only after its name was typed, and then for good', async () => {
    const { id, key } = await make('goner')
    await dashboard.visit('/keys', async (page) => {
      const dialog = await start(page, 'goner', 'Revoke')
      const button = dialog.getByRole('button', { name: 'Revoke' })
      await dialog.getByRole('textbox').fill('gone')
      expect(await button.isDisabled()).toBe(true)
      await dialog.getByRole('textbox').fill('goner')
      await button.click()
      await dialog.waitFor({ state: 'detached' })
      expect([await statusOf(id), await chat(key)]).toEqual(['revoked', 403])
      const drawer = drawerOf(page, 'goner')
      await drawer.getByText('Revoked').waitFor()
      await expect.poll(() => drawer.getByRole('button', { name: 'Extend' }).count()).toBe(0)
      await drawer.getByRole('button', { name: 'Close' }).click()
      await drawer.waitFor({ state: 'detached' })
      expect(await rowOf(page, 'goner').count()).toBe(0)
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await page.getByLabel('State', { exact: true }).selectOption('revoked')
      await rowOf(page, 'goner').waitFor()
    })
  })

  it('is extended, and refused an expiry in the past where it was typed', async () => {
    const { id } = await make('longer')
    await dashboard.visit('/keys', async (page) => {
      const dialog = await start(page, 'longer', 'Extend')
      await dialog.getByLabel('Expires').selectOption({ label: 'On a date' })
      await dialog.getByLabel('Last day').fill('2020-01-01')
      await dialog.getByRole('button', { name: 'Extend' }).click()
      await dialog.getByRole('alert').filter({ hasText: 'lies in the past' }).waitFor()
      await dialog.getByLabel('Expires').selectOption({ label: 'Never' })
      await dialog.getByRole('button', { name: 'Extend' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect((await dashboard.farebox.admin.call('showKey', { id })).expires_at).toBeNull()
    })
  })

  it('is moved after what that ends was said', async () => {
    const { id } = await make('mover')
    await dashboard.visit('/keys', async (page) => {
      const dialog = await start(page, 'mover', 'Move')
      await dialog.getByLabel('New package').selectOption({ label: 'day' })
      await dialog.getByText('the current cycle ends now').waitFor()
      await dialog.getByRole('button', { name: 'Move' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await dashboard.farebox.admin.call('showKey', { id })).toMatchObject({
        package: 'day',
        balance: { total_credits: 1 },
      })
    })
  })
})

describe('the list', () => {
  it('keeps its filters and the open key in the address', async () => {
    await make('in-team')
    await make('in-day', 'day')
    await dashboard.visit('/keys', async (page) => {
      await page.getByLabel('Search keys').fill('in-')
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await page.getByLabel('Package', { exact: true }).selectOption('day')
      await rowOf(page, 'in-team').waitFor({ state: 'detached' })
      await openRow(rowOf(page, 'in-day'))
      await drawerOf(page, 'in-day').waitFor()
      await page.reload()
      await drawerOf(page, 'in-day').waitFor()
      await page.keyboard.press('Escape')
      await rowOf(page, 'in-day').waitFor()
      expect(await rowOf(page, 'in-team').count()).toBe(0)
      expect(new URL(page.url()).search).toBe('?q=in-&package=day')
      await page.getByRole('button', { name: 'Remove the filter Package: day' }).click()
      await rowOf(page, 'in-team').waitFor()
      expect(new URL(page.url()).search).toBe('?q=in-')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await rowOf(page, 'first').waitFor()
      expect(await page.getByLabel('Search keys').inputValue()).toBe('')
    })
  })

  it('is worked by keyboard alone, and a palette command makes a key', async () => {
    await make('by-keyboard')
    await dashboard.visit('/keys?q=by-keyboard', async (page) => {
      await rowOf(page, 'by-keyboard').focus()
      await page.keyboard.press('Enter')
      await drawerOf(page, 'by-keyboard').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('create a key')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Create a key' }).waitFor()
    })
  })

  it('says what is wrong and keeps what it has when Farebox does not answer', async () => {
    await make('stale')
    await dashboard.visit('/keys', async (page) => {
      await rowOf(page, 'stale').waitFor()
      await page.route('**/api/keys', (route) => route.abort())
      await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
      await page.getByText('Last updated').waitFor({ timeout: 15_000 })
      await rowOf(page, 'stale').waitFor()
      await page.unroute('**/api/keys')
      const error = { message: 'The catalogue is busy.', code: 503 }
      await page.route('**/api/keys', (route) => route.fulfill({ status: 503, json: { error } }))
      await page.reload()
      await page.getByText('The keys could not be loaded.').waitFor()
      await page.unroute('**/api/keys')
      await page.getByRole('button', { name: 'Try again' }).click()
      await rowOf(page, 'stale').waitFor()
    })
  })
})

describe('a member', () => {
  it('sees the keys that are theirs, and nothing to change credits with', async () => {
    await make('of-ada', 'team', 'ada')
    await make('of-nobody')
    await dashboard.visit(
      '/keys',
      async (page) => {
        await openRow(rowOf(page, 'of-ada'))
        const drawer = drawerOf(page, 'of-ada')
        await drawer.getByRole('button', { name: 'Revoke' }).waitFor()
        for (const name of ['Top up', 'Correct', 'Move', 'Extend']) {
          expect(await drawer.getByRole('button', { name }).count()).toBe(0)
        }
        await page.keyboard.press('Escape')
        expect(await rowOf(page, 'of-nobody').count()).toBe(0)
        expect(await page.getByRole('columnheader', { name: 'Owner' }).count()).toBe(0)
      },
      { member: ADA },
    )
  })

  it('makes keys of their own under the packages that are open to them', async () => {
    await dashboard.visit(
      '/keys',
      async (page) => {
        await page.getByRole('button', { name: 'Create a key' }).first().click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Name', { exact: true }).fill('adas-own')
        expect(await dialog.getByLabel('Package').locator('option').allInnerTexts()).toEqual(['team'])
        expect(await dialog.getByLabel('Expires').locator('option').allInnerTexts()).not.toContain('Never')
        expect(await dialog.getByLabel('Owner').count()).toBe(0)
        await dialog.getByRole('button', { name: 'Create a key' }).click()
        await page.getByText('shown only once').waitFor()
        const { owner } = await dashboard.farebox.admin.call('showKey', { id: 'adas-own' })
        expect(owner).toBe('ada')
      },
      { member: ADA },
    )
  })

  it('is told by the server that a key an administrator suspended stays so', async () => {
    const { id } = await make('held-back', 'team', 'ada')
    await dashboard.farebox.admin.call('suspendKey', { id })
    await dashboard.visit(
      '/keys',
      async (page) => {
        await openRow(rowOf(page, 'held-back'))
        await drawerOf(page, 'held-back').getByRole('button', { name: 'Resume' }).click()
        await page.getByText('was suspended by an administrator').first().waitFor()
        expect(await statusOf(id)).toBe('suspended')
      },
      { member: ADA },
    )
  })
})

describe('for everybody', () => {
  it('it fits into the tray window, in German too', async () => {
    await make('narrow')
    await dashboard.visit(
      '/keys',
      async (page) => {
        await rowOf(page, 'narrow').waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
        await openRow(rowOf(page, 'narrow'))
        await page.getByText('Guthaben').first().waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { width: 420, language: 'de' },
    )
  })
})
