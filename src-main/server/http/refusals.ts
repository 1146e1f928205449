// Answers refusals over Fastify, and turns the errors that Fastify itself raises into refusals.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { clientQuirks } from '#core/client-quirks.ts'
import { refuse, statusOf, toldTo, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, Endpoint } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, endpointAt } from '#dialect/dialects.ts'
import { framed, retryHeaders } from '#dialect/errors.ts'
import { askedIn } from '#server/http/asked-path.ts'

/** A request that is refused. */
type Refused = {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  /** In whose format it is told. */
  readonly endpoint: Endpoint
  /** What its path says, where it names the model. */
  readonly asked?: AskedInPath | undefined
}

/** How a refusal is told in the contract's shape. */
export function refusalAnswer(refusal: Refusal, { id, headers, endpoint, asked }: Refused) {
  return {
    status: statusOf(refusal),
    headers: {
      ...retryHeaders(refusal),
      'content-type': 'application/json; charset=utf-8',
      ...endpoint.idHeaders(id),
    },
    body: framed(Buffer.from(endpoint.errorBody(toldTo(clientQuirks(headers), refusal), id)), endpoint, asked),
  }
}

/** Sends a refusal in the contract's shape. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { id, url, headers } = reply.request
  const { format } = reply.request.routeOptions.config
  // Of a call that was refused something is kept.
  if (format !== undefined) reply.request.refusal = refusal
  // A path that is not there has no route, and its error is read too.
  const endpoint: Endpoint = format === undefined ? endpointAt(url) : CLIENT_DIALECTS[format]
  const answer = refusalAnswer(refusal, { id, headers, endpoint, asked: askedIn(reply.request) })
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}

/** Also closes the connection: the rest of a body that was refused unread must not be read just to be thrown away. */
export function sendRefusalAndClose(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return sendRefusal(reply.header('connection', 'close'), refusal)
}

/** For a body of a type that nobody reads at its path. */
export function notJson(): Refusal {
  return refuse('invalid_request', "The body must be JSON, sent with 'content-type: application/json'.")
}

/** For a mistake of ours. */
export function internalRefusal(): Refusal {
  return refuse('internal', 'Something went wrong inside Farebox. Its log has the details.')
}

/** What stops the reading of a body: Fastify takes errors alone for that. */
export class RefusedBody extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** An error as it reaches the error handler: Fastify's have a code and a status, mistakes of ours have neither. */
export type RaisedError = Error & { readonly code?: string; readonly statusCode?: number }

/** The refusal for an error that Fastify raised; undefined for a mistake of ours. */
export function refusalOfError(error: RaisedError): Refusal | undefined {
  if (error instanceof RefusedBody) return error.refusal
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return notJson()
    default:
      return error.statusCode !== undefined && error.statusCode < 500
        ? refuse('invalid_request', 'The request is not valid HTTP.')
        : undefined
  }
}
