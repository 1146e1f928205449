// What a wire format of the scripted provider consists of, and what the formats have in common. Each format is a file of its
// own, written from what real providers send and never from Farebox's own writers; upstream-reply.ts chooses by the path.
import type { Content, ProviderError, StreamShape } from './upstream-behaviour.ts'

/** A request body that parsed as a JSON object; empty when it did not. */
export type RequestBody = Readonly<Record<string, unknown>>

export type Asked = { readonly path: string; readonly body: RequestBody }

export type Json = Readonly<Record<string, unknown>>

export type StreamScript = Content & StreamShape

export type WireFormat = {
  /** Whether the request asks for events. */
  streams(asked: Asked): boolean
  /** The content type of its streams; server-sent events unless given. */
  readonly streamType?: string
  whole(script: Content, asked: Asked): Buffer
  /** One buffer for each event, comment and closing mark. */
  events(script: StreamScript, asked: Asked): Buffer[]
  /** What every event that carries a piece of the answer contains, and no other. */
  readonly deltaMark: string
  /** The error that the provider itself would name for a status. */
  errorOf(status: number, message: string): ProviderError
  /** The body around an error. */
  errorBody(error: ProviderError): Json
  /** How a stream tells of an error after so many events. */
  errorEvents(error: ProviderError, asked: Asked, script: StreamScript & { readonly afterEvents: number }): Buffer[]
}

export const CREATED_SECONDS = 1_760_000_000
const DEFAULT_TEXT = 'Hello from the scripted provider.'

/** One server-sent event with the script's line ends; the formats with named events name them by their `type`. */
export function namedEvent(data: Json, { lineEnd = '\n' }: StreamShape): Buffer {
  const lines = [`event: ${String(data.type)}`, `data: ${JSON.stringify(data)}`]
  return Buffer.from(lines.join(lineEnd) + lineEnd + lineEnd)
}

/** The events with the script's comment between them. */
export function withComments(events: readonly Buffer[], { comment, lineEnd = '\n' }: StreamShape): Buffer[] {
  if (comment === undefined) return [...events]
  const line = Buffer.from(`${comment}${lineEnd}${lineEnd}`)
  return events.flatMap((event, index) => (index === 0 ? [event] : [line, event]))
}

/** The answer's text; an answer that says nothing and calls nothing has an ordinary one. */
export function textOf(script: Content): string | undefined {
  if (script.text !== undefined) return script.text
  if (script.pieces !== undefined) return script.pieces.join('')
  return script.toolCalls === undefined && script.refusal === undefined ? DEFAULT_TEXT : undefined
}

/** The text in the deltas that a stream sends. */
export function textPieces(script: Content): readonly string[] {
  return script.pieces ?? wordsOf(textOf(script) ?? '')
}

export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

/** A text in two pieces, empty ones left out. */
export function halvesOf(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '')
}

export function modelOf(script: Content, { body }: Asked): string {
  return script.model ?? (typeof body.model === 'string' ? body.model : 'unnamed')
}

/** Indented as providers do it, so that a rewritten body cannot pass for the original. */
export function indented(value: Json): Buffer {
  return Buffer.from(JSON.stringify(value, null, 2) + '\n')
}
