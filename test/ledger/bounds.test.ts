// The largest amounts that anybody can ask for: whatever clients, administrators and providers choose, every sum is an exact integer,
// and no hold stays open because it could not be resolved.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microCredits, MAX_AMOUNT, ZERO } from '#core/money.ts'
import { affordableOutputTokens, priceOf } from '#core/pricing.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import {
  adjust,
  availableMicro,
  balanceOf,
  balanceRow,
  countableMicro,
  growHold,
  openAccount,
  resolveHold,
  takeHold,
  type Account,
  type OpenHold,
} from '#ledger/account.ts'
import { rollCycle } from '#ledger/cycles.ts'
import { changeTerms } from '#ledger/terms.ts'
import { chatModel, setUpUpstream, startFarebox } from '../support/farebox.ts'
import { postChat } from '../support/chat.ts'
import { startUpstream } from '../support/upstream.ts'
import { Books, terms } from './books.ts'
import { isLong } from '../support/cases.ts'

const START = Date.parse('2028-02-14T09:30:00Z')
/** A billion credits, the most of each field of the admin API; and the most of a price, a credit a token. */
const FIELD = 10 ** 15
const PRICE = microCredits(10 ** 12)

const amount = fc.oneof(fc.constantFrom(0, 1, FIELD), fc.integer({ min: 0, max: FIELD }))
const step = fc.oneof(
  fc.record({ type: fc.constant('hold' as const), micro: fc.oneof(amount, fc.constant<number>(MAX_AMOUNT)) }),
  fc.record({ type: fc.constant('grow' as const), micro: fc.oneof(amount, fc.constant<number>(MAX_AMOUNT)) }),
  fc.record({ type: fc.constant('resolve' as const), micro: fc.oneof(amount, fc.constant<number>(MAX_AMOUNT)) }),
  fc.record({ type: fc.constant('adjust' as const), micro: amount, isTaken: fc.boolean() }),
  fc.record({
    type: fc.constant('terms' as const),
    micro: amount,
    kind: fc.constantFrom('topup' as const, 'daily' as const, 'monthly' as const, 'unlimited' as const),
    isUsageReset: fc.boolean(),
  }),
  fc.record({ type: fc.constant('wait' as const), days: fc.integer({ min: 0, max: 40 }) }),
)

/** What the ledger does, without a disk. */
class Sums {
  readonly account: Account
  readonly holds: OpenHold[] = []
  nowMs = START
  #ids = 0

  constructor() {
    ;[this.account] = openAccount('k', terms('topup', FIELD), START)
  }

  hold(micro: number): void {
    const available = availableMicro(this.account)
    if (available <= 0) return
    const isUnlimited = available === Infinity
    const hold: OpenHold = {
      exchangeId: `e${++this.#ids}`,
      keyId: 'k',
      amountMicro: isUnlimited ? ZERO : microCredits(Math.min(micro, available)),
      grownMicro: ZERO,
      isUnlimited,
      cycleStartedAtMs: this.account.cycleStartedAtMs,
      modelId: 'm',
      priceVersion: 1,
      createdAtMs: this.nowMs,
    }
    takeHold(this.account, hold)
    this.holds.push(hold)
  }

  resolve(micro: number): void {
    const hold = this.holds.shift()
    if (hold !== undefined) {
      resolveHold(this.account, hold, countableMicro(this.account, hold, microCredits(micro)), this.nowMs)
    }
  }

  adjust(micro: number): void {
    if (Math.abs(this.account.grantedMicro + micro) > MAX_AMOUNT) return
    adjust(this.account, { amountMicro: microCredits(micro), reason: 'test', idempotencyId: 'x' }, this.nowMs)
  }

  expectExact(): void {
    for (const cell of balanceRow(this.account)) {
      if (typeof cell === 'number') expect(Number.isSafeInteger(cell), JSON.stringify(this.account)).toBe(true)
    }
    expect(() => balanceOf(this.account)).not.toThrow()
  }
}

describe('the sums of an account', () => {
  it('stay exact, whatever amounts are asked for', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const sums = new Sums()
        for (const item of steps) {
          rollCycle(sums.account, sums.nowMs)
          if (item.type === 'hold') sums.hold(item.micro)
          else if (item.type === 'resolve') sums.resolve(item.micro)
          else if (item.type === 'adjust') sums.adjust(item.isTaken ? -item.micro : item.micro)
          else if (item.type === 'wait') sums.nowMs += item.days * 86_400_000
          else if (item.type === 'terms') {
            const { micro, kind, isUsageReset } = item
            const change = { terms: terms(kind, kind === 'unlimited' ? 0 : micro), reason: 'test', isUsageReset }
            changeTerms(sums.account, { ...change, idempotencyId: 'y' }, sums.nowMs)
          } else {
            const hold = sums.holds.at(-1)
            if (hold !== undefined) growHold(sums.account, hold, microCredits(item.micro))
          }
          sums.expectExact()
        }
        while (sums.holds.length > 0) sums.resolve(MAX_AMOUNT)
        sums.expectExact()
      }),
      { numRuns: isLong ? 100_000 : 5000 },
    )
  })
})

describe('a price', () => {
  it.each([Infinity, Number.MAX_SAFE_INTEGER, 1e300, 128e9])('of %d tokens is an amount', (outputTokens) => {
    const dearest = { version: 1, inputMicro: PRICE, outputMicro: PRICE, cacheReadMicro: PRICE, cacheWriteMicro: PRICE }
    expect(priceOf({ ...UNKNOWN_USAGE, outputTokens }, dearest)).toBe(4 * FIELD)
    expect(affordableOutputTokens(MAX_AMOUNT, { inputTokens: outputTokens }, dearest)).toBe(0)
  })
})

it('a top-up beyond what can be counted is refused, and so is a debt', async () => {
  const books = await Books.open({ clock: { nowMs: START } })
  try {
    const key = await books.addKey(terms('topup', FIELD))
    expect(books.ledger.canAdjust(key, microCredits(FIELD))).toBe(true)
    await books.topUp(key, FIELD, 'one')
    expect(books.ledger.canAdjust(key, microCredits(1))).toBe(false)
    expect(books.ledger.canAdjust(key, microCredits(-2 * MAX_AMOUNT))).toBe(true)
    expect(books.ledger.canAdjust(key, microCredits(-2 * MAX_AMOUNT - 1))).toBe(false)
  } finally {
    await books.remove()
  }
})

it('absurd prices, caps and counts leave no hold open, and no answer says that something went wrong inside Farebox', async () => {
  const upstream = await startUpstream()
  const farebox = await startFarebox()
  try {
    await setUpUpstream(farebox, upstream.url, [
      { name: 'rich', type: 'topup', credits: 1_000_000_000 },
      { name: 'free', type: 'unlimited' },
    ])
    const price = { input: 1_000_000, output: 1_000_000 }
    const limits = { context_window: 1_000_000_000, max_output_tokens: 1_000_000_000 }
    await farebox.admin.call('addModel', { body: chatModel('absurd', { price, ...limits }) })
    const keys = [await farebox.newKey('rich'), await farebox.newKey('free'), await farebox.newKey('rich')]
    const ids = await farebox.admin.call('listKeys', {})
    for (const { id, package: name } of ids.filter(({ package: owner }) => owner === 'rich')) {
      expect(name).toBe('rich')
      await farebox.admin.call('topUpKey', { id, body: { credits: 1_000_000_000 } })
      await expect(farebox.admin.call('topUpKey', { id, body: { credits: 1_000_000_000 } })).rejects.toMatchObject({
        status: 400,
      })
    }
    const usage = { prompt_tokens: 1e9, completion_tokens: 1e9, total_tokens: 2e9 }
    for (let round = 0; round < 4; round++) {
      for (const key of keys) {
        upstream.script({ type: 'answer', usage })
        const more = { model: 'absurd', n: 128, max_tokens: 1_000_000_000 }
        const response = await postChat({ url: farebox.url, key }, more)
        const text = await response.text()
        // What could cost more than can be counted is refused before it runs.
        expect([200, 400, 402], text).toContain(response.status)
        expect(text).not.toContain('went wrong inside Farebox')
      }
    }
    expect(await farebox.admin.call('status', {})).toMatchObject({ held_credits: 0, ledger: 'ok', open_exchanges: 0 })
    expect(await farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0 })
    for (const key of keys) expect(await farebox.balance(key)).toMatchObject({ held_credits: 0 })
  } finally {
    await farebox.close()
    await upstream.close()
  }
})
