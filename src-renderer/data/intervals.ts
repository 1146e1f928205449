// The intervals of a report as text: hours and days of one zone.

import { dateFormat } from '#renderer/data/formats.ts'

export type Rollup = 'hour' | 'day'

type TextOptions = { readonly rollup: Rollup; readonly zone: string; readonly locale: string }

/** For an axis, where there is little room: `14:00`, or `21 Nov` where the range has more than a day. */
export function axisText(atMs: number, { rollup, zone, locale }: TextOptions, isOneDay: boolean): string {
  const format = rollup === 'hour' && isOneDay ? CLOCK : rollup === 'hour' ? DAY_AND_CLOCK : DAY
  return dateFormat(locale, { ...format, timeZone: zone }).format(atMs)
}

/** With all that tells it from others: `Fri, 21 Nov 2026` or `Fri, 21 Nov 2026, 14:00`. */
export function intervalText(atMs: number, { rollup, zone, locale }: TextOptions): string {
  const format = { ...LONG_DAY, ...(rollup === 'hour' ? CLOCK : {}), timeZone: zone }
  return dateFormat(locale, format).format(atMs)
}

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const DAY = { day: 'numeric', month: 'short' } as const
const DAY_AND_CLOCK = { ...DAY, ...CLOCK } as const
const LONG_DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const

/** ISO 8601 with the offset of the zone, `2026-11-21T14:00:00+01:00`: the hour that a change of clocks repeats stays clear. */
export function isoIn(zone: string, atMs: number): string {
  const { year, month, day, hour, minute, second } = partsIn(zone, atMs)
  const offset = Math.round(offsetMs(zone, atMs) / 60_000)
  const sign = offset < 0 ? '-' : '+'
  const clock = `${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${sign}${clock}`
}

/** The date that is `days` later, or earlier where they are below 0. Undefined for what is no date. */
export function dateAfter(date: string, days: number): string | undefined {
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  return Number.isNaN(startMs) ? undefined : new Date(startMs + days * 86_400_000).toISOString().slice(0, 10)
}

/** The first instant of a calendar date. Undefined for what is no date. */
export function startOfDate(zone: string, date: string): number | undefined {
  const utcMs = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(utcMs)) return undefined
  const guessMs = utcMs - offsetMs(zone, utcMs)
  // The clock may have changed between the guess and the instant that it was made from.
  return utcMs - offsetMs(zone, guessMs)
}

/** What the zone's clock is ahead of UTC. */
function offsetMs(zone: string, atMs: number): number {
  const { year, month, day, hour, minute, second } = partsIn(zone, atMs)
  const localMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return localMs - Math.floor(atMs / 1000) * 1000
}

type Parts = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', string>>

function partsIn(zone: string, atMs: number): Parts {
  const parts = dateFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(atMs)
  const valueOf = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return {
    year: valueOf('year').padStart(4, '0'),
    month: valueOf('month'),
    day: valueOf('day'),
    hour: valueOf('hour'),
    minute: valueOf('minute'),
    second: valueOf('second'),
  }
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
