// Nearly every event of a stream is the one before it with another piece of text. A mould is made of an event that said nothing but
// text: an event that fits it is known without being parsed, which takes a fifth of the time.

import { parseJson } from '#dialect/request-body.ts'

/** What an event said, of one that said nothing but a piece of text and, in dialects that count their events, its number. */
export type SaidText = { readonly text: string; readonly sequence: number | undefined }

/** Longer events are rare. */
const MAX_LENGTH = 4096
const SEQUENCE = 'sequence_number'
/** What some providers add so that the length of an event does not tell that of its text. Nobody reads it. */
const PADDING = 'obfuscation'
/** A part of a text from this length on keeps the whole text in memory, as V8 makes it. */
const KEEPING_LENGTH = 13
/** Numbers with more digits than this are not exact. */
const MAX_DIGITS = 15

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

type HoleKind = 'text' | 'sequence' | 'padding'
type Hole = { readonly kind: HoleKind; readonly start: number; readonly end: number }
/** The same text before a hole in every event. */
type Segment = { readonly before: string; readonly kind: HoleKind }

export class EventMould implements SaidText {
  readonly #pieces: readonly Segment[]
  readonly #after: string
  /** Of the event that fitted last. */
  text = ''
  sequence: number | undefined

  private constructor(pieces: readonly Segment[], after: string) {
    this.#pieces = pieces
    this.#after = after
  }

  /** The mould of an event, as it came, that said this; undefined where it is not certain what stands where in it. */
  static of(event: string, said: SaidText): EventMould | undefined {
    // Without escapes each quote begins or ends a string, and what is in quotes is what it looks like.
    if (said.text === '' || event.length > MAX_LENGTH || event.includes('\\')) return undefined
    const text = textHole(event, said.text)
    const sequence = said.sequence === undefined ? NONE : sequenceHole(event, said.sequence)
    const padding = paddingHole(event)
    if (text === undefined || sequence === undefined || padding === undefined) return undefined
    const holes = [text, sequence, padding].filter(({ end }) => end > 0)
    holes.sort((left, right) => left.start - right.start)
    let from = 0
    const pieces = holes.map(({ kind, start, end }): Segment => {
      const before = event.slice(from, start)
      from = end
      return { before, kind }
    })
    return new EventMould(pieces, event.slice(from))
  }

  /** Whether an event says the same but for `text` and `sequence`, which are its own then. */
  fits(event: string): boolean {
    let from = 0
    for (const { before, kind } of this.#pieces) {
      const start = from + before.length
      if (event.slice(from, start) !== before) return false
      from = kind === 'sequence' ? this.#number(event, start) : this.#string(event, start, kind)
      if (from === -1) return false
    }
    return event.slice(from) === this.#after
  }

  #string(event: string, start: number, kind: HoleKind): number {
    const end = stringEnd(event, start)
    if (end === -1) return -1
    const text = textBetween(event, start, end)
    if (text === undefined) return -1
    if (kind === 'text') this.text = text
    return end
  }

  /** Where the digits of a number end; -1 where it is none, or is written in a way that is for a parser to judge. */
  #number(event: string, start: number): number {
    let end = start
    while (event.charCodeAt(end) >= DIGIT_0 && event.charCodeAt(end) <= DIGIT_9) end += 1
    const digits = end - start
    if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && event.charCodeAt(start) === DIGIT_0)) return -1
    this.sequence = Number(event.slice(start, end))
    return end
  }
}

/** Where the quote is that ends a string; -1 where something is in it that must not be. */
function stringEnd(event: string, start: number): number {
  for (let at = start; at < event.length; at++) {
    const code = event.charCodeAt(at)
    if (code === QUOTE) return at
    if (code < FIRST_PRINTABLE) return -1
    if (code === BACKSLASH) at += 1
  }
  return -1
}

/** The text of a string, whose quotes stand right before `start` and at `end`; undefined where it is not JSON. */
function textBetween(event: string, start: number, end: number): string | undefined {
  const text = event.slice(start, end)
  if (end - start < KEEPING_LENGTH && !text.includes('\\')) return text
  const parsed = parseJson(event.slice(start - 1, end + 1))
  return typeof parsed === 'string' ? parsed : undefined
}

/** For what an event does not have. */
const NONE: Hole = { kind: 'padding', start: 0, end: 0 }

/** Each returns undefined for what stands more than once, or in another form, in an event. */
function textHole(event: string, text: string): Hole | undefined {
  const quoted = `"${text}"`
  const start = event.indexOf(quoted)
  if (start === -1 || event.indexOf(quoted, start + 1) !== -1) return undefined
  return { kind: 'text', start: start + 1, end: start + 1 + text.length }
}

function sequenceHole(event: string, sequence: number): Hole | undefined {
  const member = `"${SEQUENCE}":${sequence}`
  const start = event.indexOf(`"${SEQUENCE}"`)
  const end = start + member.length
  const isPlain = event.startsWith(member, start) && (event[end] === ',' || event[end] === '}')
  if (!isPlain || event.indexOf(`"${SEQUENCE}"`, end) !== -1) return undefined
  return { kind: 'sequence', start: start + SEQUENCE.length + '"":'.length, end }
}

function paddingHole(event: string): Hole | undefined {
  const at = event.indexOf(`"${PADDING}"`)
  if (at === -1) return NONE
  const start = at + PADDING.length + '"":"'.length
  if (!event.startsWith(`"${PADDING}":"`, at) || event.indexOf(`"${PADDING}"`, start) !== -1) return undefined
  return { kind: 'padding', start, end: event.indexOf('"', start) }
}
