// Invites, as the admin API shows them. The code is in the answer to one request and in the request that accepts it.

import { Type, type Static } from 'typebox'
import { KnownName, Name, strict, Timestamp } from '#contract/fields.ts'
import { NewPassword, OpenPackages } from '#contract/members.ts'

/** For a member without a password, by id or name, or for somebody who becomes a member by it. */
export const InviteCreate = strict({
  name: Name,
  /** Under which packages they may create keys. What a member has stays where nothing is said. */
  packages: Type.Optional(OpenPackages),
})

/** What the invited member is handed. It is shown this once. */
export const InviteCard = strict({
  member: KnownName,
  /** Opens the dashboard where the member chooses a password. It has the code behind the `#`, which reaches no log. */
  link: Type.String(),
  /** Where the gateway is reached: over the LAN where that is on, else on this machine alone. */
  address: Type.String(),
  /** SHA-256 of the certificate that is shown there; null without the LAN. */
  fingerprint: Type.Union([Type.String(), Type.Null()]),
  expires_at: Timestamp,
})

/** An invite that is open. */
export const InviteView = strict({
  member: KnownName,
  /** The member's. */
  id: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
})

export const InviteAccept = strict({ code: Type.String({ minLength: 1, maxLength: 100 }), password: NewPassword })

export type InviteCreate = Static<typeof InviteCreate>
export type InviteCard = Static<typeof InviteCard>
export type InviteView = Static<typeof InviteView>
