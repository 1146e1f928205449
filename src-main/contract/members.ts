// Members and their sessions, as the admin API shows them. Passwords only ever go in.

import { Type, type Static } from 'typebox'
import {
  Credits,
  KnownName,
  LimitsFields,
  LimitsShown,
  Name,
  NullableCredits,
  NullableTimestamp,
  strict,
  Timestamp,
} from '#contract/fields.ts'

const Role = Type.Enum(['administrator', 'member'])
/** Packages by id or name under which a member may create keys; `all` also means those to come. */
export const OpenPackages = Type.Union([Type.Literal('all'), Type.Array(KnownName, { maxItems: 1000 })])
/** What all keys of a member may use together. Given as a whole: a limit that is left out is lifted. */
const MemberLimits = strict({ ...LimitsFields.properties, credits_per_day: Type.Optional(Credits) })
/** The same as they are shown: null is no limit. */
export const MemberLimitsShown = strict({ ...LimitsShown.properties, credits_per_day: NullableCredits })
/** Long enough to resist guessing at the speed that sign-in allows. What is longer than a sentence would only cost time to hash. */
export const NewPassword = Type.String({ minLength: 10, maxLength: 256 })
/** What somebody claims; checked against the hash and nothing else. */
const Password = Type.String({ minLength: 1, maxLength: 256 })

export const MemberCreate = strict({
  name: Name,
  role: Type.Optional(Role),
  packages: Type.Optional(OpenPackages),
  limits: Type.Optional(MemberLimits),
  /** Without one the member cannot sign in yet. */
  password: Type.Optional(NewPassword),
})
export const MemberEdit = strict({
  role: Type.Optional(Role),
  packages: Type.Optional(OpenPackages),
  limits: Type.Optional(MemberLimits),
  /** A suspended member cannot sign in, and the keys that are theirs are refused. */
  status: Type.Optional(Type.Enum(['active', 'suspended'])),
})
export const MemberPassword = strict({ password: NewPassword })
export const MemberView = strict({
  id: Type.String(),
  name: KnownName,
  role: Role,
  status: Type.Enum(['active', 'suspended']),
  packages: Type.Union([Type.Literal('all'), Type.Array(Type.String())]),
  limits: MemberLimitsShown,
  /** Calls of all their keys that run at the moment. */
  running_calls: Type.Integer(),
  /** What they were charged today, in the machine's time zone. */
  credits_today: Type.Number(),
  has_password: Type.Boolean(),
  /** Of those that are not revoked. */
  keys: Type.Integer(),
  sessions: Type.Integer(),
  last_seen_at: NullableTimestamp,
  created_at: Timestamp,
})

/** With a ticket from the tray or `farebox open`, as a member, or with a key alone. */
export const SignIn = Type.Union([
  strict({ ticket: Type.String({ minLength: 1, maxLength: 100 }) }),
  strict({ name: KnownName, password: Password }),
  strict({ key: Type.String({ minLength: 1, maxLength: 200 }) }),
])
export const SessionView = strict({
  /** `holder`: of a key. It sees that key alone, and may revoke it. */
  role: Type.Enum(['administrator', 'member', 'holder']),
  /** The member's name, or that of the key; null for the owner of this machine, who came with a ticket. */
  name: Type.Union([KnownName, Type.Null()]),
  signed_in_at: Timestamp,
  /** When the session ends however busy it is. */
  expires_at: Timestamp,
  /** When it ends if nothing is asked until then. */
  idle_at: Timestamp,
})
/** The only answer with the token, which every further request carries in `x-farebox-session` beside the cookie. */
export const SignedIn = strict({ token: Type.String(), session: SessionView })
export const SignOutQuery = strict({
  /** `true` ends every session of this person. */
  everywhere: Type.Optional(Type.Enum(['true', 'false'])),
})
export const OwnPassword = strict({ password: NewPassword, old_password: Password })

/** Good for one sign-in within a minute. */
export const TicketView = strict({ ticket: Type.String(), expires_at: Timestamp })

export type MemberCreate = Static<typeof MemberCreate>
export type MemberEdit = Static<typeof MemberEdit>
export type MemberView = Static<typeof MemberView>
export type SignIn = Static<typeof SignIn>
export type SessionView = Static<typeof SessionView>
export type SignedIn = Static<typeof SignedIn>
export type OwnPassword = Static<typeof OwnPassword>
export type TicketView = Static<typeof TicketView>
