import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cycleStart, isTimeZone, nextCycleStart, type CycleKind } from '#core/cycle.ts'
import { cases, isLong } from '../support/cases.ts'

const HOUR = 3_600_000
const KINDS: readonly CycleKind[] = ['monthly', 'daily']
const ALL_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]
/** Zones that do something unusual: half hours, clocks that change at midnight, the ends of the world, 45 minutes. */
const ODD_ZONES = [
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Santiago',
  'Asia/Beirut',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
  'Africa/Casablanca',
]
/** With the unusual ones every fourth zone, where little is tried. */
const ZONES = cases(
  ALL_ZONES.filter((zone, index) => ODD_ZONES.includes(zone) || index % 4 === 0),
  ALL_ZONES,
  ALL_ZONES,
)

const at = (text: string) => Date.parse(text)
const iso = (instantMs: number) => new Date(instantMs).toISOString()

function startOf(kind: CycleKind, zone: string, instant: string): string {
  return iso(cycleStart(kind, zone, at(instant)))
}

function nextOf(kind: CycleKind, zone: string, instant: string): string {
  return iso(nextCycleStart(kind, zone, at(instant)))
}

/** A formatter takes a hundred times as long to make as to use. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Local date and time, written by the platform and not by the code under test. */
function localText(zone: string, instantMs: number): string {
  const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', options)
  formats.set(zone, format)
  return format.format(instantMs)
}

function localDate(zone: string, instantMs: number): string {
  return localText(zone, instantMs).slice(0, 10)
}

/** Every cycle of a zone from one instant to another, each checked to end where the next one starts. */
function cyclesBetween(kind: CycleKind, zone: string, fromMs: number, toMs: number): number[] {
  const starts: number[] = []
  for (let start = cycleStart(kind, zone, fromMs); start < toMs; start = nextCycleStart(kind, zone, start)) {
    starts.push(start)
    if (cycleStart(kind, zone, start) !== start) expect.fail(`${zone}: ${iso(start)} is not in the cycle it starts`)
    const end = nextCycleStart(kind, zone, start)
    if (end <= start) expect.fail(`${zone}: the cycle of ${iso(start)} ends before it starts`)
    if (cycleStart(kind, zone, end - 1) !== start) expect.fail(`${zone}: the cycle of ${iso(start)} has a gap`)
  }
  return starts
}

describe('cycles', () => {
  it.each([
    ['monthly', 'UTC', '2026-03-15T12:00:00Z', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['daily', 'UTC', '2026-03-15T12:00:00Z', '2026-03-15T00:00:00Z', '2026-03-16T00:00:00Z'],
    ['monthly', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['monthly', 'UTC', '2025-12-31T23:59:59.999Z', '2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['monthly', 'Europe/Berlin', '2026-02-28T22:59:59.999Z', '2026-01-31T23:00:00Z', '2026-02-28T23:00:00Z'],
    ['monthly', 'Europe/Berlin', '2026-02-28T23:00:00Z', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z'],
    ['monthly', 'Asia/Kolkata', '2026-06-30T18:29:59Z', '2026-05-31T18:30:00Z', '2026-06-30T18:30:00Z'],
    ['monthly', 'Pacific/Kiritimati', '2026-07-31T10:00:00Z', '2026-07-31T10:00:00Z', '2026-08-31T10:00:00Z'],
    ['monthly', 'Pacific/Pago_Pago', '2026-08-01T10:59:59Z', '2026-07-01T11:00:00Z', '2026-08-01T11:00:00Z'],
  ] as const)('of a %s package in %s at %s go from %s to %s', (kind, zone, instant, start, next) => {
    expect(startOf(kind, zone, instant)).toBe(iso(at(start)))
    expect(nextOf(kind, zone, instant)).toBe(iso(at(next)))
  })

  it.each([
    ['2026-01-31', 31],
    ['2026-02-15', 28],
    ['2028-02-29', 29],
    ['2026-04-30', 30],
    ['2100-02-01', 28],
    ['2000-02-29', 29],
  ])('a month has its own length: %s lies in one of %d days', (date, days) => {
    const start = cycleStart('monthly', 'UTC', at(date))
    expect((nextCycleStart('monthly', 'UTC', at(date)) - start) / (24 * HOUR)).toBe(days)
  })

  it('29 February is a day of its own', () => {
    expect(startOf('daily', 'Europe/Berlin', '2028-02-29T12:00:00Z')).toBe('2028-02-28T23:00:00.000Z')
    expect(nextOf('daily', 'Europe/Berlin', '2028-02-29T12:00:00Z')).toBe('2028-02-29T23:00:00.000Z')
  })

  it('work long before and after today', () => {
    expect(startOf('monthly', 'Europe/Berlin', '1970-01-01T00:00:00Z')).toBe('1969-12-31T23:00:00.000Z')
    expect(nextOf('daily', 'UTC', '2400-12-31T23:00:00Z')).toBe('2401-01-01T00:00:00.000Z')
  })

  it('refuse a time zone that the platform does not know', () => {
    expect(() => cycleStart('daily', 'Europe/Atlantis', 0)).toThrow(RangeError)
    expect(() => nextCycleStart('monthly', '', 0)).toThrow(RangeError)
  })
})

describe('a day in which the clocks change', () => {
  it.each([
    ['is 23 hours long in spring', 'Europe/Berlin', '2026-03-29', 23],
    ['is 25 hours long in autumn', 'Europe/Berlin', '2026-10-25', 25],
    ['is 23 hours long in New York', 'America/New_York', '2026-03-08', 23],
    ['is 25 hours long in New York', 'America/New_York', '2026-11-01', 25],
    ['is half an hour longer on Lord Howe in autumn', 'Australia/Lord_Howe', '2026-04-05', 24.5],
    ['is half an hour shorter on Lord Howe in spring', 'Australia/Lord_Howe', '2026-10-04', 23.5],
    ['is 23 hours long in Cairo, where midnight is skipped', 'Africa/Cairo', '2026-04-24', 23],
    ['is 25 hours long in Cairo, where the last hour comes twice', 'Africa/Cairo', '2026-10-29', 25],
    ['is 23 hours long in Santiago, where midnight is skipped', 'America/Santiago', '2026-09-06', 23],
    ['is 24 hours long where nothing changes', 'Asia/Kolkata', '2026-03-29', 24],
  ])('%s', (_, zone, date, hours) => {
    const noon = Date.parse(`${date}T12:00:00Z`)
    const start = cycleStart('daily', zone, noon)
    expect(localDate(zone, start)).toBe(date)
    expect((nextCycleStart('daily', zone, noon) - start) / HOUR).toBe(hours)
  })

  it.each([
    ['Africa/Cairo', '2026-04-23T22:00:00.000Z', '2026-04-24 01:00:00'],
    ['America/Santiago', '2026-09-06T04:00:00.000Z', '2026-09-06 01:00:00'],
  ])('begins at 01:00 where midnight does not exist: %s', (zone, start, local) => {
    expect(iso(cycleStart('daily', zone, at(start) + 5 * HOUR))).toBe(start)
    expect(localText(zone, at(start))).toBe(local)
    expect(iso(cycleStart('daily', zone, at(start) - 1))).not.toBe(start)
  })

  it('does not shift the month that it lies in', () => {
    const start = cycleStart('monthly', 'Europe/Berlin', at('2026-03-15T00:00:00Z'))
    expect((nextCycleStart('monthly', 'Europe/Berlin', start) - start) / HOUR).toBe(31 * 24 - 1)
  })
})

describe('a day that a zone left out', () => {
  it('is no cycle: Samoa went from 29 to 31 December 2011', () => {
    const zone = 'Pacific/Apia'
    expect(nextOf('daily', zone, '2011-12-29T20:00:00Z')).toBe('2011-12-30T10:00:00.000Z')
    expect(startOf('daily', zone, '2011-12-30T10:00:00Z')).toBe('2011-12-30T10:00:00.000Z')
    expect(localText(zone, at('2011-12-30T10:00:00Z'))).toBe('2011-12-31 00:00:00')
    const starts = cyclesBetween('daily', zone, at('2011-12-28T12:00:00Z'), at('2012-01-01T00:00:00Z'))
    expect(starts.map((start) => localDate(zone, start))).toEqual([
      '2011-12-28',
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
    ])
  })

  it('does not cost Samoa a month', () => {
    const starts = cyclesBetween('monthly', 'Pacific/Apia', at('2011-11-15T00:00:00Z'), at('2012-03-15T00:00:00Z'))
    expect(starts.map((start) => localDate('Pacific/Apia', start))).toEqual([
      '2011-11-01',
      '2011-12-01',
      '2012-01-01',
      '2012-02-01',
      '2012-03-01',
    ])
  })
})

describe('from 2024 to 2032', () => {
  const from = at('2024-01-01T00:00:00Z')
  const to = at('2033-01-01T00:00:00Z')

  it('every month of every zone starts on its first and ends where the next one starts', { timeout: 300_000 }, () => {
    for (const zone of ZONES) {
      // All nine years of all zones take half a minute; a leap year is enough where nothing odd is known.
      const isWhole = isLong || ODD_ZONES.includes(zone)
      const starts = isWhole
        ? cyclesBetween('monthly', zone, from, to)
        : cyclesBetween('monthly', zone, at('2028-01-15T00:00:00Z'), at('2028-12-15T00:00:00Z'))
      const first = starts[0] ?? 0
      const [year = 0, month = 0] = localDate(zone, first).split('-').map(Number)
      const dates = starts.map((_, index) => new Date(Date.UTC(year, month - 1 + index, 1)).toISOString().slice(0, 10))
      expect(starts.map((start) => localDate(zone, start))).toEqual(dates)
      expect(starts.length).toBeGreaterThanOrEqual(isWhole ? 108 : 12)
    }
  })

  it.each(cases(ODD_ZONES.slice(0, 2), ODD_ZONES.slice(0, 4), ALL_ZONES))(
    'no day of %s is missed or comes twice',
    { timeout: 60_000 },
    (zone) => {
      const starts = cyclesBetween('daily', zone, from, to)
      const first = Date.parse(localDate(zone, starts[0] ?? 0))
      const dates = starts.map((_, index) => new Date(first + index * 24 * HOUR).toISOString().slice(0, 10))
      expect(starts.map((start) => localDate(zone, start))).toEqual(dates)
      expect(starts.length).toBeGreaterThanOrEqual(3288)
    },
  )

  it('every instant belongs to exactly one cycle', () => {
    const instants = fc.integer({ min: from, max: to })
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.constantFrom(...ALL_ZONES), instants, (kind, zone, instant) => {
        const start = cycleStart(kind, zone, instant)
        const next = nextCycleStart(kind, zone, instant)
        expect(start).toBeLessThanOrEqual(instant)
        expect(next).toBeGreaterThan(instant)
        expect(cycleStart(kind, zone, start)).toBe(start)
        expect(nextCycleStart(kind, zone, start)).toBe(next)
        expect(cycleStart(kind, zone, next - 1)).toBe(start)
        expect(cycleStart(kind, zone, next)).toBe(next)
      }),
      { numRuns: cases(200, 500, 20_000) },
    )
  })
})

describe('isTimeZone', () => {
  it('knows the zones of the platform, and no others', () => {
    for (const zone of [...ALL_ZONES, 'Europe/Kiev', 'Etc/GMT+5']) expect(isTimeZone(zone)).toBe(true)
    for (const zone of ['', 'Berlin', 'Europe/Atlantis', 'UTC+1', '../etc', '🕐']) expect(isTimeZone(zone)).toBe(false)
  })
})
