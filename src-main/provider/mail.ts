// Hands one letter to a mail server. The connection leaves by the one way out of the program; what is sent over it is encrypted and the
// server's certificate checked before the password or the letter go, unless an administrator said otherwise.

import type { Socket } from 'node:net'
import type { Addressing, Letter } from '#core/delivery.ts'
import type { Network } from '#core/entities.ts'
import type { MailServer } from '#core/mail-server.ts'
import type { NoAnswer } from '#provider/ask.ts'
import { connectionProblemOf } from '#provider/connection-problem.ts'

export type Post = {
  readonly server: MailServer
  readonly network: Network
  readonly addressing: Addressing
  readonly password: string | undefined
  /** Its id is the same in every attempt. */
  readonly letter: Letter & { readonly id: string }
}

export type MailOptions = {
  readonly connections: { socket(place: URL, network: Network): Promise<Socket> }
  /** For all of it, from the connection to the last answer. */
  readonly timeLimitMs: number
  /** Authorities that are trusted; those of the system unless given. */
  readonly authorities?: string | undefined
}

/** What a mail server said of a letter: a status of SMTP, or why there was none. */
export type MailAnswer =
  { readonly type: 'taken' | 'refused' | 'login_refused'; readonly status: number } | NoAnswer | { type: 'unencrypted' }

/** What a server may say at once. */
const MAX_ANSWER_BYTES = 16_384

export async function post(what: Post, { connections, timeLimitMs, authorities }: MailOptions): Promise<MailAnswer> {
  const { server, network, addressing, password, letter } = what
  // Loaded on first use: most installations send no mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.isEncryptedFromStart,
    requireTLS: !addressing.isPlain,
    ignoreTLS: addressing.isPlain,
    // A server that asks for no password gets none in vain, and one that is to be logged in to is never used without.
    ...(addressing.user === undefined
      ? {}
      : { auth: { user: addressing.user, pass: password ?? '' }, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...(authorities === undefined ? {} : { ca: authorities }) },
    getSocket: (_, callback) => {
      connections.socket(server.place, network).then(
        (connection) => callback(null, { connection }),
        (error: unknown) => callback(error instanceof Error ? error : new Error('no connection'), false),
      )
    },
    connectionTimeout: timeLimitMs,
    greetingTimeout: timeLimitMs,
    socketTimeout: timeLimitMs,
    maxResponseSize: MAX_ANSWER_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    const { response } = await transport.sendMail({
      from: { name: 'Farebox', address: addressing.from },
      to: { name: '', address: addressing.to },
      subject: letter.subject,
      text: letter.text,
      messageId: `<${letter.id}@farebox.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(timeLimitMs),
    })
    return { type: 'taken', status: Number.parseInt(response, 10) }
  } catch (error) {
    return refusalOf(error)
  }
}

/** The fields of the library's errors. Their messages quote the server, and are not shown. */
type Failure = { readonly code?: string; readonly originalCode?: string; readonly responseCode?: number }

function refusalOf(error: unknown): MailAnswer {
  const { code, originalCode, responseCode: status } = error as Failure
  // Whatever it answered to STARTTLS: whoever sits in between could have said it, and it is no judgement of the letter.
  if (code === 'ETLS') return { type: 'unencrypted' }
  if (status !== undefined) return { type: code === 'EAUTH' ? 'login_refused' : 'refused', status }
  const isTooSlow = code === 'EABORT' || code === 'ETIMEDOUT'
  if (isTooSlow) return { type: 'problem', problem: 'answer_timeout', detail: 'time limit' }
  if (error instanceof Error && originalCode !== undefined) {
    return { type: 'problem', ...connectionProblemOf(Object.assign(new Error(), { code: originalCode })) }
  }
  return { type: 'problem', ...connectionProblemOf(error) }
}
