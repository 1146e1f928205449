// Gateways by whose setting an answer is complete only once its charge is in PostgreSQL: whatever becomes of a gateway and its disk then, the charge is there.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { post } from '../gateway/support.ts'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { BODY, DEAREST, Gateways, HOLD, pay, STREAMED, WAIT, type Gateway, type Key } from './gateways.ts'

const KEPT = { FAREBOX_DATABASE_DURABLE: 'database', FAREBOX_HOLD_WAIT_MS: '2000' }
/** As long as an answer waits, and longer. */
const PATIENCE_MS = 6000
const NOT_KEPT = /could not be kept/

let gateways: Gateways
let first: Gateway
let second: Gateway
/** For how long the clocks have been put forward. */
let passedMs = 0

describe('a charge that has to be in PostgreSQL', () => {
  beforeAll(async () => {
    const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() + passedMs }
    gateways = await Gateways.begin(2, { env: KEPT, clock })
    ;[first, second] = gateways.all as [Gateway, Gateway]
  })
  afterEach(async () => {
    second.line.set('whole')
    await expect.poll(async () => (await fetch(`${second.url}/ready`)).status, WAIT).toBe(200)
    await endProcesses()
    await gateways.expectSound()
  })
  afterAll(() => gateways.close())

  const usedBy = async ({ id }: Key) => Number((await gateways.accountOf(id))?.used)
  /** Until an answer is over, whatever it waits for. */
  const impatiently = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const passing = setInterval(() => (passedMs += PATIENCE_MS), 200)
    return answer.finally(() => clearInterval(passing))
  }
  const isAsked = () => expect.poll(() => gateways.upstream.requests.length, WAIT).toBe(1)

  it('is there when the answer is over, also of many at once and of a key without a limit', async () => {
    const made = await gateways.newKey(100 * HOLD)
    gateways.upstream.script(DEAREST)
    for (const [index, body] of [BODY, STREAMED, BODY].entries()) {
      const response = await post(nth(index), body, made)
      expect(await response.text()).not.toBe('')
      expect(await usedBy(made)).toBe((index + 1) * HOLD)
    }
    const many = Array.from({ length: 30 }, (_, index) => pay(nth(index), made))
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]))
    expect(await usedBy(made)).toBe(33 * HOLD)
    const { admin } = first
    await admin.call('addPackage', { body: { name: 'without a limit', type: 'unlimited' } })
    const unlimited = await admin.call('createKey', { body: { name: 'unlimited', package: 'without a limit' } })
    expect(await pay(first, unlimited)).toBe(200)
    const sql = `SELECT amount FROM farebox.charged WHERE key_id = '${unlimited.id}' AND amount > 0`
    expect(await gateways.postgres.query(sql)).toEqual([{ amount: HOLD }])
  })

  it.each([
    ['whole answer', BODY],
    ['stream', STREAMED],
  ])('is there when a gateway is killed right after a %s, and its folder is lost', async (_, body) => {
    const dataDir = join(await temporaryFolder(), 'data')
    const lost = await startProcess({ dataDir, env: { ...KEPT, FAREBOX_DATABASE_URL: gateways.postgres.url } })
    const made = await gateways.newKey(10 * HOLD, 'topup', lost)
    gateways.upstream.script(DEAREST)
    const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' }
    const response = await fetch(`${lost.url}/v1/chat/completions`, { method: 'POST', headers, body })
    const text = await response.text()
    lost.kill('SIGKILL')
    await lost.exited
    await rm(dataDir, { recursive: true, force: true })
    expect(text.trimEnd()).toMatch(/\}$|\[DONE\]$/)
    expect(await usedBy(made)).toBe(HOLD)
  })

  it('is none where PostgreSQL is gone when a whole answer is there: its client gets 503', async () => {
    const made = await gateways.newKey(10 * HOLD)
    gateways.upstream.script({ ...DEAREST, headersAfterMs: 500 })
    const running = post(second, BODY, made)
    await isAsked()
    second.line.set('cut')
    const response = await impatiently(running)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.text()).toMatch(NOT_KEPT)
    second.line.set('whole')
    await expect.poll(() => pay(second, made), WAIT).toBe(200)
    expect(await usedBy(made)).toBe(HOLD)
  })

  it('stands where a stream was delivered before: it ends with an error, and new calls are refused meanwhile', async () => {
    const made = await gateways.newKey(10 * HOLD)
    gateways.upstream.script({ ...DEAREST, stall: { at: { afterEvent: 1 }, ms: 500 } })
    const running = await post(second, STREAMED, made)
    second.line.set('cut')
    const text = await impatiently(running.text())
    expect(text).toMatch(NOT_KEPT)
    expect(text).not.toContain('[DONE]')
    const refused = await post(second, BODY, made)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.text()).toMatch(/no calls are admitted/)
    expect((await fetch(`${second.url}/ready`)).status).toBe(503)
    // Others go on.
    gateways.upstream.script(DEAREST)
    expect(await pay(first, made)).toBe(200)
    second.line.set('whole')
    await expect.poll(() => usedBy(made), WAIT).toBe(2 * HOLD)
  })

  it('stands once where it arrived and nobody heard of it', async () => {
    const made = await gateways.newKey(10 * HOLD)
    const { prompt_tokens: input } = DEAREST.usage
    const usage = { prompt_tokens: input, completion_tokens: 7, total_tokens: input + 7 }
    const charge = input + 2 * usage.completion_tokens
    gateways.upstream.script(DEAREST)
    gateways.upstream.once({ ...DEAREST, usage })
    // How the sum of that charge ends in the batch.
    const isSent = second.line.muteAt(`,${charge}]]`)
    const running = post(second, BODY, made)
    await isSent
    const response = await impatiently(running)
    expect(response.status).toBe(503)
    expect(await response.text()).toMatch(NOT_KEPT)
    second.line.set('whole')
    await expect.poll(() => usedBy(made), WAIT).toBe(charge)
    await expect.poll(() => pay(second, made), WAIT).toBe(200)
    expect(await gateways.accountOf(made.id)).toMatchObject({ used: charge + HOLD, owed: 0 })
  })
})

function nth(index: number): Gateway {
  return index % 2 === 0 ? first : second
}
