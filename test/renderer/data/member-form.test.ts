import { describe, expect, it } from 'vitest'
import type { MemberView } from '#contract/members.ts'
import type { PackageView } from '#contract/schemas.ts'
import {
  EMPTY_MEMBER,
  isPasswordShort,
  memberCreateBody,
  memberEditBody,
  memberFormOf,
  packageNames,
} from '#renderer/data/member-form.ts'

const AT = '2026-11-21T12:00:00.000Z'
const PACKAGES = ['team', 'daily'].map((name): PackageView => {
  const limits = { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null }
  const own = { id: `id-${name}`, name, type: 'monthly', credits: 50, timezone: 'UTC', limits, models: 'all' as const }
  return { ...own, valid_until: null, keys: 0, created_at: AT }
})
const ADA: MemberView = {
  id: 'id-ada',
  name: 'ada',
  role: 'member',
  status: 'active',
  packages: ['id-team'],
  has_password: true,
  keys: 2,
  sessions: 1,
  last_seen_at: null,
  created_at: AT,
}

describe('the form of a member', () => {
  it('adds one without a password where none is given', () => {
    expect(memberCreateBody({ ...EMPTY_MEMBER, name: ' ada ' })).toEqual({ name: 'ada', role: 'member', packages: [] })
    expect(memberCreateBody({ ...EMPTY_MEMBER, name: 'ada', packages: 'all', password: 'ten letters' })).toEqual({
      name: 'ada',
      role: 'member',
      packages: 'all',
      password: 'ten letters',
    })
  })

  it('sends only what differs', () => {
    const before = memberFormOf(ADA, PACKAGES)
    expect(memberEditBody(before, before)).toEqual({})
    expect(memberEditBody(before, { ...before, role: 'administrator' })).toEqual({ role: 'administrator' })
    expect(memberEditBody(before, { ...before, packages: 'all' })).toEqual({ packages: 'all' })
    expect(memberEditBody(before, { ...before, packages: [] })).toEqual({ packages: [] })
  })

  it('knows packages by id and by name', () => {
    expect(memberFormOf({ ...ADA, packages: ['team', 'id-daily'] }, PACKAGES).packages).toEqual(['id-team', 'id-daily'])
    expect(packageNames({ ...ADA, packages: ['team', 'id-daily', 'gone'] }, PACKAGES)).toEqual(['team', 'daily'])
    expect(packageNames({ ...ADA, packages: 'all' }, PACKAGES)).toEqual(['team', 'daily'])
  })

  it('says that a password is too short only once there is one', () => {
    expect(['', 'nine char', 'ten  chars'].map(isPasswordShort)).toEqual([false, true, false])
  })
})
