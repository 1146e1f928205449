// What may be done about a failure while nothing of an answer has reached the client.

import { isAboutAccount, type UpstreamFailure } from '#core/failure.ts'

/** `here`: the same target may be asked again after a moment; `elsewhere`: only another target; `nowhere`: asking is of no use. */
export type Retry = 'here' | 'elsewhere' | 'nowhere'

/** A provider that asks for more patience than this is not waited for: the client is told, and knows better what to do. */
const MAX_PATIENCE_MS = 5000

export function retryOf(failure: UpstreamFailure): Retry {
  const { kind, status, retryAfterSeconds } = failure
  switch (kind) {
    case 'aborted':
    case 'too_large':
      return 'nowhere'
    case 'connect':
    case 'closed':
      return 'here'
    // A target that took all the time there is would take it again.
    case 'timeout':
    case 'malformed':
    case 'secret':
    case 'address':
      return 'elsewhere'
    case 'status':
    case 'reported':
      if (isAboutAccount(failure) || status === undefined) return 'elsewhere'
      if (status === 429) return retryAfterSeconds === undefined ? 'elsewhere' : 'here'
      if (status === 408 || status >= 500) return 'here'
      // Redirects and the like: a matter of how this target is set up. What a provider reports with 400 judges the request.
      return kind === 'status' ? 'elsewhere' : 'nowhere'
  }
}

/**
 * How long to wait before the same target is asked again, in milliseconds; undefined where it wants more than we have.
 * `random` is from 0 up to 1: without it all that failed together would come back together.
 */
export function retryDelayMs(
  failure: UpstreamFailure,
  { retries, baseMs, random }: { readonly retries: number; readonly baseMs: number; readonly random: number },
): number | undefined {
  const backoffMs = baseMs * 2 ** retries * (0.5 + random / 2)
  const askedMs = (failure.retryAfterSeconds ?? 0) * 1000
  // On top of what was asked for: those that were told the same would otherwise come back together.
  return askedMs > MAX_PATIENCE_MS ? undefined : askedMs + backoffMs
}

/**
 * Whether a failure says something about the target's health. What is wrong with the request, with what the model wrote, with our
 * account there or with our manners is not a sign of a sick target.
 */
export function isSickness({ kind, status, isModelOutput }: UpstreamFailure): boolean {
  if (isModelOutput) return false
  if (kind === 'aborted' || kind === 'secret' || kind === 'address' || kind === 'too_large') return false
  return status === undefined || status >= 500 || kind === 'timeout'
}

/** Whether a failure is expected to pass by itself, so that it makes sense for a client to ask again later. */
export function isPassing(failure: UpstreamFailure): boolean {
  return isSickness(failure) || failure.isModelOutput || failure.status === 429
}

/** Whether a failure may be the request's doing, when it repeats at another target. A server that is not there is not. */
export function mayBeRequest({ kind }: UpstreamFailure): boolean {
  return kind !== 'connect' && kind !== 'secret' && kind !== 'address'
}
