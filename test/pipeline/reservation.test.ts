// Everything that a call took is given back once, whichever way the call ends: random histories of whole journeys, in which providers
// answer, refuse, break and fall silent, clients leave, keys are blocked, disks refuse and every part makes mistakes.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { after } from '#app/after.ts'
import { Catalog } from '#catalog/catalog.ts'
import type { Key, Model, Provider } from '#core/entities.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { NO_LIMITS, type Member } from '#core/member.ts'
import { microCredits, ZERO } from '#core/money.ts'
import { openAccount } from '#ledger/account.ts'
import { Journal } from '#ledger/journal.ts'
import { Ledger } from '#ledger/ledger.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import { AnswerMemory } from '#pipeline/answer-memory.ts'
import { Adaptations } from '#pipeline/adapt.ts'
import { CapMemory } from '#pipeline/cap-memory.ts'
import { MissingPrices } from '#pipeline/missing-prices.ts'
import { Drains } from '#pipeline/drains.ts'
import { Gate } from '#pipeline/gate.ts'
import { Health } from '#pipeline/health.ts'
import { Budgets } from '#pipeline/budgets.ts'
import { OpenExchanges } from '#pipeline/open-exchanges.ts'
import { Pause } from '#pipeline/pause.ts'
import { ProviderGate } from '#pipeline/provider-gate.ts'
import { SecretHealth } from '#pipeline/secret-health.ts'
import { runCall, type RunDeps } from '#pipeline/run.ts'
import { testProvider } from '../support/provider.ts'
import { FakeClient, FakeTransport, KEY, modelOf, PACKAGE, type FakeCall } from './support.ts'
import { randomFrom } from '../support/random.ts'
import { cases } from '../support/cases.ts'

const HISTORIES = cases(100, 300, 10_000)
const NOON = Date.parse('2026-03-10T12:00:00.000Z')
const DAILY = microCredits(3_000_000)
const WHOLE = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
}
const chunk = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`
const LAST = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":${JSON.stringify(WHOLE.usage)}}\n\ndata: [DONE]\n\n`

/** What a provider may do once its answer has begun. */
const LATER_DEEDS: readonly ((call: FakeCall) => void)[] = [
  (call) => call.data(chunk('more')),
  (call) => call.data(LAST),
  (call) => call.data('data: {"never"\n\n'),
  (call) => call.end(),
  (call) => call.fail(new UpstreamFailure('closed', 'It broke.')),
]

/** What a provider may do with a request that it has. */
const DEEDS: readonly ((call: FakeCall, isStream: boolean) => void)[] = [
  (call, isStream) => (isStream ? begin(call).data(LAST) : call.answer(200, WHOLE)),
  (call, isStream) => (isStream ? begin(call).data('data: {"never"\n\n') : call.answer(200, '{"never')),
  (call) => begin(call),
  (call) => begin(call).fail(new UpstreamFailure('closed', 'It broke.')),
  (call) => call.answer(400, { error: { message: 'No.' } }),
  (call) => call.answer(503, {}),
  (call) => call.answer(404, { error: { message: 'What is that?' } }),
  (call) => call.fail(new UpstreamFailure('connect', 'Nobody is there.')),
]

function begin(call: FakeCall): FakeCall {
  call.head(200, { 'content-type': 'text/event-stream' })
  call.data(chunk('Hi'))
  return call
}

class Journeys {
  readonly clients: FakeClient[] = []
  readonly records: UsageRecord[] = []
  mistakes = 0
  refusedBatches = 0
  readonly #random: () => number
  readonly #transport = new FakeTransport()
  /** Those that their provider has done something with. */
  readonly #begun = new WeakSet<FakeCall>()
  readonly #providers: readonly Provider[]
  readonly #keys: readonly Key[]
  readonly #ledger: Ledger
  readonly #deps: RunDeps
  readonly #providerGate: ProviderGate
  readonly #finished: Promise<void>[] = []
  #isDiskFull = false
  /** How often a part that does nothing with money makes a mistake. */
  #clumsiness: number

  constructor(seed: number) {
    this.#random = randomFrom(seed)
    this.#clumsiness = this.#upTo(2) === 0 ? 0 : 0.05
    this.#providers = ['a', 'b'].map((id) =>
      testProvider({
        id,
        name: id,
        onDisconnect: this.#upTo(2) === 0 ? 'drain' : 'cancel',
        limits: { dailyMicro: DAILY, ...(this.#upTo(2) === 0 && { concurrentRequests: 1 + this.#upTo(2) }) },
      }),
    )
    this.#keys = ['one', 'two'].map((id) => ({ ...KEY, id, name: id, hash: `hash of ${id}`, memberId: 'm' }))
    const nowMs = () => NOON
    const journal = new Journal(
      () => {
        if (!this.#isDiskFull) return Promise.resolve()
        this.refusedBatches += 1
        return Promise.reject(new Error('disk full'))
      },
      (records) => this.records.push(...records),
    )
    this.#ledger = new Ledger({ journal, nowMs, after, holdWaitMs: 5000 })
    const terms = { packageType: 'topup', creditsMicro: microCredits(5_000_000), timeZone: 'UTC' } as const
    const accounts = this.#keys.map(({ id }) => openAccount(id, terms, NOON)[0])
    this.#ledger.restore({ accounts, holds: [], adjustments: [] })
    this.#providerGate = new ProviderGate({ nowMs, after, timeZone: 'UTC', maxWaitMs: 3000 })
    this.#deps = this.#newDeps(nowMs)
  }

  async run(): Promise<void> {
    const steps = 5 + this.#upTo(20)
    for (let step = 0; step < steps; step++) {
      this.#step()
      await vi.advanceTimersByTimeAsync(this.#upTo(3) === 0 ? this.#upTo(2000) : this.#upTo(5))
    }
    await this.#end()
    this.#expectAllBack()
  }

  #step(): void {
    const what = this.#upTo(12)
    if (what < 5) return this.#come()
    if (what < 9) return this.#answerOne()
    if (what === 9) return this.#leave()
    if (what === 10) return this.#deps.open.stopKey(this.#key().id)
    this.#isDiskFull = this.#upTo(2) === 0
  }

  #come(): void {
    const isStream = this.#upTo(2) === 0
    const requestId = `call ${this.clients.length}`
    const messages = [{ role: 'user', content: requestId }]
    const text = JSON.stringify({ model: 'chat-completions', messages, max_tokens: 100, stream: isStream })
    const client = new FakeClient()
    this.clients.push(client)
    const caller = { key: this.#key(), package: PACKAGE }
    const call = { requestId, endpoint: 'chat', caller, text, byteLength: text.length, headers: {}, client } as const
    this.#finished.push(runCall(call, this.#deps))
  }

  #leave(): void {
    const client = this.clients[this.#upTo(this.clients.length)]
    if (client?.isCancelled === false) client.leave()
  }

  /** One of the providers does something with one of its requests. */
  #answerOne(): void {
    const calls = this.#transport.calls.filter(({ isAborted }) => !isAborted)
    const call = calls[this.#upTo(calls.length)]
    if (call === undefined) return
    const deeds = this.#begun.has(call) ? LATER_DEEDS : DEEDS
    this.#begun.add(call)
    deeds[this.#upTo(deeds.length)]?.(call, String(call.request.body).includes('"stream":true'))
  }

  /** Every provider breaks, and the disk takes what it refused. */
  async #end(): Promise<void> {
    this.#isDiskFull = false
    this.#clumsiness = 0
    let isOver = false
    const over = Promise.all(this.#finished).then(() => (isOver = true))
    for (let turn = 0; turn < 100 && !isOver; turn++) {
      for (const call of this.#transport.calls) call.fail(new UpstreamFailure('closed', 'It broke.'))
      await vi.advanceTimersByTimeAsync(10_000)
    }
    expect(isOver).toBe(true)
    await over
    await vi.advanceTimersByTimeAsync(2000)
  }

  #expectAllBack(): void {
    const { gate, budgets, open, drains } = this.#deps
    expect({
      holds: this.#ledger.openHolds,
      held: this.#ledger.heldMicro,
      heldOfMember: budgets.member.heldMicro('m'),
      running: gate.running('m'),
      waiting: gate.waiting + this.#ledger.waiting + this.#providerGate.waiting,
      open: open.size,
      drains: drains.size,
    }).toEqual({ holds: 0, held: 0, heldOfMember: 0, running: 0, waiting: 0, open: 0, drains: 0 })
    expect(new Set(this.records.map(({ id }) => id)).size).toBe(this.records.length)
    for (const client of this.clients) expect(client.isCancelled || client.isCut || client.hasEnded).toBe(true)
    // A charge that the disk refused is taken back, and counts for the days all the same.
    if (this.refusedBatches > 0) return
    expect(budgets.member.chargedMicro('m', 'daily')).toBe(chargeOf(this.records))
    for (const provider of this.#providers) {
      const { id } = provider
      const charged = chargeOf(this.records.filter(({ providerId }) => providerId === id))
      expect(this.#providerGate.use(id)).toEqual({ concurrent: 0, chargedTodayMicro: charged })
      expect(this.#providerGate.hasRoom(provider, microCredits(DAILY - charged))).toBe(true)
    }
  }

  #newDeps(nowMs: () => number): RunDeps {
    const count = async (texts: readonly string[]) => texts.join('').length
    const limits = { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: 3 }
    const model: Model = {
      ...modelOf('chat-completions', [
        { providerId: 'a', upstreamModel: 'm', priority: 0, weight: 1 },
        { providerId: 'b', upstreamModel: 'm', priority: 1, weight: 1 },
      ]),
      price: { ...PRICE, version: 1 },
    }
    const routing = {
      health: this.#clumsy(new Health()),
      secrets: new SecretHealth(),
      gate: this.#providerGate,
      monotonicMs: () => 0,
      random: () => 0,
      retryDelayMs: 100,
    }
    const changed = (purse: string) => this.#ledger.purseChanged(purse)
    const budgets = (scope: 'member' | 'project') =>
      new Budgets({ scope, nowMs, timeZone: 'UTC', limitsOf: () => ({ dailyMicro: DAILY }), changed })
    const state = { providers: this.#providers, models: [model], packages: [PACKAGE], keys: this.#keys }
    return {
      catalog: this.#clumsy(new Catalog({ ...state, members: [MEMBER], invites: [], projects: [] }, new Map())),
      gate: new Gate({ nowMs, after, limitsOfMember: () => limits, waits: true, maxWaitMs: 4000 }),
      budgets: { member: budgets('member'), project: budgets('project') },
      ledger: this.#ledger,
      counter: this.#clumsy({ count, countAtMost: count }),
      caps: this.#clumsy(new CapMemory({ nowMs, monotonicMs: () => 0 })),
      missingPrices: this.#clumsy(new MissingPrices()),
      adaptations: this.#clumsy(new Adaptations()),
      transport: this.#clumsy(this.#transport),
      drains: new Drains(),
      routing,
      clock: { nowMs, monotonicMs: () => 0 },
      maxAttempts: 4,
      answers: new AnswerMemory({ monotonicMs: nowMs, keptMs: 60_000 }),
      open: this.#clumsy(new OpenExchanges(), ['add']),
      pause: new Pause(nowMs),
      refused: { note: () => undefined },
      reportFault: () => (this.mistakes += 1),
    }
  }

  /** The same part, which now and then throws when it is asked something; where `only` is given, only then. */
  #clumsy<Part extends object>(part: Part, only?: readonly (keyof Part)[]): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        const isSure = only?.some((one) => one === name) === false
        if (typeof member !== 'function') return member
        if (isSure) return (...given: unknown[]): unknown => Reflect.apply(member, target, given)
        return (...given: unknown[]): unknown => {
          if (this.#random() < this.#clumsiness) throw new Error('a mistake')
          return Reflect.apply(member, target, given)
        }
      },
    })
  }

  #key(): Key {
    return this.#keys[this.#upTo(this.#keys.length)] ?? KEY
  }

  /** A whole number below a bound. */
  #upTo(bound: number): number {
    return Math.floor(this.#random() * bound)
  }
}

const PRICE = {
  inputMicro: microCredits(1_000_000),
  outputMicro: microCredits(9_000_000_000),
  cacheReadMicro: ZERO,
  cacheWriteMicro: ZERO,
}

const MEMBER: Member = {
  id: 'm',
  name: 'm',
  role: 'member',
  status: 'active',
  packages: 'all',
  passwordHash: undefined,
  limits: NO_LIMITS,
  createdAtMs: 0,
}

function chargeOf(records: readonly UsageRecord[]): number {
  return records.reduce((sum, { chargeMicro }) => sum + chargeMicro, 0)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  vi.useRealTimers()
})

it(`gives back once what calls took, in ${HISTORIES} random histories`, async () => {
  const seen = { charged: 0, uncharged: 0, mistakes: 0, refusedBatches: 0, left: 0 }
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const journeys = new Journeys(seed)
    await journeys.run().catch((error: unknown) => {
      throw new Error(`history ${seed}: ${String(error)}`, { cause: error })
    })
    for (const { chargeMicro } of journeys.records) seen[chargeMicro > 0 ? 'charged' : 'uncharged'] += 1
    seen.mistakes += journeys.mistakes
    seen.refusedBatches += journeys.refusedBatches
    seen.left += journeys.clients.filter(({ isCancelled }) => isCancelled).length
  }
  // The histories are of any use only where everything happens in them.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(HISTORIES / 10)
}, 3_600_000)
