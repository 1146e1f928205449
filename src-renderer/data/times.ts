// Points in time as text. The clock comes in as an argument.

import { dateFormat } from '#renderer/data/formats.ts'

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1000 },
] as const

/** Further away than this, a date says more than a number of days. */
const MAX_DAYS = 30

/** `3 minutes ago`, `in 6 days`, `now`; a date where it is further away than a month. Rounded towards now. */
export function relativeText(atMs: number, nowMs: number, locale: string): string {
  const distance = atMs - nowMs
  if (Math.abs(distance) >= MAX_DAYS * 86_400_000) return dateText(atMs, locale)
  const found = UNITS.find(({ ms }) => Math.abs(distance) >= ms)
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  if (found === undefined) return format.format(0, 'second')
  // With `auto` a single day reads as `yesterday`, which 26 hours need not be.
  const numeric = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
  return numeric.format(Math.trunc(distance / found.ms), found.unit)
}

/** A length of time in its largest whole unit: `11 days`, `3 hours`. Rounded down. */
export function spanText(ms: number, locale: string): string {
  const found = UNITS.find((one) => ms >= one.ms) ?? UNITS[3]
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: found.unit, unitDisplay: 'long' })
  return format.format(Math.floor(ms / found.ms))
}

/** Day and time to the second with the zone's short name. `zone` is an IANA name; without it the reader's own zone. */
export function exactText(atMs: number, locale: string, zone?: string): string {
  return dateFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(atMs)
}

/** Only the day. */
export function dateText(atMs: number, locale: string, zone?: string): string {
  return dateFormat(locale, {
    dateStyle: 'medium',
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(atMs)
}

/** A day to come as people say it: `today`, `tomorrow`, `Thursday`; a date where it is a week away or more. */
export function dayText(atMs: number, nowMs: number, locale: string): string {
  const startOf = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)
  const days = Math.round((startOf(atMs) - startOf(nowMs)) / 86_400_000)
  if (days < 0 || days >= 7) return dateText(atMs, locale)
  if (days < 2) return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
  return dateFormat(locale, { weekday: 'long' }).format(atMs)
}

/** Only the time of day, to the second. */
function clockText(atMs: number, locale: string, zone?: string): string {
  return dateFormat(locale, {
    timeStyle: 'medium',
    hourCycle: 'h23',
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(atMs)
}

/** In a log: the time of day, and for another day than today the day with it. */
export function momentText(atMs: number, nowMs: number, locale: string): string {
  const dayOf = (ms: number) => dateFormat(locale, { dateStyle: 'short' }).format(ms)
  if (dayOf(atMs) === dayOf(nowMs)) return clockText(atMs, locale)
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return dateFormat(locale, options).format(atMs)
}

/** For a field of the kind `datetime-local`: the reader's own time to the minute, `2026-11-21T14:05`. */
export function localTimeOf(atMs: number): string {
  const shiftedMs = atMs - new Date(atMs).getTimezoneOffset() * 60_000
  return new Date(shiftedMs).toISOString().slice(0, 16)
}

/** What such a field says as an instant; undefined where it says nothing. */
export function instantOfLocal(text: string): string | undefined {
  const atMs = text === '' ? Number.NaN : Date.parse(text)
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString()
}

/** Milliseconds of an ISO 8601 text, undefined for anything else. */
export function msOf(iso: string | null | undefined): number | undefined {
  if (iso === null || iso === undefined) return undefined
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? undefined : ms
}
