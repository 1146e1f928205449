// The price card of a feed that is really signed, on the page of models: fetched when the button is pressed, chosen among the versions,
// and applied only where that is wanted.

import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seriousViolations, startDashboard, type Dashboard } from '../support/dashboard.ts'
import { publicKeyText, signedCard, ENTRY, type Entry } from '../support/price-feed.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519').privateKey

let server: Server
let served = ''
let asked = 0
let dashboard: Dashboard
beforeAll(async () => {
  server = createServer((_, response) => {
    asked += 1
    response.end(served)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = {
    FAREBOX_PRICE_FEED: `http://127.0.0.1:${port}/price-card.json`,
    FAREBOX_PRICE_FEED_KEYS: publicKeyText(privateKey),
  }
  dashboard = await startDashboard({ env })
  const provider = { name: 'openai', preset: 'openai', base_url: 'http://127.0.0.1:9/v1', network: 'local' as const }
  const targets = [{ provider: 'openai', model: 'gpt-x' }]
  const price = { input: 1, output: 2 }
  const models = [{ id: 'x', context_window: 100_000, max_output_tokens: 100, price, targets }]
  await dashboard.farebox.admin.call('apply', { body: { document: { providers: [provider], models } } })
})
afterAll(async () => {
  await dashboard.close()
  server.closeAllConnections()
  server.close()
})

function publish(version: number, price: Entry['price'], key = privateKey): void {
  served = signedCard({ version, entries: [{ ...ENTRY, price }], privateKey: key })
}

const priceOfX = async () => (await dashboard.farebox.admin.call('listModels', {})).find(({ id }) => id === 'x')?.price

async function compare(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Compare prices' }).click()
  return page.getByRole('dialog', { name: 'Compare with the price card' })
}

it('is asked for by the button alone, kept version by version, and applied where somebody wants that', async () => {
  await dashboard.visit('/models', async (page) => {
    const dialog = await compare(page)
    const card = dialog.getByLabel('Card', { exact: true })
    await card.waitFor()
    expect(asked).toBe(0)
    for (const [version, input] of [
      [1, 3],
      [4, 5],
    ] as const) {
      publish(version, { input, output: 9 })
      await dialog.getByRole('button', { name: 'Fetch from the feed' }).click()
      await page.getByText(`Version ${version} fetched. No price has changed.`, { exact: true }).waitFor()
      await dialog.getByRole('row').filter({ hasText: 'openai' }).waitFor()
    }
    expect(asked).toBe(2)
    expect(await priceOfX()).toMatchObject({ input: 1, output: 2 })
    await expect
      .poll(() => card.getByRole('option').allTextContents())
      .toEqual(
        [/^version 4, .*2026/, /^version 1, .*2026/, /^built-in, /].map(
          (text) => expect.stringMatching(text) as string,
        ),
      )
    // What was fetched before is there still.
    await card.selectOption('1')
    await dialog.getByRole('link', { name: 'example.com' }).waitFor()
    await dialog.getByText('2026-11-01', { exact: true }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Apply 1 price' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await priceOfX()).toMatchObject({ input: 3, output: 9 })
  })
})

it('that nobody signed who may is refused where it was asked for, and nothing changes', async () => {
  const before = await priceOfX()
  publish(9, { input: 0.001, output: 0.001 }, stranger)
  await dashboard.visit('/models', async (page) => {
    const dialog = await compare(page)
    await dialog.getByRole('button', { name: 'Fetch from the feed' }).click()
    await dialog.getByRole('alert').getByText('signed by none of the keys').waitFor()
    expect(await dialog.getByLabel('Card', { exact: true }).getByRole('option').count()).toBe(3)
  })
  expect(await priceOfX()).toEqual(before)
})
