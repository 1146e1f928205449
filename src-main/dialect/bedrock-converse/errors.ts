// Errors as Amazon tells them: an exception has a name, in a header of an answer or on a frame of a stream, and a message.

import { UpstreamFailure } from '#core/failure.ts'
import type { ProviderError, ReadError } from '#dialect/dialect.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'

/** What the exceptions deserve as an HTTP status; undefined for those about our own account. */
const STATUSES: Readonly<Record<string, number | undefined>> = {
  throttlingException: 429,
  serviceQuotaExceededException: 429,
  validationException: 400,
  resourceNotFoundException: 404,
  accessDeniedException: undefined,
  modelTimeoutException: 504,
  modelNotReadyException: 503,
  serviceUnavailableException: 503,
  internalServerException: 500,
  modelErrorException: 502,
  modelStreamErrorException: 502,
}
/** Longer than any error text that says something. */
const MAX_WORDS = 2000

/** The status says it for most: only a quota and what a model itself does wrong have one that means something else. */
export const readConverseError: ReadError = (body, headers): ProviderError | undefined => {
  const header = headers['x-amzn-errortype']
  const name = nameOf(Array.isArray(header) ? header[0] : (header ?? recordOf(body)['__type']))
  const status = name === undefined || !Object.hasOwn(STATUSES, name) ? undefined : STATUSES[name]
  return status === undefined ? undefined : { status, retryAfterSeconds: undefined }
}

export function isException(event: string | undefined): event is string {
  return event !== undefined && /(?:Exception|Error)$/.test(event)
}

/** The failure for an exception inside a stream. */
export function reportedFailure(exception: string, value: unknown): UpstreamFailure {
  const { message, Message: other, originalStatusCode: original } = recordOf(value)
  const words = [message, other].find((text) => typeof text === 'string' && text !== '')
  const text = typeof words === 'string' ? words.slice(0, MAX_WORDS) : 'The provider reported an error.'
  const name = nameOf(exception) ?? ''
  const known = Object.hasOwn(STATUSES, name) ? STATUSES[name] : 500
  const isStatus = typeof original === 'number' && original >= 400 && original <= 599
  const status = isStatus ? original : known
  return new UpstreamFailure('reported', text, status === undefined ? {} : { status })
}

/** `com.amazon.coral#ThrottlingException:http://...` is `throttlingException`. */
function nameOf(text: unknown): string | undefined {
  const name = typeof text === 'string' ? text.split(':')[0]?.split('#').at(-1) : undefined
  return name === undefined || name === '' ? undefined : name.charAt(0).toLowerCase() + name.slice(1)
}
