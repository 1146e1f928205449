// The attempts of one exchange: one target after another, or one target again, until the answer begins or nothing is left to try.
// What went wrong before the answer began is the client's business only when no attempt could mend it.

import type { Target } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { isPassing, retryOf } from '#core/retry.ts'
import type { CallNote } from '#core/waiting.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { headersFor } from '#dialect/dialects.ts'
import type { Adaptations, Adapted } from '#pipeline/adapt.ts'
import { adjustedHeader, affordableCap, worstOf, type Admission } from '#pipeline/admit.ts'
import { answerHeaders } from '#pipeline/answer-headers.ts'
import type { WrittenBody } from '#pipeline/body-questions.ts'
import type { CapMemory } from '#pipeline/cap-memory.ts'
import { creditGuard } from '#pipeline/credit-guard.ts'
import type { Drains } from '#pipeline/drains.ts'
import type { CallRequest, ReadyRequest } from '#pipeline/distant-request.ts'
import { keptWords } from '#pipeline/error-answer.ts'
import { isLoopRefusal } from '#pipeline/hops.ts'
import type { Client, Clock, Headers, TokenCounter, Transport, UpstreamHeaders } from '#pipeline/ports.ts'
import type { Asker, Slot } from '#pipeline/provider-gate.ts'
import { Relay, type RelayEnd } from '#pipeline/relay.ts'
import type { Catalog } from '#catalog/catalog.ts'
import type { Reservation } from '#pipeline/reservation.ts'
import { resolveModel, type Served } from '#pipeline/resolve.ts'
import type { Next, Place, Routing, RoutingDeps, Turn } from '#pipeline/routing.ts'
import type { AttemptNote } from '#pipeline/settle.ts'
import { usageBounds } from '#pipeline/usage-bounds.ts'

export type AttemptDeps = {
  readonly caps: Pick<CapMemory, 'ignoring'>
  readonly catalog: Catalog
  readonly counter: TokenCounter
  readonly drains: Drains
  readonly transport: Transport
  readonly adaptations: Adaptations
  readonly clock: Clock
  readonly routing: RoutingDeps
  /** How many attempts one request may take in all. */
  readonly maxAttempts: number
}

/** What an exchange has when its attempts begin. */
export type AttemptedCall = {
  readonly exchangeId: string
  readonly request: CallRequest
  readonly served: Served
  readonly admission: Admission
  readonly client: Client
  /** Headers of the client that may be passed on to a provider of its own dialect. */
  readonly clientHeaders: Headers
  /** The gateways that the call came through. */
  readonly hops: string | undefined
  /** Headers of every answer to this client. */
  readonly headers: () => Headers
}

/** A target that a request is ready for. */
export type Ready = { readonly place: Place; readonly prepared: ReadyRequest }

export type Attempt = {
  readonly place: Place
  readonly prepared: ReadyRequest
  /** For each answer; undefined for endpoints that generate nothing. */
  readonly outputCap: number | undefined
  readonly sent: SentBody
  readonly reader: AnswerReader
  readonly relay: Relay
  readonly headers: (upstream: UpstreamHeaders) => Headers
}

/** A body as its provider is sent it: what was written elsewhere says what of it can be left out. */
type SentBody = Adapted | WrittenBody

export type Attempted = Attempt & {
  readonly end: RelayEnd
  /** All attempts, the last one included. */
  readonly notes: readonly AttemptNote[]
}

/** The wait before a provider is asked again, in UTC epoch milliseconds. */
type Retry = { readonly sinceMs: number; readonly untilMs: number }

/** What one round came to: the exchange's end, or what to do next. */
type Round = { readonly attempted: Attempted; readonly next: Next<Place> | undefined }

export class Attempts implements Asker {
  readonly #admitted: AttemptedCall
  readonly #deps: AttemptDeps
  readonly #routing: Routing<Place>
  /** What further targets get. Nearly every call needs none of it. */
  #ready: Map<Place, ReadyRequest> | undefined
  /** What each target refused and is not told again. */
  #leftOut: Map<Place, Set<string>> | undefined
  readonly #notes: AttemptNote[] = []
  readonly #first: Ready
  #relay: Relay | undefined
  #stopped: Refusal | undefined
  #wake: (() => void) | undefined
  #retry: Retry | undefined

  constructor(
    admitted: AttemptedCall,
    { routing, first }: { routing: Routing<Place>; first: Ready },
    deps: AttemptDeps,
  ) {
    this.#admitted = admitted
    this.#deps = deps
    this.#routing = routing
    this.#first = first
  }

  /** Ends the exchange from outside, also between two attempts. */
  stop(refusal: Refusal): void {
    this.#stopped ??= refusal
    this.#relay?.stop(refusal)
    this.#wake?.()
  }

  /** Called every second. */
  look(): void {
    this.#relay?.look()
  }

  /** Makes attempts until one decides the exchange. Rejects only for a mistake of ours. */
  async run(): Promise<Attempted> {
    let last: Attempted | undefined
    let next: Next<Place> | undefined = { place: this.#first.place, delayMs: 0 }
    while (next !== undefined) {
      if (next.delayMs > 0) await this.#pause(next.delayMs)
      const end = this.#endBetween()
      if (last !== undefined && end !== undefined) return { ...last, end }
      const round: Round | undefined = await this.#round(next.place, last)
      if (round !== undefined) {
        last = moreTelling(last, round.attempted)
        const isOver = this.#stopped !== undefined || this.#notes.length >= this.#deps.maxAttempts
        if (isOver || round.next === undefined) return last
      }
      next = round?.next ?? this.#routing.next()
      // An attempt that another one follows cost nothing, and holds nothing while that one runs.
      this.#reservation.waive()
    }
    if (last === undefined) throw new Error('an exchange ended without an attempt')
    return last
  }

  get #reservation(): Reservation {
    return this.#admitted.admission.reservation
  }

  /** One attempt at a target, or at another one whose provider has room. undefined: it cannot be asked this at all. */
  async #round(wanted: Place, last: Attempted | undefined): Promise<Round | undefined> {
    const { wish } = this.#admitted.admission
    const turn = this.#routing.takeNow(wanted, wish) ?? (await this.#routing.take(wanted, wish, this))
    if (isRefusal(turn)) return { attempted: this.#unsent(last, turn), next: undefined }
    const { place, slot } = turn
    this.#reservation.arrive(slot)
    try {
      const gone = this.#refusalOfGone(place)
      if (gone !== undefined) return { attempted: this.#unsent(last, gone), next: undefined }
      const prepared = await this.#prepare(place)
      if (isRefusal(prepared)) {
        this.#routing.cannotBeAsked(place, this.#admitted.request.keeperId)
        return undefined
      }
      const sent = await this.#write({ place, prepared }, slot)
      if (isRefusal(sent)) return { attempted: this.#unsent(last, sent), next: undefined }
      const attempt = this.#newAttempt({ place, prepared }, sent, slot)
      const startedMs = this.#deps.clock.monotonicMs()
      const end = await this.#start(attempt)
      this.#note(attempt, end, startedMs)
      const next = this.#after(attempt, end, turn)
      return { attempted: { ...attempt, end, notes: this.#notes }, next }
    } finally {
      this.#reservation.depart()
      // A trial that never ends would keep everybody else away from its target.
      if (turn.isTrial) this.#deps.routing.health.left(place.target)
    }
  }

  /** Why a place cannot be asked any more whose model or provider was changed while the call waited for it. */
  #refusalOfGone({ target, provider }: Place): Refusal | undefined {
    const { request, served, admission } = this.#admitted
    const { catalog } = this.#deps
    const isThere = catalog.provider(provider.id) !== undefined
    if (isThere && catalog.model(served.model.id) === served.model) return undefined
    const now = resolveModel(catalog, request, admission.holder.package)
    if (isRefusal(now)) return now
    const isKept = now.places.some(
      ({ target: other }) => other.providerId === target.providerId && other.upstreamModel === target.upstreamModel,
    )
    const message = `The provider of the model '${served.model.id}' was removed while the call waited. Send it again.`
    return isKept ? undefined : refuse('overloaded', message, { retryAfterSeconds: 1 })
  }

  /** The exchange of a request that no provider had room for: it ends as its last attempt did, where there was one. */
  #unsent(last: Attempted | undefined, refusal: Refusal): Attempted {
    const end = this.#endBetween()
    if (last !== undefined) return end === undefined ? last : { ...last, end }
    const attempt = this.#newAttempt(this.#first, UNSENT, undefined)
    return { ...attempt, end: end ?? { type: 'stopped', refusal }, notes: this.#notes }
  }

  /** How the exchange ends if it was stopped, or its client went, while no request was on its way. */
  #endBetween(): RelayEnd | undefined {
    if (this.#stopped !== undefined) return { type: 'stopped', refusal: this.#stopped }
    if (!this.#admitted.client.isCancelled) return undefined
    return { type: 'client-gone', isDrained: false, delivered: undefined }
  }

  /** Which call it is, for lists of those that wait. */
  get call(): CallNote {
    return this.#reservation.hold
  }

  /** undefined while no provider is waited for in this way. */
  get retry(): Retry | undefined {
    return this.#retry
  }

  /** What ends a wait: the client that goes, and whoever stops the exchange. */
  get isCancelled(): boolean {
    return this.#endBetween() !== undefined
  }

  onCancel(callback: () => void): void {
    this.#wake = callback
    this.#admitted.client.onCancel(callback)
  }

  #prepare(place: Place): ReadyRequest | Promise<ReadyRequest | Refusal> {
    const known = place === this.#first.place ? this.#first.prepared : this.#ready?.get(place)
    return known ?? this.#prepareAnew(place)
  }

  async #prepareAnew(place: Place): Promise<ReadyRequest | Refusal> {
    const { request, exchangeId } = this.#admitted
    const prepared = await request.prepare({ ...place, exchangeId, nowMs: this.#deps.clock.nowMs() })
    if (!isRefusal(prepared)) (this.#ready ??= new Map()).set(place, prepared)
    return prepared
  }

  #write({ place, prepared }: Ready, slot: Slot | undefined): SentBody | Promise<SentBody | Refusal> {
    const outputCap = this.#outputCap(slot)
    const { adaptations } = this.#deps
    const more = this.#leftOut?.get(place) ?? NONE
    const { isPassed } = prepared
    if ('write' in prepared) {
      return prepared.write(outputCap, isPassed ? NONE : adaptations.untaken(place.target, more))
    }
    const body = prepared.body(outputCap)
    return isPassed ? { body, leftOut: [] } : adaptations.apply(place.target, body, more)
  }

  /** `slot` is its place at the provider; undefined for one that is never sent. */
  #newAttempt({ place, prepared }: Ready, sent: SentBody, slot: Slot | undefined): Attempt {
    const { request, client, clientHeaders, hops, headers } = this.#admitted
    const { transport, drains, clock, routing } = this.#deps
    const { provider, target } = place
    const { body, leftOut } = sent
    const outputCap = this.#outputCap(slot)
    const { isPassed, mediaTypes } = prepared
    const upload = 'upload' in prepared ? prepared.upload : undefined
    const handed = isPassed ? headersFor(request.endpoint, provider, clientHeaders) : {}
    const lessened = Object.keys(clientHeaders).filter((name) => isPassed && handed[name] !== clientHeaders[name])
    const dropped = [...prepared.dropped, ...leftOut, ...lessened]
    const reader = prepared.newReader()
    const { served } = this.#admitted
    reader.reported.limit(usageBounds({ request, served, upstreamModel: target.upstreamModel, outputCap }))
    const { isStream, streamType } = request
    const adjusted = adjustedHeader(request, outputCap)
    const input = { isStream, streamType, mediaTypes, isPassed, adjusted, dropped, failed: [...this.#notes] }
    const headersOf = (upstream: UpstreamHeaders) => ({ ...headers(), ...answerHeaders(input, upstream) })
    const relay = new Relay({
      transport,
      providerName: provider.name,
      request: { provider, path: prepared.path, body, upload, headers: handed, hops },
      isStream: prepared.isStream,
      mediaTypes,
      reader,
      readError: prepared.readError,
      client,
      begin: (upstream) => {
        routing.health.answering(target, clock.monotonicMs())
        client.begin(200, headersOf(upstream))
      },
      monotonicMs: clock.monotonicMs,
      guard: isStream && request.choices > 0 && slot !== undefined ? this.#guard(target, outputCap) : undefined,
      beginDrain: provider.onDisconnect === 'drain' ? (giveUp) => drains.begin(giveUp) : undefined,
    })
    return { place, prepared, outputCap, sent, reader, relay, headers: headersOf }
  }

  /** The cap of the admission, lowered to what the day of the provider still pays for. */
  #outputCap(slot: Slot | undefined): number | undefined {
    const { request, served, admission } = this.#admitted
    const { wish, inputTokens, outputCap } = admission
    if (slot === undefined || outputCap === undefined || slot.promisedMicro >= wish.worstMicro) return outputCap
    return Math.min(outputCap, affordableCap({ request, served }, inputTokens, slot.promisedMicro) ?? outputCap)
  }

  #guard(target: Target, outputCap: number | undefined) {
    const { request, admission, served } = this.#admitted
    return creditGuard({
      spending: this.#reservation,
      price: served.price,
      worst: worstOf({ request, served }, admission.inputTokens),
      outputCap: request.choices * (outputCap ?? 0),
      ignoring: this.#deps.caps.ignoring(target),
      echoedBytes: request.echoedBytes ?? 0,
      counter: this.#deps.counter,
    })
  }

  /** Resolves when the attempt is over. */
  #start({ relay }: Attempt): Promise<RelayEnd> {
    this.#relay = relay
    if (this.#stopped !== undefined) relay.stop(this.#stopped)
    relay.start()
    return relay.ended
  }

  #note({ relay, place }: Attempt, end: RelayEnd, startedMs: number): void {
    this.#notes.push({
      provider: place.provider.name,
      model: place.target.upstreamModel,
      outcome: outcomeOf(end),
      reason: end.type === 'failed' ? end.failure.kind : null,
      status: relay.status ?? null,
      duration_ms: Math.round(this.#deps.clock.monotonicMs() - startedMs),
      ...wordsNote(end),
      ...(place.provider.chosen === undefined ? {} : { secret: place.provider.chosen.label }),
    })
  }

  /** What an attempt's end says about its target, and what follows from it. */
  #after(attempt: Attempt, end: RelayEnd, turn: Turn<Place>): Next<Place> | undefined {
    const { place, relay, reader } = attempt
    if (end.type === 'failed') {
      if (!relay.hasBegun) return this.#routing.failed(turn, end.failure)
      this.#routing.brokenOff(turn, end.failure)
      return undefined
    }
    if (end.type === 'complete' && reader.hasFailed !== true) {
      this.#routing.answered(turn)
      return undefined
    }
    if (end.type !== 'refused') return undefined
    if (this.#learn(attempt, end.body)) return { place, delayMs: 0 }
    const isElsewhere = end.status === UNKNOWN_MODEL_STATUS || isLoopRefusal(end.status, end.body)
    return isElsewhere ? this.#routing.unknownAt(turn) : undefined
  }

  /** Whether a translated request was refused for members that it can do without. */
  #learn({ place, prepared, sent }: Attempt, refusal: Buffer): boolean {
    if (prepared.isPassed) return false
    const body = 'removable' in sent ? sent.removable : sent.body
    const refused = this.#deps.adaptations.learn(place.target, refusal, body)
    if (refused.length === 0) return false
    const leftOut = (this.#leftOut ??= new Map())
    leftOut.set(place, new Set([...(leftOut.get(place) ?? NONE), ...refused]))
    return true
  }

  /** Waits, unless the exchange is stopped or its client goes meanwhile. */
  async #pause(ms: number): Promise<void> {
    if (this.isCancelled) return
    const sinceMs = this.#deps.clock.nowMs()
    this.#retry = { sinceMs, untilMs: sinceMs + ms }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.onCancel(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    this.#retry = undefined
  }
}

/** What the provider said, as far as its words are known and hold nothing of what was asked. */
function wordsNote(end: RelayEnd): Pick<AttemptNote, 'words'> {
  const isReported = end.type === 'failed' && end.failure.kind === 'reported'
  const words = end.type === 'refused' ? end.words : isReported ? keptWords(end.failure) : undefined
  return words === undefined ? {} : { words }
}

function outcomeOf(end: RelayEnd): AttemptNote['outcome'] {
  if (end.type === 'client-gone' && end.isDrained) return 'drained'
  return end.type === 'out-of-credits' && end.isOverCap ? 'complete' : end.type
}

/** Which of two attempts the client is told about. That one target is not set up right is no reason to hide that another is busy. */
function moreTelling(last: Attempted | undefined, attempted: Attempted): Attempted {
  if (last?.end.type !== 'failed' || !isPassing(last.end.failure)) return attempted
  const { end } = attempted
  const isUnknown = end.type === 'refused' && end.status === UNKNOWN_MODEL_STATUS
  const isSetUpWrong = end.type === 'failed' && retryOf(end.failure) === 'elsewhere' && !isPassing(end.failure)
  return isUnknown || isSetUpWrong ? last : attempted
}

const NONE: ReadonlySet<string> = new Set()

/** Of a request that no provider is sent. */
const UNSENT: SentBody = { body: '', leftOut: [] }

/** How a provider says that it does not know the model: another one may. */
const UNKNOWN_MODEL_STATUS = 404
