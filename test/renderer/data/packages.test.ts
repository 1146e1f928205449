import { describe, expect, it } from 'vitest'
import type { PackageView } from '#contract/schemas.ts'
import { effectsOf, isFinal, packageEdit } from '#renderer/data/package-change.ts'
import { createBody, draftOf, EMPTY_FORM, formOf, readCount, type PackageForm } from '#renderer/data/package-form.ts'
import { dateIn, lastDateBefore, zonesWith } from '#renderer/data/zone-dates.ts'

const TEAM: PackageView = {
  id: 'id-team',
  name: 'team',
  type: 'monthly',
  credits: 50,
  timezone: 'Europe/Berlin',
  limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: 8 },
  models: ['b', 'a'],
  valid_until: '2027-12-31T23:00:00.000Z',
  keys: 3,
  created_at: '2026-11-21T12:00:00.000Z',
}

/** What an edit of the form would send. */
function editOf(change: Partial<PackageForm>, before = TEAM) {
  const form = formOf(before, 'en')
  const draft = draftOf({ ...form, ...change }, 'en')
  return draft && packageEdit(before, draft, form.validUntil)
}
const effects = (change: Partial<PackageForm>, before = TEAM) => effectsOf(before, editOf(change, before) ?? {})

describe('an edit of a package', () => {
  it('sends nothing of what is as it was', () => {
    expect(editOf({})).toEqual({})
    expect(editOf({ models: ['a', 'b'] })).toEqual({})
  })

  it('sends only what differs', () => {
    expect(editOf({ credits: '0.3' })).toEqual({ credits: 0.3 })
    expect(editOf({ timezone: 'UTC' })).toEqual({ timezone: 'UTC' })
    expect(editOf({ models: 'all' })).toEqual({ models: 'all' })
    expect(editOf({ validUntil: '' })).toEqual({ valid_until: null })
    expect(editOf({ validUntil: '2028-01-31' })).toEqual({ valid_until: '2028-01-31' })
    expect(editOf({ isUsageReset: true })).toEqual({ reset_used: true })
  })

  it('sends limits as a whole, because one that is left out is lifted', () => {
    expect(editOf({ tokens: '1000' })).toEqual({
      limits: { requests_per_minute: 60, tokens_per_minute: 1000, concurrent_requests: 8 },
    })
    expect(editOf({ requests: '', concurrent: '' })).toEqual({ limits: {} })
  })

  it('gives an unlimited package no credits, and asks for some where it no longer is one', () => {
    expect(editOf({ type: 'unlimited', credits: 'nonsense' })).toEqual({ type: 'unlimited' })
    const unlimited = { ...TEAM, type: 'unlimited', credits: null }
    expect(editOf({ type: 'topup' }, unlimited)).toBeUndefined()
    expect(editOf({ type: 'topup', credits: '0' }, unlimited)).toEqual({ type: 'topup', credits: 0 })
  })

  it.each([
    ['credits', '-1'],
    ['credits', ''],
    ['credits', '1,000'],
    ['requests', '0'],
    ['tokens', '1.5'],
    ['concurrent', '1000000001'],
  ] as const)('is not sent with %s of %j', (field, text) => {
    expect(editOf({ [field]: text })).toBeUndefined()
  })
})

describe('what an edit does to keys', () => {
  it('is nothing where there are none', () => {
    expect(effects({ type: 'daily', credits: '1' }, { ...TEAM, keys: 0 })).toEqual([])
  })

  it('is the difference in credits, exactly', () => {
    expect(effects({ credits: '50.1' })).toEqual([{ type: 'credits', differenceMicro: 100_000n }])
    expect(effects({ credits: '49.7' })).toEqual([{ type: 'credits', differenceMicro: -300_000n }])
  })

  it('is the end of every cycle with another type, whatever else changes about credits and zone', () => {
    const found = effects({ type: 'daily', credits: '1', timezone: 'UTC', isUsageReset: true, requests: '1' })
    expect(found).toEqual([{ type: 'type' }, { type: 'limits' }])
    expect(found.map(isFinal)).toEqual([true, false])
  })

  it('tells a new zone only to keys whose cycles it moves', () => {
    expect(effects({ timezone: 'UTC' })).toEqual([{ type: 'timezone' }])
    expect(effects({ timezone: 'UTC' }, { ...TEAM, type: 'topup' })).toEqual([])
  })

  it('includes what holds from the next request on', () => {
    expect(effects({ requests: '', models: 'all', validUntil: '', isUsageReset: true })).toEqual([
      { type: 'reset' },
      { type: 'limits' },
      { type: 'models' },
      { type: 'validity' },
    ])
  })
})

describe('the form of a package', () => {
  it('writes amounts as the language does, and reads them again', () => {
    const form = formOf({ ...TEAM, credits: 0.125 }, 'de')
    expect(form.credits).toBe('0,125')
    expect(draftOf(form, 'de')?.creditsMicro).toBe(125_000n)
  })

  it('shows the last day of a package in the zone of the package', () => {
    expect(formOf(TEAM, 'en').validUntil).toBe('2027-12-31')
    expect(formOf({ ...TEAM, valid_until: null }, 'en').validUntil).toBe('')
  })

  it('makes a package of what was filled in', () => {
    const draft = draftOf({ ...EMPTY_FORM, credits: '5', requests: '60', validUntil: '2027-12-31' }, 'en')
    expect(draft && createBody(' try ', draft)).toEqual({
      name: 'try',
      type: 'monthly',
      credits: 5,
      limits: { requests_per_minute: 60 },
      models: 'all',
      valid_until: '2027-12-31',
    })
    const unlimited = draftOf({ ...EMPTY_FORM, type: 'unlimited', timezone: 'UTC', models: ['a'] }, 'en')
    expect(unlimited && createBody('x', unlimited)).toEqual({
      name: 'x',
      type: 'unlimited',
      timezone: 'UTC',
      limits: {},
      models: ['a'],
    })
  })

  it('reads no limit from an empty field, and none of what is no count', () => {
    expect(readCount(' ')).toBeNull()
    expect(readCount('200000')).toBe(200_000)
    for (const text of ['0', '-1', '1e3', '1,000', '1.0', '99999999999']) expect(readCount(text)).toBeUndefined()
  })
})

describe('dates in a zone', () => {
  it('are those of the calendar there', () => {
    const instant = Date.parse('2027-12-31T23:00:00.000Z')
    expect(dateIn('Europe/Berlin', instant)).toBe('2028-01-01')
    expect(lastDateBefore('Europe/Berlin', instant)).toBe('2027-12-31')
    expect(dateIn('America/Los_Angeles', instant)).toBe('2027-12-31')
  })

  it('can be had in UTC and in a zone that the browser does not list', () => {
    expect(zonesWith('')).toContain('UTC')
    expect(zonesWith('Etc/GMT+5')).toContain('Etc/GMT+5')
    expect(new Set(zonesWith('UTC')).size).toBe(zonesWith('UTC').length)
  })
})
