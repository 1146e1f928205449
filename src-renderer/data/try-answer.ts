// The text in an answer, whole or in pieces, in the formats that clients speak. Everything else of it is shown as it came.

import { at, listAt } from '#renderer/data/json-path.ts'
import { eventReader, type ServerEvent } from '#renderer/data/sse.ts'
import { callsIn, withCalls } from '#renderer/data/try-calls.ts'
import { isEmbedding, type Format } from '#renderer/data/try-request.ts'
import type { ToolCall } from '#renderer/data/try-tools.ts'

/** What an answer says: its text, the tools that it calls, or how many numbers a vector has, or the words of an error. */
export type Answer = {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly dimensions?: number
  readonly error?: string
}

const NOTHING: Answer = { text: '', calls: [] }

/** An answer may be larger than a page can show, or have no end; what is beyond this is not kept. */
export const MAX_CHARACTERS = 300_000

export type Collected = {
  /** As it came. */
  readonly raw: string
  /** Whether there was more. */
  readonly isCut: boolean
  readonly answer: Answer | undefined
}

/** Puts an answer together out of its pieces. One that is no stream says something only when it is over. */
export function answerCollector(format: Format, isStream: boolean) {
  const read = answerReader(format)
  let raw = ''
  let isCut = false
  let answer: Answer | undefined
  return {
    add(piece: string): void {
      if (isCut) return
      isCut = raw.length + piece.length > MAX_CHARACTERS
      const kept = piece.slice(0, MAX_CHARACTERS - raw.length)
      raw += kept
      if (isStream) answer = read(kept)
    },
    collected(isOver: boolean): Collected {
      return { raw, isCut, answer: isStream || !isOver ? answer : wholeAnswer(format, raw) }
    },
  }
}

/** Reads an answer that came whole. Undefined for what is no JSON. */
export function wholeAnswer(format: Format, body: string): Answer | undefined {
  const value = parsed(body)
  if (value === undefined) return undefined
  const error = errorIn(value)
  if (error !== undefined) return { ...NOTHING, error }
  if (!isEmbedding(format)) return { text: textIn(format, value), calls: callsIn(format, value) }
  const vector = at(value, 'data', 0, 'embedding') ?? at(value, 'embedding', 'values')
  return { ...NOTHING, ...(Array.isArray(vector) ? { dimensions: vector.length } : {}) }
}

/** Takes the next piece of a stream and gives what the answer says so far. Throws a RangeError for an event without an end. */
export function answerReader(format: Format): (piece: string) => Answer {
  const read = eventReader()
  let answer: Answer = NOTHING
  return (piece) => {
    for (const event of read(piece)) answer = withEvent(format, answer, event)
    return answer
  }
}

function withEvent(format: Format, answer: Answer, { data }: ServerEvent): Answer {
  const value = parsed(data)
  // `[DONE]` is no JSON, and says nothing.
  if (value === undefined) return answer
  const error = errorIn(value)
  if (error !== undefined) return { ...answer, error }
  const delta = deltaIn(format, value)
  const text = typeof delta === 'string' ? answer.text + delta : answer.text
  return { ...answer, text, calls: withCalls(format, answer.calls, value) }
}

function deltaIn(format: Format, event: unknown): unknown {
  if (format === 'chat') return at(event, 'choices', 0, 'delta', 'content')
  if (format === 'messages') return at(event, 'delta', 'text')
  if (format === 'gemini') return candidateText(event)
  return at(event, 'type') === 'response.output_text.delta' ? at(event, 'delta') : undefined
}

function textIn(format: Format, value: unknown): string {
  if (format === 'chat') return texts([at(value, 'choices', 0, 'message', 'content')])
  if (format === 'messages') return texts(listAt(value, 'content').map((block) => at(block, 'text')))
  if (format === 'gemini') return candidateText(value)
  const blocks = listAt(value, 'output').flatMap((item) => listAt(item, 'content'))
  return texts(blocks.map((block) => at(block, 'text')))
}

/** What a candidate says, without its thoughts. */
function candidateText(value: unknown): string {
  const parts = listAt(at(value, 'candidates', 0, 'content'), 'parts')
  return texts(parts.map((part) => (at(part, 'thought') === true ? undefined : at(part, 'text'))))
}

/** An error's words: of its own body, of an event of its own, or of a response that failed. */
function errorIn(value: unknown): string | undefined {
  const message = at(value, 'error', 'message') ?? at(value, 'response', 'error', 'message')
  return typeof message === 'string' ? message : undefined
}

function texts(values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string').join('')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
