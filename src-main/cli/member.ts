// farebox member …

import { CommandFailure, UsageError } from '#cli/errors.ts'
import {
  allOrList,
  number,
  numberOrNone,
  text,
  toggle,
  type Flag,
  type FlagTable,
  type FlagValues,
} from '#cli/flags.ts'
import type { AdminClient } from '#cli/client.ts'
import type { Sources } from '#cli/host.ts'
import { givenLimits, LIMIT_CHANGE_FLAGS, LIMIT_FLAGS, mergedLimits } from '#cli/limit-changes.ts'
import { printable, time, view } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'
import { group, requestBody } from '#cli/request.ts'
import { secretFromOne } from '#cli/secret-source.ts'
import { verb } from '#cli/verb.ts'
import type { MemberView } from '#contract/members.ts'

const PASSWORD_FLAGS = { password_env: text, password_file: text, password_stdin: toggle } satisfies FlagTable
const PASSWORD_USAGE = '--password-env VAR | --password-file PATH | --password-stdin'

/** `none` takes the right to create keys away. */
export const openPackages: Flag<'all' | string[]> = {
  type: 'string',
  read: (texts, name) => (texts[0] === 'none' ? [] : allOrList.read(texts, name)),
}

const list = listVerb({
  name: 'member list',
  summary: 'lists the members',
  action: 'listMembers',
  columns: {
    NAME: (member) => member.name,
    ROLE: (member) => member.role,
    STATUS: (member) => member.status,
    PACKAGES: ({ packages }) => (packages === 'all' ? 'all' : packages.join(', ') || null),
    LIMITS: limitsText,
    PASSWORD: (member) => member.has_password,
    KEYS: (member) => member.keys,
    SESSIONS: (member) => member.sessions,
    'LAST SEEN': (member) => time(member.last_seen_at),
    ID: (member) => member.id,
  },
  whenEmpty: 'There are no members yet.',
})

const add = verb({
  name: 'member add',
  usage: [
    'NAME [--role administrator|member] [--packages a,b|all|none] [--requests-per-minute N] [--tokens-per-minute N]',
    `[--concurrent-requests N] [--credits-per-day N] [${PASSWORD_USAGE}]`,
  ].join(' '),
  summary: 'adds somebody who can sign in to the dashboard',
  operand: 'NAME',
  flags: { role: text, packages: openPackages, ...LIMIT_FLAGS, credits_per_day: number, ...PASSWORD_FLAGS },
  async run(client, { name, flags, sources }) {
    const { role, packages, requests_per_minute, tokens_per_minute, concurrent_requests, credits_per_day } = flags
    const limits = group({ requests_per_minute, tokens_per_minute, concurrent_requests, credits_per_day })
    const body = { name, role, packages, limits }
    // Without the password first, so that nothing is read for a command that is wrong anyway.
    requestBody('addMember', body)
    const password = await passwordOf(flags, sources)
    const member = await client.call('addMember', { body: requestBody('addMember', { ...body, password }) })
    const added = `Member ${printable(member.name)} is added as ${roleText(member.role)}.`
    const next = `Set a password with 'farebox member password ${printable(member.name)}', so that they can sign in.`
    return view(member, member.has_password ? added : `${added} ${next}`)
  },
})

const edit = verb({
  name: 'member edit',
  usage: [
    'NAME [--role administrator|member] [--packages a,b|all|none] [--status active|suspended]',
    '[--requests-per-minute N|none] [--tokens-per-minute N|none] [--concurrent-requests N|none]',
    '[--credits-per-day N|none]',
  ].join(' '),
  summary: 'changes what a member may do; what is not named stays',
  operand: 'NAME',
  flags: {
    role: text,
    packages: openPackages,
    status: text,
    ...LIMIT_CHANGE_FLAGS,
    credits_per_day: numberOrNone,
  },
  async run(client, { name, flags }) {
    const { requests_per_minute, tokens_per_minute, concurrent_requests, credits_per_day, ...changes } = flags
    const limitChanges = group({ requests_per_minute, tokens_per_minute, concurrent_requests, credits_per_day })
    if (group(changes) === undefined && limitChanges === undefined) throw new UsageError('Say what to change.')
    // Checked alone first, so that a wrong word is found before anything is asked.
    requestBody('editMember', { ...changes, limits: limitChanges && givenLimits(limitChanges) })
    const limits = limitChanges && mergedLimits(await limitsOf(client, name), limitChanges)
    const body = requestBody('editMember', { ...changes, limits })
    const member = await client.call('editMember', { id: name, body })
    const { role, status } = member
    const is = `${status} now, as ${roleText(role)}, ${packagesOf(member)}, ${limitsText(member) ?? 'without limits'}`
    return view(member, `Member ${printable(member.name)} is ${is}.`)
  },
})

const password = verb({
  name: 'member password',
  usage: `NAME [${PASSWORD_USAGE}]`,
  summary: "sets a member's password, and asks for it at a terminal",
  operand: 'NAME',
  flags: PASSWORD_FLAGS,
  async run(client, { name, flags, sources }) {
    const typed = (await passwordOf(flags, sources)) ?? (await askForPassword(name, sources))
    const body = requestBody('setMemberPassword', { password: typed })
    const member = await client.call('setMemberPassword', { id: name, body })
    return view(member, `The password of ${printable(member.name)} is set.`)
  },
})

const remove = plainVerb({
  name: 'member remove',
  summary: 'removes a member',
  operand: 'NAME',
  action: 'removeMember',
  says: (_removed, name) => `Member ${printable(name)} is removed.`,
})

export const MEMBER_VERBS = [list, add, edit, password, remove]

/** The password from the one place that was named, or undefined when none was. */
function passwordOf(flags: FlagValues<typeof PASSWORD_FLAGS>, sources: Sources): Promise<string | undefined> {
  const { password_env: env, password_file: file, password_stdin: isStdin } = flags
  return secretFromOne({ env, file, isStdin, what: 'password' }, sources)
}

/** Asked twice, because the typed text is not shown. */
async function askForPassword(name: string, { askHidden }: Sources): Promise<string> {
  if (askHidden === undefined) throw new UsageError('Say where the password is.')
  const first = await askHidden(`New password of ${printable(name)}: `)
  // What is wrong with it is better said before it is typed again.
  requestBody('setMemberPassword', { password: first })
  if ((await askHidden('Once more: ')) !== first) {
    throw new CommandFailure('passwords_differ', 'The two passwords differ. Nothing was changed.')
  }
  return first
}

/** The present limits of a member; none if there is no such member, in which case the change itself is refused. */
async function limitsOf(client: AdminClient, name: string): Promise<Readonly<Record<string, unknown>>> {
  const members = await client.call('listMembers', {})
  const wanted = name.toLowerCase()
  const member = members.find(({ id }) => id === name) ?? members.find((one) => one.name.toLowerCase() === wanted)
  return member?.limits ?? {}
}

/** null where there are none. */
function limitsText({ limits }: MemberView): string | null {
  const given = Object.entries(limits).filter(([, limit]) => limit !== null)
  return given.map(([name, limit]) => `${limit} ${name.replaceAll('_', ' ')}`).join(', ') || null
}

function roleText(role: MemberView['role']): string {
  return role === 'administrator' ? 'an administrator' : 'a member'
}

function packagesOf({ packages }: MemberView): string {
  if (packages === 'all') return 'with all packages open'
  return packages.length === 0
    ? 'with no package open'
    : `with these packages open: ${packages.map(printable).join(', ')}`
}
