// Signs what is sent to a webhook by the Standard Webhooks convention (https://www.standardwebhooks.com): the id, the time and the body,
// so that a receiver knows who sent it, that nobody changed it, and when it is an old one.

import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/** A secret that a receiver is given once: 32 random bytes in base64 behind a prefix. */
export function webhookSecret(randomBytes: (size: number) => Buffer): string {
  return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`
}

/** The headers of one attempt. `atMs` is when it is made. */
export function signedHeaders(secret: string, message: { readonly id: string; readonly body: string }, atMs: number) {
  const timestamp = String(Math.floor(atMs / 1000))
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`).digest('base64')
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
