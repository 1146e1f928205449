// Errors of the responses format: those that a provider reports inside its answer, and those that we tell a client in a
// stream that has begun.

import { UpstreamFailure } from '#core/failure.ts'
import type { Refusal, RefusalCode } from '#core/refusal.ts'
import { OVERFLOW_CODE, overflowName, readOverflow } from '#dialect/overflow.ts'
import { isRecord } from '#dialect/request-body.ts'

export type ResponseError = { readonly code: string; readonly message: string }

/** Longer sentences than this explain nothing, and end up in one line on a screen. */
const MAX_WORDS = 2000

const STATUSES: Readonly<Record<string, number | undefined>> = {
  rate_limit_exceeded: 429,
  server_is_overloaded: 503,
  slow_down: 503,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  image_content_policy_violation: 400,
  invalid_image: 400,
  invalid_image_format: 400,
  invalid_base64_image: 400,
  invalid_image_url: 400,
  invalid_image_mode: 400,
  image_too_large: 400,
  image_too_small: 400,
  image_parse_error: 400,
  image_file_too_large: 400,
  image_file_not_found: 400,
  unsupported_image_media_type: 400,
  empty_image_file: 400,
  failed_to_download_image: 400,
  // No status: what a provider has against our account is for the administrator, and another target may have a better one.
  insufficient_quota: undefined,
  invalid_api_key: undefined,
  authentication_error: undefined,
  permission_error: undefined,
  billing_error: undefined,
}

/** The failure for an error object of a provider: in `response.failed`, in an `error` event or in a whole answer. */
export function reportedFailure(error: unknown): UpstreamFailure {
  const fields = isRecord(error) ? error : {}
  const words = fields['message']
  const message =
    typeof words === 'string' && words !== '' ? words.slice(0, MAX_WORDS) : 'The provider reported an error.'
  const status = statusOf(fields)
  const code = overflowName([fields['code'], fields['type']])
  return new UpstreamFailure('reported', message, { code, ...(status === undefined ? {} : { status }) })
}

/** Whether an error says that a context is full, and not by the code that Codex goes by. */
export function isOtherOverflow(error: unknown): boolean {
  if (!isRecord(error) || error['code'] === OVERFLOW_CODE) return false
  const { message, code } = reportedFailure(error)
  return readOverflow(message, [code]) !== undefined
}

function statusOf(error: Readonly<Record<string, unknown>>): number | undefined {
  const { code, type } = error
  if (typeof code === 'number' && code >= 400 && code < 600) return code
  for (const known of [code, type]) {
    if (typeof known === 'string' && Object.hasOwn(STATUSES, known)) return STATUSES[known]
  }
  return type === 'invalid_request_error' ? 400 : 500
}

/**
 * Codex decides by these codes whether it asks again: at once for codes that it does not know, after the seconds in the text
 * for `rate_limit_exceeded`, and never for the others. An overload is told as `server_error`, since the code that OpenAI has
 * for it ends the user's turn, although another attempt may well succeed.
 */
const CODES: Readonly<Partial<Record<RefusalCode, string>>> = {
  rate_limited: 'rate_limit_exceeded',
  credits_held: 'rate_limit_exceeded',
  credits_exhausted: 'insufficient_quota',
  package_expired: 'insufficient_quota',
  invalid_request: 'invalid_prompt',
  unauthenticated: 'invalid_prompt',
  model_unpriced: 'invalid_prompt',
  key_not_usable: 'invalid_prompt',
  forbidden: 'invalid_prompt',
  not_found: 'invalid_prompt',
  model_not_found: 'invalid_prompt',
  request_too_large: 'invalid_prompt',
  provider_refuses: 'invalid_prompt',
  provider_refuses_response: 'invalid_prompt',
}

const DEFAULT_WAIT_SECONDS = 5

/** The error object of a `response.failed` event. */
export function responseErrorOf(refusal: Refusal): ResponseError {
  const given = refusal.details?.['code']
  if (typeof given === 'string') return { code: given, message: refusal.message }
  if (refusal.code === 'invalid_request' && readOverflow(refusal.message) !== undefined) {
    return { code: OVERFLOW_CODE, message: refusal.message }
  }
  const code = CODES[refusal.code] ?? 'server_error'
  if (code !== 'rate_limit_exceeded') return { code, message: refusal.message }
  const seconds = refusal.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS
  return { code, message: `${refusal.message} Please try again in ${seconds}s.` }
}

/** A refusal as Codex is told it, the program that asks here: it asks again after any status but 400. */
export function toldRefusal(refusal: Refusal): Refusal {
  return refusal.code === 'provider_refuses' ? { ...refusal, code: 'provider_refuses_response' } : refusal
}
