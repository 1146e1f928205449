// What a client is told in the format of its endpoint: refusals of ours, errors of providers, and the headers of every answer.

import { REFUSALS, refuse, type Refusal, type RefusalCode } from '#core/refusal.ts'
import { codedError, errorBody, providerWords, retryHeaders } from '#dialect/errors.ts'
import { messagesErrorBody } from '#dialect/messages/errors.ts'
import { chatOverflowText, messagesOverflowText, OVERFLOW_CODE, readOverflow } from '#dialect/overflow.ts'
import { parseJson } from '#dialect/request-body.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import type { Client, Headers } from '#pipeline/ports.ts'

/** The request that is answered: its id, and the endpoint whose clients read the answer. */
export type Asked = { readonly requestId: string; readonly endpoint: EndpointName; readonly client: Client }

export function replyRefusal(asked: Asked, refusal: Refusal, headers: Headers): void {
  const { client, endpoint, requestId } = asked
  client.begin(REFUSALS[refusal.code].status, {
    'content-type': 'application/json',
    ...baseHeaders(asked),
    ...headers,
    ...retryHeaders(refusal),
  })
  client.end(Buffer.from(errorText(endpoint, refusal, requestId)))
}

/** A provider's own error body, for a client that speaks the provider's dialect: with a code, which not all of them send. */
export function replyProviderError(
  asked: Asked,
  error: { readonly status: number; readonly body: Buffer },
  headers: Headers,
): void {
  asked.client.begin(error.status, { 'content-type': 'application/json', ...baseHeaders(asked), ...headers })
  asked.client.end(codedError(error.body, error.status))
}

/** An error body in the shape that the endpoint's clients read. */
function errorText(endpoint: EndpointName, refusal: Refusal, requestId: string): string {
  return endpoint === 'messages' ? messagesErrorBody(refusal, requestId) : errorBody(refusal, requestId)
}

/** Members of the `request-id` family under the names that each format's SDK reads. */
export function baseHeaders({ endpoint, requestId }: Asked): Headers {
  return endpoint === 'messages'
    ? { 'x-request-id': requestId, 'request-id': requestId }
    : { 'x-request-id': requestId }
}

const CODES: Readonly<Record<number, RefusalCode>> = { 404: 'not_found', 409: 'conflict', 413: 'request_too_large' }

/** What a provider of another dialect said about a request, in the words that the client's own tools react to. */
export function translateError(endpoint: EndpointName, status: number, body: Buffer): Refusal {
  const words = providerWords(parseJson(body.toString('utf8')))
  const message = words?.message ?? `The provider refused the request (${status}).`
  const overflow = overflowRefusal(endpoint, message, words?.code)
  if (overflow !== undefined) return overflow
  return refuse(CODES[status] ?? 'invalid_request', message, words?.param === undefined ? {} : { param: words.param })
}

/** The refusal for a context that is too long, in the words of the endpoint's clients; undefined for words about something else. */
export function overflowRefusal(endpoint: EndpointName, message: string, code?: string): Refusal | undefined {
  const overflow = readOverflow(message, code)
  if (overflow === undefined) return undefined
  const text = endpoint === 'messages' ? messagesOverflowText(overflow, message) : chatOverflowText(overflow, message)
  return refuse('invalid_request', text, { details: { code: OVERFLOW_CODE } })
}
