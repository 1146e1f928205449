// Reports that are kept, against the calls of a running gateway: their days, what is in one of them, settling it, and forgetting all.

import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFarebox } from '../support/farebox.ts'
import { chat, manualClock, startPair, type Pair } from './support.ts'

const DAY_MS = 86_400_000
const DAY_START = Date.parse('2026-10-01T00:00:00Z')
const HEAD = 'start_time,end_time,model,num_model_requests,api_key_id,input_tokens,output_tokens,input_cached_tokens'
const COSTS = 'start_time,end_time,amount_value,amount_currency,line_item'

let pair: Pair
let key: string
let clock: ReturnType<typeof manualClock>

beforeEach(async () => {
  clock = manualClock('2026-10-01T10:01:00.000Z')
  pair = await startPair({ clock })
  key = await pair.farebox.newKey('plenty')
  for (let calls = 0; calls < 2; calls++) await (await chat(pair.farebox, key)).text()
  // The report is made long after the day.
  clock.advance(4 * DAY_MS)
})
afterEach(() => pair.close())

const admin = () => pair.farebox.admin
const list = () => admin().call('listBills', { query: {} })

async function write(name: string, lines: readonly string[], madeMs = DAY_START + 3 * DAY_MS): Promise<string> {
  const file = join(pair.farebox.dataDir, name)
  await writeFile(file, lines.join('\n'))
  await utimes(file, new Date(madeMs), new Date(madeMs))
  return file
}

/** Two ordinary calls use 19 input and 10 output tokens each. */
function usage(requests: number, input: number, output: number, model = 'real-chat-2026-01-01'): string {
  return [DAY_START / 1000, DAY_START / 1000 + 86_400, model, requests, 'key_a', input, output, 0].join()
}

const keep = (file: string, more: { account_keys?: string[] } = {}) =>
  admin().call('checkBill', { body: { provider: 'upstream', file, keep: true, ...more } })

describe('the days of kept reports', () => {
  it('are none before one is kept, and a check alone keeps nothing', async () => {
    const file = await write('usage.csv', [HEAD, usage(2, 38, 20)])
    await admin().call('checkBill', { body: { provider: 'upstream', file } })
    expect(await list()).toEqual({ days: [], agreed_until: null, unexplained: 0, unexplained_amount: '0' })
  })

  it('agree, in tokens and in money, and say until when', async () => {
    await keep(await write('usage.csv', [HEAD, usage(2, 38, 20)]))
    const [first] = (await list()).days
    expect(first).toMatchObject({
      provider: 'upstream',
      day: '2026-10-01',
      made_at: '2026-10-04T00:00:00.000Z',
      tokens: { ours: { input: 38, output: 20 }, theirs: { input: 38, output: 20 } },
      money: null,
      state: 'agrees',
      causes: [],
    })
    const ours = (await admin().call('usage', { query: {} })).usage
    const sum = ours.reduce((total, { charge_credits: credits }) => total + credits, 0)
    const line = [DAY_START / 1000, DAY_START / 1000 + 86_400, sum.toFixed(6), 'usd', '"real-chat, input"'].join()
    await keep(await write('costs.csv', [COSTS, line]))
    expect(await list()).toMatchObject({
      days: [{ state: 'agrees', money: { ours: String(sum), theirs: String(sum), difference: '0' } }],
      agreed_until: '2026-10-02T00:00:00.000Z',
      unexplained: 0,
      unexplained_amount: '0',
    })
  })

  it('are the same whatever is handed in twice, in pieces and out of order', async () => {
    const whole = await write('whole.csv', [HEAD, usage(2, 38, 20), usage(1, 5, 5, 'other')])
    const one = await write('one.csv', [HEAD, usage(2, 38, 20)])
    const other = await write('other.csv', [HEAD, usage(1, 5, 5, 'other')])
    await keep(whole)
    const before = await list()
    for (const file of [other, one, whole, one]) await keep(file)
    expect(await list()).toEqual(before)
    await admin().call('forgetBills', { id: 'upstream' })
    expect((await list()).days).toEqual([])
    for (const file of [other, one]) await keep(file)
    expect(await list()).toEqual(before)
    expect(before).toMatchObject({ days: [{ causes: ['not_through_farebox'], state: 'explained' }], unexplained: 0 })
  })

  it('say what is unexplained, and in a day which it is', async () => {
    await keep(await write('usage.csv', [HEAD, usage(2, 50, 22)]))
    expect(await list()).toMatchObject({
      days: [{ state: 'unexplained', unexplained: 1 }],
      agreed_until: null,
      unexplained: 1,
    })
    const day = await admin().call('checkBill', { body: { provider: 'upstream', kept_day: '2026-10-01' } })
    expect(day).toMatchObject({
      columns: null,
      made_at: '2026-10-04T00:00:00.000Z',
      tokens: { differences: [{ ours: { input: 38 }, theirs: { input: 50 }, causes: ['unexplained'] }] },
    })
    const none = admin().call('checkBill', { body: { provider: 'upstream', kept_day: '2026-10-02' } })
    await expect(none).rejects.toThrow('No report of that time is kept.')
  })

  it('remember which keys of the account are ours', async () => {
    const file = await write('usage.csv', [HEAD, usage(2, 50, 22)])
    await keep(file, { account_keys: ['key_b'] })
    expect((await list()).days).toMatchObject([{ causes: ['not_through_farebox', 'unexplained'] }])
    await keep(file, { account_keys: ['key_a'] })
    expect((await list()).days).toMatchObject([{ causes: ['unexplained'] }])
    await keep(file)
    expect((await list()).days).toMatchObject([{ causes: ['unexplained'] }])
  })

  it('take nothing of a report of other stretches of time, nor of what is refused', async () => {
    await keep(await write('usage.csv', [HEAD, usage(2, 38, 20)]))
    const before = await list()
    const hour = [DAY_START / 1000, DAY_START / 1000 + 3600, 'real-chat', 1, 'key_a', 1, 1, 0].join()
    await expect(keep(await write('hours.csv', [HEAD, hour]))).rejects.toThrow('farebox bills forget upstream')
    await expect(keep(await write('long.csv', [HEAD, usage(2, 1, 1, 'm'.repeat(201))]))).rejects.toThrow(
      'too long a name',
    )
    await expect(keep(await write('none.csv', ['nothing']))).rejects.toThrow('no file that Farebox reads')
    for (const body of [{ file: '/x' }, { days: 3 }, { keep: true }, { project: 'p' }, { account_keys: ['k'] }]) {
      const asked = admin().call('checkBill', { body: { provider: 'upstream', kept_day: '2026-10-01', ...body } })
      await expect(asked).rejects.toThrow("'kept_day'")
    }
    expect(await list()).toEqual(before)
  })

  it('are there after a start', async () => {
    await keep(await write('usage.csv', [HEAD, usage(2, 38, 20)]))
    const before = await list()
    await pair.farebox.stop()
    const again = await startFarebox({ clock, dataDir: pair.farebox.dataDir })
    try {
      expect(await again.admin.call('listBills', { query: {} })).toEqual(before)
      expect(await again.admin.call('verifyLedger', {})).toMatchObject({ ok: true })
    } finally {
      await again.stop()
    }
  })
})

it('a call that was estimated is settled from what is kept, once', async () => {
  pair.upstream.script({ type: 'answer', usage: null })
  clock.advance(-4 * DAY_MS)
  await (await chat(pair.farebox, key)).text()
  clock.advance(4 * DAY_MS)
  const [latest] = (await admin().call('usage', { query: { limit: '1' } })).usage
  const { tokens } = await admin().call('receipt', { id: latest?.id ?? '' })
  const counted = { input: Number(tokens.input.tokens), output: Number(tokens.output.tokens) }
  await keep(await write('usage.csv', [HEAD, usage(3, 38 + counted.input + 5, 20 + counted.output + 7)]))
  expect(await list()).toMatchObject({ days: [{ state: 'explained', causes: ['estimated'], calls: [latest?.id] }] })
  const body = { provider: 'upstream', kept_day: '2026-10-01' }
  const preview = await admin().call('settleBill', { body: { ...body, dry_run: true } })
  expect(preview.corrections).toMatchObject([{ state: 'open' }])
  expect((await admin().call('settleBill', { body })).corrections).toMatchObject([{ state: 'made' }])
  expect((await admin().call('settleBill', { body })).corrections).toMatchObject([{ state: 'before' }])
})
