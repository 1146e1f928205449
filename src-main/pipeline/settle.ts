// What an exchange is charged, on every way that it can end: what was answered or delivered is paid for, nothing else is.

import { estimateOutputTokens } from '#core/estimate.ts'
import { refusalOfFailure } from '#core/failure.ts'
import { ZERO } from '#core/money.ts'
import { priceOf } from '#core/pricing.ts'
import { REFUSALS } from '#core/refusal.ts'
import { UNKNOWN_USAGE, type TokenUsage, type UsageSource } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'
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

export function settlementOf(ending: Ending): Settlement {
  const { usage, source } = usageOf(ending)
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

/** Tokens of every class, for the tokens-per-minute limit. */
export function totalTokens(usage: TokenUsage): number {
  return (
    (usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0) + (usage.outputTokens ?? 0)
  )
}

function usageOf(ending: Ending): { usage: TokenUsage; source: UsageSource } {
  const { reader, end, hasBegun, request } = ending
  if (end.type !== 'complete' && !hasBegun) return { usage: UNKNOWN_USAGE, source: 'none' }
  const reported = reader.usage
  if (reported?.inputTokens !== undefined && reported.outputTokens !== undefined) {
    return { usage: reported, source: 'reported' }
  }
  const generated = request.choices === 0 ? 0 : Math.max(1, estimateOutputTokens(reader.textBytes))
  const estimated: TokenUsage = {
    ...(reported ?? UNKNOWN_USAGE),
    inputTokens: reported?.inputTokens ?? request.likelyInputTokens,
    outputTokens: reported?.outputTokens ?? generated,
  }
  return { usage: estimated, source: 'estimated' }
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
