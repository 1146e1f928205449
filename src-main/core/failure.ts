// Failures: an upstream broke. They are typed errors, never refusals (Farebox says no) nor faults (our bugs).

import { refuse, type Refusal } from '#core/refusal.ts'

export type FailureKind =
  | 'connect' // no connection could be made
  | 'address' // the provider is where it may not be, so that nothing was connected to
  | 'timeout' // connected, but too slow
  | 'closed' // the connection broke, or ended before the answer did
  | 'malformed' // the answer is not of the form that the dialect asks for
  | 'too_large' // the answer passes our bounds
  | 'secret' // the provider refuses our secret, or none can be read
  | 'status' // the provider answered with an error status
  | 'reported' // the provider told of an error inside its answer; the message is its own words, for the client alone
  | 'aborted' // we stopped it: the client went, the key was revoked, Farebox shuts down

export class UpstreamFailure extends Error {
  readonly kind: FailureKind
  readonly retryAfterSeconds: number | undefined
  /** The provider's HTTP status, for kind `status` and `secret`, and for a refusal that is `malformed`. */
  readonly status: number | undefined
  /** The name of what it reported, for kind `reported`, where the words alone may not tell; `insufficient_quota` also with a status. */
  readonly code: string | undefined
  /** Whether it befell what gets tokens with a secret, before the provider itself was asked. */
  readonly isOfToken: boolean
  /** Whether the request or the model's own output caused it: the provider answers, and nothing is known of its health. */
  readonly isModelOutput: boolean

  constructor(
    kind: FailureKind,
    message: string,
    details: {
      status?: number
      retryAfterSeconds?: number | undefined
      code?: string | undefined
      isOfToken?: true
      isModelOutput?: boolean
    } = {},
  ) {
    super(message)
    this.name = 'UpstreamFailure'
    this.kind = kind
    this.status = details.status
    this.retryAfterSeconds = details.retryAfterSeconds
    this.code = details.code
    this.isOfToken = details.isOfToken === true
    this.isModelOutput = details.isModelOutput === true
  }
}

/** The model wrote what is no answer, such as a tool call without a name; the provider delivered it as it should. */
export function brokenOutput(message: string): UpstreamFailure {
  return new UpstreamFailure('malformed', message, { isModelOutput: true })
}

/** Statuses with which a provider refuses us, whatever was asked. 407 is a proxy in between. */
export const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 407])

/** A provider refuses our secret or our account there. */
export function accountFailure(providerName: string, status: number): UpstreamFailure {
  const message = `The provider '${providerName}' refuses Farebox's secret or account (${status}). The administrator must look after it.`
  return new UpstreamFailure('secret', message, { status })
}

const ACCOUNT_STATUSES = [401, 402, 403]

/** The code of a failure whose words say that the account has nothing left. */
export const OUT_OF_QUOTA = 'insufficient_quota'

/** Whether a provider that answered 429 means the account, whose credits or plan are used up, and not the pace. */
export function isOutOfQuota({ code }: UpstreamFailure): boolean {
  return code === OUT_OF_QUOTA
}

/** Whether a failure says something about the secret that a provider was shown, or its account, and nothing about the request. */
export function isAboutSecret(failure: UpstreamFailure): boolean {
  const { kind, status, isOfToken } = failure
  if (kind === 'secret' || isOfToken) return true
  return status === 429 || (status !== undefined && isAboutAccount(failure))
}

/** Whether a provider reported, inside its answer, what it has against Farebox and not against the request. */
export function isAboutAccount({ kind, status }: UpstreamFailure): boolean {
  return kind === 'reported' && (status === undefined || ACCOUNT_STATUSES.includes(status))
}

/** What the client is told about a failure before the first byte: 424, 502, 503 or 504. */
export function refusalOfFailure(failure: UpstreamFailure): Refusal {
  const retryAfterSeconds = failure.retryAfterSeconds
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  if (failure.kind === 'reported' && failure.status === 400) return refuse('invalid_request', failure.message)
  // An error that stands for no status, or for one of these, is about our own account, and its words are not for the client.
  if (isAboutAccount(failure)) {
    return refuse('provider_refuses', 'The provider reported that it refuses the secret or account of Farebox.')
  }
  // Without a status it is Farebox that has no secret to show, which may pass by itself.
  if (failure.kind === 'secret' && failure.status !== undefined) return refuse('provider_refuses', failure.message)
  if (failure.kind === 'timeout' || failure.status === 504 || failure.status === 408) {
    return refuse('upstream_timeout', failure.message, details)
  }
  if (failure.status === 429) return refuse('rate_limited', failure.message, { retryAfterSeconds: 5, ...details })
  if (failure.status === 503 || failure.status === 529) {
    return refuse('overloaded', failure.message, { retryAfterSeconds: 5, ...details })
  }
  return refuse('upstream_error', failure.message, details)
}
