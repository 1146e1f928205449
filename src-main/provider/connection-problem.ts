// Why there is no answer, by the code that the system, OpenSSL or undici gives an error. The messages of these errors are not
// for people, and some quote what was sent.

import type { ProviderProblem } from '#core/provider-problems.ts'
import { AddressError } from '#provider/guarded-connector.ts'

export type ConnectionProblem = {
  readonly problem: ProviderProblem
  /** The code as it came, such as ECONNREFUSED, or a sentence of our own where there is one. */
  readonly detail: string
}

const PROBLEMS: Readonly<Record<string, ProviderProblem>> = {
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_server',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'answer_timeout',
  UND_ERR_BODY_TIMEOUT: 'answer_timeout',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  UND_ERR_HEADERS_OVERFLOW: 'not_http',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_closed',
  // The address was checked when the provider was made, so it is a header that undici does not take.
  UND_ERR_INVALID_ARG: 'secret_malformed',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_host',
}

export function connectionProblemOf(error: unknown): ConnectionProblem {
  if (error instanceof AddressError) return { problem: 'address_not_allowed', detail: `The base URL ${error.message}.` }
  if (!(error instanceof Error)) return { problem: 'connection_failed', detail: 'unknown' }
  if (error.name === 'TimeoutError') return { problem: 'answer_timeout', detail: 'time limit' }
  if (error.name === 'HTTPParserError') return { problem: 'not_http', detail: 'not HTTP' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  const known = PROBLEMS[code]
  if (known !== undefined) return { problem: known, detail: code }
  // The rest of OpenSSL's codes: it could not agree with the other side, or the other side does not speak TLS at all.
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO|CERT_)/.test(code)) return { problem: 'tls_failed', detail: code }
  return { problem: 'connection_failed', detail: code }
}
