// The journey of a call: read the request, resolve its model, make it ready for its provider, admit it, relay it, settle it.
// Authentication came before, so that nobody's body is read for nothing. From the moment a hold exists, every way out goes
// through `close`.

import { isValueOf, type Key } from '#core/entities.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { ZERO } from '#core/money.ts'
import { NO_QUIRKS, type ClientQuirks } from '#core/client-quirks.ts'
import { isRefusal, refuse, toldAt, toldTo, type Refusal } from '#core/refusal.ts'
import type { WireBytes } from '#dialect/answer.ts'
import type { BodyText } from '#dialect/request-body.ts'
import { admit, limitedKey, type Admission, type AdmitDeps } from '#pipeline/admit.ts'
import { attemptHeaders } from '#pipeline/answer-headers.ts'
import { Attempts, type AttemptDeps, type Attempted, type Ready } from '#pipeline/attempts.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { CachedShares, ConversationCall } from '#pipeline/cached-shares.ts'
import { mostTokensAt } from '#pipeline/credit-guard.ts'
import { readRequest, type EndpointName, type EndpointRequest } from '#pipeline/endpoints.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { Client, Headers } from '#pipeline/ports.ts'
import type { RelayEnd } from '#pipeline/relay.ts'
import { baseHeaders, overflowRefusal, replyProviderError, replyRefusal, translateError } from '#pipeline/reply.ts'
import { resolveModel, type Served } from '#pipeline/resolve.ts'
import { orderPlaces, Routing, type Place } from '#pipeline/routing.ts'
import { faultSettlement, roughSettlementOf, settlementOf, usedTokens, undelivered } from '#pipeline/settle.ts'
import type { Settlement } from '#ledger/ledger.ts'

export type RunDeps = AttemptDeps &
  AdmitDeps & {
    readonly open: OpenExchanges
    readonly pause: Pause
    readonly cached: CachedShares
    /** Told about mistakes of ours; gets no content. */
    readonly reportFault: (error: unknown, requestId: string) => void
  }

export type Call = {
  /** Also the id of the exchange, its hold and its usage record. */
  readonly requestId: string
  readonly endpoint: EndpointName
  readonly caller: Caller
  /** The body as text and its size on the wire. */
  readonly text: BodyText
  readonly byteLength: number
  /** Headers of the client that may be passed on to a provider of its own dialect. */
  readonly headers: Headers
  readonly client: Client
  /** What its client cannot read; undefined for one that reads what the contract says. */
  readonly quirks?: ClientQuirks
}

/** Serves one call to its end. Never throws: what goes wrong is answered, settled and reported. */
export async function runCall(call: Call, deps: RunDeps): Promise<void> {
  try {
    const paused = deps.pause.refusal()
    if (paused !== undefined) return replyRefusal(call, paused, {})
    const request = readRequest(call.endpoint, call.text, call.byteLength)
    if (isRefusal(request)) return replyRefusal(call, request, {})
    const served = resolveModel(deps.catalog, request, call.caller.package)
    if (isRefusal(served)) return replyRefusal(call, served, {})
    const choice = chooseFirst({ call, request, served }, deps)
    if (isRefusal(choice)) return replyRefusal(call, choice, {})
    const input = { exchangeId: call.requestId, caller: call.caller, request, served }
    const admission = await admit(input, call.client, deps)
    if (isRefusal(admission)) return replyRefusal(call, admission, limitHeaders(call, deps))
    await serve({ call, request, served, choice, admission }, deps)
  } catch (error) {
    deps.reportFault(error, call.requestId)
    // Whoever has a part of an answer must not take it for a whole one.
    if (call.client.hasBegun) call.client.cut()
    else replyRefusal(call, refuse('internal', 'Something went wrong inside Farebox. Its log has the details.'), {})
  }
}

type Asked = { readonly call: Call; readonly request: EndpointRequest; readonly served: Served }
type Choice = { readonly routing: Routing<Place>; readonly first: Ready }

/** The target that is asked first, with the request ready for it. A request that none can be asked is refused as by the first. */
function chooseFirst({ call, request, served }: Asked, deps: RunDeps): Choice | Refusal {
  const { random } = deps.routing
  const affinity = served.places.length > 1 ? request.affinity() : undefined
  const routing = new Routing(orderPlaces(served.places, affinity, random), deps.routing)
  let refusal: Refusal | undefined
  for (let place = routing.next()?.place; place !== undefined; place = routing.next()?.place) {
    const prepared = request.prepare({ ...place, exchangeId: call.requestId, nowMs: deps.clock.nowMs() })
    if (!isRefusal(prepared)) return { routing, first: { place, prepared } }
    refusal ??= prepared
    routing.exclude(place)
  }
  if (refusal === undefined) throw new Error('a model has no place')
  return refusal
}

type Admitted = Asked & { readonly choice: Choice; readonly admission: Admission }

/** From the hold to the last byte. The hold is resolved once, whatever goes wrong. */
async function serve(admitted: Admitted, deps: RunDeps): Promise<void> {
  const progress = { isSettled: false }
  try {
    await exchange(admitted, progress, deps)
  } catch (error) {
    if (!progress.isSettled) await giveUp(admitted, deps)
    throw error
  }
}

async function exchange(admitted: Admitted, progress: { isSettled: boolean }, deps: RunDeps): Promise<void> {
  const { call, request, served, admission, choice } = admitted
  const startedMs = deps.clock.monotonicMs()
  const attempts = new Attempts(
    {
      exchangeId: call.requestId,
      request,
      served,
      admission,
      client: call.client,
      clientHeaders: call.headers,
      headers: () => ({ ...baseHeaders(call), ...limitHeaders(call, deps) }),
    },
    choice,
    deps,
  )
  const running = {
    keyId: call.caller.key.id,
    call: admission.hold,
    startedAtMs: startedMs,
    retry: () => attempts.retry,
    stop: (refusal: Refusal) => attempts.stop(refusal),
    look: () => attempts.look(),
  }
  deps.open.add(running)
  try {
    // The key may have been blocked while the body was on its way, or while the call waited to be admitted.
    if (!isUsable(call.caller.key, deps)) deps.open.stopKey(running.keyId)
    const attempted = await attempts.run()
    const { end, slot } = attempted
    if (end.type === 'fault') deps.reportFault(end.error, call.requestId)
    let chargeMicro = ZERO
    try {
      const closing = close({ ...attempted, admitted, startedMs }, deps)
      // A count may take seconds, such as the first one after a start; whoever waits for no more than bad news need not.
      const isTold = isBrokenOff(attempted) && !(await isDoneWithin(closing, PATIENCE_MS))
      if (isTold) conclude({ ...attempted, admitted }, { end, last: undefined }, deps)
      const recorded = await closing
      progress.isSettled = true
      chargeMicro = recorded.chargeMicro
      if (!isTold) conclude({ ...attempted, admitted }, recorded, deps)
    } finally {
      if (slot !== undefined) deps.routing.gate.charge(slot, chargeMicro)
      admission.share?.close(chargeMicro)
    }
  } finally {
    deps.open.remove(running)
  }
}

/** For how long a client whose answer broke off waits for its charge to be on disk before it is told. */
const PATIENCE_MS = 3000

/** An answer that ends with an error event, which says nothing of the charge. */
function isBrokenOff({ end, relay }: Attempted): boolean {
  return relay.hasBegun && (end.type === 'failed' || end.type === 'stopped' || end.type === 'fault')
}

/** False when the time is over first; the work goes on. */
async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(late.resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A mistake of ours outside an attempt: nothing was delivered, so all that was taken is given back. */
async function giveUp({ request, served, choice, admission }: Admitted, { gate, ledger }: RunDeps): Promise<void> {
  gate.leave(admission.ticket, 0)
  admission.share?.close(ZERO)
  const { createdAtMs } = admission.hold
  const { place } = choice.first
  await ledger.resolve(
    admission.hold,
    faultSettlement({ caller: admission.holder, request, served, place, createdAtMs }),
  )
}

/** `presented` is the key as it was when its value was checked. */
function isUsable(presented: Key, { catalog, clock }: RunDeps): boolean {
  const key = catalog.key(presented.id)
  const nowMs = clock.nowMs()
  return key !== undefined && isValueOf(key, presented.hash, nowMs) && catalog.statusOf(key, nowMs) === 'active'
}

type Ended = Attempted & { readonly admitted: Admitted; readonly startedMs: number }

type Finished = {
  readonly end: RelayEnd
  /** What ends the answer, of one that has a valid end. */
  readonly last: WireBytes | undefined
}
type Recorded = Finished & { readonly chargeMicro: Settlement['chargeMicro'] }

/** Settles the hold and waits until that is on disk. Returns how the client is to be told: a charge that could not be
 * recorded turns a complete answer into a failed one. */
async function close(ended: Ended, deps: RunDeps): Promise<Recorded> {
  const { admission, call, request } = ended.admitted
  // The slot is free at once; counting tokens may take a moment.
  deps.gate.leave(admission.ticket, usedTokens({ ...ended, request, hasBegun: ended.relay.hasBegun }))
  noteReport(ended, deps)
  const { end, last, settlement } = await finish(ended, deps)
  noteLength(ended, settlement, deps)
  noteCached(ended, deps)
  try {
    const isWithheld = end.type === 'complete' && !ended.relay.hasBegun
    await deps.ledger.resolve(admission.hold, settlement, isWithheld ? undelivered(settlement) : undefined)
    return { end, last, chargeMicro: settlement.chargeMicro }
  } catch (error) {
    deps.reportFault(error, call.requestId)
    const refusal = refuse('overloaded', 'The charge could not be recorded.', { retryAfterSeconds: 5 })
    return { end: { type: 'stopped', refusal }, last: undefined, chargeMicro: settlement.chargeMicro }
  }
}

/** Remembers a target whose answer was longer than the cap that it was given. */
function noteLength({ admitted, place, outputCap }: Ended, settlement: Settlement, deps: RunDeps): void {
  const { outputTokens, usageSource } = settlement
  if (outputCap === undefined || outputTokens === undefined) return
  const cap = outputCap * admitted.request.choices
  // What we count ourselves is no proof where it is near the cap.
  if (usageSource !== 'reported' && outputTokens <= mostTokensAt(cap)) return
  deps.caps.note(place.target, { cap, outputTokens, atMs: deps.clock.nowMs() })
}

/** Remembers how much of a conversation's input was cached, where its provider said so. */
function noteCached(ended: Ended, deps: RunDeps): void {
  const { isInputFinal, usage } = ended.reader.reported
  if (isInputFinal && usage !== undefined) deps.cached.note(conversationCall(ended), usage, deps.clock.monotonicMs())
}

function conversationCall({ admitted, place }: Ended): ConversationCall {
  return {
    keyId: admitted.call.caller.key.id,
    target: place.target,
    conversation: admitted.request.conversationName,
  }
}

/** Remembers of a target whether it says what its answers used: where it does not, all charges are by our own count. */
function noteReport({ end, reader, place }: Ended, { routing }: RunDeps): void {
  routing.health.noteDropped(place.target, reader.droppedPieces ?? 0)
  if (end.type !== 'complete' || reader.hasFailed === true) return
  const { isInputFinal, isOutputFinal } = reader.reported
  routing.health.noteUsage(place.target, isInputFinal && isOutputFinal ? 'reported' : 'missing')
}

/**
 * What is charged, and what ends the answer. Both are made before anything is recorded, so that an end that cannot be made is a
 * fault that is settled as one.
 */
async function finish(ended: Ended, deps: RunDeps): Promise<Finished & { readonly settlement: Settlement }> {
  const { end, reader, admitted } = ended
  const settlement = await settle(ended, deps)
  if (end.type !== 'complete' && end.type !== 'out-of-credits') return { end, last: undefined, settlement }
  try {
    const last = end.type === 'complete' ? reader.final(settlement) : reader.cutShort?.(settlement)
    return { end, last, settlement }
  } catch (error) {
    deps.reportFault(error, admitted.call.requestId)
    const fault = { type: 'fault', error } as const
    return { end: fault, last: undefined, settlement: await settle({ ...ended, end: fault }, deps) }
  }
}

async function settle(ended: Ended, deps: RunDeps): Promise<Settlement> {
  const { admitted, reader, relay, end, place, startedMs, notes } = ended
  const ending = {
    caller: admitted.admission.holder,
    request: admitted.request,
    served: admitted.served,
    place,
    reader,
    end,
    hasBegun: relay.hasBegun,
    createdAtMs: admitted.admission.hold.createdAtMs,
    firstByteMs: relay.firstByteAtMs === undefined ? undefined : Math.round(relay.firstByteAtMs - startedMs),
    durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
    attempts: notes,
    cached: reader.reported.isInputFinal
      ? undefined
      : deps.cached.of(conversationCall(ended), deps.clock.monotonicMs()),
  }
  try {
    return await settlementOf(ending, deps.counter)
  } catch (error) {
    // What was delivered is charged even where a mistake of ours keeps it from being counted.
    deps.reportFault(error, admitted.call.requestId)
    return roughSettlementOf(ending)
  }
}

/** The last bytes to the client, in the form that fits how far the answer got. */
function conclude(ended: Omit<Ended, 'startedMs'>, { end, last }: Finished, deps: RunDeps): void {
  const { admitted, prepared, reader, relay } = ended
  const { call } = admitted
  if (end.type === 'client-gone') return
  if (end.type === 'complete') {
    if (!relay.hasBegun) call.client.begin(200, ended.headers(relay.headers))
    return call.client.end(last)
  }
  if (end.type === 'out-of-credits') return call.client.end(last)
  const refusal = toldTo(call.quirks ?? NO_QUIRKS, refusalOfEnd(end, call.endpoint))
  if (relay.hasBegun) {
    const broken = reader.fail?.(refusal, call.requestId)
    return broken === undefined ? call.client.cut() : call.client.end(broken)
  }
  const headers = { ...limitHeaders(call, deps), ...attemptHeaders(ended.notes) }
  // Codex sees that a context is full only inside a stream; before one, it gives up.
  if (call.endpoint === 'responses' && refusal.details?.['code'] !== undefined && reader.fail !== undefined) {
    call.client.begin(200, { ...ended.headers(relay.headers), ...attemptHeaders(ended.notes) })
    return call.client.end(reader.fail(refusal, call.requestId))
  }
  if (end.type === 'refused' && prepared.isPassed) return replyProviderError(call, end, headers)
  replyRefusal(call, refusal, headers)
}

function refusalOfEnd(
  end: Exclude<RelayEnd, { type: 'complete' | 'client-gone' | 'out-of-credits' }>,
  endpoint: EndpointName,
): Refusal {
  switch (end.type) {
    case 'failed': {
      const refusal = toldAt(endpoint, refusalOfFailure(end.failure))
      // Some providers say that a context is full only when they have begun to answer.
      const isReported = end.failure.kind === 'reported' && refusal.code === 'invalid_request'
      return (isReported ? overflowRefusal(endpoint, refusal.message, [end.failure.code]) : undefined) ?? refusal
    }
    case 'stopped':
      return toldAt(endpoint, end.refusal)
    case 'refused':
      return translateError(endpoint, end.status, end.body)
    case 'fault':
      return refuse('internal', 'Something went wrong inside Farebox. Its log has the details.')
  }
}

function limitHeaders(call: Call, deps: RunDeps): Headers {
  return deps.gate.headers(limitedKey(call.caller), call.endpoint)
}
