// Who is told of alerts, and what is on its way to them.

import type { Network } from '#core/entities.ts'

/** A webhook, or a mailbox where it has `mail`. */
export type Receiver = {
  readonly id: string
  readonly name: string
  /** Of a webhook its address; of a mailbox its mail server, as `readMailServer` spells it. */
  readonly url: string
  readonly network: Network
  readonly createdAtMs: number
  readonly mail?: Addressing | undefined
}

export type Addressing = {
  readonly from: string
  readonly to: string
  /** Whom the password belongs to; undefined where the server asks for none. */
  readonly user: string | undefined
  /** Nothing is encrypted on the way to the mail server. */
  readonly isPlain: boolean
}

export type Mailbox = Receiver & { readonly mail: Addressing }

export type Letter = { readonly subject: string; readonly text: string }

export function isMailbox(receiver: Receiver): receiver is Mailbox {
  return receiver.mail !== undefined
}

/** What its secret is called; undefined where it has none. A mail server counts as the place of the web at its host and port. */
export function secretOf(receiver: Receiver): { readonly providerId: string; readonly origin: string } | undefined {
  if (isMailbox(receiver) && receiver.mail.user === undefined) return undefined
  const url = isMailbox(receiver) ? receiver.url.replace(/^smtps?:/, 'https:') : receiver.url
  return { providerId: receiver.id, origin: new URL(url).origin }
}

/** `waiting` for its next attempt, `delivered`, or `given-up`. */
export type DeliveryState = 'waiting' | 'delivered' | 'given-up'

/** One message to one destination. Its id is the same in every attempt. */
export type Delivery = {
  readonly id: string
  readonly receiverId: string
  readonly body: string
  readonly createdAtMs: number
  readonly state: DeliveryState
  readonly attempts: number
  /** When it is tried next; of one that has ended, when that was. */
  readonly atMs: number
  /** The status of the last answer; undefined where there was none. */
  readonly status: number | undefined
  /** What went wrong in the last attempt; undefined where nothing did. */
  readonly problem: string | undefined
}
