// What the charts draw, without drawing: one list of rows for the chart, its table and its legend, so that they agree.

import { hueColour, huesFor, type Hues } from '#renderer/data/hues.ts'

export type ChartSeries = {
  /** Unique within the chart. */
  readonly id: string
  readonly label: string
  /** Grey instead of a hue: the rest that has no series of its own. */
  readonly isOther?: boolean
  /** One for each point in time; undefined is unknown and drawn as a gap. */
  readonly values: readonly (number | undefined)[]
}

export type DrawnSeries = ChartSeries & {
  readonly colour: string
  readonly field: string
  /** A broken line behind the others: the same time before. */
  readonly isGhost?: boolean
}

/** A series to compare with, which has no part in the stack. */
export function asGhost(series: ChartSeries): DrawnSeries {
  return { ...series, colour: 'var(--muted)', field: 'ghost', isGhost: true }
}

export function withColours(series: readonly ChartSeries[], known: Hues): DrawnSeries[] {
  const hues = huesFor(
    known,
    series.flatMap((one) => (one.isOther === true ? [] : [one.id])),
  )
  return series.map((one, index) => ({
    ...one,
    colour: one.isOther === true ? hueColour(undefined) : hueColour(hues[one.id]),
    // Names of models have dots, which the chart library would read as paths.
    field: `s${index}`,
  }))
}

export type ChartRow = { readonly at: number } & Readonly<Record<string, number | undefined>>

/** One row for each point in time, with the value of every series under its field. */
export function rowsOf(times: readonly number[], series: readonly DrawnSeries[]): ChartRow[] {
  return times.map((at, index) => ({
    at,
    ...Object.fromEntries(series.map((one) => [one.field, one.values[index]])),
  }))
}
