import { afterAll, beforeAll, expect, it } from 'vitest'
import { chat, expectError, soon, startPair, type Pair } from './support.ts'

let pair: Pair
let names = 0

beforeAll(async () => {
  const packages = [{ name: 'tiny', type: 'daily' as const, credits: 0.001, timezone: 'Asia/Kolkata' }]
  pair = await startPair({ env: { FAREBOX_HOLD_WAIT_MS: '50' }, packages })
})

afterAll(() => pair.close())

const call: Pair['farebox']['admin']['call'] = (action, input) => pair.farebox.admin.call(action, input)

async function newKey(): Promise<{ id: string; key: string }> {
  names += 1
  return call('createKey', { body: { name: `key-${names}`, package: 'tiny' } })
}

/** A call that is charged so many micro-credits. */
async function spend(key: string, micro: number): Promise<void> {
  const usage = { prompt_tokens: micro - 2, completion_tokens: 1, total_tokens: micro - 1 }
  pair.upstream.once({ type: 'answer', usage })
  expect((await chat(pair.farebox, key)).status).toBe(200)
}

/** What the refusal of a call with nothing left says, and what it must say by the balance of that moment. */
async function expectSame(key: string): Promise<void> {
  const message = await expectError(await chat(pair.farebox, key), 402)
  const { used_credits, total_credits, remaining_credits, next_reset_at } = await pair.farebox.balance(key)
  expect(remaining_credits).toBe(0)
  const numbers = `${String(used_credits)} of ${String(total_credits)} used`
  expect(message).toBe(`The credits of this key are used up: ${numbers}. They are renewed at ${String(next_reset_at)}.`)
}

it('a refusal says the numbers of the balance: after use, a top-up, a correction and smaller packages', async () => {
  const { id, key } = await newKey()
  for (const micro of [100, 200, 700]) await spend(key, micro)
  await expectSame(key)
  await call('adjustKey', { id, body: { credits: -0.000001, reason: 'one less' } })
  await expectSame(key)
  await call('adjustKey', { id, body: { credits: -123.456789, reason: 'a debt' } })
  await expectSame(key)
  await call('topUpKey', { id, body: { credits: 123.45779 } })
  await spend(key, 1000)
  await expectSame(key)
  await call('editPackage', { id: 'tiny', body: { credits: 0.000001 } })
  await expectSame(key)
  await call('editPackage', { id: 'tiny', body: { credits: 0.001 } })
})

it('a refusal for what calls in flight hold says what the balance says is held', async () => {
  const { key } = await newKey()
  pair.upstream.script({ type: 'answer', headersAfterMs: 1000 })
  const before = pair.upstream.requests.length
  const running = chat(pair.farebox, key)
  await soon(() => pair.upstream.requests.length > before)
  const message = await expectError(await chat(pair.farebox, key), 402)
  const { held_credits, remaining_credits } = await pair.farebox.balance(key)
  expect(held_credits).toBe(remaining_credits)
  expect(message).toContain(`${String(held_credits)} credits are held by calls in flight`)
  expect((await running).status).toBe(200)
})
