// The page of models and prices, against a real Farebox and a provider that is scripted: what is saved here is what calls cost.

import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadPriceCard } from '#catalog/resources.ts'
import { postChat } from '../support/chat.ts'
import { openRow, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { ADA } from '../support/dashboard-panels.ts'
import { chatModel } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** What every answer reports, chosen so that charges end in an odd digit. */
const USAGE = { prompt_tokens: 1234, completion_tokens: 57, total_tokens: 1291 }

let dashboard: Dashboard
let main: Upstream
beforeAll(async () => {
  ;[dashboard, main] = await Promise.all([startDashboard(), startUpstream()])
  const { call } = dashboard.farebox.admin
  for (const name of ['main', 'spare']) {
    await call('addProvider', { body: { name, dialect: 'chat-completions', base_url: main.url, network: 'local' } })
  }
  await call('addMember', { body: { ...ADA, packages: ['starter'] } })
})
afterAll(async () => {
  await dashboard.close()
  await main.close()
})
beforeEach(() => {
  main.forget()
  main.script({ type: 'answer', usage: USAGE })
})

/** A model at the first provider, with the price of `chatModel`: 1 for input, 2 for output. */
const add = (id: string, more: Parameters<typeof chatModel>[1] = {}) =>
  dashboard.farebox.admin.call('addModel', {
    body: chatModel(id, { targets: [{ provider: 'main', model: id }], ...more }),
  })
const show = async (id: string) =>
  (await dashboard.farebox.admin.call('listModels', {})).find((model) => model.id === id)
const rowOf = (page: Page, id: string) => page.getByRole('row').filter({ hasText: id })

/** Calls a model, and answers with what the receipt says. */
async function charged(model: string): Promise<{ readonly charge: number; readonly version: number | undefined }> {
  const { url } = dashboard.farebox
  const answer = await postChat({ url, key: dashboard.key }, { model })
  await answer.text()
  expect(answer.status).toBe(200)
  const receipt = await fetch(`${url}/v1/receipts/${answer.headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${dashboard.key}` },
  })
  const view = (await receipt.json()) as { charge_credits: number; price: { version: number } | null }
  return { charge: view.charge_credits, version: view.price?.version }
}

/** Opens an action of a model by the menu of its row. */
async function choose(page: Page, id: string, action: string): Promise<Locator> {
  await rowOf(page, id)
    .getByRole('button', { name: `Actions for ${id}` })
    .click()
  await page.getByRole('menuitem', { name: action }).click()
  return page.getByRole('dialog').or(page.getByRole('alertdialog'))
}

async function saved(dialog: Locator, action: string): Promise<void> {
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe('a new model', () => {
  it('is what was typed, costs what the sample said, and is charged to the last digit', async () => {
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Add a model' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a model' })
      const send = dialog.getByRole('button', { name: 'Add a model' })
      await dialog.getByLabel('Name', { exact: true }).fill('typed')
      await dialog.getByLabel('Provider', { exact: true }).selectOption('main')
      await dialog.getByLabel('Name at the provider').fill('typed-upstream')
      await dialog.getByLabel('Context window').fill('200k')
      await dialog.getByLabel('Maximum output tokens').fill('sixty')
      await dialog.getByText('Write a whole number of tokens').waitFor()
      expect(await send.isDisabled()).toBe(true)
      await dialog.getByLabel('Maximum output tokens').fill('64,000')
      await priceField(dialog, 'Input').fill('1.25')
      await priceField(dialog, 'Output').fill('10')
      // 10,000 at 1.25 and 1000 at 10.
      await expect.poll(() => sample(dialog).getByRole('status').innerText()).toContain('0.0225')
      await saved(dialog, 'Add a model')
      await rowOf(page, 'typed').getByText('Enabled').waitFor()
    })
    expect(await show('typed')).toMatchObject({
      context_window: 200_000,
      max_output_tokens: 64_000,
      enabled: true,
      price: { input: 1.25, output: 10, cache_read: 1.25, cache_write: 1.25 },
      targets: [{ provider: 'main', model: 'typed-upstream' }],
    })
    // 1234 at 1.25 and 57 at 10 for a million are 0.0021125, and what is left of a millionth is rounded up.
    expect(await charged('typed')).toEqual({ charge: 0.002113, version: 1 })
    expect(main.requests[0]?.body.model).toBe('typed-upstream')
  })

  it('is refused beside the name that is taken, with what was typed kept', async () => {
    await add('taken')
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Add a model' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a model' })
      const name = dialog.getByLabel('Name', { exact: true })
      await name.fill('taken')
      await dialog.getByLabel('Provider', { exact: true }).selectOption('spare')
      await dialog.getByLabel('Context window').fill('1000')
      await dialog.getByLabel('Maximum output tokens').fill('100')
      await dialog.getByRole('button', { name: 'Add a model' }).click()
      await dialog.getByRole('alert').filter({ hasText: "There is a model 'taken' already." }).waitFor()
      expect(await name.getAttribute('aria-invalid')).toBe('true')
      expect(await dialog.getByLabel('Provider', { exact: true }).inputValue()).toBe('spare')
    })
  })

  it('without a price is disabled, and cannot be enabled before it has one', async () => {
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Add a model' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a model' })
      await dialog.getByLabel('Name', { exact: true }).fill('unpriced')
      await dialog.getByLabel('Provider', { exact: true }).selectOption('main')
      await dialog.getByLabel('Context window').fill('1000')
      await dialog.getByLabel('Maximum output tokens').fill('100')
      await saved(dialog, 'Add a model')
      await rowOf(page, 'unpriced').getByText('No price').waitFor()
      await openRow(rowOf(page, 'unpriced'))
      const drawer = page.getByRole('dialog', { name: 'unpriced' })
      await drawer.getByText('cannot be enabled').waitFor()
      expect(await drawer.getByRole('button', { name: 'Enable' }).count()).toBe(0)
      expect((await postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model: 'unpriced' })).status).toBe(
        404,
      )

      await drawer.getByRole('button', { name: 'Change price' }).click()
      const price = page.getByRole('dialog', { name: 'Price of unpriced' })
      await priceField(price, 'Input').fill('0')
      await priceField(price, 'Output').fill('0.01')
      await saved(price, 'Save price')
      await drawer.getByRole('button', { name: 'Enable' }).click()
      await drawer.getByText('Enabled').waitFor()
      // 57 at 0.01 for a million are 0.00000057.
      expect(await charged('unpriced')).toEqual({ charge: 0.000001, version: 1 })
    })
  })
})

describe('the price of a model', () => {
  it('shows what a sample call costs until now and then, and is what receipts are made from', async () => {
    await add('repriced')
    expect(await charged('repriced')).toEqual({ charge: 0.001348, version: 1 })
    await dashboard.visit('/models', async (page) => {
      const dialog = await choose(page, 'repriced', 'Change price')
      const save = dialog.getByRole('button', { name: 'Save price' })
      expect(await save.isDisabled()).toBe(true)
      await priceField(dialog, 'Input').fill('3')
      await priceField(dialog, 'Output').fill('15')
      await priceField(dialog, 'Cache read').fill('0.3')
      await sample(dialog).getByLabel('Input').fill('1000')
      await sample(dialog).getByLabel('Output').fill('200')
      await sample(dialog).getByLabel('Cache read').fill('9k')
      // 1000 at 3, 200 at 15 and 9000 at 0.3; until now 10,000 at 1 and 200 at 2.
      await expect.poll(() => sample(dialog).getByRole('status').innerText()).toMatch(/0\.0087.*0\.0104/s)
      await saved(dialog, 'Save price')
    })
    // 1234 at 3 and 57 at 15.
    expect(await charged('repriced')).toEqual({ charge: 0.004557, version: 2 })
    expect((await show('repriced'))?.price).toMatchObject({ input: 3, output: 15, cache_read: 0.3, cache_write: 3 })
  })

  it('is asked about when it jumps, anew after every change', async () => {
    await add('jumping')
    await dashboard.visit('/models', async (page) => {
      const dialog = await choose(page, 'jumping', 'Change price')
      const save = dialog.getByRole('button', { name: 'Save price' })
      await priceField(dialog, 'Input').fill('9.999999')
      expect(await save.isDisabled()).toBe(false)
      expect(await dialog.getByRole('alert').count()).toBe(0)
      await priceField(dialog, 'Input').fill('10')
      await dialog.getByRole('alert').getByText('Input, Cache read, and Cache write would change').waitFor()
      expect(await save.isDisabled()).toBe(true)
      await dialog.getByLabel('This price is intended').click()
      expect(await save.isDisabled()).toBe(false)
      await priceField(dialog, 'Output').fill('0.000002')
      expect(await save.isDisabled()).toBe(true)
      await dialog.getByLabel('This price is intended').click()
      await saved(dialog, 'Save price')
    })
    expect((await show('jumping'))?.price).toMatchObject({ input: 10, output: 0.000002, version: 2 })
  })

  it('is asked about by the server where it was changed meanwhile', async () => {
    await add('raced')
    await dashboard.visit('/models', async (page) => {
      const dialog = await choose(page, 'raced', 'Change price')
      await dashboard.farebox.admin.call('priceModel', { id: 'raced', body: { input: 0.01, output: 2 } })
      await priceField(dialog, 'Input').fill('5')
      await dialog.getByRole('button', { name: 'Save price' }).click()
      await dialog.getByRole('alert').getByText('Prices are per million tokens').waitFor()
      expect((await show('raced'))?.price).toMatchObject({ input: 0.01 })
      await dialog.getByLabel('This price is intended').click()
      await saved(dialog, 'Save price')
      expect((await show('raced'))?.price).toMatchObject({ input: 5, version: 3 })
    })
  })

  it('takes neither less than nothing nor what may be a thousand times what is meant', async () => {
    await add('typo')
    await dashboard.visit('/models', async (page) => {
      const dialog = await choose(page, 'typo', 'Change price')
      for (const wrong of ['-1', '1,000', '1.0000001', 'free', '1000001']) {
        await priceField(dialog, 'Input').fill(wrong)
        await dialog.getByRole('alert').first().waitFor()
        expect(await dialog.getByRole('button', { name: 'Save price' }).isDisabled()).toBe(true)
        await priceField(dialog, 'Input').fill('1')
        await dialog.getByRole('alert').waitFor({ state: 'detached' })
      }
    })
  })
})

describe('a model', () => {
  it('is edited where it may be, and the dialog says so where the model is gone meanwhile', async () => {
    await add('edited')
    await dashboard.visit('/models', async (page) => {
      const dialog = await choose(page, 'edited', 'Edit')
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Display name').fill('For the team')
      await dialog.getByLabel('Context window').fill('128k')
      await saved(dialog, 'Save')
      expect(await show('edited')).toMatchObject({ display_name: 'For the team', context_window: 128_000 })

      await choose(page, 'edited', 'Edit')
      await dialog.getByLabel('Display name').fill('For nobody')
      await dashboard.farebox.admin.call('removeModel', { id: 'edited' })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByRole('alert').getByText("There is no model 'edited'.").waitFor()
      expect(await dialog.getByLabel('Display name').inputValue()).toBe('For nobody')
    })
  })

  it('is disabled and enabled from its row without opening it, and calls are refused meanwhile', async () => {
    await add('switched')
    const call = async () =>
      (await postChat({ url: dashboard.farebox.url, key: dashboard.key }, { model: 'switched' })).status
    await dashboard.visit('/models', async (page) => {
      const act = async (action: string) => {
        await rowOf(page, 'switched').getByRole('button', { name: 'Actions for switched' }).click()
        await page.getByRole('menuitem', { name: action }).click()
      }
      await act('Disable')
      await rowOf(page, 'switched').getByText('Disabled').waitFor()
      expect(await call()).toBe(404)
      await act('Enable')
      await rowOf(page, 'switched').getByText('Enabled').waitFor()
      expect(await call()).toBe(200)
      // What is chosen in the menu is not a click on the row that the menu belongs to.
      expect(page.url()).not.toContain('open=')
      expect(await page.getByRole('dialog').count()).toBe(0)
    })
  })

  it('is removed after what that takes away was said, and keeps what it has cost', async () => {
    await add('leaving')
    await charged('leaving')
    await dashboard.visit('/models', async (page) => {
      await openRow(rowOf(page, 'leaving'))
      await page.getByRole('dialog', { name: 'leaving' }).getByRole('button', { name: 'Remove' }).click()
      const question = page.getByRole('alertdialog', { name: 'Remove the model leaving?' })
      await question.getByText('1 key loses access to it. Packages: "starter".').waitFor()
      await question.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await rowOf(page, 'leaving').waitFor({ state: 'detached' })
      await expect.poll(() => new URL(page.url()).search).toBe('')
    })
    expect(await show('leaving')).toBeUndefined()
    const { usage } = await dashboard.farebox.admin.call('usage', { query: { model: 'leaving' } })
    expect(usage.map((row) => row.charge_credits)).toEqual([0.001348])
  })
})

describe('the price card', () => {
  it('changes only what is chosen, asks about a jump, and says what it does not know', async () => {
    const { call } = dashboard.farebox.admin
    const body = { name: 'openai', preset: 'openai', dialect: 'chat-completions', base_url: main.url } as const
    await call('addProvider', { body: { ...body, network: 'local', secret: 'sk-card' } })
    const at = (model: string) => ({ targets: [{ provider: 'openai', model }] })
    const [near, far, kept] = onCard()
    if (near === undefined || far === undefined || kept === undefined) throw new Error('the card is too short')
    const times = (price: typeof near.price, factor: number) => ({
      input: price.input * factor,
      output: (price.output ?? 0) * factor,
    })
    await add('near', { ...at(near.model), price: times(near.price, 2) })
    await add('far', { ...at(far.model), price: times(far.price, 1000) })
    await add('kept', { ...at(kept.model), price: times(kept.price, 3) })
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Compare prices' }).click()
      const dialog = page.getByRole('dialog', { name: 'Compare with the price card' })
      const chosen = (id: string) => dialog.getByRole('checkbox', { name: `Select ${id}` })
      await dialog.getByText(/^Not on the card: .*demo-chat/).waitFor()
      // What jumps is not chosen by itself.
      expect(await chosen('near').isChecked()).toBe(true)
      expect(await chosen('far').isChecked()).toBe(false)
      await chosen('kept').click()
      await chosen('far').click()
      const apply = dialog.getByRole('button', { name: 'Apply 2 prices' })
      expect(await apply.isDisabled()).toBe(true)
      await dialog.getByLabel('I have checked the prices').click()
      await saved(dialog, 'Apply 2 prices')
    })
    expect((await show('near'))?.price).toMatchObject(near.price)
    expect((await show('far'))?.price).toMatchObject(far.price)
    expect((await show('kept'))?.price).toMatchObject(times(kept.price, 3))
  })

  it('is the one that came with Farebox, until another one is fetched from a feed', async () => {
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Compare prices' }).click()
      const dialog = page.getByRole('dialog', { name: 'Compare with the price card' })
      const versions = dialog.getByLabel('Card', { exact: true }).getByRole('option')
      await expect.poll(() => versions.allTextContents()).toEqual([expect.stringMatching(/^built-in, /)])
      await dialog.getByRole('button', { name: 'Fetch from the feed' }).click()
      await dialog.getByText('No feed is named: set FAREBOX_PRICE_FEED to its address.').waitFor()
    })
  })

  it('is not applied where something was changed meanwhile', async () => {
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Compare prices' }).click()
      const dialog = page.getByRole('dialog', { name: 'Compare with the price card' })
      await dialog.getByRole('checkbox', { name: 'Select kept' }).waitFor()
      await dashboard.farebox.admin.call('priceModel', { id: 'near', body: { input: 7, output: 7 } })
      await dialog.getByRole('button', { name: 'Apply 1 price' }).click()
      await dialog.getByRole('alert').getByText('has changed in the meantime').waitFor()
      expect((await show('near'))?.price).toMatchObject({ input: 7 })
    })
  })

  /** Models of the card with a price for output. */
  function onCard() {
    return loadPriceCard().entries.flatMap(({ preset, model, price }) =>
      preset === 'openai' && price !== null && (price.output ?? 0) > 0 ? [{ model, price }] : [],
    )
  }
})

describe('the list', () => {
  it('keeps its filters in the address, and says when it could not be read', async () => {
    await add('a-needle')
    await dashboard.visit('/models', async (page) => {
      await page.getByRole('button', { name: 'Filters', exact: true }).click()
      await page.getByLabel('Search models').pressSequentially('needle')
      await rowOf(page, 'demo-chat').waitFor({ state: 'detached' })
      await page.getByLabel('Provider', { exact: true }).selectOption('demo')
      await page.getByText('No model matches these filters.').waitFor()
      await page.getByLabel('Provider', { exact: true }).selectOption('main')
      await rowOf(page, 'a-needle').waitFor()
      await expect.poll(() => new URL(page.url()).search).toBe('?q=needle&provider=main')
      const error = { message: 'The catalogue is busy.', code: 503 }
      await page.route('**/api/models', (route) => route.fulfill({ status: 503, json: { error } }))
      await page.reload()
      await page.getByText('The models could not be loaded.').waitFor()
      await page.getByText('The catalogue is busy.').waitFor()
      await page.unroute('**/api/models')
      await page.getByRole('button', { name: 'Try again' }).click()
      await rowOf(page, 'a-needle').waitFor()
      expect(await rowOf(page, 'demo-chat').count()).toBe(0)
    })
  })

  it('is not shown to a member, who is led to the overview and asks for nothing of it', async () => {
    await dashboard.visit(
      '/overview',
      async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await page.goto(`${dashboard.farebox.url}/app/models?open=demo-chat`)
        await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/app/overview')
        expect(asked.filter((path) => ['/api/price-card', '/api/providers', '/api/presets'].includes(path))).toEqual([])
      },
      { member: ADA },
    )
  })
})

function priceField(dialog: Locator, name: string): Locator {
  return dialog.getByRole('group', { name: 'Credits per million tokens' }).getByLabel(name, { exact: true })
}

function sample(dialog: Locator): Locator {
  return dialog.getByRole('region', { name: 'Example call' })
}
