// The journey of a call: read the request, resolve its model, make it ready for its provider, admit it, relay it, settle it.
// Authentication came before, so that nobody's body is read for nothing. What a call takes is one reservation, which is closed once.

import { isDoneWithin } from '#core/done-within.ts'
import { isValueOf, type Key } from '#core/entities.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { NO_QUIRKS } from '#core/client-quirks.ts'
import { isRefusal, refuse, toldTo, type Refusal } from '#core/refusal.ts'
import { isLater } from '#core/soon.ts'
import { admit, limitedKey, type AdmitDeps } from '#pipeline/admit.ts'
import type { AnswerMemory } from '#pipeline/answer-memory.ts'
import { attemptHeaders } from '#pipeline/answer-headers.ts'
import { Attempts, type AttemptDeps } from '#pipeline/attempts.ts'
import { callerOfKey, type Caller } from '#pipeline/authenticate.ts'
import { billOf, endedOf, faultBill, type BillDeps } from '#pipeline/bill.ts'
import { readDistant, type CallRequest } from '#pipeline/distant-request.ts'
import { readFormRequest, readRequest, type EndpointName, type OwnAnswers } from '#pipeline/endpoints.ts'
import type { Admitted, Call, Ended, Exchange, Finished, Mistake } from '#pipeline/exchange.ts'
import { payable, told } from '#pipeline/keeping.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { Headers } from '#pipeline/ports.ts'
import type { RelayEnd } from '#pipeline/relay.ts'
import {
  baseHeaders,
  isReadInStream,
  overflowRefusal,
  replyProviderError,
  replyRefusal,
  toldAt,
  translateError,
} from '#pipeline/reply.ts'
import { turnAway, type RefusedCalls } from '#pipeline/refused-calls.ts'
import { resolveModel } from '#pipeline/resolve.ts'
import { keeperFirst, orderPlaces, Routing } from '#pipeline/routing.ts'

export type RunDeps = AttemptDeps &
  AdmitDeps &
  BillDeps & {
    readonly open: OpenExchanges
    readonly pause: Pause
    readonly answers: AnswerMemory
    readonly refused: Pick<RefusedCalls, 'note'>
  }

/** Serves one call to its end. Never throws: what goes wrong is answered, settled and reported. */
export async function runCall(call: Call, deps: RunDeps): Promise<void> {
  try {
    const closed = deps.pause.refusal() ?? deps.open.refusal()
    if (closed !== undefined) return turnAway({ call, refusal: closed }, deps)
    const own = { answers: deps.answers, keyId: call.caller.key.id, connection: call.connection }
    const read = readCall(call, own)
    const request = isLater(read) ? await read : read
    if (isRefusal(request)) return turnAway({ call, refusal: request }, deps)
    const { model } = request
    const ready = await makeReady(call, request, deps)
    if (isRefusal(ready)) return turnAway({ call, model, refusal: ready }, deps)
    if (request.isWarmUp === true) return answerNothing(call, ready.choice)
    const admitted = await letIn(ready, deps)
    if (isRefusal(admitted)) return turnAway({ call, model, refusal: admitted }, deps, limitHeaders(call, deps))
    await serve(admitted, deps)
  } catch (error) {
    deps.reportFault(error, call.requestId)
    // Whoever has a part of an answer must not take it for a whole one.
    if (call.client.hasBegun) call.client.cut()
    else replyRefusal(call, refuse('internal', 'Something went wrong inside Farebox. Its log has the details.'), {})
  }
}

/** A large conversation is read where it is kept, and a form by its fields. */
function readCall(
  { endpoint, text, byteLength, form, asked }: Call,
  own: OwnAnswers,
): CallRequest | Refusal | Promise<CallRequest | Refusal> {
  if (form !== undefined) return readFormRequest(endpoint, form)
  if (typeof text !== 'string' && 'ask' in text) return readDistant(text, own)
  return readRequest(endpoint, text, byteLength, { asked, own })
}

type ReadCall = Pick<Admitted, 'call' | 'request' | 'served'>
type Choice = Admitted['choice']
type ReadyCall = Omit<Admitted, 'admission'>

/** The target that is asked first, with the request ready for it. A request that none can be asked is refused as by the first. */
async function chooseFirst({ call, request, served }: ReadCall, deps: RunDeps): Promise<Choice | Refusal> {
  const { random } = deps.routing
  const affinity = served.places.length > 1 ? request.affinity() : undefined
  const places = keeperFirst(orderPlaces(served.places, affinity, random), request.keeperId)
  const routing = new Routing(places, deps.routing, call.caller.key.id)
  let refusal: Refusal | undefined
  for (let place = routing.next()?.place; place !== undefined; place = routing.next()?.place) {
    const prepared = await request.prepare({ ...place, exchangeId: call.requestId, nowMs: deps.clock.nowMs() })
    if (!isRefusal(prepared)) return { routing, first: { place, prepared } }
    refusal ??= prepared
    routing.cannotBeAsked(place, request.keeperId)
  }
  if (refusal === undefined) throw new Error('a model has no place')
  return refusal
}

async function makeReady(call: Call, request: CallRequest, deps: RunDeps): Promise<ReadyCall | Refusal> {
  const served = resolveModel(deps.catalog, request, call.caller.package)
  if (isRefusal(served)) return served
  const choice = await chooseFirst({ call, request, served }, deps)
  return isRefusal(choice) ? choice : { call, request, served, choice }
}

/** Admits a call. What was set up otherwise while it waited holds for it too: it is then made ready again, with its key as it is now. */
async function letIn(ready: ReadyCall, deps: RunDeps): Promise<Admitted | Refusal> {
  let next = ready
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { call, request, served } = next
    const { requestId: exchangeId, caller, attribution } = call
    const soon = admit({ exchangeId, caller, request, served, attribution }, call.client, deps)
    const admission = isLater(soon) ? await soon : soon
    if (isRefusal(admission)) return admission
    if (!('type' in admission)) return { ...next, admission }
    const present = callerNow(caller.key, deps)
    if (isRefusal(present)) return present
    const again = await makeReady({ ...call, caller: present }, request, deps)
    if (isRefusal(again)) return again
    next = again
  }
  const message = 'What this call needs was set up otherwise again and again while it waited. Send it again.'
  return refuse('overloaded', message, { retryAfterSeconds: 1 })
}

/** So often a call that waits is made ready. */
const MAX_TRIES = 5

function callerNow(presented: Key, { catalog, clock }: RunDeps): Caller | Refusal {
  const key = catalog.key(presented.id)
  if (key === undefined || !isValueOf(key, presented.hash, clock.nowMs())) {
    return refuse('key_not_usable', 'The value of this key was changed while the call waited.')
  }
  return callerOfKey(key, { catalog, nowMs: clock.nowMs })
}

/** A warm-up could be served now, and is remembered. No provider is asked, so that it costs nothing. */
function answerNothing(call: Call, { first: { prepared } }: Choice): void {
  const text = prepared.silence?.() ?? ''
  call.client.begin(200, { 'content-type': 'text/event-stream', ...baseHeaders(call) })
  call.client.end(Buffer.from(text))
}

/** From the hold to the last byte. There is one way through it, whatever goes wrong, and `close` stands on it once. */
async function serve(admitted: Admitted, deps: RunDeps): Promise<void> {
  const exchange = { admitted, startedMs: deps.clock.monotonicMs() }
  let running: ReturnType<typeof runningCall> | undefined
  let ended: Ended | Mistake
  try {
    try {
      const attempts = attemptsOf(admitted, deps)
      running = runningCall(exchange, attempts)
      deps.open.add(running)
      // The key may have been blocked while the body was on its way, or while the call waited to be admitted.
      if (!isUsable(admitted.call.caller.key, deps)) deps.open.stopKey(running.keyId)
      ended = endedOf(exchange, await attempts.run())
    } catch (error) {
      ended = { type: 'mistake', error }
    }
    const closing = close(admitted, ended, deps)
    if (ended.type === 'attempted' && isBrokenOff(ended)) return await tell(ended, closing, deps)
    const finished = await closing
    if (ended.type === 'mistake') throw ended.error
    conclude(ended, finished, deps)
  } finally {
    if (running !== undefined) deps.open.remove(running)
  }
}

function attemptsOf({ call, request, served, admission, choice }: Admitted, deps: RunDeps): Attempts {
  const headers = () => ({ ...baseHeaders(call), ...limitHeaders(call, deps) })
  const { requestId: exchangeId, client, headers: clientHeaders, hops } = call
  return new Attempts({ exchangeId, request, served, admission, client, clientHeaders, hops, headers }, choice, deps)
}

function runningCall({ admitted, startedMs }: Exchange, attempts: Attempts) {
  return {
    keyId: admitted.call.caller.key.id,
    call: admitted.admission.reservation.hold,
    startedAtMs: startedMs,
    retry: () => attempts.retry,
    stop: (refusal: Refusal) => attempts.stop(refusal),
    look: () => attempts.look(),
  }
}

/**
 * Gives back what the call took, and waits until its charge is on disk, and where that is asked for in the shared books. Returns how the client is to be told: a charge that could
 * not be recorded turns a complete answer into a failed one.
 */
async function close(admitted: Admitted, ended: Ended | Mistake, deps: RunDeps): Promise<Finished> {
  const { call, admission } = admitted
  const isAttempted = ended.type === 'attempted'
  const keeping = deps.leases?.keeping
  const bill = payable(isAttempted ? billOf(ended, deps) : faultBill(admitted, ended.error), keeping)
  try {
    await admission.reservation.close({ usedTokens: isAttempted ? ended.usedTokens : 0, bill })
    return await told(isLater(bill) ? await bill : bill, keeping)
  } catch (error) {
    deps.reportFault(error, call.requestId)
    const refusal = refuse('overloaded', 'The charge could not be recorded.', { retryAfterSeconds: 5 })
    return { end: { type: 'stopped', refusal }, last: undefined }
  }
}

/** Tells the client of an answer that broke off, as a rule once the charge is on disk as for every other one. */
async function tell(ended: Ended, closing: Promise<Finished>, deps: RunDeps): Promise<void> {
  // A count may take seconds, such as the first one after a start; whoever waits for no more than bad news need not.
  const isDone = await isDoneWithin(closing, PATIENCE_MS)
  if (!isDone) conclude(ended, { end: ended.end, last: undefined }, deps)
  const finished = await closing
  if (isDone) conclude(ended, finished, deps)
}

/** For how long a client whose answer broke off waits for its charge to be on disk before it is told. */
const PATIENCE_MS = 3000

/** An answer that ends with an error event, which says nothing of the charge. */
function isBrokenOff({ end, relay }: Ended): boolean {
  return relay.hasBegun && (end.type === 'failed' || end.type === 'stopped' || end.type === 'fault')
}

/** `presented` is the key as it was when its value was checked. */
function isUsable(presented: Key, { catalog, clock }: RunDeps): boolean {
  const key = catalog.key(presented.id)
  const nowMs = clock.nowMs()
  return key !== undefined && isValueOf(key, presented.hash, nowMs) && catalog.statusOf(key, nowMs) === 'active'
}

/** The last bytes to the client, in the form that fits how far the answer got. */
function conclude(ended: Ended, { end, last }: Finished, deps: RunDeps): void {
  const { admitted, prepared, reader, relay } = ended
  const { call } = admitted
  if (end.type === 'client-gone') return
  if (end.type === 'complete') {
    if (!relay.hasBegun) call.client.begin(200, ended.headers(relay.headers))
    return call.client.end(last)
  }
  if (end.type === 'out-of-credits') return call.client.end(last)
  if (relay.hasBegun) return breakOff(ended, end)
  const headers = { ...limitHeaders(call, deps), ...attemptHeaders(ended.notes) }
  const isPassedError = end.type === 'refused' && prepared.isPassed
  // Only inside a stream may an error that is passed on be told in words of ours.
  if (isPassedError && reader.fail === undefined) return replyProviderError(call, end, headers)
  const refusal = refusalFor(call, end)
  if (isReadInStream(call.endpoint, refusal) && reader.fail !== undefined) {
    call.client.begin(200, { ...ended.headers(relay.headers), ...attemptHeaders(ended.notes) })
    return call.client.end(reader.fail(refusal, call.requestId))
  }
  if (isPassedError) return replyProviderError(call, end, headers)
  replyRefusal(call, refusal, headers)
}

/** An end that is told as a refusal. */
type BadEnd = Exclude<RelayEnd, { type: 'complete' | 'client-gone' | 'out-of-credits' }>

function breakOff({ admitted: { call }, reader }: Ended, end: BadEnd): void {
  const broken = reader.fail?.(refusalFor(call, end), call.requestId)
  if (broken === undefined) call.client.cut()
  else call.client.end(broken)
}

function refusalFor({ endpoint, quirks = NO_QUIRKS }: Call, end: BadEnd): Refusal {
  return toldTo(quirks, refusalOfEnd(end, endpoint))
}

function refusalOfEnd(end: BadEnd, endpoint: EndpointName): Refusal {
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
