import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { countedBound } from './input-bound.ts'
import { expectError, HELLO, post, soon, startPair, usageOf, type Pair } from './support.ts'

const CALLS = 50
const OUTPUT_CAP = 100
const BODY = JSON.stringify({ model: 'chat', messages: HELLO, max_tokens: OUTPUT_CAP })
/** For how many tokens its input is held where there is not plenty. */
const INPUT = await countedBound(BODY)
/** What one call holds, in micro-credits: its input at 1 and its capped output at 2 for each token. */
const HOLD = INPUT + 2 * OUTPUT_CAP
/** An answer that costs exactly what was held for it. */
const DEAREST: Behaviour = {
  type: 'answer',
  usage: { prompt_tokens: INPUT, completion_tokens: OUTPUT_CAP, total_tokens: INPUT + OUTPUT_CAP },
  headersAfterMs: 30,
}

let pair: Pair
let key: string

let tests = 0
/** Of the test's package and of its key. */
let name = ''

beforeAll(async () => {
  pair = await startPair()
})

beforeEach(() => {
  name = `test ${++tests}`
  pair.upstream.forget()
})

afterEach(() => expectSoundBooks(pair))
afterAll(() => pair.close())

async function newKey(microCredits: number): Promise<void> {
  const { admin } = pair.farebox
  await admin.call('addPackage', { body: { name, type: 'topup', credits: microCredits / 1e6 } })
  key = (await admin.call('createKey', { body: { name, package: name } })).key
}

const call = () => post(pair.farebox, BODY, { key })

type Run = { readonly answered: number; readonly refused: number; readonly most: number }

/** Makes all calls at once and counts how many were answered, refused with 402, and at most at the upstream together. */
async function runAll(behaviour: Behaviour, calls = CALLS): Promise<Run> {
  let most = 0
  pair.upstream.script(() => {
    most = Math.max(most, pair.upstream.requests.filter((request) => !request.completed).length)
    return behaviour
  })
  const answers = await Promise.all(Array.from({ length: calls }, call))
  const refused = answers.filter((answer) => answer.status !== 200)
  for (const answer of refused) await expectError(answer, 402)
  expect(pair.upstream.requests).toHaveLength(calls - refused.length)
  return { answered: calls - refused.length, refused: refused.length, most }
}

/** Nothing is held, every call that was admitted has one record, and they add up to what was used. */
async function expectResolved(answered: number): Promise<void> {
  const records = await usageOf(pair.farebox, name)
  expect(records).toHaveLength(answered)
  const used = records.reduce((sum, record) => sum + Math.round(record.charge_credits * 1e6), 0)
  const { used_credits: shown, ...balance } = await pair.farebox.balance(key)
  expect(Math.round(Number(shown) * 1e6)).toBe(used)
  expect(balance).toMatchObject({ held_credits: 0, total_requests: answered })
}

it('admits one call to a balance that fits one, and holds its worst case', async () => {
  await newKey(HOLD)
  pair.upstream.script({ ...DEAREST, headersAfterMs: 400 })
  const running = call()
  await soon(() => pair.upstream.requests.length)
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: HOLD / 1e6, remaining_credits: HOLD / 1e6 })
  expect((await running).status).toBe(200)
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, remaining_credits: 0 })
  expect((await usageOf(pair.farebox, name))[0]).toMatchObject({ held_credits: HOLD / 1e6, overrun: false })
})

it.each([1, 2, 7, 20])(
  'answers exactly %i of 50 parallel calls that each cost what was held for them',
  async (fitting) => {
    await newKey(fitting * HOLD)
    const { most, ...counts } = await runAll(DEAREST)
    expect(counts).toEqual({ answered: fitting, refused: CALLS - fitting })
    expect(most).toBeLessThanOrEqual(fitting)
    await expectResolved(fitting)
    expect(await pair.farebox.balance(key)).toMatchObject({
      remaining_credits: 0,
      used_credits: (fitting * HOLD) / 1e6,
    })
    expect((await usageOf(pair.farebox, name)).filter((record) => record.overrun)).toEqual([])
  },
)

it.each([1, 3, 10])(
  'never has more than %i of 50 calls at the upstream, however little they cost in the end',
  async (fitting) => {
    await newKey(fitting * HOLD)
    const { answered, refused, most } = await runAll({ type: 'answer', headersAfterMs: 10 })
    expect(most).toBeLessThanOrEqual(fitting)
    // 39 micro-credits each: calls are admitted for as long as what remains pays for the input and a token. The last ones that run at a
    // time may leave too little for one that waits for them.
    const alone = Math.floor((fitting * HOLD - INPUT - 2) / 39) + 1
    expect(answered).toBeLessThanOrEqual(Math.min(CALLS, alone))
    expect(answered).toBeGreaterThanOrEqual(Math.min(CALLS, alone - fitting + 1))
    expect(refused).toBe(CALLS - answered)
    await expectResolved(answered)
  },
)

it('returns every hold when the upstream fails, and charges nothing', async () => {
  await newKey(3 * HOLD)
  pair.upstream.script({ type: 'answer', headersAfterMs: 10, cut: { at: 'before-headers', how: 'reset' } })
  const answers = await Promise.all(Array.from({ length: CALLS }, call))
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 502))
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: 0, total_requests: CALLS })
})

it('lets only so many wait: the others are told at once', async () => {
  await newKey(HOLD)
  pair.upstream.script({ ...DEAREST, headersAfterMs: 1500 })
  const first = call()
  await soon(() => pair.upstream.requests.length)
  const rest = await Promise.all(Array.from({ length: 100 }, call))
  expect((await first).status).toBe(200)
  expect(rest.map((answer) => answer.status)).toEqual(rest.map(() => 402))
  // Those who waited met an empty balance in the end, which no repetition mends.
  const retryAfter = rest.map((answer) => answer.headers.get('retry-after'))
  expect(retryAfter.filter((value) => value === null)).toHaveLength(64)
  expect(retryAfter.filter((value) => value === '5')).toHaveLength(36)
})

it('refuses a call that waited in vain for what others hold, and says that it may be repeated', async () => {
  await pair.close()
  pair = await startPair({ env: { FAREBOX_HOLD_WAIT_MS: '100' } })
  await newKey(HOLD)
  pair.upstream.script({ ...DEAREST, headersAfterMs: 1000 })
  const running = call()
  await soon(() => pair.upstream.requests.length)
  const startedAtMs = performance.now()
  const response = await call()
  expect(performance.now() - startedAtMs).toBeGreaterThan(80)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(response.headers.get('x-should-retry')).toBeNull()
  expect(await expectError(response, 402)).toMatch(/held by calls in flight/)
  expect((await running).status).toBe(200)
  const exhausted = await call()
  expect(exhausted.headers.get('retry-after')).toBeNull()
  expect(await expectError(exhausted, 402)).toMatch(/used up/)
})
