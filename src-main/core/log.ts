// How Farebox says what happens to it: one event per line, as text for people or as JSON for machines. An event has a fixed name
// and fields that are on a list where it is made; nothing that came over the network goes into one unbounded or unescaped.

export type LogLevel = 'error' | 'warning' | 'info'

/** What machines read of an event. Names are fixed; values are numbers, ids, and short texts that Farebox or its administrator made. */
export type LogNote = {
  readonly event: string
  readonly level?: LogLevel
  readonly fields?: Readonly<Record<string, string | number | boolean | null>>
}

/** Says something. `line` is a sentence for people; without a note it is an event named `note`. */
export type Log = (line: string, note?: LogNote) => void

export type LogOptions = {
  readonly format: 'text' | 'json'
  /** What is less grave is not written. */
  readonly level: LogLevel
  /** UTC epoch milliseconds. */
  readonly nowMs: () => number
  /** Takes one line with its end. */
  readonly write: (line: string) => void
}

const RANKS: Readonly<Record<LogLevel, number>> = { error: 0, warning: 1, info: 2 }
const LONGEST_LINE = 2000
const LONGEST_FIELD = 300
/** Characters that move the cursor, end a line, or turn the direction of what follows, of both sets of control characters. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu

export function openLog({ format, level, nowMs, write }: LogOptions): Log {
  return (line, { event, level: own = 'info', fields = {} } = { event: 'note' }) => {
    if (RANKS[own] > RANKS[level]) return
    const message = readable(line, LONGEST_LINE)
    if (format === 'text') return write(`${message}\n`)
    const bounded = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? readable(value, LONGEST_FIELD) : value,
    ])
    const time = new Date(nowMs()).toISOString()
    write(`${JSON.stringify({ time, level: own, event, message, ...Object.fromEntries(bounded) })}\n`)
  }
}

/** A text that can neither begin a new line nor act on a terminal. */
function readable(text: string, most: number): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text
  return short.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
