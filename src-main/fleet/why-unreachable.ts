// Why PostgreSQL could not be asked, in words of ours: what it, the network or a library says of it may name what nobody is to read.

const BY_CODE: Readonly<Record<string, string>> = {
  // Of PostgreSQL.
  '28P01': 'it does not take the password',
  '28000': 'it does not let the role in',
  '3D000': 'it has no such database',
  '42501': 'the role lacks a right there',
  '53300': 'it has no connection left',
  '57P03': 'it is about to start or to stop',
  // Of the network.
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name is not known',
  // Of TLS.
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}
/** What the library finds out by itself has no code. */
const BY_WORDS = [
  [/does not support SSL/, 'it does not speak TLS'],
  [/password must be a/, 'it asks for a password, which FAREBOX_DATABASE_PASSWORD_FILE names'],
] as const

/** In brackets and with a space before them; nothing where it is not known. */
export function whyUnreachable(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { message } = cause
    const code = 'code' in cause ? String(cause.code) : ''
    const words = BY_CODE[code] ?? BY_WORDS.find(([pattern]) => pattern.test(message))?.[1]
    if (words !== undefined) return ` (${words})`
  }
  return ''
}
