// Signing in with a key alone, against a real Farebox: the way in, the one page that it leads to, and how it ends.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { admin } = dashboard.farebox
  const limits = { requests_per_minute: 17 }
  await admin.call('addPackage', { body: { name: 'team', type: 'daily', credits: 5, models: ['demo-chat'], limits } })
})
afterAll(() => dashboard.close())

const admin = () => dashboard.farebox.admin
const makeKey = async (name: string) => (await admin().call('createKey', { body: { name, package: 'team' } })).key
const chat = (key: string) => postChat({ url: dashboard.farebox.url, key }, { model: 'demo-chat' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const stored = (page: Page) =>
  page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])')

async function enter(page: Page, key: string) {
  await page.getByRole('button', { name: 'Use a key instead' }).click()
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.keyboard.press('Enter')
}

describe('somebody who has a key and no account', () => {
  it('signs in with it, and it is kept nowhere', async () => {
    const key = await makeKey('ci')
    await (await chat(key)).text()
    await dashboard.visit(
      '/sign-in',
      async (page) => {
        const addresses: string[] = []
        page.on('request', (request) => addresses.push(request.url()))
        await enter(page, key)
        await heading(page, 'Key "ci"').waitFor()
        expect(await stored(page)).not.toContain(key)
        expect(await page.content()).not.toContain(key)
        expect(addresses.join('\n')).not.toContain(key)
        expect(JSON.stringify(await page.context().cookies())).not.toContain(key)
      },
      { isStranger: true },
    )
  })

  it('sees what the key has, may do and did, and how tools are set up with it', async () => {
    const key = await makeKey('shown')
    await (await chat(key)).text()
    const balance = await dashboard.farebox.balance(key)
    await dashboard.visit(
      '/own-key',
      async (page) => {
        const card = (name: string) => page.getByRole('region', { name })
        await card('Balance').getByText('Next reset').waitFor()
        const remaining = card('Balance').locator('dt', { hasText: 'Remaining' }).locator('+ dd')
        expect((await remaining.innerText()).replace(/\s*cr$/, '')).toBe(String(balance['remaining_credits']))
        await card('Package: team').getByText('17').waitFor()
        await page.getByText('Active', { exact: true }).waitFor()
        await card('Set up a tool').getByText('YOUR_KEY').first().waitFor()
        await card('Latest requests').getByRole('link').first().click()
        await page.waitForURL('**/requests?open=*')
        await page.getByText('Price version').waitFor()
      },
      { key },
    )
  })

  it('is offered its own pages alone, and led back from all others', async () => {
    const key = await makeKey('narrow')
    await dashboard.visit(
      '/overview',
      async (page) => {
        await heading(page, 'Key "narrow"').waitFor()
        const links = await page.getByRole('navigation').getByRole('link').allInnerTexts()
        expect(links.map((text) => text.trim())).toEqual(['Key', 'Usage', 'Requests'])
        for (const path of ['keys', 'packages', 'members', 'ledger', 'try', 'settings', 'audit']) {
          await page.goto(`${dashboard.farebox.url}/app/${path}`)
          await page.waitForURL('**/app/own-key')
        }
        await page.goto(`${dashboard.farebox.url}/app/usage?group=key`)
        await heading(page, 'Usage').waitFor()
        await page.getByText('No requests in this time range').waitFor()
      },
      { key },
    )
  })

  it('is told in one sentence that a key is none, and what was typed is gone', async () => {
    await dashboard.visit(
      '/sign-in',
      async (page) => {
        await enter(page, `key_${'A'.repeat(38)}`)
        await page.getByRole('alert').getByText('This key is not valid here.').waitFor()
        expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
        await page.getByRole('button', { name: 'Use name and password instead' }).click()
        await page.getByLabel('Password').waitFor()
      },
      { isStranger: true },
    )
  })

  it('is told that a key is suspended', async () => {
    const key = await makeKey('paused')
    await admin().call('suspendKey', { id: 'paused' })
    await dashboard.visit(
      '/sign-in',
      async (page) => {
        await enter(page, key)
        await page.getByRole('alert').getByText('This key is suspended.').waitFor()
      },
      { isStranger: true },
    )
  })

  it('reads German', async () => {
    const key = await makeKey('deutsch')
    await dashboard.visit('/own-key', async (page) => heading(page, 'Schlüssel „deutsch“').waitFor(), {
      key,
      language: 'de',
      theme: 'dark',
    })
  })
})

describe('a session with a key', () => {
  it('ends with the key that it revokes, once the name is typed', async () => {
    const key = await makeKey('leaked')
    await dashboard.visit(
      '/own-key',
      async (page) => {
        await page.getByRole('button', { name: 'Revoke', exact: true }).click()
        const dialog = page.getByRole('alertdialog', { name: 'Revoke key "leaked"?' })
        expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
        await dialog.getByRole('textbox').fill('leaked')
        await dialog.getByRole('button', { name: 'Revoke' }).click()
        await page.waitForURL('**/app/sign-in')
        await page.getByText('Key "leaked" is revoked.').first().waitFor()
        expect((await chat(key)).status).toBe(403)
        expect(await stored(page)).not.toContain('farebox-session')
      },
      { key },
    )
  })

  it('ends in the page soon after the key was revoked elsewhere', async () => {
    const key = await makeKey('elsewhere')
    await dashboard.visit(
      '/own-key',
      async (page) => {
        await heading(page, 'Key "elsewhere"').waitFor()
        await admin().call('revokeKey', { id: 'elsewhere' })
        await page.waitForURL('**/app/sign-in')
      },
      { key },
    )
  })
})
