// What the editors of file formats have in common. Each changes single members in a text and leaves every other character as it is.

/** Where a member is: names of members, and in a list the entry that has these values. */
export type Step = string | { readonly [member: string]: string }
export type Path = readonly Step[]

/** What is put at a path: a value that the format writes in its own way, or the text that stood there once. */
export type Content = { readonly value: unknown } | { readonly source: string }

export type Format = {
  /** The values of a text. Throws a Refused where the format's own parser cannot read it. */
  readonly read: (text: string) => unknown
  /** Puts a member in, or replaces it. What is missing on the way to it is made. */
  readonly put: (text: string, path: Path, content: Content) => string
  /** Takes a member out that is there. `before` is the text into which it was put: what was made on the way to it goes with it. */
  readonly remove: (text: string, path: Path, before: string) => string
  /** The text of a member's value; undefined where it is not there. */
  readonly sourceAt: (text: string, path: Path) => string | undefined
  /** Where a new entry of a list goes. */
  readonly newEntries: 'first' | 'last'
  /** Whether nothing is said by a text. */
  readonly isBlank: (text: string) => boolean
}

/** Farebox leaves a file alone, and says why. The message is a sentence for people. */
export class Refused extends Error {
  readonly reason: RefusedReason

  constructor(reason: RefusedReason, message: string) {
    super(message)
    this.name = 'Refused'
    this.reason = reason
  }
}

export type RefusedReason =
  | 'unreadable' // the file is not of its format
  | 'uneditable' // it is, but in a way that Farebox does not edit
  | 'changed' // it is not what the preview showed
  | 'foreign' // it belongs to somebody else
  | 'read_only'
  | 'too_large'
  | 'not_a_file'
  | 'taken' // there is something of this name that is not Farebox's
  | 'missing' // there is no such tool, model or package
  | 'busy' // another connection is being made

/** The same for a format's parser, whose own words could quote what is in the file. */
export function unreadable(format: string, line?: number): Refused {
  const place = line === undefined ? '' : `, line ${line}`
  return new Refused('unreadable', `It cannot be read as ${format}${place}. Mend it, and try again.`)
}

/**
 * Refuses what has more in it than settings have, before a parser is asked about it: a hundred thousand lines of TOML or YAML take theirs a
 * minute, in which a gateway does nothing else, and gigabytes. `part` finds what begins a part of it.
 */
export function insistOnFew(text: string, part: RegExp, most: number): void {
  if (text.length <= most) return
  let count = 0
  for (const _ of text.matchAll(part)) {
    count += 1
    if (count > most) break
  }
  if (count <= most) return
  const how = 'Move away what is no setting, and try again.'
  throw new Refused('too_large', `It has more in it than settings of its kind have (${most} parts). ${how}`)
}

/** Lines that say something, and what has a line together with others. */
export const LINES_AND_ENTRIES = /^[ \t]*[^\s#]|,/gm
export const MAX_LINES_AND_ENTRIES = 20_000

export function changedMeanwhile(path: string): Refused {
  return new Refused('changed', `${path} has changed meanwhile. Look at it anew.`)
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** How lines end in a text: as the first of them does. */
export function newlineOf(text: string): string {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** A part of a text, up to before its end. */
export type Range = { readonly start: number; readonly end: number }

export function splice(text: string, range: Range, inserted = ''): string {
  return text.slice(0, range.start) + inserted + text.slice(range.end)
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Behind the end of the line, with its newline. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  return newline === -1 ? text.length : newline + 1
}

/** Puts a line at the end of a text. */
export function appendLine(text: string, line: string): string {
  const newline = newlineOf(text)
  return text === '' || text.endsWith('\n') ? `${text}${line}${newline}` : `${text}${newline}${line}`
}
