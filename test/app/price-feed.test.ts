// The price card as a feed: what is fetched is signed, later than what is there, kept, and changes nothing by itself.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { problemsOf, publicKeyText, signedCard, ENTRY, type Entry } from '../support/price-feed.ts'

let server: Server
let served = ''
let status = 200
let asked = 0
let privateKey: KeyObject
let farebox: Farebox

beforeEach(async () => {
  status = 200
  asked = 0
  privateKey = generateKeyPairSync('ed25519').privateKey
  server = createServer((_, response) => {
    asked += 1
    response.writeHead(status, { location: '/elsewhere' }).end(served)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  farebox = await startFarebox({ env: env() })
  const provider = { name: 'openai', preset: 'openai', base_url: 'http://127.0.0.1:9/v1', network: 'local' as const }
  const price = { input: 1, output: 2 }
  const target = { provider: 'openai', model: 'gpt-x' }
  const models = [{ id: 'x', context_window: 100_000, max_output_tokens: 100, price, targets: [target] }]
  await farebox.admin.call('apply', { body: { document: { providers: [provider], models } } })
})
afterEach(async () => {
  await farebox.close()
  server.closeAllConnections()
  server.close()
})

function env(keys = publicKeyText(privateKey)): Record<string, string> {
  const { port } = server.address() as AddressInfo
  return { FAREBOX_PRICE_FEED: `http://127.0.0.1:${port}/price-card.json`, FAREBOX_PRICE_FEED_KEYS: keys }
}

function publish(version: number, entry: Partial<Entry> = {}): void {
  served = signedCard({ version, entries: [{ ...ENTRY, ...entry }], privateKey })
}

const fetchCard = () => farebox.admin.call('fetchPriceCard', {})
const versions = async () => (await farebox.admin.call('listPriceCards', {})).map(({ version }) => version)
const priceOfX = async () => (await farebox.admin.call('listModels', {})).find(({ id }) => id === 'x')?.price

describe('the price feed', () => {
  it('is asked when somebody asks, keeps every version, and changes nothing by itself', async () => {
    expect([asked, await versions()]).toEqual([0, [null]])
    publish(1)
    expect(await fetchCard()).toEqual({ version: 1, date: '2026-11-01', entries: 1, is_new: true })
    expect(await fetchCard()).toMatchObject({ version: 1, is_new: false })
    publish(4, { price: { input: 5, output: 9 }, date: '2026-11-02' })
    await fetchCard()
    expect([asked, await versions()]).toEqual([3, [4, 1, null]])
    expect(await priceOfX()).toMatchObject({ input: 1, output: 2 })

    const compare = (card?: number) =>
      farebox.admin.call('priceCard', { query: card === undefined ? {} : { card: String(card) } })
    expect((await compare()).rows).toEqual([])
    expect((await compare(1)).rows).toMatchObject([
      { id: 'x', old: { input: 1 }, new: { input: 3 }, date: '2026-11-01' },
    ])
    const { version, rows } = await compare(4)
    expect(rows).toMatchObject([{ new: { input: 5 }, source: 'https://example.com/prices' }])
    // What was shown of one card is not applied from another.
    const apply = (card: number) => farebox.admin.call('applyPriceCard', { body: { version, ids: ['x'], card } })
    await expect(apply(1)).rejects.toThrow('has changed in the meantime')
    await apply(4)
    expect(await priceOfX()).toMatchObject({ input: 5, output: 9 })
    await expect(compare(2)).rejects.toThrow('There is no version 2 of the price card.')
  })

  it('refuses what nobody signed who may, what is older, and what is another card of the same number', async () => {
    publish(3)
    await fetchCard()
    const whole = served
    const refused = async (says: string) => {
      await expect(fetchCard()).rejects.toThrow(says)
      expect(await versions()).toEqual([3, null])
    }
    publish(2)
    await refused('offers version 2, and version 3 is kept')
    publish(3, { price: { input: 1, output: 1 } })
    await refused('another version 3 than before')
    served = whole.replace('GPT X', 'GPT Y')
    await refused('signed by none of the keys')
    served = signedCard({ version: 4, entries: [ENTRY], privateKey: generateKeyPairSync('ed25519').privateKey })
    await refused('signed by none of the keys')
    served = whole.slice(0, -20)
    await refused('it is no signed price card')
    publish(5, { source: 'http://example.com' })
    await refused('no price card that this version reads')
    publish(5, { also: ['gpt-x'] })
    await refused('two prices for gpt-x')
    publish(5, { date: '2126-01-01' })
    await refused('from a day that is yet to come')
    status = 302
    await refused('The feed answers 302.')
    expect(await priceOfX()).toMatchObject({ input: 1 })
  })

  it('checks what is kept anew, so that a file that was changed there is no version', async () => {
    publish(1)
    await fetchCard()
    const folder = join(farebox.dataDir, 'price-cards')
    expect(await readdir(folder)).toEqual(['1.json'])
    await writeFile(join(folder, '1.json'), served.replace('GPT X', 'GPT Y'))
    expect(await versions()).toEqual([null])
    await expect(farebox.admin.call('priceCard', { query: { card: '1' } })).rejects.toThrow(
      'signed by none of the keys',
    )
  })
})

describe('a repository of prices', () => {
  const problems = (entry: object) => problemsOf([{ name: 'a.json', entries: [{ ...ENTRY, ...entry }] }], '2026-11-27')

  it.each([
    ['without a source', { source: undefined }, "'source' is missing"],
    ['from a page that is none', { source: 'a friend' }, "'source' is no https:// address"],
    ['without a day', { date: undefined }, "'date' is missing"],
    ['of a day that is none', { date: '2026-02-30' }, "'date' is no day"],
    ['of tomorrow', { date: '2026-11-28' }, "'date' is yet to come"],
    ['below nothing', { price: { input: -1, output: 1 } }, "'price.input' is no amount"],
    ['in words', { price: { input: '1', output: 1 } }, "'price.input' is no amount"],
    ['of two names that are one', { also: ['gpt-x'] }, 'is in a.json already'],
  ])('says what is wrong with a price %s', (_, entry, says) => {
    expect(problems(entry).join('\n')).toContain(says)
  })

  it('has nothing to say of one that has all', () => {
    expect(problems({})).toEqual([])
    expect(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).asymmetricKeyType).toBe('ed25519')
  })
})
