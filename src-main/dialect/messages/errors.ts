// Errors in the messages format. The body has the shape that Anthropic's clients read, with the members of the contract's
// error object inside: one body for both.

import { UpstreamFailure } from '#core/failure.ts'
import { REFUSALS, type Refusal } from '#core/refusal.ts'
import { errorObject } from '#dialect/errors.ts'
import { overflowName, type Overflow } from '#dialect/overflow.ts'
import { providerWords } from '#dialect/provider-words.ts'
import { isRecord } from '#dialect/request-body.ts'

/** The types of this format for failures whose type the contract leaves open; clients know no others. */
const TYPES: Readonly<Record<string, string>> = { upstream_error: 'api_error', upstream_timeout: 'timeout_error' }

/** Which HTTP status an error type stands for. Types that are about our own account are no fault of the client. */
const STATUSES: Readonly<Record<string, number | undefined>> = {
  invalid_request_error: 400,
  authentication_error: undefined,
  permission_error: undefined,
  billing_error: undefined,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
}
const OTHER_STATUS = 500
/** Longer than any error text that says something. */
const MAX_WORDS = 2000

/** The body of an error. */
export function messagesErrorBody(refusal: Refusal, requestId: string): string {
  const { errorType } = REFUSALS[refusal.code]
  const error = { ...errorObject(refusal, requestId), type: TYPES[errorType] ?? errorType }
  return JSON.stringify({ type: 'error', error, request_id: requestId })
}

/** The event with which a stream ends that broke: the SDKs throw on it. */
export function messagesStreamError(refusal: Refusal, requestId: string): string {
  return `event: error\ndata: ${messagesErrorBody(refusal, requestId)}\n\n`
}

/**
 * The sentences that clients of the messages format wait for: `prompt is too long: 210000 tokens > 200000 maximum`, at which
 * they shorten the history, and the one at which they only ask for less output.
 */
export function messagesOverflowText({ usedTokens, maximumTokens, outputTokens }: Overflow, words: string): string {
  if (/prompt is too long|exceed context limit/i.test(words)) return words
  if (usedTokens === undefined || maximumTokens === undefined) return `prompt is too long: ${words}`
  if (outputTokens === undefined) return `prompt is too long: ${usedTokens} tokens > ${maximumTokens} maximum`
  const sum = `${usedTokens - outputTokens} + ${outputTokens} > ${maximumTokens}`
  return `input length and \`max_tokens\` exceed context limit: ${sum}, decrease input length or \`max_tokens\` and try again`
}

/** The failure for an error that the provider tells of inside its answer, in its own words. */
export function reportedFailure(answer: unknown, encoding: 'latin1' | 'utf8'): UpstreamFailure {
  const error = isRecord(answer) ? answer['error'] : undefined
  const type = isRecord(error) ? error['type'] : undefined
  const words = providerWords(answer)?.message ?? 'The provider reported an error.'
  const text = Buffer.from(words.slice(0, MAX_WORDS), encoding).toString('utf8')
  const code = overflowName([type, isRecord(error) ? error['code'] : undefined])
  const isKnown = typeof type === 'string' && Object.hasOwn(STATUSES, type)
  const status = isKnown ? STATUSES[type] : OTHER_STATUS
  return new UpstreamFailure('reported', text, { code, ...(status === undefined ? {} : { status }) })
}
