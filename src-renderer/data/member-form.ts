// Members as their forms have them.

import type { RequestBody } from '#contract/admin-api.ts'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import { amountText, readAmount } from '#renderer/data/amount-input.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'
import { readCount } from '#renderer/data/package-form.ts'

export const ROLES = ['member', 'administrator'] as const
export type MemberRole = (typeof ROLES)[number]

/** Shorter ones are refused by the server; said while one types. */
export const MIN_PASSWORD = 10
export const MAX_PASSWORD = 256

export type MemberForm = {
  readonly name: string
  readonly role: MemberRole
  /** Ids, or names where a package is gone. */
  readonly packages: 'all' | readonly string[]
  /** Empty: to be set later. */
  readonly password: string
  readonly limits: LimitTexts
}

export const COUNT_LIMITS = ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests'] as const

/** As they are typed; empty: no limit. */
export type LimitTexts = Readonly<Record<(typeof COUNT_LIMITS)[number] | 'credits_per_day', string>>
type Limits = NonNullable<RequestBody<'editMember'>['limits']>

const NO_LIMITS: LimitTexts = {
  requests_per_minute: '',
  tokens_per_minute: '',
  concurrent_requests: '',
  credits_per_day: '',
}

export const EMPTY_MEMBER: MemberForm = { name: '', role: 'member', packages: [], password: '', limits: NO_LIMITS }

/** The API shows packages by name or id; the form keeps ids, which a new name does not change. */
export function memberFormOf(member: MemberView, packages: readonly PackageView[], locale: string): MemberForm {
  const idOf = (idOrName: string) =>
    packages.find(({ id, name }) => id === idOrName || name === idOrName)?.id ?? idOrName
  const { name, role } = member
  const open = member.packages === 'all' ? 'all' : member.packages.map(idOf)
  return { name, role, packages: open, password: '', limits: limitTexts(member.limits, locale) }
}

function limitTexts({ credits_per_day: credits, ...counts }: MemberView['limits'], locale: string): LimitTexts {
  const texts = Object.fromEntries(COUNT_LIMITS.map((name) => [name, String(counts[name] ?? '')]))
  return { ...NO_LIMITS, ...texts, credits_per_day: credits === null ? '' : amountText(microOf(credits) ?? 0n, locale) }
}

/** What the texts mean; undefined while one of them means nothing. */
function readLimits(texts: LimitTexts, locale: string): Limits | undefined {
  const limits: { -readonly [Name in keyof Limits]: Limits[Name] } = {}
  for (const name of COUNT_LIMITS) {
    const count = readCount(texts[name])
    if (count === undefined) return undefined
    if (count !== null) limits[name] = count
  }
  const credits = readAmount(texts.credits_per_day, locale)
  if (credits.type === 'empty') return limits
  if (credits.type === 'wrong' || credits.micro < 0n) return undefined
  return { ...limits, credits_per_day: Number(creditsText(credits.micro)) }
}

/** The names of the packages that are open to a member, those that are gone left out. */
export function packageNames(member: MemberView, packages: readonly PackageView[]): string[] {
  if (member.packages === 'all') return packages.map(({ name }) => name)
  const open = member.packages
  return packages.flatMap(({ id, name }) => (open.includes(id) || open.includes(name) ? [name] : []))
}

/** undefined while a limit means nothing. */
export function memberCreateBody(form: MemberForm, locale: string): RequestBody<'addMember'> | undefined {
  const limits = readLimits(form.limits, locale)
  if (limits === undefined) return undefined
  return {
    name: form.name.trim(),
    role: form.role,
    packages: form.packages === 'all' ? 'all' : [...form.packages],
    ...(form.password === '' ? {} : { password: form.password }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  }
}

/** Whoever is invited chooses a password, and is a member. */
export function inviteBody({ name, packages }: MemberForm): RequestBody<'createInvite'> {
  return { name: name.trim(), packages: packages === 'all' ? 'all' : [...packages] }
}

/** Whether somebody can be invited: the server would refuse the others. */
export function isInvitable({ role, status, has_password }: MemberView): boolean {
  return role === 'member' && status === 'active' && !has_password
}

/** Only what differs; undefined while a limit means nothing. */
export function memberEditBody(
  before: MemberForm,
  form: MemberForm,
  locale: string,
): RequestBody<'editMember'> | undefined {
  const limits = readLimits(form.limits, locale)
  if (limits === undefined) return undefined
  const isLimited = JSON.stringify(limits) !== JSON.stringify(readLimits(before.limits, locale))
  return {
    ...(form.role === before.role ? {} : { role: form.role }),
    ...(isSame(before.packages, form.packages)
      ? {}
      : { packages: form.packages === 'all' ? 'all' : [...form.packages] }),
    ...(isLimited ? { limits } : {}),
  }
}

export function isPasswordShort(password: string): boolean {
  return password !== '' && password.length < MIN_PASSWORD
}

function isSame(left: MemberForm['packages'], right: MemberForm['packages']): boolean {
  if (left === 'all' || right === 'all') return left === right
  return left.length === right.length && left.every((id) => right.includes(id))
}
