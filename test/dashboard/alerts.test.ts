// Alerts in the dashboard: thresholds, webhooks and mailboxes are set up in the settings, and what was reached shows where people look.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMailServer } from '../alert/mail-server.ts'
import { startReceiver, type Receiver } from '../alert/receiver.ts'
import { postChat } from '../support/chat.ts'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'

const ASK = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 40 }
const PASSWORD = 'four words or more'
let dashboard: Dashboard
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  dashboard = await startDashboard()
})
afterAll(async () => {
  await dashboard.close()
  await receiver.close()
})

describe('the settings', () => {
  it('add a webhook, show its secret once, and test it', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.getByRole('button', { name: 'Add a webhook' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
      await dialog.getByLabel('Name').fill('ops')
      await dialog.getByLabel('URL').fill('https://127.0.0.1/')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByText('network: local').waitFor()
      await dialog.getByLabel('URL').fill(receiver.url)
      await dialog.getByLabel('On this machine or a private network').click()
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      const made = page.getByRole('dialog', { name: 'Webhook added' })
      await made.getByText(/^whsec_/).waitFor()
      await made.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('button', { name: 'Test ops' }).click()
      await page.getByText('Test delivered').waitFor()
      expect(await page.getByText(/^whsec_/).count()).toBe(0)
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('add a mailbox, whose password is never shown, and say how each test of it ended', async () => {
    const server = await startMailServer()
    await dashboard.visit('/settings', async (page) => {
      const card = page.getByRole('region', { name: 'E-mail' })
      await card.getByText('No mailboxes yet.').waitFor()
      await card.getByRole('button', { name: 'Add a mailbox' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a mailbox' })
      const fill = (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text)
      const add = dialog.getByRole('button', { name: 'Add', exact: true })
      await fill('Name', 'team')
      await fill('Mail server', `smtp://127.0.0.1:${server.port}`)
      await fill('From', 'farebox')
      await dialog.getByText('Not a valid e-mail address.').waitFor()
      await fill('From', 'farebox@example.com')
      await fill('To', 'team@example.com')
      await fill('User', 'farebox')
      await dialog.getByText('Enter both user and password, or neither.').waitFor()
      expect(await add.isDisabled()).toBe(true)
      await fill('Password', PASSWORD)
      expect(await dialog.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('password')
      await add.click()
      await dialog.getByText('network: local').waitFor()
      await dialog.getByLabel('The server is on this machine or a private network').click()
      await dialog.getByLabel('Without encryption').click()
      expect(await seriousViolations(page)).toEqual([])
      await add.click()
      await dialog.waitFor({ state: 'detached' })
      await card.getByText(`smtp://127.0.0.1:${server.port} as farebox, without encryption`).waitFor()
      expect(await page.content()).not.toContain(PASSWORD)

      const test = card.getByRole('button', { name: 'Test team' })
      await test.click()
      await card.getByText('Test delivered').waitFor()
      expect(server.letters).toMatchObject([{ to: 'team@example.com', login: `\0farebox\0${PASSWORD}` }])
      server.script('AUTH', '535 no')
      await test.click()
      await card.getByText('It refused the user or the password (535).').waitFor()
      server.script('RCPT', '550 nobody')
      await test.click()
      await card.getByText('It answered 550.').waitFor()
      await card.getByText('Test not delivered').waitFor()
      expect(await seriousViolations(page)).toEqual([])

      await card.getByRole('button', { name: 'Remove team' }).click()
      const question = page.getByRole('alertdialog', { name: 'Remove mailbox “team”?' })
      await question.getByRole('button', { name: 'Remove' }).click()
      await card.getByText('No mailboxes yet.').waitFor()
      expect(await dashboard.farebox.admin.call('listMailboxes', {})).toEqual([])
    })
    await server.close()
  })

  it('say that the mailboxes could not be read, and read them again', async () => {
    await dashboard.visit('/overview', async (page) => {
      await page.route('**/api/mailboxes', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 })
      await page.getByRole('link', { name: 'Settings' }).click()
      const card = page.getByRole('region', { name: 'E-mail' })
      await card.getByText('Could not be loaded.').waitFor()
      await card.getByRole('button', { name: 'Try again' }).click()
      await card.getByText('No mailboxes yet.').waitFor()
    })
  })

  it('set thresholds, say what is wrong with others, and take them back', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.getByLabel('Percent of credits').fill('half')
      await page.getByText('Up to ten whole numbers').waitFor()
      await page.getByLabel('Scope', { exact: true }).selectOption('provider')
      await page.getByLabel('Percent of credits').fill('90, 60')
      await page.getByRole('button', { name: 'Set thresholds' }).click()
      await page.getByText('60, 90 %').waitFor()
      await page.getByRole('button', { name: 'Reset the thresholds of provider' }).click()
      await page.getByText('60, 90 %').waitFor({ state: 'detached' })
    })
  })
})

describe('a threshold that is reached', () => {
  it('is a line on the overview that leads to the key, and a message to the webhook', async () => {
    const { admin, url } = dashboard.farebox
    await admin.call('addPackage', { body: { name: 'tiny', type: 'monthly', credits: 5, timezone: 'UTC' } })
    const { key } = await admin.call('createKey', { body: { name: 'laptop', package: 'tiny' } })
    await admin.call('setThresholds', { body: { scope: 'key', name: 'laptop', thresholds: [80] } })
    const before = receiver.received.length
    await (await postChat({ url, key }, ASK)).text()
    const { balance } = await admin.call('showKey', { id: 'laptop' })
    // So that what was used is 85 of 100 parts.
    const total = Math.round(((balance.used_credits ?? 0) / 0.85) * 1e6) / 1e6
    const credits = Math.round((total - (balance.total_credits ?? 0)) * 1e6) / 1e6
    await admin.call('adjustKey', { id: 'laptop', body: { credits, reason: 'to use most of it' } })
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(before + 1)
    await dashboard.visit('/overview', async (page) => {
      await page.getByRole('link', { name: 'Key “laptop” has used most of its credits.' }).click()
      await page.waitForURL(/\/app\/keys/)
    })
  })

  it('is said in German too', async () => {
    await dashboard.visit(
      '/overview',
      async (page) => {
        await page.getByText('Der Schlüssel „laptop“ hat viel von seinen Credits verbraucht.').waitFor()
      },
      { language: 'de' },
    )
  })
})
