// The address of a mail server: `smtps://` is encrypted from the start, `smtp://` from STARTTLS on.

import { readUrl } from '#core/address.ts'

export type MailServer = {
  /** With its port, in one spelling. */
  readonly url: string
  /** Where it is, for whoever judges addresses. */
  readonly place: URL
  readonly host: string
  readonly port: number
  readonly isEncryptedFromStart: boolean
}

const PORTS = { smtps: 465, smtp: 587 } as const

/** What somebody typed as a mail server, or what is wrong with it, to be read after its name. */
export function readMailServer(text: string): MailServer | string {
  const [, scheme, rest = ''] = /^(smtps?):\/\/(.+)$/i.exec(text.trim()) ?? []
  if (scheme === undefined) return 'must begin with smtps:// or smtp://'
  const kind = scheme.toLowerCase() === 'smtps' ? 'smtps' : 'smtp'
  // Read as an address of the web, whose hosts are brought into one spelling, so that no spelling gets past who judges it.
  const place = readUrl(`https://${rest}`)
  if (typeof place === 'string') return place
  if (place.pathname !== '/' || place.search !== '' || place.hash !== '') return 'must end with the host or the port'
  // An address of the web leaves the port out that its scheme has anyway, and no port is that of both.
  const written = place.port === '' ? URL.parse(`http://${rest}`)?.port : place.port
  const port = written === undefined || written === '' ? PORTS[kind] : Number(written)
  place.port = String(port)
  const host = place.hostname.replace(/^\[|\]$/g, '')
  return { url: `${kind}://${place.hostname}:${port}`, place, host, port, isEncryptedFromStart: kind === 'smtps' }
}
