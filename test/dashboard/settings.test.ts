import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'
import { PASSWORD } from '../support/password.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await dashboard.farebox.admin.call('addMember', { body: { name: 'ada', password: PASSWORD } })
})
afterAll(() => dashboard.close())

describe('the settings', () => {
  it('say of each what it is, where it comes from and how it is changed', async () => {
    await dashboard.visit('/settings', async (page) => {
      const row = page.getByRole('row').filter({ hasText: /^port/ })
      await expect.poll(() => row.innerText()).toContain('--port · FAREBOX_PORT')
      expect(await row.innerText()).toContain('Flag')
      const waiting = page.getByRole('row').filter({ hasText: /^hold_wait_ms/ })
      expect(await waiting.innerText()).toContain('10000')
      expect(await waiting.innerText()).toContain('Default')
    })
  })

  it('verify the ledger on request', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.getByRole('button', { name: 'Verify the ledger' }).click()
      await page.getByText('All balances are correct.').waitFor()
      await page.getByText('Open holds').waitFor()
    })
  })

  it('verify the ledger from the palette', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('verify')
      await page.keyboard.press('Enter')
      await page.getByText('All balances are correct.').waitFor()
    })
  })

  it('write a backup, and say at the field why one is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-backup-'))
    const file = join(folder, 'by-hand.db')
    await dashboard.visit('/settings', async (page) => {
      const field = page.getByLabel('File', { exact: true })
      await expect.poll(() => field.inputValue()).toContain('farebox-backup-')
      await field.fill('relative.db')
      await page.getByRole('button', { name: 'Back up now' }).click()
      await page.getByText("'file' must be an absolute path.").waitFor()
      expect(await field.inputValue()).toBe('relative.db')
      await field.fill(file)
      await page.getByRole('button', { name: 'Back up now' }).click()
      await page.getByText('Backup written and verified').waitFor()
      expect(existsSync(file)).toBe(true)
    })
    await rm(folder, { recursive: true })
  })

  it('keep colours and language of the owner for every browser and the next start, and density in this one', async () => {
    const { admin } = dashboard.farebox
    const shown = (page: Page) =>
      page.evaluate<string[]>("['theme', 'density'].map((name) => document.documentElement.dataset[name])")
    const kept = async () => {
      const { settings } = await admin.call('showSettings', {})
      return ['theme', 'language'].map((name) => settings.find((setting) => setting.name === name)?.value)
    }
    await dashboard.visit('/settings', async (page) => {
      const main = page.getByRole('main')
      await main.getByRole('radio', { name: 'Dark' }).click()
      await main.getByRole('radio', { name: 'Comfortable' }).click()
      expect(await shown(page)).toEqual(['dark', 'comfortable'])
      await main.getByLabel('Language', { exact: true }).selectOption('Deutsch')
      await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
      expect(await page.evaluate('document.documentElement.lang')).toBe('de')
      await expect.poll(kept).toEqual(['dark', 'de'])
    })
    try {
      // Another browser, whose storage is empty.
      await dashboard.visit(
        '/settings',
        async (page) => {
          await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
          expect(await shown(page)).toEqual(['dark', 'dense'])
        },
        { width: 1100 },
      )
    } finally {
      for (const id of ['theme', 'language']) await admin.call('setSetting', { id, body: { value: null } })
    }
  })
})

describe('a member', () => {
  const member = { name: 'ada', password: PASSWORD }

  it('is shown nothing of the gateway itself, and the page asks for nothing of it', async () => {
    await dashboard.visit(
      '/settings',
      async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await page.reload()
        await page.getByText('Signed in as').waitFor()
        expect(await page.getByText('Data folder').count()).toBe(0)
        expect(asked.filter((path) => ['/api/settings', '/api/status'].includes(path))).toEqual([])
      },
      { member },
    )
  })

  it('changes their password, and is told at the field what is wrong', async () => {
    await dashboard.visit(
      '/settings',
      async (page) => {
        await page.getByRole('button', { name: 'Change password' }).click()
        const dialog = page.getByRole('dialog')
        const send = dialog.getByRole('button', { name: 'Change password' })
        await dialog.getByLabel('Current password').fill('not this one')
        await dialog.getByLabel('New password', { exact: true }).fill('a new sentence')
        await dialog.getByLabel('Repeat new password').fill('another sentence')
        await dialog.getByText('The passwords are not the same.').waitFor()
        expect(await send.isDisabled()).toBe(true)
        await dialog.getByLabel('Repeat new password').fill('a new sentence')
        await send.click()
        await dialog.getByText('The old password is wrong.').waitFor()
        expect(await dialog.getByLabel('New password', { exact: true }).inputValue()).toBe('a new sentence')
        await dialog.getByLabel('Current password').fill(PASSWORD)
        await send.click()
        await page.getByText('Password changed.', { exact: true }).waitFor()
        expect(await page.getByRole('dialog').count()).toBe(0)
      },
      { member },
    )
    await dashboard.visit('/settings', (page) => page.getByText('Signed in as').waitFor(), {
      member: { name: 'ada', password: 'a new sentence' },
    })
  })

  it('ends all of their sessions, and only after a question', async () => {
    await dashboard.farebox.admin.call('addMember', { body: { name: 'bob', password: PASSWORD } })
    await dashboard.visit(
      '/settings',
      async (page) => {
        await page.getByRole('button', { name: 'Sign out everywhere' }).click()
        const dialog = page.getByRole('alertdialog')
        await dialog.getByText('must sign in again').waitFor()
        await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
        await page.getByLabel('Password').waitFor()
        expect(page.url()).toContain('/app/sign-in')
        expect(await page.evaluate('sessionStorage.getItem("farebox-session")')).toBeNull()
      },
      { member: { name: 'bob', password: PASSWORD } },
    )
  })
})

describe('a setting that can change while it runs', () => {
  it('is changed here, says why not, and is set back', async () => {
    const { admin } = dashboard.farebox
    const valueOf = async (name: string) =>
      (await admin.call('showSettings', {})).settings.find((setting) => setting.name === name)?.value
    await dashboard.visit('/settings', async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'hold_wait_ms' })
      await row.getByRole('button', { name: 'Change hold_wait_ms' }).click()
      const dialog = page.getByRole('dialog', { name: 'Change hold_wait_ms' })
      await dialog.getByLabel('Value').fill('a while')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('must be a whole number').waitFor()
      await dialog.getByLabel('Value').fill('2500')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await row.getByText('Changed here').waitFor()
      expect(await valueOf('hold_wait_ms')).toBe('2500')
      await row.getByRole('button', { name: 'Change hold_wait_ms' }).click()
      await dialog.getByRole('button', { name: 'Reset to default' }).click()
      await row.getByText('Default').waitFor()
      expect(await valueOf('hold_wait_ms')).toBe('10000')
    })
  })

  it('is chosen where only some values are possible, in German and in the window of the tray too', async () => {
    await dashboard.visit(
      '/settings?open=rate_limit_wait',
      async (page) => {
        await page.getByRole('button', { name: 'rate_limit_wait ändern' }).locator('visible=true').click()
        await page.getByRole('dialog').getByLabel('Wert').selectOption('true')
        await page.getByRole('dialog').getByRole('button', { name: 'Speichern' }).click()
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        const { settings } = await dashboard.farebox.admin.call('showSettings', {})
        expect(settings.find(({ name }) => name === 'rate_limit_wait')).toMatchObject({
          value: 'true',
          source: 'stored',
        })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
      },
      { language: 'de', theme: 'dark', width: 420 },
    )
  })

  it('is not offered where the environment fixes it', async () => {
    await dashboard.visit('/settings', async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'shutdown_grace_ms' })
      await expect.poll(() => row.innerText()).toContain('FAREBOX_SHUTDOWN_GRACE_MS')
      expect(await row.getByRole('button').count()).toBe(0)
    })
  })
})
