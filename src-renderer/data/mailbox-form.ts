// What is typed about a mailbox, and what is sent of it.

import type { MailboxCreate } from '#contract/alerts.ts'
import { isMailAddress } from '#contract/mail-address.ts'

export type MailboxWish = {
  readonly name: string
  readonly url: string
  readonly from: string
  readonly to: string
  readonly user: string
  readonly password: string
  readonly isLocal: boolean
  readonly isPlain: boolean
}

export const NO_MAILBOX: MailboxWish = {
  name: '',
  url: '',
  from: '',
  to: '',
  user: '',
  password: '',
  isLocal: false,
  isPlain: false,
}

/** Whether a server may be asked to take letters without encryption. */
export function mayBePlain({ url, isLocal }: MailboxWish): boolean {
  return isLocal && /^\s*smtp:/i.test(url)
}

/** Whether an address was typed that is none. */
export function isWrongAddress(text: string): boolean {
  return text.trim() !== '' && !isMailAddress(text.trim())
}

/** undefined while something is missing or is no address. The password is sent as it was typed. */
export function mailboxBody(wish: MailboxWish): MailboxCreate | undefined {
  const [name, url, from, to, user] = [wish.name, wish.url, wish.from, wish.to, wish.user].map((text) => text.trim())
  if (!name || !url || from === undefined || to === undefined || !isMailAddress(from) || !isMailAddress(to))
    return undefined
  if ((user === '') !== (wish.password === '')) return undefined
  return {
    name,
    url,
    from,
    to,
    ...(user === undefined || user === '' ? {} : { user, password: wish.password }),
    network: wish.isLocal ? 'local' : 'public',
    ...(wish.isPlain && mayBePlain(wish) ? { plain: true } : {}),
  }
}
