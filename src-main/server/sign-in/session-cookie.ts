// The cookie of a session. Its name has the port, because cookies do not know ports: two Fareboxes on one machine would overwrite
// each other's. Over TLS its prefix makes browsers take it from this very host alone.

import type { FastifyReply, FastifyRequest } from 'fastify'

/** Every value that the browser sent under our name. */
export function sessionCookies(request: FastifyRequest): string[] {
  const prefix = `${nameFor(request)}=`
  const parts = (request.headers.cookie ?? '').split(';').map((part) => part.trim())
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length))
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, value: string): void {
  // Without an age it goes with the browser.
  reply.header('set-cookie', `${nameFor(request)}=${value}; ${attributesFor(request)}`)
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${nameFor(request)}=; ${attributesFor(request)}; Max-Age=0`)
}

/** The guard has let the Host through, so that its port is ours. */
function nameFor(request: FastifyRequest): string {
  const port = /:(\d{1,5})$/.exec(request.headers.host ?? '')?.[1] ?? '0'
  return `${isOverTls(request) ? '__Host-' : ''}farebox-${port}`
}

function attributesFor(request: FastifyRequest): string {
  return `HttpOnly; SameSite=Strict; Path=/${isOverTls(request) ? '; Secure' : ''}`
}

function isOverTls({ protocol }: FastifyRequest): boolean {
  return protocol === 'https'
}
