// From the card of an invite to a member's first key and tools, as the two people see it: the administrator on this machine, the member
// over the LAN.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { LAN_ADDRESS } from '../lan/support.ts'
import { PASSWORD } from '../support/password.ts'

let dashboard: Dashboard
/** Where the LAN reaches it. */
let at = ''
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  await admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  await admin.call('addPackage', { body: { name: 'other', type: 'monthly', credits: 50 } })
  await admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
  at = (await admin.call('setLan', { body: { address: LAN_ADDRESS, port: 0 } })).urls[0] ?? ''
})
afterAll(() => dashboard.close())

const invite = (name: string, packages: string[] = ['team']) =>
  dashboard.farebox.admin.call('createInvite', { body: { name, packages } })
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const isNarrow = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')
/** All that the page keeps beyond itself. */
const kept = (page: Page) => page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')

/** The page that a link opens, for somebody who is not signed in. */
function open(link: string, look: (page: Page) => Promise<void>, as: { width?: number; language?: 'en' | 'de' } = {}) {
  const asStranger = async (page: Page) => {
    await page.goto(link)
    await page.waitForURL('**/app/invite')
    await look(page)
  }
  return dashboard.visit('/sign-in', asStranger, { at: new URL(link).origin, isStranger: true, ...as })
}

async function accept(page: Page): Promise<void> {
  await page.getByLabel(/Your password|Ihr Passwort/).fill(PASSWORD)
  await page.getByRole('button', { name: /Accept the invite|Einladung annehmen/ }).click()
}

describe('the administrator', () => {
  it('gets a card once, with everything that the member needs, and finds the invite among the open ones', async () => {
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Invite somebody' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('mia')
      expect(await dialog.getByRole('button', { name: 'Make the link' }).isDisabled()).toBe(true)
      await dialog.getByLabel('team').click()
      await dialog.getByRole('button', { name: 'Make the link' }).click()
      const card = page.getByRole('dialog', { name: 'The invite for "mia"' })
      await card.getByRole('img', { name: 'QR code of the link' }).waitFor()
      const link = await card.getByRole('group', { name: 'Link' }).locator('code').innerText()
      expect(link).toMatch(new RegExp(`^${at}/#invite=[\\w-]{43}$`))
      const { certificate } = await dashboard.farebox.admin.call('showLan', {})
      expect(await card.innerText()).toContain(certificate?.fingerprint)
      await page.keyboard.press('Escape')
      await card.getByText('cannot be shown again').waitFor()
      await card.getByRole('button', { name: 'Done' }).click()
      await card.waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(link.slice(-43))
      expect(await kept(page)).not.toContain(link.slice(-43))
      await rowOf(page, 'mia').getByText('No password yet').waitFor()
      await page.getByRole('button', { name: 'Withdraw the invite for mia' }).click()
      await page.getByRole('region', { name: 'Open invites' }).waitFor({ state: 'detached' })
      await open(link, async (theirs) => {
        await accept(theirs)
        await theirs.getByText('This invite is no longer valid').waitFor()
      })
    })
  })

  it('invites a member without a password from their row, and nobody else', async () => {
    const { admin } = dashboard.farebox
    await admin.call('addMember', { body: { name: 'later', packages: ['other'] } })
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Actions for ada' }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
      expect(await page.getByRole('menuitem', { name: 'Invite' }).count()).toBe(0)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Actions for later' }).click()
      await page.getByRole('menuitem', { name: 'Invite' }).click()
      const dialog = page.getByRole('dialog', { name: 'Invite "later"' })
      expect(await dialog.getByLabel('other').isChecked()).toBe(true)
      await dialog.getByLabel('team').click()
      await dialog.getByRole('button', { name: 'Make the link' }).click()
      await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
    })
    const members = await admin.call('listMembers', {})
    expect(members.find(({ name }) => name === 'later')?.packages.toString()).toBe('team,other')
  })

  it('is told beside the name why somebody cannot be invited, and what was typed stays', async () => {
    await dashboard.visit('/members', async (page) => {
      await page.getByRole('button', { name: 'Invite somebody' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('ada')
      await dialog.getByLabel('team').click()
      await dialog.getByRole('button', { name: 'Make the link' }).click()
      await dialog.getByRole('alert').filter({ hasText: 'administrator' }).waitFor()
      expect(await dialog.getByLabel('Name').inputValue()).toBe('ada')
    })
  })

  it('is told that a link works on this machine alone while the LAN is off', async () => {
    const { admin } = dashboard.farebox
    await admin.call('turnLanOff', {})
    try {
      await dashboard.visit('/members', async (page) => {
        await page.getByRole('button', { name: 'Invite somebody' }).click()
        await page.getByLabel('Name').fill('near')
        await page.getByLabel('team').click()
        await page.getByRole('button', { name: 'Make the link' }).click()
        await page.getByText('The LAN is off, so the link works on this machine only').waitFor()
      })
    } finally {
      at = (await admin.call('setLan', { body: {} })).urls[0] ?? ''
    }
  })
})

describe('the member', () => {
  it('chooses a password, makes a key, and gets lines for their tools that trust the certificate', async () => {
    const { link } = await invite('nils')
    const code = link.slice(-43)
    await open(link, async (page) => {
      // The code leaves the address, and goes nowhere else, before anybody does anything.
      expect(page.url()).toBe(`${at}/app/invite`)
      expect(await kept(page)).not.toContain(code)
      await page.getByText(`You are invited to Farebox at ${new URL(at).host}`).waitFor()
      expect(await page.content()).not.toContain('nils')
      expect(await seriousViolations(page)).toEqual([])
      await accept(page)
      await page.getByRole('heading', { name: 'Welcome, nils', level: 1 }).waitFor()
      const packages = page.getByLabel('Package')
      expect(await packages.locator('option').allInnerTexts()).toEqual(['team'])
      await page.getByLabel('Name').fill('nils-laptop')
      await page.getByRole('button', { name: 'Create the key' }).click()
      const value = await page.getByRole('group', { name: 'Value of the key' }).locator('code').innerText()
      expect(value).toMatch(/^key_/)
      await page.getByLabel('Tool', { exact: true }).selectOption('Claude Code')
      const lines = await page.getByRole('region', { name: 'Terminal' }).last().innerText()
      for (const part of [`'${at}'`, value, 'export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"']) {
        expect(lines).toContain(part)
      }
      await page.getByLabel('Tool', { exact: true }).selectOption('Qwen Code')
      const start = await page.getByRole('region', { name: 'Terminal' }).last().innerText()
      for (const part of [`'${at}/v1'`, value, 'export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"', 'qwen']) {
        expect(start).toContain(part)
      }
      await page.getByLabel('Tool', { exact: true }).selectOption('Droid')
      const file = await page.getByRole('region', { name: '~/.factory/settings.json' }).innerText()
      expect(JSON.stringify(JSON.parse(file))).toContain(`${at}/v1`)
      expect(file).toContain(value)
      expect(await seriousViolations(page)).toEqual([])
      const { certificate, fingerprint } = await dashboard.farebox.admin.call('showLanCertificate', {})
      expect(await page.getByRole('main').innerText()).toContain(fingerprint)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download the certificate' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('farebox.pem')
      const chunks: Uint8Array[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(chunk as Uint8Array)
      expect(Buffer.concat(chunks).toString('utf8')).toBe(certificate)
      await page.getByRole('tab', { name: 'Windows' }).click()
      await page.getByText('certutil -user -addstore Root').waitFor()
      await page.getByLabel('Tool', { exact: true }).selectOption('OpenAI SDK, Python')
      await page.getByText('$env:SSL_CERT_FILE = "$HOME\\farebox.pem"').waitFor()
      await page.getByRole('link', { name: 'Go to the overview' }).click()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    })
    await open(link, async (page) => {
      await accept(page)
      await page.getByText('This invite is no longer valid. Ask for a new one.').waitFor()
      expect(await kept(page)).not.toContain('farebox-session')
    })
  })

  it('reads the same of a code that never was, and needs the link again where the page has lost it', async () => {
    await open(`${at}/#invite=${'x'.repeat(43)}`, async (page) => {
      await accept(page)
      await page.getByText('This invite is no longer valid. Ask for a new one.').waitFor()
      await page.reload()
      await page.getByText('Open your invite link again').waitFor()
    })
    await open(`${at}/#invite=not%20a%20code`, async (page) => {
      expect(page.url()).toBe(`${at}/app/invite`)
      await page.getByText('Open your invite link again').waitFor()
    })
  })

  it('cannot send a password that is too short', async () => {
    const { link } = await invite('short')
    await open(link, async (page) => {
      await page.getByLabel('Your password').fill('too short')
      await page.getByText('At least 10 characters.', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Accept the invite' }).isDisabled()).toBe(true)
    })
  })

  it('has all of it in a narrow window, and in German', async () => {
    const { link } = await invite('grete')
    await open(
      link,
      async (page) => {
        expect(await isNarrow(page)).toBe(true)
        await accept(page)
        await page.getByRole('heading', { name: 'Willkommen, grete', level: 1 }).waitFor()
        await page.getByText('Fingerabdruck').waitFor()
        await page.getByLabel('Werkzeug', { exact: true }).waitFor()
        expect(await isNarrow(page)).toBe(true)
      },
      { width: 420, language: 'de' },
    )
  })

  it('is told whom to ask where no package is open', async () => {
    const { link } = await invite('bare', [])
    await open(link, async (page) => {
      await accept(page)
      await page.getByText('You have no package yet').waitFor()
    })
  })

  it('is told how long to wait after too many tries', async () => {
    await open(`${at}/#invite=${'y'.repeat(43)}`, async (page) => {
      await expect
        .poll(
          async () => {
            const answer = page.waitForResponse('**/api/invites/accept')
            await accept(page)
            return (await answer).status()
          },
          { timeout: 30_000 },
        )
        .toBe(429)
      await page.getByText('Too many attempts. Try again in').waitFor()
      expect(await page.getByRole('button', { name: 'Accept the invite' }).isDisabled()).toBe(true)
    })
  })
})
