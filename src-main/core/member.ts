// Who may use the dashboard beside the owner of the machine, and on whose behalf something is asked.

export const ROLES = ['administrator', 'member'] as const
export type Role = (typeof ROLES)[number]

export const MEMBER_STATUSES = ['active', 'suspended'] as const
export type MemberStatus = (typeof MEMBER_STATUSES)[number]

export type Member = {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly status: MemberStatus
  /** Ids of the packages under which the member may create keys; `all` also means those to come. */
  readonly packages: 'all' | readonly string[]
  /** As scrypt makes it, with its parameters; undefined: cannot sign in. */
  readonly passwordHash: string | undefined
  readonly createdAtMs: number
}

/** On whose behalf the admin API is asked. */
export type Viewer =
  /** Who runs Farebox on this machine: by a ticket, by the command line, or in this process. */
  | { readonly type: 'owner'; readonly name: 'owner' | 'command line' | 'farebox' }
  | { readonly type: 'member'; readonly member: Member }

export function roleOf(viewer: Viewer): Role {
  return viewer.type === 'owner' ? 'administrator' : viewer.member.role
}
