import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startFarebox } from '../support/farebox.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, startHouse, type House, type Route } from './house.ts'
import { expectError, get } from './support.ts'

type Receipt = Record<string, unknown> & { readonly lines: readonly { readonly amount: string }[] }

const CHAT: Route = ['chat', 'chat-completions']
const UNKNOWN = { tokens: null, source: 'unknown' }

let house: House
let key = ''

beforeAll(async () => {
  house = await startHouse()
  const price = { input: 0.15, output: 0.6, cache_read: 0.0375, cache_write: 0.1875 }
  await house.farebox.admin.call('priceModel', { id: 'chat-completions', body: price })
})

beforeEach(async () => {
  house.upstream.forget()
  key = (await newKey(house)).key
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

async function receiptOf(response: Response, by = key): Promise<Receipt> {
  const id = response.headers.get('x-request-id') ?? ''
  await response.text()
  const answer = await get(house.farebox, `/v1/receipts/${id}`, by)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Receipt
}

/** The lines' exact sum in credits, as a number of micro-credits with its fraction. */
function sumOf({ lines }: Receipt): number {
  const parts = lines.map(({ amount }) => {
    const [whole = '0', fraction = ''] = amount.split('.')
    return BigInt(whole + fraction.padEnd(12, '0'))
  })
  return Number(parts.reduce((sum, part) => sum + part, 0n)) / 1e12
}

describe('a receipt', () => {
  it('has the classes, the price, the lines that add up to the charge, and how the call went', async () => {
    const usage = {
      prompt_tokens: 101,
      completion_tokens: 7,
      total_tokens: 108,
      prompt_tokens_details: { cached_tokens: 90 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }
    house.upstream.script({ type: 'answer', usage })
    const receipt = await receiptOf(await ask(house, CHAT, { key }))
    expect(receipt).toMatchObject({
      object: 'receipt',
      endpoint: 'chat',
      model: 'chat-completions',
      provider: 'chat-completions',
      upstream_model: 'real-chat-completions',
      stream: false,
      outcome: 'answered',
      status: 200,
      tokens: {
        input: { tokens: 11, source: 'reported' },
        cache_read: { tokens: 90, source: 'reported' },
        cache_write: UNKNOWN,
        output: { tokens: 7, source: 'reported' },
        reasoning: { tokens: 3, source: 'reported' },
      },
      price: { version: 2, input: 0.15, output: 0.6, cache_read: 0.0375, cache_write: 0.1875 },
      lines: [
        { type: 'input', tokens: 11, price: 0.15, amount: '0.00000165' },
        { type: 'cache_read', tokens: 90, price: 0.0375, amount: '0.000003375' },
        { type: 'output', tokens: 7, price: 0.6, amount: '0.0000042' },
        { type: 'rounding', amount: '0.000000775' },
      ],
      charge_credits: 0.00001,
      overrun: false,
      attempts: [{ outcome: 'complete', status: 200, duration_ms: expect.any(Number) }],
      first_byte_ms: expect.any(Number),
      duration_ms: expect.any(Number),
    })
    expect(sumOf(receipt)).toBe(receipt['charge_credits'])
    expect(receipt['charge_credits']).toBe((await house.farebox.balance(key))['used_credits'])
  })

  it('says which counts Farebox made itself', async () => {
    house.upstream.script({ type: 'answer', usage: null })
    const receipt = await receiptOf(await ask(house, CHAT, { key, members: { stream: true } }))
    expect(receipt).toMatchObject({
      tokens: { input: { source: 'estimated' }, output: { source: 'estimated' }, cache_read: UNKNOWN },
    })
    expect(sumOf(receipt)).toBe(receipt['charge_credits'])
  })

  it('says of an answer that broke off that its input was reported and its output was not', async () => {
    const cut = { at: { insideEvent: 5 }, how: 'reset' } as const
    house.upstream.script({ type: 'answer', pieces: ['one ', 'two ', 'three '], cut })
    const receipt = await receiptOf(await ask(house, ['messages', 'messages'], { key, members: { stream: true } }))
    expect(receipt).toMatchObject({
      outcome: 'cut',
      tokens: { input: { tokens: 19, source: 'reported' }, output: { source: 'estimated' } },
      attempts: [{ outcome: 'failed', status: 200 }],
    })
    expect(sumOf(receipt)).toBe(receipt['charge_credits'])
  })

  it('of a call that cost nothing has no lines', async () => {
    house.upstream.script({ type: 'status', status: 400 })
    expect(await receiptOf(await ask(house, CHAT, { key }))).toMatchObject({
      outcome: 'refused',
      status: 400,
      tokens: { input: UNKNOWN, cache_read: UNKNOWN, cache_write: UNKNOWN, output: UNKNOWN, reasoning: UNKNOWN },
      lines: [],
      charge_credits: 0,
      attempts: [{ outcome: 'refused', status: 400 }],
    })
  })

  it('keeps the price of its time', async () => {
    const response = await ask(house, ['responses', 'responses'], { key })
    await house.farebox.admin.call('priceModel', { id: 'responses', body: { input: 50, output: 60 } })
    const receipt = await receiptOf(response)
    expect(receipt).toMatchObject({ price: { version: 1, input: 1, output: 2 } })
    expect(sumOf(receipt)).toBe(receipt['charge_credits'])
  })

  it.each(['another key asks for it', 'there was never such a call', 'its id is none'] as const)(
    'is refused in the same words when %s',
    async (why) => {
      const response = await ask(house, CHAT, { key })
      await response.text()
      const other = (await newKey(house)).key
      const id = {
        'another key asks for it': response.headers.get('x-request-id'),
        'there was never such a call': '01a1fc79-d4e6-7000-857c-a4383ac1ac29',
        'its id is none': "x' OR 1=1 --",
      }[why]
      const answer = await get(house.farebox, `/v1/receipts/${encodeURIComponent(id ?? '')}`, other)
      expect(await expectError(answer, 404)).toBe(
        'There is no receipt with this id. A call has one when it was admitted and has ended.',
      )
    },
  )

  it('is not there yet while its call runs', async () => {
    house.upstream.script({ type: 'answer', stall: { at: { insideEvent: 3 }, ms: Infinity } })
    const leaving = new AbortController()
    const response = await ask(house, CHAT, { key, members: { stream: true }, signal: leaving.signal })
    await expectError(await get(house.farebox, `/v1/receipts/${response.headers.get('x-request-id')}`, key), 404)
    leaving.abort()
    await expect.poll(async () => (await house.farebox.admin.call('status', {})).open_exchanges).toBe(0)
  })

  it('needs a key', async () => {
    await expectError(await get(house.farebox, '/v1/receipts/01a1fc79-d4e6-7000-857c-a4383ac1ac29'), 401)
  })

  it('is shown to the administrator whoever made the call', async () => {
    const response = await ask(house, CHAT, { key })
    const mine = await receiptOf(response)
    const id = response.headers.get('x-request-id') ?? ''
    expect(await house.farebox.admin.call('receipt', { id })).toEqual(mine)
  })
})

it('shows what an older record does not say as unknown, never as 0', async () => {
  const farebox = await startFarebox()
  const { key: old } = await newKey({ farebox }, await withPackage(farebox))
  const keyId = (await farebox.admin.call('listKeys', {}))[0]?.id ?? ''
  await farebox.stop()
  const id = '01a1fc79-d4e6-7000-857c-a4383ac1ac29'
  const db = new Database(join(farebox.dataDir, 'farebox.db'))
  const values = { key_id: keyId, package_id: 'p', endpoint: 'chat', model_id: 'gone', is_stream: 0, status: 500 }
  const rest = { outcome: 'answered', usage_source: 'estimated', hold_micro: 0, charge_micro: 0, is_overrun: 0 }
  const row: Record<string, unknown> = { id, ...values, ...rest, created_at_ms: 0, duration_ms: 0, input_tokens: 5 }
  const names = Object.keys(row)
  db.prepare(`INSERT INTO usage_record (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`).run(row)
  db.close()
  const again = await startFarebox({ dataDir: farebox.dataDir })
  const receipt = await get(again, `/v1/receipts/${id}`, old)
  expect(await receipt.json()).toMatchObject({
    tokens: { input: { tokens: 5, source: 'unknown' }, output: UNKNOWN },
    price: null,
    lines: [],
    attempts: 'unknown',
    provider: null,
  })
  await again.close()
})

async function withPackage(farebox: House['farebox']): Promise<string> {
  await farebox.admin.call('addPackage', { body: { name: 'old', type: 'topup', credits: 1 } })
  return 'old'
}
