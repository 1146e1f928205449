// Answers refusals over Fastify, and turns the errors that Fastify itself raises into refusals.

import type { FastifyReply } from 'fastify'
import { clientQuirks } from '#core/client-quirks.ts'
import { refuse, statusOf, toldTo, type Refusal } from '#core/refusal.ts'
import type { Endpoint } from '#dialect/dialect.ts'
import { CLIENT_DIALECTS, endpointAt } from '#dialect/dialects.ts'
import { retryHeaders } from '#dialect/errors.ts'

/** Sends a refusal in the contract's shape. */
export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { id, url, headers } = reply.request
  const told = toldTo(clientQuirks(headers), refusal)
  const { format } = reply.request.routeOptions.config
  // A path that is not there has no route, and its error is read too.
  const endpoint: Endpoint = format === undefined ? endpointAt(url) : CLIENT_DIALECTS[format]
  return reply
    .code(statusOf(refusal))
    .headers(retryHeaders(refusal))
    .header('content-type', 'application/json; charset=utf-8')
    .headers(endpoint.idHeaders(id))
    .send(endpoint.errorBody(told, id))
}

/** Also closes the connection: the rest of a body that was refused unread must not be read just to be thrown away. */
export function sendRefusalAndClose(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return sendRefusal(reply.header('connection', 'close'), refusal)
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
      return refuse('invalid_request', "The body must be JSON, sent with 'content-type: application/json'.")
    default:
      return error.statusCode !== undefined && error.statusCode < 500
        ? refuse('invalid_request', 'The request is not valid HTTP.')
        : undefined
  }
}
