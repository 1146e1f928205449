// farebox member …

import { CommandFailure, UsageError } from '#cli/errors.ts'
import { allOrList, text, toggle, type Flag, type FlagTable, type FlagValues } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { printable, table, time, view } from '#cli/output.ts'
import { group, requestBody } from '#cli/request.ts'
import { secretFromOne } from '#cli/secret-source.ts'
import { verb } from '#cli/verb.ts'
import type { MemberView } from '#contract/members.ts'

const PASSWORD_FLAGS = { password_env: text, password_file: text, password_stdin: toggle } satisfies FlagTable
const PASSWORD_USAGE = '--password-env VAR | --password-file PATH | --password-stdin'

/** `none` takes the right to create keys away. */
const openPackages: Flag<'all' | string[]> = {
  type: 'string',
  read: (texts, name) => (texts[0] === 'none' ? [] : allOrList.read(texts, name)),
}

const list = verb({
  name: 'member list',
  usage: '',
  summary: 'lists the members',
  flags: {},
  async run(client) {
    const members = await client.call('listMembers', {})
    const headers = ['NAME', 'ROLE', 'STATUS', 'PACKAGES', 'PASSWORD', 'KEYS', 'SESSIONS', 'LAST SEEN', 'ID']
    return view(members, table(headers, members.map(row), 'There are no members yet.'))
  },
})

const add = verb({
  name: 'member add',
  usage: `NAME [--role administrator|member] [--packages a,b|all|none] [${PASSWORD_USAGE}]`,
  summary: 'adds somebody who can sign in to the dashboard',
  operand: 'NAME',
  flags: { role: text, packages: openPackages, ...PASSWORD_FLAGS },
  async run(client, { name, flags, sources }) {
    const { role, packages } = flags
    // Without the password first, so that nothing is read for a command that is wrong anyway.
    requestBody('addMember', { name, role, packages })
    const password = await passwordOf(flags, sources)
    const member = await client.call('addMember', {
      body: requestBody('addMember', { name, role, packages, password }),
    })
    const added = `Member ${printable(member.name)} is added as ${roleText(member.role)}.`
    const next = `Set a password with 'farebox member password ${printable(member.name)}', so that they can sign in.`
    return view(member, member.has_password ? added : `${added} ${next}`)
  },
})

const edit = verb({
  name: 'member edit',
  usage: 'NAME [--role administrator|member] [--packages a,b|all|none] [--status active|suspended]',
  summary: 'changes what a member may do; what is not named stays',
  operand: 'NAME',
  flags: { role: text, packages: openPackages, status: text },
  async run(client, { name, flags }) {
    if (group(flags) === undefined) throw new UsageError('Say what to change.')
    const member = await client.call('editMember', { id: name, body: requestBody('editMember', flags) })
    const { role, status } = member
    return view(
      member,
      `Member ${printable(member.name)} is ${status} now, as ${roleText(role)}, ${packagesOf(member)}.`,
    )
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

const remove = verb({
  name: 'member remove',
  usage: 'NAME',
  summary: 'removes a member',
  operand: 'NAME',
  flags: {},
  async run(client, { name }) {
    return view(await client.call('removeMember', { id: name }), `Member ${printable(name)} is removed.`)
  },
})

export const MEMBER_VERBS = [list, add, edit, password, remove]

/** The password from the one place that was named, or undefined when none was. */
function passwordOf(flags: FlagValues<typeof PASSWORD_FLAGS>, sources: Sources): Promise<string | undefined> {
  const { password_env: env, password_file: file, password_stdin: isStdin } = flags
  return secretFromOne({ env, file, isStdin, what: 'password' }, sources)
}

/** Twice, because nobody sees what is typed. */
async function askForPassword(name: string, { askHidden }: Sources): Promise<string> {
  if (askHidden === undefined) throw new UsageError('Say where the password is.')
  const first = await askHidden(`New password of ${printable(name)}: `)
  // What is wrong with it is better said before it is typed again.
  requestBody('setMemberPassword', { password: first })
  if ((await askHidden('Once more: ')) !== first) {
    throw new CommandFailure('passwords_differ', 'These were two different passwords. Nothing is changed.')
  }
  return first
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

function row(member: MemberView) {
  return [
    member.name,
    member.role,
    member.status,
    member.packages === 'all' ? 'all' : member.packages.join(', ') || null,
    member.has_password,
    member.keys,
    member.sessions,
    time(member.last_seen_at),
    member.id,
  ]
}
