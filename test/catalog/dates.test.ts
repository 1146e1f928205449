import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readBeginning, readDeadline, readExpiry } from '#catalog/dates.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')

function text(instant: number | undefined | object): string {
  return typeof instant === 'number' ? new Date(instant).toISOString() : 'refused'
}

describe('a date', () => {
  it.each([
    ['UTC', '2027-12-31', '2028-01-01T00:00:00.000Z'],
    ['Europe/Berlin', '2027-12-31', '2027-12-31T23:00:00.000Z'],
    ['America/New_York', '2027-12-31', '2028-01-01T05:00:00.000Z'],
    ['Pacific/Auckland', '2027-12-31', '2027-12-31T11:00:00.000Z'],
    ['Pacific/Auckland', '2027-06-30', '2027-06-30T12:00:00.000Z'],
    ['Pacific/Kiritimati', '2027-12-31', '2027-12-31T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2027-12-31', '2028-01-01T11:00:00.000Z'],
    ['Asia/Kolkata', '2027-12-31', '2027-12-31T18:30:00.000Z'],
    ['Europe/Berlin', '2027-03-28', '2027-03-28T22:00:00.000Z'],
    ['Africa/Cairo', '2026-04-23', '2026-04-23T22:00:00.000Z'],
    ['UTC', '2028-02-29', '2028-03-01T00:00:00.000Z'],
    ['UTC', '2027-01-31', '2027-02-01T00:00:00.000Z'],
  ])('in %s, %s, lasts to its very end', (zone, date, end) => {
    expect(text(readDeadline(date, zone, 'p'))).toBe(end)
  })

  it.each([
    '2027-02-29',
    '2027-02-30',
    '2027-04-31',
    '2027-13-01',
    '2027-00-10',
    '2027-01-00',
    '2027-1-1',
    '27-01-01',
    '31.12.2027',
    '2027/12/31',
    'tomorrow',
    '',
    '2027-12-31 ',
    '20271231',
  ])('that is none is refused: %j', (date) => {
    expect(readDeadline(date, 'UTC', 'valid_until')).toMatchObject({ code: 'invalid_request', param: 'valid_until' })
  })
})

describe('a date with a time', () => {
  it.each([
    ['2027-12-31T23:30:00Z', '2027-12-31T23:30:00.000Z'],
    ['2027-12-31T23:30Z', '2027-12-31T23:30:00.000Z'],
    ['2027-12-31T23:30:00+02:00', '2027-12-31T21:30:00.000Z'],
    ['2027-12-31T23:30:00.25-05:30', '2028-01-01T05:00:00.250Z'],
  ])('is the instant it says, whatever the zone: %s', (written, instant) => {
    for (const zone of ['UTC', 'Pacific/Auckland']) expect(text(readDeadline(written, zone, 'p'))).toBe(instant)
  })

  it.each([
    '2027-12-31T23:30:00',
    '2027-12-31 23:30:00Z',
    '2027-12-31T25:00:00Z',
    '2027-12-31T23:61:00Z',
    '2027-02-30T12:00:00Z',
    '2027-12-31T12:00:00+2',
  ])('that is none, or that no one can place, is refused: %j', (written) => {
    expect(isRefusal(readDeadline(written, 'UTC', 'p'))).toBe(true)
  })
})

describe('an expiry', () => {
  it.each([
    ['1d', '2026-06-16T12:00:00.000Z'],
    ['90d', '2026-09-13T12:00:00.000Z'],
    ['99999d', '2300-03-30T12:00:00.000Z'],
    ['2026-07-01', '2026-07-02T00:00:00.000Z'],
    ['2026-07-01T00:00:00Z', '2026-07-01T00:00:00.000Z'],
  ])('of %s', (written, instant) => {
    expect(text(readExpiry(written, 'UTC', NOW))).toBe(instant)
  })

  it('may be never', () => {
    expect(readExpiry('never', 'UTC', NOW)).toBeUndefined()
  })

  it.each(['0d', '-5d', '1.5d', '100000d', '90', '90days', 'Never', 'd', ' 90d', '12h', '2027-02-30'])(
    'is refused as %j',
    (written) => {
      expect(readExpiry(written, 'UTC', NOW)).toMatchObject({ code: 'invalid_request', param: 'expires' })
    },
  )
})

describe('a beginning', () => {
  it.each([
    ['24h', '2026-06-14T12:00:00.000Z'],
    ['7d', '2026-06-08T12:00:00.000Z'],
    ['2026-06-01', '2026-05-31T22:00:00.000Z'],
    ['2026-06-01T00:00:00Z', '2026-06-01T00:00:00.000Z'],
    ['2026-06-01T00:00:00+05:30', '2026-05-31T18:30:00.000Z'],
  ])('is %s', (said, instant) => {
    expect(text(readBeginning(said, 'Europe/Berlin', NOW))).toBe(instant)
  })

  it.each([
    '',
    '7',
    'd',
    '0d',
    '-1d',
    '1.5h',
    '7w',
    '2026-06-31',
    '2026-06-01T00:00:00',
    '1',
    'June 1 2026',
    '1749988800000',
  ])('is not %j', (said) => {
    expect(readBeginning(said, 'UTC', NOW)).toMatchObject({ code: 'invalid_request', param: 'since' })
  })
})
