// Every page looked at by axe in light and for its colours in dark, every drawer and dialog in light (FAREBOX_LONG_TESTS: pages by
// all rules in dark, the rest for its colours), and without errors on the console. The one place for this: each look takes a second, so
// pages are walked through as people do.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { openRow, seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { chatModel } from '../support/farebox.ts'

const isLong = process.env['FAREBOX_LONG_TESTS'] !== undefined
const ADA = { name: 'ada', password: 'correct horse battery' }
const TRAY_WIDTH = 420
const PAGES = [
  ['overview', '.recharts-bar-rectangle'],
  ['keys', 'tr:has-text("suspended-key")'],
  ['packages', 'tr:has-text("starter")'],
  ['models', 'tr:has-text("jumpy")'],
  ['providers', 'tr:has-text("elsewhere")'],
  ['tools', 'tr:has-text("Goose")'],
  ['members', 'tr:has-text("ada")'],
  ['usage', '.recharts-bar-rectangle'],
  ['requests', '[data-id]'],
  ['ledger', 'tr:has-text("first")'],
  ['try', 'textarea'],
  ['audit', 'tr:has-text("Set up the demo"), tr:has-text("Demo")'],
  ['settings', 'tr:has-text("hold_wait_ms")'],
] as const

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { call } = dashboard.farebox.admin
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
    await (await postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model })).text()
  }
})
afterAll(() => dashboard.close())

const go = async (page: Page, name: string) => {
  await page.locator(`nav a[href="/app/${name}"]`).click()
  await page.waitForURL(`**/app/${name}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
const menu = async (page: Page, of: string, item: string) => {
  await press(page, `Actions for ${of}`)
  await page.getByRole('menuitem', { name: item }).click()
}

/** What is wrong, with the name of what was looked at. */
async function look(page: Page, name: string, part?: string): Promise<string[]> {
  const parts = part === undefined ? {} : { part }
  const found: string[] = []
  const themes = part === undefined || isLong ? (['dark', 'light'] as const) : (['light'] as const)
  for (const theme of themes) {
    await page.evaluate(`localStorage.setItem('farebox-theme', '${theme}'); dispatchEvent(new StorageEvent('storage'))`)
    // Colours on their way from one theme to the other are of neither.
    const isDone = `document.documentElement.dataset.theme === '${theme}' && document.getAnimations().every((one) => one.playState === 'finished')`
    await expect.poll(() => page.evaluate(isDone)).toBe(true)
    found.push(
      ...(
        await seriousViolations(page, { ...parts, isColoursOnly: theme === 'dark' && (part !== undefined || !isLong) })
      ).map((text) => `${name}, ${theme}: ${text}`),
    )
  }
  return found
}

type Opened = readonly [name: string, open: (page: Page) => Promise<unknown>]

/** Opens one drawer or dialog after the other, and closes what it opened. */
async function lookAtPanels(page: Page, panels: readonly Opened[]): Promise<string[]> {
  const found: string[] = []
  const any = page.locator('[role=dialog], [role=alertdialog], [role=menu]')
  for (const [name, open] of panels) {
    await open(page)
    await any.last().waitFor()
    found.push(...(await look(page, name, '[role=dialog], [role=alertdialog], [role=menu]')))
    for (let left = await any.count(); left > 0; left = await any.count()) {
      await page.keyboard.press('Escape')
      await expect.poll(() => any.count()).toBeLessThan(left)
    }
  }
  return found
}

it('has no serious fault on any page', async () => {
  const found: string[] = []
  await dashboard.visit('/overview', async (page) => {
    for (const [name, sign] of PAGES) {
      await go(page, name)
      await page.locator(sign).first().waitFor()
      found.push(...(await look(page, name)))
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    found.push(...(await look(page, 'palette', '[role=dialog]')))
  })
  expect(found).toEqual([])
}, 240_000)

it('has no serious fault in the drawers and dialogs of keys, packages and members', async () => {
  await dashboard.visit('/keys', async (page) => {
    const found = await lookAtPanels(page, [
      ['key', () => openRow(row(page, 'suspended-key'))],
      ['new key', () => press(page, 'Create a key')],
      [
        'top-up',
        async () => {
          await menu(page, 'first', 'Top up')
          await page.getByLabel('Amount').fill('x')
        },
      ],
      ['rotating', () => menu(page, 'first', 'Rotate')],
      ['revoking', () => menu(page, 'first', 'Revoke')],
    ])
    await go(page, 'packages')
    found.push(
      ...(await lookAtPanels(page, [
        ['package', () => openRow(row(page, 'starter'))],
        [
          'edit of a package',
          async () => {
            await menu(page, 'starter', 'Edit')
            await page.getByRole('dialog').getByRole('radio', { name: 'Some' }).click()
            await page.getByLabel('Requests per minute').fill('0')
            await page.getByText('at least 1').waitFor()
          },
        ],
      ])),
    )
    await go(page, 'members')
    found.push(
      ...(await lookAtPanels(page, [
        ['member', () => openRow(row(page, 'ada'))],
        ['export of what members used', () => press(page, 'Export')],
        ['new member', () => press(page, 'Add a member')],
        ['invite', () => press(page, 'Invite somebody')],
        ['limits of a project', () => press(page, 'Limit a project')],
        [
          'card of an invite',
          async () => {
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
          async () => {
            await menu(page, 'ada', 'Set password')
            await page.getByLabel('Password', { exact: true }).fill('short')
          },
        ],
      ])),
    )
    expect(found).toEqual([])
  })
}, 240_000)

it('has no serious fault in the drawers and dialogs of models', async () => {
  await dashboard.visit('/models', async (page) => {
    const found = await lookAtPanels(page, [
      ['model', () => openRow(row(page, 'broken'))],
      ['menu of a model', () => press(page, 'Actions for broken')],
      ['new model', () => press(page, 'Add a model')],
      [
        'price',
        async () => {
          await menu(page, 'broken', 'Change the price')
          await page.getByRole('group').getByLabel('Input', { exact: true }).fill('500')
          await page.getByText('The price is meant like this').waitFor()
        },
      ],
      ['targets', () => menu(page, 'jumpy', 'Change targets')],
      ['removing a model', () => menu(page, 'broken', 'Remove')],
      [
        'price card',
        async () => {
          await press(page, 'Compare prices')
          await page.getByRole('checkbox', { name: 'Choose jumpy' }).click()
        },
      ],
    ])
    expect(found).toEqual([])
  })
}, 240_000)

it('has no serious fault in the drawers and dialogs of providers', async () => {
  await dashboard.visit('/providers', async (page) => {
    const found = await lookAtPanels(page, [
      [
        'provider',
        async () => {
          await openRow(row(page, 'elsewhere'))
          await press(page, 'Test the connection')
          await page.getByText('Nothing listens at').waitFor()
        },
      ],
      [
        'presets',
        async () => {
          await press(page, 'Add a provider')
          await page.getByRole('button', { name: /^vLLM/ }).waitFor()
        },
      ],
      [
        'new provider',
        async () => {
          await press(page, 'Add a provider')
          await page.getByRole('button', { name: /^Azure/ }).click()
        },
      ],
      [
        'edit of a provider',
        async () => {
          await menu(page, 'elsewhere', 'Edit')
          await page.getByText('Advanced: time limits').click()
        },
      ],
      ['secret', () => menu(page, 'elsewhere', 'Give a secret')],
      [
        'models of a provider',
        async () => {
          await menu(page, 'elsewhere', 'Add models')
          await page.getByRole('button', { name: 'Try again' }).waitFor()
        },
      ],
      ['removing a provider', () => menu(page, 'elsewhere', 'Remove')],
      [
        'search for servers',
        async () => {
          await press(page, 'Find local servers')
          await page.getByRole('dialog').getByRole('listitem').first().waitFor()
        },
      ],
    ])
    expect(found).toEqual([])
  })
}, 240_000)

it('has no serious fault where tools are connected', async () => {
  await dashboard.visit('/tools', async (page) => {
    const connect = async (name: string) => {
      await openRow(row(page, name))
      await press(page, 'Connect')
      await press(page, 'Show the changes')
      await page.getByRole('group', { name: 'What changes' }).waitFor()
    }
    const found = await lookAtPanels(page, [
      ['tool', () => openRow(row(page, 'Codex'))],
      ['changes of a tool', () => connect('Codex')],
      [
        'connected tool',
        async () => {
          await connect('Codex')
          await page.getByRole('dialog').last().getByRole('button', { name: 'Connect', exact: true }).click()
          await page.getByText('Waiting for the first request').waitFor()
        },
      ],
      [
        'changes that are taken back',
        async () => {
          await openRow(row(page, 'Codex'))
          await press(page, 'Disconnect')
          await page.getByRole('region', { name: 'Changes in' }).waitFor()
        },
      ],
    ])
    expect(found).toEqual([])
  })
}, 240_000)

it('has no serious fault where a request is looked at, and where one is tried', async () => {
  await dashboard.visit('/requests', async (page) => {
    const found = await lookAtPanels(page, [
      [
        'receipt',
        async () => {
          await page.locator('[data-id]').first().click()
          await page.getByText('Price version').waitFor()
        },
      ],
    ])
    await go(page, 'ledger')
    found.push(...(await lookAtPanels(page, [['meaning of entries', () => press(page, 'What the entries mean')]])))
    await go(page, 'audit')
    found.push(...(await lookAtPanels(page, [['change', () => openRow(row(page, 'ada'))]])))
    await go(page, 'try')
    await page.getByLabel('Model').selectOption('demo-chat')
    await press(page, 'Send')
    await page.getByText('Open the receipt').waitFor()
    found.push(...(await look(page, 'answer')))
    await page.getByLabel('Beside it').selectOption('jumpy')
    await press(page, 'Send')
    await expect.poll(() => page.getByText('Open the receipt').count()).toBe(2)
    found.push(...(await look(page, 'two answers')))
    await page.getByLabel('Beside it').selectOption('')
    await page.getByLabel('Model').selectOption('broken')
    await press(page, 'Send')
    await page.getByRole('tabpanel').getByRole('alert').waitFor()
    found.push(...(await look(page, 'refusal')))
    expect(found).toEqual([])
  })
}, 240_000)

it('has no serious fault on the way in: signing in, and the four steps of the first run', async () => {
  const found: string[] = []
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      found.push(...(await look(page, 'sign-in')))
      await page.getByLabel('Name').fill('ada')
      await page.getByLabel('Password').fill('a wrong password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      found.push(...(await look(page, 'sign-in that is refused')))
      await press(page, 'I have a key and no account')
      await page.getByLabel('Key', { exact: true }).fill('no key of ours')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      found.push(...(await look(page, 'sign-in with a key that is refused')))
    },
    { isStranger: true },
  )
  const { link } = await dashboard.farebox.admin.call('createInvite', { body: { name: 'invited', packages: 'all' } })
  await dashboard.visit(
    '/sign-in',
    async (page) => {
      await page.goto(link)
      await page.getByLabel('Your password').fill('short')
      found.push(...(await look(page, 'invite')))
      await page.getByLabel('Your password').fill(ADA.password)
      await press(page, 'Accept the invite')
      await page.getByLabel('Name').fill('from-the-invite')
      found.push(...(await look(page, 'welcome')))
      await press(page, 'Create the key')
      await page.getByText('Copy it now').waitFor()
      found.push(...(await look(page, 'welcome with a key')))
    },
    { isStranger: true },
  )
  await dashboard.visit('/first-run?step=provider', async (page) => {
    const isFitting = async (name: string) => {
      found.push(...(await look(page, name)))
      await page.setViewportSize({ width: TRAY_WIDTH, height: 760 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TRAY_WIDTH)
      await page.setViewportSize({ width: 1280, height: 900 })
    }
    await page.getByRole('tab', { name: 'The demo' }).waitFor()
    await isFitting('provider')
    await page.getByRole('tab', { name: 'The demo' }).click()
    await press(page, 'Go on with the demo')
    await page.getByLabel('Name').fill('from-the-first-run')
    await isFitting('key')
    await press(page, 'Create the key')
    await page.getByRole('heading', { name: 'Connect a tool' }).waitFor()
    await isFitting('connect')
    await press(page, 'I have pasted them')
    await page.getByText('Waiting for a request').waitFor()
    await isFitting('arrive')
  })
  await dashboard.visit(
    '/settings',
    async (page) => {
      await press(page, 'Change the password')
      await page.getByLabel('New password', { exact: true }).fill('short')
      found.push(...(await look(page, 'change of a password', '[role=dialog]')))
    },
    { member: ADA },
  )
  await dashboard.visit(
    '/own-key',
    async (page) => {
      await page.getByText('demo-chat').first().waitFor()
      found.push(...(await look(page, 'the page of a key')))
      await page.setViewportSize({ width: TRAY_WIDTH, height: 760 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(TRAY_WIDTH)
      await press(page, 'Revoke')
      found.push(...(await look(page, 'revoking the key', '[role=alertdialog]')))
    },
    { key: dashboard.key },
  )
  expect(found).toEqual([])
}, 240_000)
