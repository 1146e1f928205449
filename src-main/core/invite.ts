// Invites: each lets one member choose their first password, once, within a day. What opens it is a code of which only a hash is kept.

import type { Member } from '#core/member.ts'

export const INVITE_LIFE_MS = 24 * 60 * 60_000

/** A member has one at most: a new one takes the place of the old one. */
export type Invite = {
  readonly memberId: string
  /** SHA-256 of the code, base64url. */
  readonly codeHash: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/**
 * Whether a member can have an invite. Whatever makes this false ends the one that they have, so that no link opens what was decided
 * in another way since.
 */
export function isInvitable({ role, status, passwordHash }: Member): boolean {
  return role === 'member' && status === 'active' && passwordHash === undefined
}
