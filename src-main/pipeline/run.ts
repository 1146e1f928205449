// The journey of a call: read the request, resolve its model, admit it, relay it, settle it. Authentication came before, so
// that nobody's body is read for nothing. From the moment a hold exists, every way out goes through `close`.

import type { Catalog } from '#catalog/catalog.ts'
import { keyStatus } from '#core/entities.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { isRefusal, refuse, REFUSALS, type Refusal } from '#core/refusal.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { chatStreamError } from '#dialect/chat-completions/errors.ts'
import { errorBody, retryHeaders } from '#dialect/errors.ts'
import { admit, type Admission } from '#pipeline/admit.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import { readRequest, type EndpointName, type EndpointRequest } from '#pipeline/endpoints.ts'
import type { Gate } from '#pipeline/gate.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Client, Clock, Headers, Transport, UpstreamHeaders } from '#pipeline/ports.ts'
import { Relay, type RelayEnd } from '#pipeline/relay.ts'
import { resolveRoute, type Route } from '#pipeline/resolve.ts'
import { settlementOf, totalTokens } from '#pipeline/settle.ts'
import type { Ledger } from '#ledger/ledger.ts'

export type RunDeps = {
  readonly catalog: Catalog
  readonly ledger: Ledger
  readonly gate: Gate
  readonly open: OpenExchanges
  readonly transport: Transport
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
  /** Headers of the client that may be passed on. */
  readonly headers: Headers
  readonly client: Client
}

/** Serves one call to its end. Never throws: what goes wrong is answered, settled and reported. */
export async function runCall(call: Call, deps: RunDeps): Promise<void> {
  try {
    const request = readRequest(call.endpoint, call.text, call.byteLength)
    if (isRefusal(request)) return reply(call, request, {})
    const route = resolveRoute(deps.catalog, request, call.caller.package)
    if (isRefusal(route)) return reply(call, route, {})
    const { requestId: exchangeId, caller } = call
    const input = { exchangeId, caller, request, route }
    const admission = await admit(input, call.client, { ...deps, nowMs: deps.clock.nowMs })
    if (isRefusal(admission)) return reply(call, admission, limitHeaders(call, deps))
    await serve({ call, request, route, admission }, deps)
  } catch (error) {
    deps.reportFault(error, call.requestId)
    // Whoever has a part of an answer must not take it for a whole one.
    if (call.client.hasBegun) call.client.cut()
    else reply(call, refuse('internal', 'Farebox made a mistake. It is reported in its log.'), {})
  }
}

type Admitted = {
  readonly call: Call
  readonly request: EndpointRequest
  readonly route: Route
  readonly admission: Admission
}

/** From the hold to the last byte. */
async function serve(admitted: Admitted, deps: RunDeps): Promise<void> {
  const startedMs = deps.clock.monotonicMs()
  const reader = admitted.request.newReader()
  const relay = newRelay(admitted, reader, deps)
  const running = {
    keyId: admitted.call.caller.key.id,
    startedAtMs: startedMs,
    stop: (refusal: Refusal) => relay.stop(refusal),
  }
  deps.open.add(running)
  // The key may have been blocked while the body was on its way, or while the call waited to be admitted.
  if (!isUsable(running.keyId, deps)) deps.open.stopKey(running.keyId)
  relay.start()
  const end = await relay.ended
  if (end.type === 'fault') deps.reportFault(end.error, admitted.call.requestId)
  const recorded = await close({ admitted, reader, relay, end, startedMs }, deps)
  conclude(admitted, relay, recorded, deps)
  deps.open.remove(running)
}

function isUsable(keyId: string, { catalog, clock }: RunDeps): boolean {
  const key = catalog.key(keyId)
  return key !== undefined && keyStatus(key, clock.nowMs()) === 'active'
}

function newRelay({ call, request, route, admission }: Admitted, reader: AnswerReader, deps: RunDeps): Relay {
  const { provider, target } = route
  return new Relay({
    transport: deps.transport,
    providerName: provider.name,
    makeRequest: () => ({
      provider,
      path: request.upstreamPath,
      body: request.edit(target.upstreamModel, admission.outputCap, provider.outputCapField),
      headers: call.headers,
    }),
    isStream: request.isStream,
    reader,
    client: call.client,
    begin: (headers) => call.client.begin(200, answerHeaders({ call, request, route, admission }, headers, deps)),
    monotonicMs: deps.clock.monotonicMs,
  })
}

type Ended = {
  readonly admitted: Admitted
  readonly reader: AnswerReader
  readonly relay: Relay
  readonly end: RelayEnd
  readonly startedMs: number
}

/** Settles the hold and waits until that is on disk. Returns how the client is to be told: a charge that could not be
 * recorded turns a complete answer into a failed one. */
async function close(ended: Ended, deps: RunDeps): Promise<RelayEnd> {
  const { admitted, reader, relay, end, startedMs } = ended
  const nowMs = deps.clock.monotonicMs()
  const settlement = settlementOf({
    caller: admitted.call.caller,
    request: admitted.request,
    route: admitted.route,
    reader,
    end,
    hasBegun: relay.hasBegun,
    createdAtMs: admitted.admission.hold.createdAtMs,
    firstByteMs: relay.firstByteAtMs === undefined ? undefined : Math.round(relay.firstByteAtMs - startedMs),
    durationMs: Math.round(nowMs - startedMs),
  })
  deps.gate.leave(admitted.admission.ticket, totalTokens(settlement))
  try {
    await deps.ledger.resolve(admitted.admission.hold, settlement)
    return end
  } catch (error) {
    deps.reportFault(error, admitted.call.requestId)
    return {
      type: 'stopped',
      refusal: refuse('overloaded', 'The charge could not be recorded.', { retryAfterSeconds: 5 }),
    }
  }
}

/** The last bytes to the client, in the form that fits how far the answer got. */
function conclude(admitted: Admitted, relay: Relay, end: RelayEnd, deps: RunDeps): void {
  const { call } = admitted
  if (end.type === 'client-gone') return
  if (end.type === 'complete') {
    if (!relay.hasBegun) call.client.begin(200, answerHeaders(admitted, relay.headers, deps))
    return call.client.end(end.final)
  }
  if (relay.hasBegun) return call.client.end(chatStreamError(refusalOfEnd(end), call.requestId))
  const headers = limitHeaders(call, deps)
  if (end.type !== 'refused') return reply(call, refusalOfEnd(end), headers)
  call.client.begin(end.status, { 'content-type': 'application/json', ...baseHeaders(call), ...headers })
  call.client.end(end.body)
}

function refusalOfEnd(end: Exclude<RelayEnd, { type: 'complete' | 'client-gone' }>): Refusal {
  switch (end.type) {
    case 'failed':
      return refusalOfFailure(end.failure)
    case 'stopped':
      return end.refusal
    case 'refused':
      return refuse('upstream_error', `The provider refused the request (${end.status}).`)
    case 'fault':
      return refuse('internal', 'Farebox made a mistake. It is reported in its log.')
  }
}

/** Headers of providers that say something about the answer and nothing about our account there. */
const PASSED_HEADERS = ['openai-processing-ms', 'openai-version']

function answerHeaders(admitted: Admitted, upstream: UpstreamHeaders, deps: RunDeps): Headers {
  const { call, request, admission } = admitted
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
  for (const name of PASSED_HEADERS) {
    const value = upstream[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

function limitHeaders(call: Call, deps: RunDeps): Headers {
  return deps.gate.headers(call.caller.key.id, call.caller.package.limits)
}

function baseHeaders(call: Call): Headers {
  return { 'x-request-id': call.requestId }
}

function reply(call: Call, refusal: Refusal, headers: Headers): void {
  const { status } = REFUSALS[refusal.code]
  call.client.begin(status, {
    'content-type': 'application/json',
    ...baseHeaders(call),
    ...headers,
    ...retryHeaders(refusal),
  })
  call.client.end(Buffer.from(errorBody(refusal, call.requestId)))
}
