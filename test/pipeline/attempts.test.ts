// Random days of three targets: whatever they answer, whoever leaves and whatever is stopped, no request takes more attempts than
// it may, and nothing that an attempt took stays taken.

import type { Catalog } from '#catalog/catalog.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { after } from '#app/after.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { microCredits, ZERO } from '#core/money.ts'
import { isRefusal, refuse } from '#core/refusal.ts'
import { Adaptations } from '#pipeline/adapt.ts'
import { Attempts, type Attempted } from '#pipeline/attempts.ts'
import { Drains } from '#pipeline/drains.ts'
import { readRequest, type EndpointRequest } from '#pipeline/endpoints.ts'
import { Gate } from '#pipeline/gate.ts'
import { Health } from '#pipeline/health.ts'
import type { TokenCounter } from '#pipeline/ports.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import { SecretHealth } from '#pipeline/secret-health.ts'
import { Reservation } from '#pipeline/reservation.ts'
import { Routing, type Place, type RoutingDeps } from '#pipeline/routing.ts'
import type { Transport } from '#pipeline/ports.ts'
import type { Ledger } from '#ledger/ledger.ts'
import { testProvider } from '../support/provider.ts'
import { FakeCall, FakeClient, KEY, modelOf, PACKAGE, settlementAt } from './support.ts'
import { cases } from '../support/cases.ts'

const MODEL = modelOf('chat-completions')
const NAMES = ['a', 'b', 'c'] as const
const WORST = microCredits(1000)
const CHARGE = microCredits(7)
const MAX_ATTEMPTS = 4

const ANSWER = { object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] }
const MESSAGE = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const REFUSAL = { error: { message: 'No.', type: 'invalid_request_error' } }
const UNSUPPORTED = { error: { message: "Unsupported parameter: 'temperature'" } }

/** What a target does with one request, and whether it takes a moment for it. */
const OUTCOMES = {
  answers: (call) => call.answer(200, call.request.provider.dialect === 'messages' ? MESSAGE : ANSWER),
  'is a page': (call) => call.head(200, { 'content-type': 'text/html' }),
  500: (call) => call.answer(500, {}),
  'busy for long': (call) => call.head(503, { 'retry-after': '60' }),
  429: (call) => call.answer(429, {}),
  401: (call) => call.answer(401, {}),
  404: (call) => call.answer(404, REFUSAL),
  400: (call) => call.answer(400, REFUSAL),
  'does not take a member': (call) => call.answer(400, UNSUPPORTED),
  'is not there': (call) => call.fail(new UpstreamFailure('connect', 'Nobody is there.')),
  breaks: (call) => call.fail(new UpstreamFailure('closed', 'It broke.')),
  'is slow': (call) => call.fail(new UpstreamFailure('timeout', 'It took too long.')),
  'says nothing': () => undefined,
} satisfies Record<string, (call: FakeCall) => void>

type Outcome = keyof typeof OUTCOMES

type Day = {
  readonly concurrency: readonly (number | undefined)[]
  readonly sick: readonly boolean[]
  /** Targets that cannot be asked this. */
  readonly unprepared: readonly boolean[]
  readonly requests: readonly {
    readonly first: number
    readonly outcomes: readonly Outcome[]
    readonly end: 'none' | 'leaves' | 'stopped'
    readonly endsAfterMs: number
  }[]
}

const DAY: fc.Arbitrary<Day> = fc.record({
  concurrency: fc.tuple(...NAMES.map(() => fc.constantFrom(undefined, 1, 2))),
  sick: fc.tuple(...NAMES.map(() => fc.boolean())),
  unprepared: fc.tuple(fc.constant(false), fc.boolean(), fc.boolean()),
  requests: fc.array(
    fc.record({
      first: fc.nat(2),
      outcomes: fc.array(fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[])), { maxLength: 8 }),
      end: fc.constantFrom('none', 'leaves', 'stopped'),
      endsAfterMs: fc.nat(6),
    }),
    { minLength: 1, maxLength: 8 },
  ),
})

/** A request that some targets cannot be asked, as one with a document at a provider that takes none. */
function requestFor(unprepared: ReadonlySet<string>): EndpointRequest {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], temperature: 1 }
  const text = JSON.stringify(body)
  const request = readRequest('chat', text, text.length)
  if (isRefusal(request)) throw new Error(request.message)
  return {
    ...request,
    prepare: (destination) =>
      unprepared.has(destination.provider.id)
        ? refuse('invalid_request', 'It takes no documents.')
        : request.prepare(destination),
  }
}

class Gateway {
  readonly places: readonly Place[]
  readonly routing: RoutingDeps
  readonly request: EndpointRequest
  readonly running = new Map<string, number>()
  readonly most = new Map<string, number>()
  nowMs = 0

  constructor({ concurrency, sick, unprepared }: Day) {
    this.places = NAMES.map((name, index) => ({
      target: { providerId: name, upstreamModel: 'm', priority: index, weight: 1 },
      provider: testProvider({
        id: name,
        name,
        // Of two dialects, because only translated requests are adapted.
        dialect: name === 'c' ? 'messages' : 'chat-completions',
        limits: concurrency[index] === undefined ? {} : { concurrentRequests: concurrency[index] },
      }),
    }))
    this.request = requestFor(new Set(NAMES.filter((_, index) => unprepared[index])))
    this.routing = {
      health: new Health(),
      secrets: new SecretHealth(),
      gate: new ProviderGate({ nowMs: () => 0, after, timeZone: 'UTC', maxWaitMs: 15 }),
      monotonicMs: () => this.nowMs,
      random: Math.random,
      retryDelayMs: 1,
    }
    for (const [index, { target }] of this.places.entries()) {
      const failure = new UpstreamFailure('connect', 'Nobody was there.')
      for (let count = 0; sick[index] && count < 3; count++) this.routing.health.failed(target, failure, 0)
    }
  }

  /** Answers each request after a moment, as the next outcome says. What says nothing is ended by a time limit. */
  transport(outcomes: readonly Outcome[], sent: { count: number }): Transport {
    return {
      send: (request, listener) => {
        const { id } = request.provider
        const outcome = outcomes[sent.count] ?? 'answers'
        sent.count += 1
        // Each request takes long enough for sick targets to be due again now and then.
        this.nowMs += 1500
        this.#enter(id, 1)
        let isOver = false
        const over = () => {
          if (!isOver) this.#enter(id, -1)
          isOver = true
        }
        const call = new FakeCall(request, {
          onHead: (status, headers) => listener.onHead(status, headers),
          onData: (chunk) => listener.onData(chunk),
          onEnd: () => (over(), listener.onEnd()),
          onFailure: (failure) => (over(), listener.onFailure(failure)),
        })
        const abort = call.abort.bind(call)
        call.abort = () => (over(), abort())
        setImmediate(() => OUTCOMES[outcome](call))
        if (outcome === 'says nothing') setTimeout(() => call.fail(new UpstreamFailure('timeout', 'Silence.')), 10)
        return call
      },
    }
  }

  #enter(id: string, change: 1 | -1): void {
    const now = (this.running.get(id) ?? 0) + change
    this.running.set(id, now)
    this.most.set(id, Math.max(now, this.most.get(id) ?? 0))
  }
}

type Seen = { readonly attempted: Attempted; readonly sent: number }

async function runOne(gateway: Gateway, { first, outcomes, end, endsAfterMs }: Day['requests'][number]): Promise<Seen> {
  const { places, routing, request } = gateway
  const sent = { count: 0 }
  const start = places[first]
  const [known] = places
  if (start === undefined || known === undefined) throw new Error('there are three places')
  const ready = [start, known].flatMap((place) => {
    const prepared = request.prepare({ ...place, exchangeId: 'e', nowMs: 0 })
    return isRefusal(prepared) ? [] : [{ place, prepared }]
  })[0]
  if (ready === undefined) throw new Error('the first place can always be asked')
  const client = new FakeClient()
  const hold = { amountMicro: WORST, isUnlimited: true, exchangeId: 'e', keyId: 'k', grownMicro: ZERO }
  const reservation = new Reservation(
    {
      ticket: { states: [], lineId: '', tokens: 0, atMs: 0 },
      shares: [],
      hold: { ...hold, cycleStartedAtMs: 0, modelId: 'm', priceVersion: 1, createdAtMs: 0 },
    },
    { gate: OPEN_GATE, ledger: PATIENT_LEDGER, routing },
  )
  const attempts = new Attempts(
    {
      exchangeId: 'e',
      request,
      served: { model: MODEL, price: PRICE, places },
      admission: {
        reservation,
        holder: { key: KEY, package: PACKAGE },
        wish: { worstMicro: WORST, leastMicro: WORST, inputTokens: 0 },
        inputTokens: 0,
        outputCap: 100,
      },
      client,
      clientHeaders: {},
      hops: undefined,
      headers: () => ({}),
    },
    { routing: new Routing(places, routing), first: ready },
    {
      // A model whose output is free has nothing that could run out.
      counter: {} as TokenCounter,
      catalog: { model: () => MODEL, provider: () => places[0]?.provider } as unknown as Catalog,
      drains: new Drains(),
      transport: gateway.transport(outcomes, sent),
      caps: { ignoring: () => undefined },
      adaptations: new Adaptations(),
      clock: { nowMs: () => 0, monotonicMs: () => gateway.nowMs },
      routing,
      maxAttempts: MAX_ATTEMPTS,
    },
  )
  const ending = setTimeout(() => {
    if (end === 'leaves') client.leave()
    if (end === 'stopped') attempts.stop(refuse('key_not_usable', 'The key was blocked.'))
  }, endsAfterMs)
  const attempted = await attempts.run()
  clearTimeout(ending)
  const settlement = settlementAt(attempted.end.type === 'complete' ? CHARGE : ZERO)
  await reservation.close({ usedTokens: 0, bill: Promise.resolve({ settlement }) })
  return { attempted, sent: sent.count }
}

const OPEN_GATE = new Gate({
  nowMs: () => 0,
  after,
  limitsOfMember: () => PACKAGE.limits,
  waits: false,
  maxWaitMs: 0,
})
/** What is charged here is on disk at once. */
const PATIENT_LEDGER = { resolve: () => Promise.resolve() } as unknown as Ledger

const NOTHING = { worstMicro: ZERO, leastMicro: ZERO, inputTokens: 0 }

const PRICE = { version: 1, inputMicro: ZERO, outputMicro: ZERO, cacheReadMicro: ZERO, cacheWriteMicro: ZERO }

/** What of a provider's day limit is taken, what is held included: the first limit that it does not pass. */
function takenOf({ routing }: Gateway, { provider }: Place): number {
  for (let micro = 0; ; micro++) {
    const answer = routing.gate.take({ ...provider, limits: { dailyMicro: microCredits(micro) } }, NOTHING)
    if ('type' in answer) continue
    routing.gate.leave(answer)
    routing.gate.charge(answer, ZERO)
    return micro - 1
  }
}

it('keeps within its attempts, its limits and its turn, and gives everything back', async () => {
  await fc.assert(
    fc.asyncProperty(DAY, async (day) => {
      const gateway = new Gateway(day)
      const seen = await Promise.all(day.requests.map((request) => runOne(gateway, request)))
      for (const { attempted, sent } of seen) {
        expect(sent).toBeLessThanOrEqual(MAX_ATTEMPTS)
        // One that is stopped right before it is sent is noted all the same.
        const unsent = attempted.notes.at(-1)?.status === null && attempted.end.type !== 'failed' ? 1 : 0
        expect([sent, sent + unsent]).toContain(attempted.notes.length)
        if (attempted.end.type === 'complete') expect(attempted.notes.at(-1)?.outcome).toBe('complete')
      }
      const answeredAt = (name: string) =>
        seen.filter(({ attempted }) => attempted.end.type === 'complete' && attempted.place.provider.id === name).length
      for (const [index, place] of gateway.places.entries()) {
        const { id } = place.provider
        expect(gateway.running.get(id) ?? 0).toBe(0)
        expect(gateway.most.get(id) ?? 0).toBeLessThanOrEqual(day.concurrency[index] ?? Number.POSITIVE_INFINITY)
        expect(gateway.routing.gate.use(id)).toEqual({
          concurrent: 0,
          chargedTodayMicro: answeredAt(id) * CHARGE,
        })
        expect(takenOf(gateway, place)).toBe(answeredAt(id) * CHARGE)
        // A trial that was never ended would keep its target out for ever.
        expect(gateway.routing.health.isUsable(place.target, gateway.nowMs + 3_600_000)).toBe(true)
      }
    }),
    { numRuns: cases(70, 200, 2000) },
  )
}, 60_000)
