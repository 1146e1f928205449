// Every drawer and dialog of the dashboard, and how people come to it, for tests that look at all of them. They are opened in English,
// in a dashboard that `fillForPanels` has filled.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { postChat } from './chat.ts'
import { openRow, type Dashboard } from './dashboard.ts'
import { chatModel } from './farebox.ts'

export const ADA = { name: 'ada', password: 'correct horse battery' }

/** Keys, members and models in more than one state, with some calls that were answered and some that were not. */
export async function fillForPanels({ farebox, key }: Dashboard): Promise<void> {
  const { call } = farebox.admin
  const there = { dialect: 'chat-completions', base_url: 'http://127.0.0.1:9/v1', network: 'local' } as const
  await call('addProvider', { body: { name: 'elsewhere', preset: 'openai', ...there } })
  const targets = [
    { provider: 'elsewhere', model: 'gpt-6-luna' },
    { provider: 'demo', model: 'demo-chat', priority: 1 },
  ]
  await call('addModel', { body: chatModel('jumpy', { targets, price: { input: 1, output: 2000 } }) })
  await call('addModel', { body: chatModel('broken', { targets: targets.slice(0, 1) }) })
  await call('addMember', { body: ADA })
  await call('createKey', { body: { name: 'suspended-key', package: 'starter' } })
  await call('suspendKey', { id: 'suspended-key' })
  await call('setProject', { id: 'website', body: { credits_per_day: 2, credits_per_month: null } })
  for (const model of ['demo-chat', 'broken', 'jumpy', 'unknown', 'demo-chat']) {
    await (await postChat({ url: farebox.url, key }, { model })).text()
  }
}

export const go = async (page: Page, name: string) => {
  await page.locator(`nav a[href="/app/${name}"]`).click()
  await page.waitForURL(`**/app/${name}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first()
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
const menu = async (page: Page, of: string, item: string) => {
  await press(page, `Actions for ${of}`)
  await page.getByRole('menuitem', { name: item }).click()
}

type Panel = readonly [name: string, open: (page: Page) => Promise<unknown>]

/** Opens each of them, and closes what was opened. What `look` finds is returned. */
export async function lookAtPanels(
  page: Page,
  panels: readonly Panel[],
  look: (name: string) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = []
  const any = page.locator('[role=dialog], [role=alertdialog], [role=menu]')
  for (const [name, open] of panels) {
    await open(page)
    await any.last().waitFor()
    found.push(...(await look(name)))
    for (let left = await any.count(); left > 0; left = await any.count()) {
      await page.keyboard.press('Escape')
      await expect.poll(() => any.count()).toBeLessThan(left)
    }
  }
  return found
}

const connect = async (page: Page, name: string) => {
  await openRow(row(page, name))
  await press(page, 'Connect')
  await press(page, 'Preview changes')
  await page.getByRole('group', { name: 'Changes' }).waitFor()
}

/** By the page that they are opened on, in the order in which they are. */
export const PANELS = {
  keys: [
    ['key', (page) => openRow(row(page, 'suspended-key'))],
    ['new key', (page) => press(page, 'Create a key')],
    [
      'top-up',
      async (page) => {
        await menu(page, 'first', 'Top up')
        await page.getByLabel('Amount').fill('x')
      },
    ],
    ['rotating', (page) => menu(page, 'first', 'Rotate')],
    ['revoking', (page) => menu(page, 'first', 'Revoke')],
  ],
  packages: [
    ['package', (page) => openRow(row(page, 'starter'))],
    [
      'edit of a package',
      async (page) => {
        await menu(page, 'starter', 'Edit')
        await page.getByRole('dialog').getByRole('radio', { name: 'Some' }).click()
        await page.getByLabel('Requests per minute').fill('0')
        await page.getByText('at least 1').waitFor()
      },
    ],
  ],
  members: [
    ['member', (page) => openRow(row(page, 'ada'))],
    ['export of what members used', (page) => press(page, 'Export')],
    ['new member', (page) => press(page, 'Add a member')],
    ['invite', (page) => press(page, 'Invite somebody')],
    ['limits of a project', (page) => press(page, 'Limit a project')],
    [
      'card of an invite',
      async (page) => {
        await press(page, 'Invite somebody')
        await page.getByLabel('Name').fill('invited')
        await page.getByRole('dialog').getByRole('radio', { name: 'All' }).click()
        await press(page, 'Make the link')
        await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
        // The first try to close it says what would be lost.
        await page.keyboard.press('Escape')
        await page.getByText('cannot be shown again').waitFor()
      },
    ],
    [
      'password',
      async (page) => {
        await menu(page, 'ada', 'Set password')
        await page.getByLabel('Password', { exact: true }).fill('short')
      },
    ],
  ],
  models: [
    ['model', (page) => openRow(row(page, 'broken'))],
    ['menu of a model', (page) => press(page, 'Actions for broken')],
    ['new model', (page) => press(page, 'Add a model')],
    [
      'price',
      async (page) => {
        await menu(page, 'broken', 'Change price')
        await page.getByRole('group').getByLabel('Input', { exact: true }).fill('500')
        await page.getByText('This price is intended').waitFor()
      },
    ],
    ['targets', (page) => menu(page, 'jumpy', 'Change targets')],
    ['removing a model', (page) => menu(page, 'broken', 'Remove')],
    [
      'price card',
      async (page) => {
        await press(page, 'Compare prices')
        await page.getByRole('checkbox', { name: 'Select jumpy' }).click()
      },
    ],
  ],
  providers: [
    [
      'provider',
      async (page) => {
        await openRow(row(page, 'elsewhere'))
        await press(page, 'Test the connection')
        await page.getByText('Nothing listens at').waitFor()
      },
    ],
    [
      'presets',
      async (page) => {
        await press(page, 'Add a provider')
        await page.getByRole('button', { name: /^vLLM/ }).waitFor()
      },
    ],
    [
      'new provider',
      async (page) => {
        await press(page, 'Add a provider')
        await page.getByRole('button', { name: /^Azure/ }).click()
      },
    ],
    [
      'edit of a provider',
      async (page) => {
        await menu(page, 'elsewhere', 'Edit')
        await page.getByText('Advanced: time limits').click()
      },
    ],
    ['secret', (page) => menu(page, 'elsewhere', 'Give a secret')],
    [
      'models of a provider',
      async (page) => {
        await menu(page, 'elsewhere', 'Add models')
        await page.getByRole('button', { name: 'Try again' }).waitFor()
      },
    ],
    ['removing a provider', (page) => menu(page, 'elsewhere', 'Remove')],
    [
      'search for servers',
      async (page) => {
        await press(page, 'Find local servers')
        await page.getByRole('dialog').getByRole('listitem').first().waitFor()
      },
    ],
  ],
  tools: [
    ['tool', (page) => openRow(row(page, 'Codex'))],
    ['changes of a tool', (page) => connect(page, 'Codex')],
    [
      'connected tool',
      async (page) => {
        await connect(page, 'Codex')
        await page.getByRole('dialog').last().getByRole('button', { name: 'Connect', exact: true }).click()
        await page.getByText('Waiting for the first request').waitFor()
      },
    ],
    [
      'changes that are taken back',
      async (page) => {
        await openRow(row(page, 'Codex'))
        await press(page, 'Disconnect')
        await page.getByRole('region', { name: 'Changes in' }).waitFor()
      },
    ],
  ],
  requests: [
    [
      'receipt',
      async (page) => {
        await page.locator('[data-id]').first().click()
        await page.getByText('Price version').waitFor()
      },
    ],
  ],
  ledger: [['meaning of entries', (page) => press(page, 'Explain entries')]],
  audit: [['change', (page) => openRow(row(page, 'ada'))]],
} satisfies Readonly<Record<string, readonly Panel[]>>
