// An error that a provider reports inside an answer that began as a success.

import { UpstreamFailure } from '#core/failure.ts'
import { overflowName } from '#dialect/overflow.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { eventData } from '#dialect/sse.ts'

const MAX_WORDS = 1000

/** Statuses for the types and codes of OpenAI and of those who write like it. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  // What moderation does not like, by OpenAI, Azure and Alibaba.
  content_filter: 400,
  content_policy_violation: 400,
  moderation_blocked: 400,
  image_generation_user_error: 400,
  data_inspection_failed: 400,
  DataInspectionFailed: 400,
  // Groq: its model wrote a call that is none.
  tool_use_failed: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  overloaded_error: 503,
  server_is_overloaded: 503,
  slow_down: 503,
}

/** Statuses of errors that are about our own account: their words are not for the client, who could read of a secret in them. */
const OURS: Readonly<Record<string, number>> = {
  invalid_api_key: 401,
  authentication_error: 401,
  invalid_authentication: 401,
  insufficient_quota: 402,
  billing_error: 402,
  permission_error: 403,
}
const OTHER_STATUS = 500

/** `error` is the member of that name: an object, or the bare text that some servers send. */
export function reportedError(error: unknown): UpstreamFailure {
  const members = isRecord(error) ? error : { message: error }
  const { message, code, type } = members
  const words =
    typeof message === 'string' && message !== '' ? message : 'The provider reported an error in its answer.'
  const ours = ourStatus(code) ?? ourStatus(type)
  const status = ours ?? statusOf(code) ?? statusOf(type) ?? statusOf(members['status']) ?? OTHER_STATUS
  if (ours !== undefined || status === 401 || status === 402 || status === 403) {
    const text = 'The provider reported that it refuses the secret or account of Farebox.'
    return new UpstreamFailure('secret', text, { status })
  }
  return new UpstreamFailure('reported', words.slice(0, MAX_WORDS), { status, code: overflowName([code, type]) })
}

/** The same of an event. The words of an error are for the client, so they are read as text this time. */
export function reportedErrorIn(event: string): UpstreamFailure {
  const value = parseJson(Buffer.from(eventData(event) ?? '', 'latin1').toString('utf8'))
  return reportedError(isRecord(value) ? (value['error'] ?? value) : undefined)
}

function ourStatus(value: unknown): number | undefined {
  return typeof value === 'string' && Object.hasOwn(OURS, value) ? OURS[value] : undefined
}

function statusOf(value: unknown): number | undefined {
  const number = typeof value === 'number' || (typeof value === 'string' && /^\d{3}$/.test(value)) ? Number(value) : 0
  if (Number.isInteger(number) && number >= 400 && number < 600) return number
  return typeof value === 'string' && Object.hasOwn(STATUSES, value) ? STATUSES[value] : undefined
}
