// Counts the input tokens of a request before it is sent: by the provider where it counts, by our own tokenizer where it does
// not, cannot, or does not answer in time. Counting is free: nothing is held, charged or recorded.

import type { Pause } from '#pipeline/pause.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ClientDialect, CountEndpoint } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, countOf, dialectOf, headersFor } from '#dialect/dialects.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import type { AnswerMemory } from '#pipeline/answer-memory.ts'
import { isPassedTo, recalled } from '#pipeline/chat-body.ts'
import { countRequest, readDistantCount, readGivenCount, type CountRequest } from '#pipeline/count-request.ts'
import { answersOf } from '#pipeline/endpoints.ts'
import type { Call } from '#pipeline/exchange.ts'
import type { Client, TokenCounter, Transport, UpstreamRequest } from '#pipeline/ports.ts'
import { plainTarget } from '#pipeline/prepare.ts'
import { baseHeaders, replyProviderError, replyRefusal, type ProviderRefusal } from '#pipeline/reply.ts'
import { turnAway, type RefusedCalls } from '#pipeline/refused-calls.ts'
import { resolveModel } from '#pipeline/resolve.ts'
import { Routing, orderPlaces, type Place, type RoutingDeps } from '#pipeline/routing.ts'

export type CountDeps = {
  readonly catalog: Catalog
  readonly transport: Transport
  readonly counter: TokenCounter
  readonly limiter: CountLimiter
  readonly pause: Pause
  readonly answers: AnswerMemory
  readonly routing: RoutingDeps
  readonly refused: Pick<RefusedCalls, 'note'>
  /** Told about mistakes of ours; gets no content. */
  readonly reportFault: (error: unknown, requestId: string) => void
}

/** A provider that has not counted by then is not waited for: our own estimate is good enough to go on with. */
const PROVIDER_TIME_LIMIT_MS = 10_000
const MAX_ANSWER_BYTES = 1024 * 1024

/** How many counts of one key may run at a time. Claude Code sends 24 at once; they are no part of the rate limits. */
const MAX_PARALLEL = 64

/** Counting is free, so it is bounded for each key by how many counts run at a time. */
export class CountLimiter {
  readonly #running = new Map<string, number>()

  /** Runs a count, or refuses it. */
  async run(keyId: string, count: () => Promise<void>): Promise<Refusal | undefined> {
    const running = this.#running.get(keyId) ?? 0
    if (running >= MAX_PARALLEL) {
      const message = `More than ${MAX_PARALLEL} counts of this key are running. Retry when some have ended.`
      return refuse('rate_limited', message, { retryAfterSeconds: 1 })
    }
    this.#running.set(keyId, running + 1)
    try {
      await count()
    } finally {
      const left = (this.#running.get(keyId) ?? 1) - 1
      if (left === 0) this.#running.delete(keyId)
      else this.#running.set(keyId, left)
    }
    return undefined
  }
}

/** Answers a request to count, at an endpoint whose format has a way to. Never throws: what goes wrong is answered and reported. */
export async function runCount(call: Call, deps: CountDeps): Promise<void> {
  try {
    await answerCount(call, deps)
  } catch (error) {
    deps.reportFault(error, call.requestId)
    if (call.client.hasBegun) call.client.cut()
    else replyRefusal(call, refuse('internal', 'Something went wrong inside Farebox. Its log has the details.'), {})
  }
}

async function answerCount(call: Call, deps: CountDeps): Promise<void> {
  const client = CLIENT_DIALECTS[call.endpoint]
  const count = countOf(client)
  if (client.family !== undefined || client.kind !== 'chat' || count === undefined)
    throw new Error(`the format '${call.endpoint}' has no way to count`)
  const paused = deps.pause.refusal()
  if (paused !== undefined) return turnAway({ call, refusal: paused }, deps)
  const request = await readRequest(call, deps.answers)
  if (isRefusal(request)) return turnAway({ call, refusal: request }, deps)
  const wanted = { model: request.model, kind: client.kind, endpoint: call.endpoint }
  const served = resolveModel(deps.catalog, wanted, call.caller.package)
  if (isRefusal(served)) return turnAway({ call, model: request.model, refusal: served }, deps)
  const place = new Routing(orderPlaces(served.places, undefined, deps.routing.random), deps.routing).next()?.place
  if (place === undefined) throw new Error('a model has no place')
  const busy = await deps.limiter.run(call.caller.key.id, async () => {
    const counted = await countInput({ call, client, count, request, place }, deps)
    if (isRefusal(counted)) return turnAway({ call, model: request.model, refusal: counted }, deps)
    if (typeof counted !== 'number') return replyProviderError(call, counted, {})
    call.client.begin(200, { 'content-type': 'application/json', ...baseHeaders(call) })
    call.client.end(count.writeAnswer(counted))
  })
  if (busy !== undefined) turnAway({ call, model: request.model, refusal: busy }, deps)
}

/** A large conversation is read where it is kept. */
function readRequest(
  { endpoint, text, byteLength, asked, caller }: Call,
  answers: AnswerMemory,
): CountRequest | Refusal | Promise<CountRequest | Refusal> {
  const own = { answers, keyId: caller.key.id }
  if (typeof text !== 'string' && 'ask' in text) return readDistantCount(text, own)
  const given = readGivenCount(CLIENT_DIALECTS[endpoint], text, byteLength, asked)
  const chat = isRefusal(given) ? given : recalled(given, answersOf(own))
  return isRefusal(chat) ? chat : countRequest(chat)
}

type Counting = {
  readonly call: Call
  readonly client: ClientDialect
  readonly count: CountEndpoint
  readonly request: CountRequest
  readonly place: Place
}
type ProviderError = ProviderRefusal

async function countInput({ call, client, count, request, place }: Counting, { transport, counter }: CountDeps) {
  const { provider, target } = place
  const isPassed = isPassedTo({ client }, provider)
  const written = await request.write(plainTarget(provider, target))
  if (isRefusal(written)) return written
  if (written !== undefined) {
    const headers = isPassed ? headersFor(call.endpoint, provider, call.headers) : {}
    const answer = await ask(transport, { provider, ...written, headers, hops: call.hops }, call.client)
    // A judgement of the client's own words is the client's to read; for anything else the estimate stands in.
    if (isPassed && isJudgement(answer)) return answer
    const counted = countIn(answer, (body) =>
      isPassed ? count.readCount(body) : dialectOf(provider).count?.read(body),
    )
    if (counted !== undefined) return counted
  }
  const countable = await request.countable()
  if (isRefusal(countable)) return countable
  return (await counter.count(countable.texts)) + countable.overheadTokens
}

/** A page with such a status comes from something in between, which knows nothing about the request. */
function isJudgement(answer: ProviderError | undefined): answer is ProviderError {
  if (answer?.status !== 400 && answer?.status !== 413) return false
  return isRecord(parseJson(answer.body.toString('utf8')))
}

function countIn(
  answer: ProviderError | undefined,
  read: (body: JsonObject) => number | undefined,
): number | undefined {
  if (answer?.status !== 200) return undefined
  const body: unknown = parseJson(answer.body.toString('utf8'))
  return isRecord(body) ? read(body) : undefined
}

/** One whole answer of a provider; undefined where it fails, is too large, or takes too long. */
function ask(transport: Transport, request: UpstreamRequest, client: Client): Promise<ProviderError | undefined> {
  return new Promise((resolve) => {
    let status = 0
    let length = 0
    const chunks: Buffer[] = []
    const end = (answer: ProviderError | undefined) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const giveUp = () => {
      upstream.abort()
      end(undefined)
    }
    const timer = setTimeout(giveUp, PROVIDER_TIME_LIMIT_MS)
    const upstream = transport.send(request, {
      onHead: (given) => {
        status = given
      },
      onData: (chunk) => {
        length += chunk.length
        if (length > MAX_ANSWER_BYTES) giveUp()
        else chunks.push(chunk)
      },
      onEnd: () => end({ status, body: Buffer.concat(chunks), isVerbatim: true }),
      onFailure: () => end(undefined),
    })
    client.onCancel(giveUp)
  })
}
