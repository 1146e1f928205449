// What a client is told in place of an answer of a target that was asked enough for the state that it is in.

import { accountFailure, refusalOfFailure } from '#core/failure.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { TargetHealth } from '#pipeline/health.ts'
import type { Restrained } from '#pipeline/restraint.ts'

export type KnownState = { readonly restrained: Restrained; readonly health: TargetHealth; readonly nowMs: number }

/** A target that may answer again any moment is not to be waited for as long as it may be left out. */
const LONGEST_WAIT_SECONDS = 10

export function refusalOfState(providerName: string, { restrained, health, nowMs }: KnownState): Refusal {
  const { lastFailure, untilMs } = health
  const status = lastFailure?.status
  if (status !== undefined && (restrained.why === 'refuses-account' || lastFailure?.kind === 'secret')) {
    return refusalOfFailure(accountFailure(providerName, status))
  }
  const leftSeconds = Math.max(1, Math.ceil(((untilMs ?? 0) - nowMs) / 1000))
  if (status === 429) {
    const message = `The provider '${providerName}' has too much to do and asked for patience.`
    return refuse('rate_limited', message, { retryAfterSeconds: leftSeconds })
  }
  const message = `The provider '${providerName}' fails at the moment, and was asked enough to see whether it still does.`
  return refuse('overloaded', message, { retryAfterSeconds: Math.min(leftSeconds, LONGEST_WAIT_SECONDS) })
}
