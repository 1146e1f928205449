// Members as their forms have them.

import type { RequestBody } from '#contract/admin-api.ts'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'

export const ROLES = ['member', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** Shorter ones are refused by the server; said while one types. */
export const LEAST_PASSWORD = 10
export const MOST_PASSWORD = 256

export type MemberForm = {
  readonly name: string
  readonly role: Role
  /** Ids, or names where a package is gone. */
  readonly packages: 'all' | readonly string[]
  /** Empty: to be set later. */
  readonly password: string
}

export const EMPTY_MEMBER: MemberForm = { name: '', role: 'member', packages: [], password: '' }

/** The API shows packages by name or id; the form keeps ids, which a new name does not change. */
export function memberFormOf(member: MemberView, packages: readonly PackageView[]): MemberForm {
  const idOf = (idOrName: string) =>
    packages.find(({ id, name }) => id === idOrName || name === idOrName)?.id ?? idOrName
  const { name, role } = member
  return { name, role, packages: member.packages === 'all' ? 'all' : member.packages.map(idOf), password: '' }
}

/** The names of the packages that are open to a member, those that are gone left out. */
export function packageNames(member: MemberView, packages: readonly PackageView[]): string[] {
  if (member.packages === 'all') return packages.map(({ name }) => name)
  const open = member.packages
  return packages.flatMap(({ id, name }) => (open.includes(id) || open.includes(name) ? [name] : []))
}

export function memberCreateBody(form: MemberForm): RequestBody<'addMember'> {
  return {
    name: form.name.trim(),
    role: form.role,
    packages: form.packages === 'all' ? 'all' : [...form.packages],
    ...(form.password === '' ? {} : { password: form.password }),
  }
}

/** Only what differs. */
export function memberEditBody(before: MemberForm, form: MemberForm): RequestBody<'editMember'> {
  return {
    ...(form.role === before.role ? {} : { role: form.role }),
    ...(isSame(before.packages, form.packages)
      ? {}
      : { packages: form.packages === 'all' ? 'all' : [...form.packages] }),
  }
}

export function isPasswordShort(password: string): boolean {
  return password !== '' && password.length < LEAST_PASSWORD
}

function isSame(left: MemberForm['packages'], right: MemberForm['packages']): boolean {
  if (left === 'all' || right === 'all') return left === right
  return left.length === right.length && left.every((id) => right.includes(id))
}
