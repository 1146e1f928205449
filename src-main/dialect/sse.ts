// Server-sent events as text in which each character is one byte (latin1): structure and JSON can be read from it, a
// multi-byte character that is cut in two cannot be damaged, and writing it back gives the bytes that came.

import { UpstreamFailure } from '#core/failure.ts'

/** A comment, which clients skip. */
export const KEEP_ALIVE = ': keep-alive\n\n'

/** Room for an image in one event. */
const MAX_EVENT_LENGTH = 8 * 1024 * 1024

/**
 * A line end and another: the blank line that ends an event, in all the line ends that the format allows. Where lines end in
 * CR LF, a CR that nothing follows yet is half of a line end, whose other half must not be lost behind the last event.
 */
const BLANK_LINE = /(?:\r\n|\n)(?:\r\n|\n|\r(?!\n|$))|\r(?!\n)(?:\r\n|\r)/g

/** A stream may begin with a byte order mark, which is no part of its first line; its three bytes as latin1. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

/** The longest blank line with the line end before it; where it is cut, this much of what came before tells of it. */
const BLANK_LINE_LENGTH = 4

/** Cuts a stream into events. Keeps what has not ended yet. */
export class EventSplitter {
  #rest = ''
  /** The last characters of `#rest`. */
  #tail = ''

  /** The text that has not ended in a blank line yet. */
  get rest(): string {
    return this.#rest
  }

  /** Adds text and returns the events that are complete now, each with the blank line that ends it. */
  push(text: string): string[] {
    // Only what is new is searched: a large event that comes in small pieces would be searched once for each of them.
    if (this.#rest !== '' && eventEnd(this.#tail + text, 0) === -1) return this.#keep(this.#rest + text, text)
    const all = this.#rest === '' ? text : this.#rest + text
    this.#rest = ''
    this.#tail = ''
    // Nearly no stream has a CR: looked for once, and not for each of a chunk's events in all that is behind it.
    const endIn = all.includes('\r') ? eventEnd : lineFeedsEnd
    let end = endIn(all, 0)
    if (end === all.length) return [all]
    const events: string[] = []
    let from = 0
    for (; end !== -1; end = endIn(all, from)) {
      events.push(all.slice(from, end))
      from = end
    }
    if (from < all.length) this.#keep(all.slice(from), all.slice(from))
    return events
  }

  /** Nothing is complete. `added` is the end of `rest` that is new. */
  #keep(rest: string, added: string): string[] {
    if (rest.length > MAX_EVENT_LENGTH) throw new UpstreamFailure('too_large', 'The provider sent too large an event.')
    this.#rest = rest
    this.#tail = (this.#tail + added).slice(-BLANK_LINE_LENGTH)
    return []
  }
}

/** The data of an event: its `data` lines joined by line feeds; undefined for an event without any (a comment). */
export function eventData(event: string): string | undefined {
  const simple = simpleDataStart(event)
  if (simple !== -1) return event.slice(simple, -2)
  const lines: string[] = []
  for (const line of linesOf(event)) {
    if (line === 'data') lines.push('')
    else if (line.startsWith('data:')) lines.push(line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5))
  }
  return lines.length === 0 ? undefined : lines.join('\n')
}

/** Whether the data of an event are the word that ends a stream in OpenAI's formats; some servers send spaces around it. */
export function isDone(data: string): boolean {
  return data.length < 16 && data.trim() === '[DONE]'
}

/** The value of an event's `event` line; undefined where it has none. */
export function eventName(event: string): string | undefined {
  const simple = simpleDataStart(event)
  if (simple === 'data: '.length) return undefined
  const lines = simple === -1 ? linesOf(event) : [event.slice(0, event.indexOf('\n'))]
  const line = lines.findLast((text) => text.startsWith('event:'))
  return line?.slice(line.charCodeAt(6) === 0x20 ? 7 : 6).trimEnd()
}

function linesOf(event: string): string[] {
  const text = event.startsWith(BYTE_ORDER_MARK) ? event.slice(BYTE_ORDER_MARK.length) : event
  return text.split(/\r\n|\n|\r/)
}

/** Where the data begins in an event of the usual form: perhaps an `event` line, then one `data` line; else -1. */
function simpleDataStart(event: string): number {
  const data = event.startsWith('event: ') ? event.indexOf('\n') + 1 : 0
  if (!event.startsWith('data: ', data)) return -1
  return event.indexOf('\n', data) === event.length - 2 && !event.includes('\r') ? data + 6 : -1
}

function lineFeedsEnd(text: string, from: number): number {
  const lineFeeds = text.indexOf('\n\n', from)
  return lineFeeds === -1 ? -1 : lineFeeds + 2
}

function eventEnd(text: string, from: number): number {
  const lineFeeds = text.indexOf('\n\n', from)
  const carriage = text.indexOf('\r', from)
  if (carriage === -1 || (lineFeeds !== -1 && lineFeeds < carriage)) return lineFeeds === -1 ? -1 : lineFeeds + 2
  BLANK_LINE.lastIndex = from
  return BLANK_LINE.test(text) ? BLANK_LINE.lastIndex : -1
}
