// Pictures that people share: what stands in them. They have sums, models, tools and dates, and never a key, a project, an id or anything
// of what was said.

import type { UsageReport } from '#contract/reports.ts'
import { microOf, moneyText, shareOf } from '#renderer/data/money.ts'
import { dateFormat } from '#renderer/data/formats.ts'

export type Picture = {
  readonly title: string
  readonly subtitle: string
  /** What the picture is about, large: an amount with its unit. */
  readonly amount: string
  readonly facts: readonly PictureFact[]
  readonly month?: PictureMonth
}

export type PictureFact = { readonly name: string; readonly value: string }

export type PictureMonth = {
  /** Monday first. */
  readonly weekdays: readonly string[]
  /** How many days of the week come before the first of the month. */
  readonly blank: number
  readonly days: readonly PictureDay[]
}

export type PictureDay = {
  readonly number: number
  /** What was spent; empty where nothing was. */
  readonly text: string
  /** Of the most on one day, 0 to 1, for how dark its ground is. */
  readonly share: number
}

const DAY_MS = 86_400_000
/** A Monday. */
const WEEK = Date.UTC(2024, 0, 1)

/** `2026-11` and a number of months to go on by; months before year 1 are not asked for. */
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}

/** `November 2026`. */
export function monthName(month: string, locale: string): string {
  return dateFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(`${month}-01`))
}

/** The days of a month with what a report by day says of them; days that it does not have are empty. */
export function monthOf(month: string, report: UsageReport, locale: string): PictureMonth {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate()
  const spent = spentByDay(month, report)
  const most = [...spent.values()].reduce((high, micro) => (micro > high ? micro : high), 0n)
  const weekday = dateFormat(locale, { weekday: 'short', timeZone: 'UTC' })
  return {
    weekdays: Array.from({ length: 7 }, (_, index) => weekday.format(WEEK + index * DAY_MS)),
    blank: (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7,
    days: Array.from({ length: count }, (_, index) => {
      const micro = spent.get(index + 1) ?? 0n
      return {
        number: index + 1,
        text: micro === 0n ? '' : moneyText(micro, locale),
        share: shareOf(micro, most) / 100,
      }
    }),
  }
}

function spentByDay(month: string, { intervals, series, time_zone: timeZone }: UsageReport): Map<number, bigint> {
  // In this form a date begins with its month.
  const dates = dateFormat('sv', { dateStyle: 'short', timeZone })
  const spent = new Map<number, bigint>()
  for (const [index, at] of intervals.entries()) {
    const date = dates.format(Date.parse(at))
    if (!date.startsWith(`${month}-`)) continue
    const day = Number(date.slice(month.length + 1))
    const sum = series.reduce((all, { points }) => all + (microOf(points[index]?.charge_credits ?? 0) ?? 0n), 0n)
    spent.set(day, (spent.get(day) ?? 0n) + sum)
  }
  return spent
}
