// The journey of a call: read the request, resolve its model, make it ready for its provider, admit it, relay it, settle it.
// Authentication came before, so that nobody's body is read for nothing. From the moment a hold exists, every way out goes
// through `close`.

import type { Catalog } from '#catalog/catalog.ts'
import { keyStatus } from '#core/entities.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AnswerReader, WireBytes } from '#dialect/answer.ts'
import type { Adaptations } from '#pipeline/adapt.ts'
import { admit, type Admission } from '#pipeline/admit.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import { creditGuard } from '#pipeline/credit-guard.ts'
import type { Drains } from '#pipeline/drains.ts'
import { readRequest, type EndpointName, type EndpointRequest, type Prepared } from '#pipeline/endpoints.ts'
import type { Gate } from '#pipeline/gate.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Client, Clock, Headers, TokenCounter, Transport, UpstreamHeaders } from '#pipeline/ports.ts'
import { Relay, type RelayEnd } from '#pipeline/relay.ts'
import { baseHeaders, overflowRefusal, replyProviderError, replyRefusal, translateError } from '#pipeline/reply.ts'
import { resolveRoute, type Route } from '#pipeline/resolve.ts'
import {
  faultSettlement,
  roughSettlementOf,
  settlementOf,
  usedTokens,
  undelivered,
  type AttemptNote,
} from '#pipeline/settle.ts'
import type { Ledger, Settlement } from '#ledger/ledger.ts'

export type RunDeps = {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly gate: Gate
  readonly open: OpenExchanges
  readonly drains: Drains
  readonly transport: Transport
  readonly counter: TokenCounter
  readonly adaptations: Adaptations
  readonly clock: Clock
  /** Told about mistakes of ours; gets no content. */
  readonly reportFault: (error: unknown, requestId: string) => void
}

export type Call = {
  /** Also the id of the exchange, its hold and its usage record. */
  readonly requestId: string
  readonly endpoint: EndpointName
  readonly caller: Caller
  /** The body as text and its size on the wire. */
  readonly text: string
  readonly byteLength: number
  /** Headers of the client that may be passed on to a provider of its own dialect. */
  readonly headers: Headers
  readonly client: Client
}

/** Serves one call to its end. Never throws: what goes wrong is answered, settled and reported. */
export async function runCall(call: Call, deps: RunDeps): Promise<void> {
  try {
    const request = readRequest(call.endpoint, call.text, call.byteLength)
    if (isRefusal(request)) return replyRefusal(call, request, {})
    const route = resolveRoute(deps.catalog, request, call.caller.package)
    if (isRefusal(route)) return replyRefusal(call, route, {})
    const { requestId: exchangeId, caller } = call
    const prepared = request.prepare({ ...route, exchangeId, nowMs: deps.clock.nowMs() })
    if (isRefusal(prepared)) return replyRefusal(call, prepared, {})
    const input = { exchangeId, caller, request, route }
    const admission = await admit(input, call.client, { ...deps, nowMs: deps.clock.nowMs })
    if (isRefusal(admission)) return replyRefusal(call, admission, limitHeaders(call, deps))
    await serve({ call, request, route, prepared, admission }, deps)
  } catch (error) {
    deps.reportFault(error, call.requestId)
    // Whoever has a part of an answer must not take it for a whole one.
    if (call.client.hasBegun) call.client.cut()
    else replyRefusal(call, refuse('internal', 'Farebox made a mistake. It is reported in its log.'), {})
  }
}

type Admitted = {
  readonly call: Call
  readonly request: EndpointRequest
  readonly route: Route
  readonly prepared: Prepared
  readonly admission: Admission
}

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
  const startedMs = deps.clock.monotonicMs()
  const leaveOut = new Set<string>()
  let attempt = newAttempt(admitted, leaveOut, deps)
  let stopped: Refusal | undefined
  const running = {
    keyId: admitted.call.caller.key.id,
    startedAtMs: startedMs,
    stop: (refusal: Refusal) => {
      stopped = refusal
      attempt.relay.stop(refusal)
    },
    look: () => attempt.relay.look(),
  }
  deps.open.add(running)
  try {
    // The key may have been blocked while the body was on its way, or while the call waited to be admitted.
    if (!isUsable(running.keyId, deps)) deps.open.stopKey(running.keyId)
    const attempts: AttemptNote[] = []
    let end = await run(attempt, attempts, deps)
    for (let retries = 0; retries < MAX_RETRIES; retries += 1) {
      const refused = refusedMembers(attempt, end, deps)
      if (refused.length === 0) break
      for (const name of refused) leaveOut.add(name)
      attempt = newAttempt(admitted, leaveOut, deps)
      if (stopped !== undefined) attempt.relay.stop(stopped)
      end = await run(attempt, attempts, deps)
    }
    if (end.type === 'fault') deps.reportFault(end.error, admitted.call.requestId)
    const ended = { ...attempt, end, startedMs, attempts }
    const recorded = await close(ended, deps)
    progress.isSettled = true
    conclude(ended, recorded, deps)
  } finally {
    deps.open.remove(running)
  }
}

/** A mistake of ours outside an attempt: nothing was delivered, so all that was taken is given back. */
async function giveUp({ call, request, route, admission }: Admitted, { gate, ledger }: RunDeps): Promise<void> {
  gate.leave(admission.ticket, 0)
  const { createdAtMs } = admission.hold
  await ledger.resolve(admission.hold, faultSettlement({ caller: call.caller, request, route, createdAtMs }))
}

/** Runs one attempt to its end and notes how it went. */
async function run({ relay }: Attempt, notes: AttemptNote[], { clock }: RunDeps): Promise<RelayEnd> {
  const startedMs = clock.monotonicMs()
  relay.start()
  const end = await relay.ended
  const outcome = end.type === 'client-gone' && end.isDrained ? 'drained' : end.type
  notes.push({ outcome, status: relay.status ?? null, duration_ms: Math.round(clock.monotonicMs() - startedMs) })
  return end
}

/** How often a request is sent again because its target does not take a member of it. */
const MAX_RETRIES = 4

type Attempt = {
  readonly admitted: Admitted
  readonly body: string
  readonly reader: AnswerReader
  readonly relay: Relay
  /** What the provider is not told. */
  readonly dropped: readonly string[]
}

/** The members for which a translated request was refused and that it can do without. */
function refusedMembers({ admitted, body }: Attempt, end: RelayEnd, deps: RunDeps): readonly string[] {
  if (end.type !== 'refused' || admitted.prepared.isPassed) return []
  return deps.adaptations.learn(admitted.route.target, end.body, body)
}

function isUsable(keyId: string, { catalog, clock }: RunDeps): boolean {
  const key = catalog.key(keyId)
  return key !== undefined && keyStatus(key, clock.nowMs()) === 'active'
}

function newAttempt(admitted: Admitted, leaveOut: ReadonlySet<string>, deps: RunDeps): Attempt {
  const { call, request, route, prepared, admission } = admitted
  const { provider, target } = route
  const whole = prepared.body(admission.outputCap)
  const { body, leftOut } = prepared.isPassed
    ? { body: whole, leftOut: [] }
    : deps.adaptations.apply(target, whole, leaveOut)
  const reader = prepared.newReader()
  const dropped = [...prepared.dropped, ...leftOut]
  const relay = new Relay({
    transport: deps.transport,
    providerName: provider.name,
    request: { provider, path: prepared.path, body, headers: prepared.isPassed ? call.headers : {} },
    isStream: request.isStream,
    reader,
    readError: prepared.readError,
    client: call.client,
    begin: (headers) => call.client.begin(200, answerHeaders({ admitted, dropped }, headers, deps)),
    monotonicMs: deps.clock.monotonicMs,
    guard: request.isStream ? guardOf(admitted, deps) : undefined,
    beginDrain: provider.onDisconnect === 'drain' ? (giveUp) => deps.drains.begin(giveUp) : undefined,
  })
  return { admitted, body, reader, relay, dropped }
}

function guardOf({ request, route, admission }: Admitted, { ledger }: RunDeps) {
  return creditGuard({
    ledger,
    hold: admission.hold,
    price: route.price,
    worstInputTokens: request.worstInputTokens,
    outputCap: request.choices * (admission.outputCap ?? 0),
  })
}

type Ended = Attempt & { readonly end: RelayEnd; readonly startedMs: number; readonly attempts: readonly AttemptNote[] }

type Recorded = {
  readonly end: RelayEnd
  /** What ends the answer, of one that has a valid end. */
  readonly last: WireBytes | undefined
}

/** Settles the hold and waits until that is on disk. Returns how the client is to be told: a charge that could not be
 * recorded turns a complete answer into a failed one. */
async function close(ended: Ended, deps: RunDeps): Promise<Recorded> {
  const { admission, call, request } = ended.admitted
  // The slot is free at once; counting tokens may take a moment.
  deps.gate.leave(admission.ticket, usedTokens({ ...ended, request, hasBegun: ended.relay.hasBegun }))
  const { end, last, settlement } = await finish(ended, deps)
  try {
    const isWithheld = end.type === 'complete' && !ended.relay.hasBegun
    await deps.ledger.resolve(admission.hold, settlement, isWithheld ? undelivered(settlement) : undefined)
    return { end, last }
  } catch (error) {
    deps.reportFault(error, call.requestId)
    const refusal = refuse('overloaded', 'The charge could not be recorded.', { retryAfterSeconds: 5 })
    return { end: { type: 'stopped', refusal }, last: undefined }
  }
}

/**
 * What is charged, and what ends the answer. Both are made before anything is recorded, so that an end that cannot be made is a
 * fault that is settled as one.
 */
async function finish(ended: Ended, deps: RunDeps): Promise<Recorded & { readonly settlement: Settlement }> {
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
  const { admitted, reader, relay, end, startedMs, attempts } = ended
  const ending = {
    caller: admitted.call.caller,
    request: admitted.request,
    route: admitted.route,
    reader,
    end,
    hasBegun: relay.hasBegun,
    createdAtMs: admitted.admission.hold.createdAtMs,
    firstByteMs: relay.firstByteAtMs === undefined ? undefined : Math.round(relay.firstByteAtMs - startedMs),
    durationMs: Math.round(deps.clock.monotonicMs() - startedMs),
    attempts,
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
function conclude(ended: Ended, { end, last }: Recorded, deps: RunDeps): void {
  const { admitted, reader, relay } = ended
  const { call, prepared } = admitted
  if (end.type === 'client-gone') return
  if (end.type === 'complete') {
    if (!relay.hasBegun) call.client.begin(200, answerHeaders(ended, relay.headers, deps))
    return call.client.end(last)
  }
  if (end.type === 'out-of-credits') return call.client.end(last)
  if (relay.hasBegun) {
    const broken = reader.fail?.(refusalOfEnd(end, call.endpoint), call.requestId)
    return broken === undefined ? call.client.cut() : call.client.end(broken)
  }
  const headers = limitHeaders(call, deps)
  if (end.type === 'refused' && prepared.isPassed) return replyProviderError(call, end, headers)
  const refusal = refusalOfEnd(end, call.endpoint)
  // Codex sees that a context is full only inside a stream; before one, it gives up.
  if (call.endpoint === 'responses' && refusal.details?.['code'] !== undefined && reader.fail !== undefined) {
    call.client.begin(200, answerHeaders(ended, relay.headers, deps))
    return call.client.end(reader.fail(refusal, call.requestId))
  }
  replyRefusal(call, refusal, headers)
}

function refusalOfEnd(
  end: Exclude<RelayEnd, { type: 'complete' | 'client-gone' | 'out-of-credits' }>,
  endpoint: EndpointName,
): Refusal {
  switch (end.type) {
    case 'failed': {
      const refusal = refusalOfFailure(end.failure)
      // Some providers say that a context is full only when they have begun to answer.
      const isReported = end.failure.kind === 'reported' && refusal.code === 'invalid_request'
      return (isReported ? overflowRefusal(endpoint, refusal.message) : undefined) ?? refusal
    }
    case 'stopped':
      return end.refusal
    case 'refused':
      return translateError(endpoint, end.status, end.body)
    case 'fault':
      return refuse('internal', 'Farebox made a mistake. It is reported in its log.')
  }
}

/** Headers of providers that say something about the answer and nothing about our account there. */
const PASSED_HEADERS = ['openai-processing-ms', 'openai-version']

function answerHeaders(
  { admitted, dropped }: Pick<Attempt, 'admitted' | 'dropped'>,
  upstream: UpstreamHeaders,
  deps: RunDeps,
): Headers {
  const { call, request, prepared, admission } = admitted
  const headers: Record<string, string> = {
    'content-type': request.isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    ...baseHeaders(call),
    ...limitHeaders(call, deps),
  }
  if (request.isStream) {
    headers['cache-control'] = 'no-cache, no-transform'
    headers['x-accel-buffering'] = 'no'
  }
  if (admission.adjusted !== undefined) headers['x-farebox-adjusted'] = admission.adjusted
  if (dropped.length > 0) headers['x-farebox-dropped'] = headerList(dropped)
  if (!prepared.isPassed) return headers
  for (const name of PASSED_HEADERS) {
    const value = upstream[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

const MAX_HEADER_LENGTH = 2000

/** Names in a header: as many as fit, without the characters that a header must not have. */
function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replaceAll(/[^\x21-\x7e]+/g, '_').replaceAll(',', '_'))
    .join(', ')
    .slice(0, MAX_HEADER_LENGTH)
}

function limitHeaders(call: Call, deps: RunDeps): Headers {
  return deps.gate.headers(call.caller.key.id, call.caller.package.limits, call.endpoint)
}
