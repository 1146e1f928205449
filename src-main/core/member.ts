// Who may use the dashboard beside the owner of the machine, and on whose behalf something is asked.

import type { PackageLimits } from '#core/entities.ts'
import type { MicroCredits } from '#core/money.ts'

export const ROLES = ['administrator', 'member'] as const
export type Role = (typeof ROLES)[number]

export const MEMBER_STATUSES = ['active', 'suspended'] as const
export type MemberStatus = (typeof MEMBER_STATUSES)[number]

/** What all keys of a member may use together, beside the limits that each key has from its package; undefined is no limit. */
export type MemberLimits = PackageLimits & {
  /** What calls may be charged on one day of the machine's time zone. */
  readonly dailyMicro: MicroCredits | undefined
}

export const NO_LIMITS: MemberLimits = {
  requestsPerMinute: undefined,
  tokensPerMinute: undefined,
  concurrentRequests: undefined,
  dailyMicro: undefined,
}

export type Member = {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly status: MemberStatus
  /** Ids of the packages under which the member may create keys; `all` also means those to come. */
  readonly packages: 'all' | readonly string[]
  /** As scrypt makes it, with its parameters; undefined: cannot sign in. */
  readonly passwordHash: string | undefined
  readonly limits: MemberLimits
  readonly createdAtMs: number
}

/** On whose behalf the admin API is asked. */
export type Viewer =
  /** Who runs Farebox on this machine: by a ticket, by the command line, or in this process. */
  | { readonly type: 'owner'; readonly name: 'owner' | 'command line' | 'farebox' }
  | { readonly type: 'member'; readonly member: Member }
  /** Whoever signed in with a key alone. */
  | { readonly type: 'holder'; readonly keyId: string; readonly keyName: string }

/** What somebody may do: as a member of that role, or as the holder of a key, who may see that key and revoke it. */
export type ViewerRole = Role | 'holder'

export function roleOf(viewer: Viewer): ViewerRole {
  if (viewer.type === 'holder') return 'holder'
  return viewer.type === 'owner' ? 'administrator' : viewer.member.role
}

/** The one way that is meant for this viewer; all of them have to be said, so that none is taken by mistake. */
export function byRole<Result>(
  viewer: Viewer,
  ways: {
    readonly administrator: () => Result
    readonly member: (member: Member) => Result
    readonly holder: (keyId: string) => Result
  },
): Result {
  if (viewer.type === 'holder') return ways.holder(viewer.keyId)
  return viewer.type === 'owner' || viewer.member.role === 'administrator'
    ? ways.administrator()
    : ways.member(viewer.member)
}

/** Tells viewers apart where somebody's share is counted; undefined for the owner, who has no bound. */
export function viewerId(viewer: Viewer): string | undefined {
  switch (viewer.type) {
    case 'owner':
      return undefined
    case 'member':
      return viewer.member.id
    case 'holder':
      return viewer.keyId
  }
}
