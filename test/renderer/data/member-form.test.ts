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
  type MemberForm,
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
  limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null, credits_per_day: null },
  running_calls: 0,
  credits_today: 0.25,
  has_password: true,
  keys: 2,
  sessions: 1,
  last_seen_at: null,
  created_at: AT,
}

describe('the form of a member', () => {
  it('adds one without a password where none is given', () => {
    expect(memberCreateBody({ ...EMPTY_MEMBER, name: ' ada ' }, 'en')).toEqual({
      name: 'ada',
      role: 'member',
      packages: [],
    })
    expect(memberCreateBody({ ...EMPTY_MEMBER, name: 'ada', packages: 'all', password: 'ten letters' }, 'en')).toEqual({
      name: 'ada',
      role: 'member',
      packages: 'all',
      password: 'ten letters',
    })
  })

  it('sends only what differs', () => {
    const before = memberFormOf(ADA, PACKAGES, 'en')
    expect(memberEditBody(before, before, 'en')).toEqual({})
    expect(memberEditBody(before, { ...before, role: 'administrator' }, 'en')).toEqual({ role: 'administrator' })
    expect(memberEditBody(before, { ...before, packages: 'all' }, 'en')).toEqual({ packages: 'all' })
    expect(memberEditBody(before, { ...before, packages: [] }, 'en')).toEqual({ packages: [] })
  })

  it('sends all limits as soon as one of them differs, because they are replaced as a whole', () => {
    const before = memberFormOf(ADA, PACKAGES, 'de')
    const edited = (limits: Partial<MemberForm['limits']>) =>
      memberEditBody(before, { ...before, limits: { ...before.limits, ...limits } }, 'de')
    expect(edited({ credits_per_day: '2,5' })).toEqual({ limits: { requests_per_minute: 60, credits_per_day: 2.5 } })
    expect(edited({ requests_per_minute: '' })).toEqual({ limits: {} })
    expect(edited({ requests_per_minute: ' 60 ' })).toEqual({})
    const create = memberCreateBody({ ...before, name: 'bob', packages: [] }, 'de')
    expect(create).toEqual({ name: 'bob', role: 'member', packages: [], limits: { requests_per_minute: 60 } })
  })

  it.each([
    { requests_per_minute: '0' },
    { tokens_per_minute: '1.5' },
    { credits_per_day: '-1' },
    { credits_per_day: 'x' },
  ])('has nothing to send while a limit means nothing: %j', (limits) => {
    const before = memberFormOf(ADA, PACKAGES, 'en')
    const form = { ...before, limits: { ...before.limits, ...limits } }
    expect([memberEditBody(before, form, 'en'), memberCreateBody(form, 'en')]).toEqual([undefined, undefined])
  })

  it('knows packages by id and by name', () => {
    expect(memberFormOf({ ...ADA, packages: ['team', 'id-daily'] }, PACKAGES, 'en').packages).toEqual([
      'id-team',
      'id-daily',
    ])
    expect(packageNames({ ...ADA, packages: ['team', 'id-daily', 'gone'] }, PACKAGES)).toEqual(['team', 'daily'])
    expect(packageNames({ ...ADA, packages: 'all' }, PACKAGES)).toEqual(['team', 'daily'])
  })

  it('says that a password is too short only once there is one', () => {
    expect(['', 'nine char', 'ten  chars'].map(isPasswordShort)).toEqual([false, true, false])
  })
})
