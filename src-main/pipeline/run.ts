// The journey of a call: read the request, resolve its model, make it ready for its provider, admit it, relay it, settle it.
// Authentication came before, so that nobody's body is read for nothing. From the moment a hold exists, every way out goes
// through `close`.

import type { Catalog } from '#catalog/catalog.ts'
import { keyStatus } from '#core/entities.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { Adaptations } from '#pipeline/adapt.ts'
import { admit, type Admission } from '#pipeline/admit.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import { readRequest, type EndpointName, type EndpointRequest, type Prepared } from '#pipeline/endpoints.ts'
import type { Gate } from '#pipeline/gate.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Client, Clock, Headers, TokenCounter, Transport, UpstreamHeaders } from '#pipeline/ports.ts'
import { Relay, type RelayEnd } from '#pipeline/relay.ts'
import { baseHeaders, overflowRefusal, replyProviderError, replyRefusal, translateError } from '#pipeline/reply.ts'
import { resolveRoute, type Route } from '#pipeline/resolve.ts'
import { settlementOf, usedTokens } from '#pipeline/settle.ts'
import type { Ledger } from '#ledger/ledger.ts'

export type RunDeps = {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly gate: Gate
  readonly open: OpenExchanges
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

/** From the hold to the last byte. */
async function serve(admitted: Admitted, deps: RunDeps): Promise<void> {
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
  // The key may have been blocked while the body was on its way, or while the call waited to be admitted.
  if (!isUsable(running.keyId, deps)) deps.open.stopKey(running.keyId)
  attempt.relay.start()
  let end = await attempt.relay.ended
  for (let retries = 0; retries < MAX_RETRIES; retries += 1) {
    const refused = refusedMembers(attempt, end, deps)
    if (refused.length === 0) break
    for (const name of refused) leaveOut.add(name)
    attempt = newAttempt(admitted, leaveOut, deps)
    if (stopped !== undefined) attempt.relay.stop(stopped)
    attempt.relay.start()
    end = await attempt.relay.ended
  }
  if (end.type === 'fault') deps.reportFault(end.error, admitted.call.requestId)
  const ended = { ...attempt, end, startedMs }
  const recorded = await close(ended, deps)
  conclude(ended, recorded, deps)
  deps.open.remove(running)
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
  })
  return { admitted, body, reader, relay, dropped }
}

type Ended = Attempt & { readonly end: RelayEnd; readonly startedMs: number }

type Recorded = { readonly end: RelayEnd; readonly usage: TokenUsage }

/** Settles the hold and waits until that is on disk. Returns how the client is to be told: a charge that could not be
 * recorded turns a complete answer into a failed one. */
async function close(ended: Ended, deps: RunDeps): Promise<Recorded> {
  const { admitted, reader, relay, end, startedMs } = ended
  const nowMs = deps.clock.monotonicMs()
  const ending = {
    caller: admitted.call.caller,
    request: admitted.request,
    route: admitted.route,
    reader,
    end,
    hasBegun: relay.hasBegun,
    createdAtMs: admitted.admission.hold.createdAtMs,
    firstByteMs: relay.firstByteAtMs === undefined ? undefined : Math.round(relay.firstByteAtMs - startedMs),
    durationMs: Math.round(nowMs - startedMs),
  }
  deps.gate.leave(admitted.admission.ticket, usedTokens(ending))
  const settlement = await settlementOf(ending, deps.counter)
  try {
    await deps.ledger.resolve(admitted.admission.hold, settlement)
    return { end, usage: settlement }
  } catch (error) {
    deps.reportFault(error, admitted.call.requestId)
    const refusal = refuse('overloaded', 'The charge could not be recorded.', { retryAfterSeconds: 5 })
    return { end: { type: 'stopped', refusal }, usage: settlement }
  }
}

/** The last bytes to the client, in the form that fits how far the answer got. */
function conclude(ended: Ended, { end, usage }: Recorded, deps: RunDeps): void {
  const { admitted, reader, relay } = ended
  const { call, prepared } = admitted
  if (end.type === 'client-gone') return
  if (end.type === 'complete') {
    if (!relay.hasBegun) call.client.begin(200, answerHeaders(ended, relay.headers, deps))
    return call.client.end(reader.final(usage))
  }
  if (relay.hasBegun) {
    const last = reader.fail?.(refusalOfEnd(end, call.endpoint), call.requestId)
    return last === undefined ? call.client.cut() : call.client.end(last)
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

function refusalOfEnd(end: Exclude<RelayEnd, { type: 'complete' | 'client-gone' }>, endpoint: EndpointName): Refusal {
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
