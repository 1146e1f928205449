// What commands print: text for people, or one JSON value. Names and messages that come from elsewhere are made harmless
// first, because a terminal obeys control characters.

import { largest } from '#core/append.ts'

/** What a verb hands back. `value` is the API's response as it was; `text` says the same to a person. */
export type Output =
  | { readonly type: 'view'; readonly value: unknown; readonly text: string; readonly exitCode?: number }
  /** Text that is too long to be built at once, such as an export; `isJson` where it is JSON lines with and without --json. */
  | { readonly type: 'chunks'; readonly chunks: AsyncIterable<string>; readonly isJson?: true }
  /** A program that ran in the terminal itself. */
  | { readonly type: 'ran'; readonly exitCode: number }

export function view(value: unknown, text: string): Output {
  return { type: 'view', value, text }
}

export type Cell = string | number | boolean | null

/** Columns for people: numbers to the right, unknown as a dash; or the given sentence when there are no rows. */
export function table(headers: readonly string[], rows: readonly (readonly Cell[])[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty
  const columns = headers.map((header, index) => {
    const texts = rows.map((row) => cellText(row[index] ?? null))
    const isNumeric = rows.some((row) => typeof row[index] === 'number')
    const width = largest(
      texts.map((text) => text.length),
      header.length,
    )
    return { lines: [header, ...texts].map((text) => (isNumeric ? text.padStart(width) : text.padEnd(width))) }
  })
  const lineCount = rows.length + 1
  return Array.from({ length: lineCount }, (_, line) => {
    return columns
      .map(({ lines }) => lines[line] ?? '')
      .join('  ')
      .trimEnd()
  }).join('\n')
}

/** Columns by their headings, each with what it shows of an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => Cell>>

/** The same for items of one kind. */
export function tableOf<Item>(columns: Columns<Item>, items: readonly Item[], whenEmpty: string): string {
  const cells = Object.values(columns)
  const rows = items.map((item) => cells.map((cell) => cell(item)))
  return table(Object.keys(columns), rows, whenEmpty)
}

/** Names and values below each other. */
export function facts(entries: Readonly<Record<string, Cell>>): string {
  const width = largest(Object.keys(entries).map((name) => name.length))
  return Object.entries(entries)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join('\n')
}

/** A time as people read it, to the minute, in UTC. */
export function time(timestamp: string | null): string | null {
  return timestamp === null ? null : timestamp.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}).*Z$/, '$1 $2 UTC')
}

/** The same in a time zone, which the reader is told beside it. */
export function timeIn(timestamp: string, timeZone: string): string {
  // Swedish dates are ISO dates.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone })
  return format.format(new Date(timestamp))
}

/** A page of a list with the way to the next one. */
export function more(page: string, next: string | null): string {
  return next === null ? page : `${page}\n\nThere is more: add --before ${printable(next)}`
}

/** A text without anything that a terminal would obey or that would hide its order: it stays on its line. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** JSON in which what a terminal would obey, or what would hide its order, is written as an escape, which says the same. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function cellText(value: Cell): string {
  if (value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return printable(String(value))
}
