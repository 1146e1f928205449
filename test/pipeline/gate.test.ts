import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { after } from '#app/after.ts'
import type { PackageLimits } from '#core/entities.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { Gate, type GateRequest, type Ticket } from '#pipeline/gate.ts'
import { FakeClient } from './support.ts'

const NOON = Date.parse('2026-03-10T12:00:00.000Z')
const NONE: PackageLimits = { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined }

let memberLimits: PackageLimits
let gate: Gate
let requests = 0

beforeEach(() => {
  vi.useFakeTimers({ now: NOON })
  memberLimits = NONE
  gate = gateThat({ waits: true })
})

afterEach(() => {
  vi.useRealTimers()
})

function gateThat({ waits }: { readonly waits: boolean }): Gate {
  return new Gate({ nowMs: () => Date.now(), after, limitsOfMember: () => memberLimits, waits, maxWaitMs: 90_000 })
}

type Wish = Partial<Omit<GateRequest, 'limits'>> & { readonly limits?: Partial<PackageLimits> }

function request({ limits = {}, ...more }: Wish = {}): GateRequest {
  requests += 1
  const call = { exchangeId: `call ${requests}`, keyId: 'one', memberId: 'm', modelId: 'chat', tokens: 0 }
  return { ...call, ...more, limits: { ...NONE, ...limits } }
}

/** A request that is on its way: what became of it, once that is known. */
function enter(wish: Wish = {}, client = new FakeClient()) {
  const asked = request(wish)
  const entry: { id: string; answer: Ticket | Refusal | undefined } = { id: asked.exchangeId, answer: undefined }
  void Promise.resolve(gate.enter(asked, client)).then((answer) => (entry.answer = answer))
  return entry
}

function ticketOf({ answer }: { readonly answer: Ticket | Refusal | undefined }): Ticket {
  if (answer === undefined || isRefusal(answer)) throw new Error(answer?.message ?? 'still waits')
  return answer
}

const settled = () => vi.advanceTimersByTimeAsync(0)

describe('keys of one member', () => {
  it('share the limits of the member, each beside its own', async () => {
    gate = gateThat({ waits: false })
    memberLimits = { ...NONE, concurrentRequests: 2 }
    const entries = [enter(), enter({ keyId: 'two' }), enter({ keyId: 'three' }), enter({ memberId: 'other' })]
    await settled()
    expect(entries.map(({ answer }) => isRefusal(answer))).toEqual([false, false, true, false])
    expect(entries[2]?.answer).toMatchObject({
      code: 'rate_limited',
      message: "The limit of 2 concurrent requests for all keys of this key's member is reached. Retry in 1 s.",
      limit: { name: 'concurrent_requests', scope: 'member' },
    })
    expect([gate.running('m'), gate.running('other')]).toEqual([2, 1])
  })

  it('take nothing of their own limits when the member’s refuse them', async () => {
    gate = gateThat({ waits: false })
    memberLimits = { ...NONE, concurrentRequests: 1 }
    const limits = { requestsPerMinute: 2 }
    const first = enter({ limits })
    for (let count = 0; count < 5; count++) enter({ limits })
    await settled()
    gate.leave(ticketOf(first), 0)
    const second = enter({ limits })
    await settled()
    expect(gate.headers({ keyId: 'one', memberId: 'm', limits: { ...NONE, ...limits } }, 'chat')).toMatchObject({
      'x-ratelimit-remaining-requests': '0',
    })
    ticketOf(second)
  })

  it('count what runs before the member has limits', async () => {
    gate = gateThat({ waits: false })
    const running = [enter(), enter(), enter()]
    await settled()
    memberLimits = { ...NONE, concurrentRequests: 3 }
    const refused = enter()
    await settled()
    expect(refused.answer).toMatchObject({ code: 'rate_limited' })
    const [first] = running
    if (first !== undefined) gate.leave(ticketOf(first), 0)
    const next = enter()
    await settled()
    ticketOf(next)
  })

  it('of nobody have only their own', async () => {
    memberLimits = { ...NONE, concurrentRequests: 1 }
    const entries = Array.from({ length: 5 }, () => enter({ memberId: undefined }))
    await settled()
    for (const entry of entries) expect(ticketOf(entry).states).toEqual([])
    expect(gate.headers({ keyId: 'one', memberId: undefined, limits: NONE }, 'chat')).toEqual({})
  })
})

describe('those who wait', () => {
  it('for the member go in their order, whichever key they have', async () => {
    memberLimits = { ...NONE, concurrentRequests: 1 }
    let running = enter()
    const others = ['two', 'one', 'three'].map((keyId) => enter({ keyId }))
    await settled()
    for (const next of others) {
      expect(next.answer).toBeUndefined()
      gate.leave(ticketOf(running), 0)
      await settled()
      running = next
    }
    ticketOf(running)
    expect(gate.waiting).toBe(0)
  })

  it('for their own key let the member’s other keys pass, and are not overtaken by their own', async () => {
    memberLimits = { ...NONE, concurrentRequests: 3 }
    const limits = { concurrentRequests: 1 }
    const first = enter({ limits })
    const second = enter({ limits })
    const third = enter({ limits })
    const other = enter({ keyId: 'two' })
    await settled()
    ticketOf(other)
    gate.leave(ticketOf(first), 0)
    await settled()
    ticketOf(second)
    expect(third.answer).toBeUndefined()
  })

  it('for tokens of the member are not kept waiting by smaller ones', async () => {
    memberLimits = { ...NONE, tokensPerMinute: 100 }
    const first = enter({ tokens: 90 })
    const large = enter({ tokens: 60 })
    const small = enter({ keyId: 'two', tokens: 5 })
    await settled()
    ticketOf(first)
    expect([large.answer, small.answer]).toEqual([undefined, undefined])
    await vi.advanceTimersByTimeAsync(61_000)
    ticketOf(large)
    ticketOf(small)
  })

  it('go on at once when the limits are raised or removed, and wait longer when they are lowered', async () => {
    memberLimits = { ...NONE, concurrentRequests: 1 }
    const entries = [enter(), enter(), enter(), enter()]
    const left = () => entries.filter(({ answer }) => answer === undefined).length
    await settled()
    expect(left()).toBe(3)
    memberLimits = { ...NONE, concurrentRequests: 2 }
    gate.memberLimitsChanged('m')
    await settled()
    expect(left()).toBe(2)
    memberLimits = { ...NONE, concurrentRequests: 1 }
    gate.memberLimitsChanged('m')
    const [first] = entries
    if (first !== undefined) gate.leave(ticketOf(first), 0)
    await settled()
    expect(left()).toBe(2)
    memberLimits = NONE
    gate.memberLimitsChanged('m')
    await settled()
    expect(left()).toBe(0)
  })

  it('are refused when their time is up, with the limit that was in the way', async () => {
    memberLimits = { ...NONE, concurrentRequests: 1 }
    enter()
    const waiting = enter()
    await vi.advanceTimersByTimeAsync(90_000)
    expect(waiting.answer).toMatchObject({ code: 'rate_limited', limit: { scope: 'member' } })
    expect(gate.waiting).toBe(0)
  })

  it('are at most 256 of a member', async () => {
    memberLimits = { ...NONE, concurrentRequests: 1 }
    const entries = Array.from({ length: 258 }, (_, index) => enter({ keyId: `key ${index}` }))
    await settled()
    expect(gate.waiting).toBe(256)
    expect(entries.at(-1)?.answer).toMatchObject({ code: 'rate_limited', limit: { scope: 'member' } })
  })

  it('are listed with what they wait for, their place, and when they go on where that is known', async () => {
    memberLimits = { ...NONE, requestsPerMinute: 2 }
    const limits = { concurrentRequests: 1 }
    enter({ limits })
    await vi.advanceTimersByTimeAsync(1000)
    const own = enter({ limits })
    enter({ keyId: 'two' })
    const first = enter({ keyId: 'two' })
    const second = enter({ keyId: 'three' })
    await settled()
    const at = NOON + 1000
    const call = { modelId: 'chat', sinceMs: at, untilMs: at + 90_000 }
    const memberLimit = { type: 'limit', scope: 'member', limit: 'requestsPerMinute' }
    expect(gate.waitingCalls()).toEqual([
      {
        ...call,
        exchangeId: own.id,
        keyId: 'one',
        // The member's is full for longer than its own.
        reason: memberLimit,
        place: 1,
        expectedAtMs: NOON + 61_000,
      },
      { ...call, exchangeId: first.id, keyId: 'two', reason: memberLimit, place: 2, expectedAtMs: undefined },
      { ...call, exchangeId: second.id, keyId: 'three', reason: memberLimit, place: 3, expectedAtMs: undefined },
    ])
    memberLimits = NONE
    gate.memberLimitsChanged('m')
    await settled()
    expect(gate.waitingCalls()).toMatchObject([
      { exchangeId: own.id, reason: { scope: 'key', limit: 'concurrentRequests' }, place: 1, expectedAtMs: undefined },
    ])
  })
})

it('has no place taken and nobody waiting after a thousand requests of which some leave, give up or are undone', async () => {
  memberLimits = { requestsPerMinute: 50, tokensPerMinute: 4000, concurrentRequests: 4 }
  const limits = { concurrentRequests: 3 }
  const entries: ReturnType<typeof enter>[] = []
  const ended = new Set<unknown>()
  const endAll = () => {
    for (const [index, { answer }] of entries.entries()) {
      if (answer === undefined || isRefusal(answer) || ended.has(answer)) continue
      ended.add(answer)
      if (index % 3 === 0) gate.undo(answer)
      else gate.leave(answer, 20)
    }
  }
  for (let round = 0; round < 50; round++) {
    const clients = Array.from({ length: 20 }, () => new FakeClient())
    for (const [index, client] of clients.entries()) {
      entries.push(enter({ keyId: `key ${index % 3}`, limits, tokens: 9 }, client))
    }
    await settled()
    expect(gate.running('m')).toBeLessThanOrEqual(4)
    for (const [index, client] of clients.entries()) if (index % 4 === 1) client.leave()
    await vi.advanceTimersByTimeAsync(500)
    endAll()
    await vi.advanceTimersByTimeAsync(round % 10 === 0 ? 61_000 : 1000)
  }
  for (let turn = 0; turn < 100 && gate.waiting > 0; turn++) {
    endAll()
    await vi.advanceTimersByTimeAsync(10_000)
  }
  endAll()
  expect([gate.running('m'), gate.waiting, gate.waitingCalls()]).toEqual([0, 0, []])
  expect(ended.size).toBeGreaterThan(100)
})
