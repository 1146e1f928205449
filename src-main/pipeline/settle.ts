// What an exchange is charged, on every way that it can end: what was answered or delivered is paid for, nothing else is.

import { estimateOutputTokens } from '#core/estimate.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { ZERO } from '#core/money.ts'
import { priceOf } from '#core/pricing.ts'
import { REFUSALS } from '#core/refusal.ts'
import { UNKNOWN_USAGE, type TokenUsage, type UsageSource } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { countableOf } from '#dialect/count.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'
import type { TokenCounter } from '#pipeline/ports.ts'
import type { RelayEnd } from '#pipeline/relay.ts'
import type { Route } from '#pipeline/resolve.ts'
import type { Settlement } from '#ledger/ledger.ts'
import type { Outcome } from '#ledger/rows.ts'

export type Ending = {
  readonly caller: Caller
  readonly request: EndpointRequest
  readonly route: Route
  readonly reader: AnswerReader
  readonly end: RelayEnd
  /** Whether any byte of the answer reached the client. */
  readonly hasBegun: boolean
  readonly createdAtMs: number
  readonly firstByteMs: number | undefined
  readonly durationMs: number
}

/** The status of an exchange whose client left before it got one; nginx's convention. */
const CLIENT_GONE_STATUS = 499

export async function settlementOf(ending: Ending, counter: TokenCounter): Promise<Settlement> {
  const { usage, source } = await usageOf(ending, counter)
  const { caller, request, route } = ending
  return {
    packageId: caller.package.id,
    endpoint: request.endpoint,
    providerId: route.provider.id,
    upstreamModel: route.target.upstreamModel,
    isStream: request.isStream,
    outcome: outcomeOf(ending),
    status: statusOf(ending),
    ...usage,
    usageSource: source,
    chargeMicro: source === 'none' ? ZERO : priceOf(usage, route.price),
    createdAtMs: ending.createdAtMs,
    firstByteMs: ending.firstByteMs,
    durationMs: ending.durationMs,
  }
}

/** What an exchange used, for the tokens-per-minute limit; known at once, since its slot must not wait for a count. */
export function usedTokens({ reader, request, hasBegun, end }: Ending): number {
  if (reader.usage !== undefined) return totalTokens(reader.usage)
  const isAnswered = end.type === 'complete' || hasBegun
  return isAnswered ? request.likelyInputTokens + estimateOutputTokens(reader.generated.bytes) : 0
}

function totalTokens(usage: TokenUsage): number {
  return (
    (usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0) + (usage.outputTokens ?? 0)
  )
}

/** A client whose answer broke off waits for the word that it did; one that is gone or has its whole answer does not. */
const PATIENCE_MS = 250

type Counted = { readonly usage: TokenUsage; readonly source: UsageSource }

async function usageOf(ending: Ending, counter: TokenCounter): Promise<Counted> {
  const { reader, end, hasBegun } = ending
  if (end.type !== 'complete' && !hasBegun) return { usage: UNKNOWN_USAGE, source: 'none' }
  const reported = reader.usage
  if (reported?.inputTokens !== undefined && reported.outputTokens !== undefined) {
    return { usage: reported, source: 'reported' }
  }
  const count: Count = (texts) => counter.count(texts, isAwaited(end) ? PATIENCE_MS : undefined)
  const [inputTokens, outputTokens] = await Promise.all([
    reported?.inputTokens ?? countInput(ending.request, count),
    reported?.outputTokens ?? countOutput(ending, count),
  ])
  return { usage: { ...(reported ?? UNKNOWN_USAGE), inputTokens, outputTokens }, source: 'estimated' }
}

type Count = (texts: readonly string[]) => Promise<number>

function isAwaited(end: RelayEnd): boolean {
  return end.type !== 'complete' && end.type !== 'client-gone'
}

async function countInput(request: EndpointRequest, count: Count): Promise<number> {
  const conversation = request.conversation()
  if (conversation === undefined) return request.likelyInputTokens
  const { texts, overheadTokens } = countableOf(conversation)
  return (await count(texts)) + overheadTokens
}

async function countOutput({ request, reader }: Ending, count: Count): Promise<number> {
  if (request.choices === 0) return 0
  const { generated } = reader
  const text = generated.text()
  const kept = Buffer.byteLength(text)
  if (kept === 0) return Math.max(1, estimateOutputTokens(generated.bytes))
  const tokens = await count([text])
  // Of a very long answer only the beginning was kept; the rest is taken to be like it.
  return Math.max(1, Math.ceil((tokens * generated.bytes) / kept))
}

function outcomeOf({ end, hasBegun }: Ending): Outcome {
  switch (end.type) {
    case 'complete':
      return 'answered'
    case 'refused':
      return 'refused'
    case 'client-gone':
      return 'client_gone'
    case 'failed':
    case 'stopped':
    case 'fault':
      return hasBegun ? 'cut' : 'failed'
  }
}

function statusOf({ end, hasBegun }: Ending): number {
  if (hasBegun) return 200
  switch (end.type) {
    case 'complete':
      return 200
    case 'refused':
      return end.status
    case 'client-gone':
      return CLIENT_GONE_STATUS
    case 'failed':
      return REFUSALS[refusalOfFailure(end.failure).code].status
    case 'stopped':
      return REFUSALS[end.refusal.code].status
    case 'fault':
      return 500
  }
}
