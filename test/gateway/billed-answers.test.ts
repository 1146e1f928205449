// Answers that say what they cost, through the whole gateway: what is charged stays what our price makes of it, the receipt shows
// both, and the day of their provider is compared without any report.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, ROUTES, startHouse, type House } from './house.ts'
import { chat, get, manualClock, ORDINARY_CHARGE, startPair, type Pair } from './support.ts'

const DAY_MS = 86_400_000
const ORDINARY = {
  'chat-completions': { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
  messages: { input_tokens: 19, output_tokens: 10 },
  responses: { input_tokens: 19, output_tokens: 10, total_tokens: 29 },
  gemini: { promptTokenCount: 19, candidatesTokenCount: 10, totalTokenCount: 29 },
} as const

describe('a receipt', () => {
  let house: House
  let key = ''

  beforeAll(async () => {
    house = await startHouse()
    key = (await newKey(house)).key
  })
  afterAll(async () => {
    await expectSoundBooks(house)
    await house.close()
  })

  // Gemini's own usage has no word for a cost.
  const telling = ROUTES.filter(([, dialect]) => dialect !== 'gemini')

  it.each(telling.flatMap((route) => [[...route, false] as const, [...route, true] as const]))(
    'of %s to %s, as a stream: %s, shows what the answer said that it costs',
    async (format, dialect, stream) => {
      house.upstream.script({ type: 'answer', usage: { ...ORDINARY[dialect], cost: 0.0000421 } })
      const response = await ask(house, [format, dialect], { key, members: { stream } })
      expect(response.status).toBe(200)
      await response.text()
      const receipt = await get(house.farebox, `/v1/receipts/${response.headers.get('x-request-id') ?? ''}`, key)
      expect(await receipt.json()).toMatchObject({ charge_credits: ORDINARY_CHARGE, billed_usd: '0.0000421' })
    },
  )
})

describe('days of answers', () => {
  let pair: Pair
  let key: string
  let clock: ReturnType<typeof manualClock>

  beforeEach(async () => {
    clock = manualClock('2026-10-01T10:01:00.000Z')
    pair = await startPair({ clock })
    key = await pair.farebox.newKey('plenty')
  })
  afterEach(() => pair.close())

  const list = () => pair.farebox.admin.call('listBills', { query: {} })

  async function call(more: object): Promise<string> {
    pair.upstream.script({ type: 'answer', usage: { ...ORDINARY['chat-completions'], ...more } })
    const response = await chat(pair.farebox, key)
    await response.text()
    // The sums of all days are at most fifteen seconds old.
    clock.advance(16_000)
    return response.headers.get('x-request-id') ?? ''
  }

  it('agree where answers cost what was charged, but for what rounding takes', async () => {
    await call({ cost: ORDINARY_CHARGE })
    await call({ cost: ORDINARY_CHARGE - 0.0000004 })
    expect(await list()).toMatchObject({
      days: [
        {
          provider: 'upstream',
          day: '2026-10-01',
          source: 'answers',
          tokens: null,
          money: { ours: '0.000078', theirs: '0.0000776', difference: '-0.0000004', of_tokens: null },
          state: 'agrees',
          causes: ['rounding'],
          call_count: 0,
        },
      ],
      agreed_until: new Date(clock.nowMs()).toISOString(),
      unexplained: 0,
    })
  })

  it('name the calls whose price differs, and leave those that say nothing out', async () => {
    await call({ cost: ORDINARY_CHARGE })
    const dearer = await call({ cost_in_usd_ticks: 520_000 })
    await call({})
    const [day] = (await list()).days
    expect(day).toMatchObject({
      money: { ours: '0.000078', theirs: '0.000091', difference: '0.000013' },
      state: 'explained',
      causes: ['price_differs'],
      calls: [dearer],
      call_count: 1,
    })
  })

  it('are each by themselves, and a day without calls is no gap', async () => {
    await call({ cost: ORDINARY_CHARGE })
    clock.advance(3 * DAY_MS)
    await call({ cost: ORDINARY_CHARGE })
    clock.advance(2 * DAY_MS)
    const { days, agreed_until: until } = await list()
    expect(days.map(({ day, state }) => [day, state])).toEqual([
      ['2026-10-04', 'agrees'],
      ['2026-10-01', 'agrees'],
    ])
    expect(until).toBe(new Date(clock.nowMs()).toISOString())
  })

  it('give way to a report of the same day', async () => {
    await call({ cost: ORDINARY_CHARGE })
    clock.advance(4 * DAY_MS)
    const file = join(pair.farebox.dataDir, 'usage.csv')
    const start = Date.parse('2026-10-01T00:00:00Z') / 1000
    const head =
      'start_time,end_time,model,num_model_requests,api_key_id,input_tokens,output_tokens,input_cached_tokens'
    await writeFile(file, [head, [start, start + 86_400, 'real-chat', 1, 'key_a', 19, 10, 0].join()].join('\n'))
    await pair.farebox.admin.call('checkBill', { body: { provider: 'upstream', file, keep: true } })
    expect((await list()).days).toMatchObject([{ source: 'reports', tokens: { theirs: { input: 19 } } }])
  })

  it('of 500 random calls are the sums of what was said, to a billionth', async () => {
    let [said, seed] = [0n, 7]
    for (let calls = 0; calls < 500; calls++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      const nano = seed % 90_000
      said += BigInt(nano)
      pair.upstream.script({ type: 'answer', usage: { ...ORDINARY['chat-completions'], cost: nano / 1e9 } })
      await (await chat(pair.farebox, key)).text()
    }
    const [day] = (await list()).days
    expect(day?.call_count).toBeGreaterThan(400)
    expect(day?.calls).toHaveLength(20)
    expect(Number(day?.money?.theirs) * 1e9).toBeCloseTo(Number(said), 3)
    expect(day?.money?.theirs).toBe(`0.${said.toString().padStart(9, '0')}`.replace(/0+$/, ''))
  })
})
