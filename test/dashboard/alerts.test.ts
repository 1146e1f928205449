// Alerts in the dashboard: thresholds and webhooks are set up in the settings, and what was reached shows where people look.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type Receiver } from '../alert/receiver.ts'
import { postChat } from '../support/chat.ts'
import { startDashboard, type Dashboard } from '../support/dashboard.ts'

const ASK = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 40 }
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
      const made = page.getByRole('dialog', { name: 'The webhook is added' })
      await made.getByText(/^whsec_/).waitFor()
      await made.getByRole('button', { name: 'I have kept it' }).click()
      await page.getByRole('button', { name: 'Test ops' }).click()
      await page.getByText('The test was taken').waitFor()
      expect(await page.getByText(/^whsec_/).count()).toBe(0)
    })
    expect(receiver.received).toHaveLength(1)
  })

  it('set thresholds, say what is wrong with others, and take them back', async () => {
    await dashboard.visit('/settings', async (page) => {
      await page.getByLabel('Percent of the credits').fill('half')
      await page.getByText('Up to ten whole numbers').waitFor()
      await page.getByLabel('For', { exact: true }).selectOption('provider')
      await page.getByLabel('Percent of the credits').fill('90, 60')
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
      await page.getByRole('link', { name: 'The key “laptop” has used much of its credits.' }).click()
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
