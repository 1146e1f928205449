// What a client is told in the format of its endpoint: refusals of ours, errors of providers, and the headers of every answer.

import { NO_QUIRKS, type ClientQuirks } from '#core/client-quirks.ts'
import { refuse, statusOf, toldTo, type Refusal, type RefusalCode } from '#core/refusal.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import { endpointOf } from '#dialect/dialects.ts'
import { codedError, framed, retryHeaders } from '#dialect/errors.ts'
import { OVERFLOW_CODE, readOverflow } from '#dialect/overflow.ts'
import { hasErrorObject, wordsOfBody } from '#dialect/provider-words.ts'
import { parseJson } from '#dialect/request-body.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import type { Client, Headers } from '#pipeline/ports.ts'

/** The request that is answered: its id, and the endpoint whose clients read the answer. */
export type AnsweredRequest = {
  readonly requestId: string
  readonly endpoint: EndpointName
  readonly client: Client
  /** What its path says, where it names the model. */
  readonly asked?: AskedInPath | undefined
  /** What its client cannot read; undefined for one that reads what the contract says. */
  readonly quirks?: ClientQuirks
}

export function replyRefusal(answered: AnsweredRequest, refusal: Refusal, headers: Headers): void {
  const { client, endpoint, requestId, quirks = NO_QUIRKS } = answered
  client.begin(statusOf(refusal), {
    'content-type': 'application/json',
    ...baseHeaders(answered),
    ...headers,
    ...retryHeaders(refusal),
  })
  const body = endpointOf(endpoint).errorBody(toldTo(quirks, refusal), requestId)
  client.end(framed(Buffer.from(body), endpointOf(endpoint), answered.asked))
}

export type ProviderRefusal = {
  readonly status: number
  readonly body: Buffer
  /** Whether the status was the provider's. */
  readonly isVerbatim: boolean
}

/**
 * What a provider has against a request, for a client that speaks its dialect: its own body, with a code, which not all of them
 * send. Where the client would not find the words in it, or its tools wait for other ones, it is told as of any other dialect.
 */
export function replyProviderError(answered: AnsweredRequest, error: ProviderRefusal, headers: Headers): void {
  const { client, endpoint, quirks = NO_QUIRKS } = answered
  const told = ownWords(endpoint, error)
  if (told !== undefined) return replyRefusal(answered, told, headers)
  client.begin(error.status, { 'content-type': 'application/json', ...baseHeaders(answered), ...headers })
  client.end(framed(codedError(error.body, error.status, quirks.errorCode), endpointOf(endpoint), answered.asked))
}

/** undefined where a provider's own bytes say it as well as we could. */
function ownWords(endpoint: EndpointName, { status, body, isVerbatim }: ProviderRefusal): Refusal | undefined {
  const said = wordsOfBody(body.toString('utf8'), 'text/plain')
  const told = translateError(endpoint, status, body)
  const isOverflow = told.details?.['code'] === OVERFLOW_CODE
  if (isOverflow) return isVerbatim && status === 400 && told.message === said?.message ? undefined : told
  if (isVerbatim && (said === undefined || hasErrorObject(parseJson(body.toString('utf8'))))) return undefined
  return { ...told, status }
}

/** The headers of every answer: the request's id, under the names that each format's SDK reads. */
export function baseHeaders({ endpoint, requestId }: AnsweredRequest): Headers {
  return endpointOf(endpoint).idHeaders(requestId)
}

/** A refusal as the clients of an endpoint are told it. */
export function toldAt(endpoint: EndpointName, refusal: Refusal): Refusal {
  return endpointOf(endpoint).told?.(refusal) ?? refusal
}

/** Whether the clients of an endpoint read of this refusal only inside a stream. */
export function isReadInStream(endpoint: EndpointName, { details }: Refusal): boolean {
  return endpointOf(endpoint).readsOverflowInStream === true && details?.['code'] !== undefined
}

const CODES: Readonly<Record<number, RefusalCode>> = { 404: 'not_found', 409: 'conflict', 413: 'request_too_large' }

/** What a provider said about a request, in the words that the client's own tools react to. */
export function translateError(endpoint: EndpointName, status: number, body: Buffer): Refusal {
  const words = wordsOfBody(body.toString('utf8'), 'text/plain')
  const message = words?.message ?? `The provider refused the request (${status}).`
  const overflow = overflowRefusal(endpoint, message, [words?.code, words?.type])
  if (overflow !== undefined) return overflow
  return refuse(CODES[status] ?? 'invalid_request', message, words?.param === undefined ? {} : { param: words.param })
}

/**
 * The refusal for a context that is too long, in the words of the endpoint's clients; undefined for words about something else.
 * `names` are the error's code and type.
 */
export function overflowRefusal(
  endpoint: EndpointName,
  message: string,
  names: readonly (string | undefined)[] = [],
): Refusal | undefined {
  const overflow = readOverflow(message, names)
  if (overflow === undefined) return undefined
  return refuse('invalid_request', endpointOf(endpoint).overflowText(overflow, message), {
    details: { code: OVERFLOW_CODE },
  })
}
