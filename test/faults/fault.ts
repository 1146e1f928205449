// The vocabulary of the fault catalogue: what a row says, and what a table needs to say it. A row is data and runs in several
// client formats and in both modes; how it is run and judged is in catalogue.ts and judge.ts.

import { DIALECTS, type Format } from '../gateway/formats.ts'
import type { RawScript } from '../support/raw-upstream.ts'
import type { Behaviour, Content, StreamShape, Transport } from '../support/upstream-behaviour.ts'
import type { Asked } from '../support/upstream-format.ts'
import { buildReply } from '../support/upstream-reply.ts'

/** Converse has no clients of its own, so that its answers are always translated. */
export const FAULT_DIALECTS = [...DIALECTS, 'bedrock-converse'] as const
export type FaultDialect = (typeof FAULT_DIALECTS)[number]

export type Mode = 'whole' | 'streamed'

/** One call through one row. */
export type Run = {
  readonly fault: Fault
  readonly dialect: FaultDialect
  readonly format: Format
  readonly mode: Mode
  /** The provider speaks the client's format, so that its bytes are passed on. */
  readonly isPassed: boolean
  /** How the client asks, where that is not by a request of its own. */
  readonly way?: 'socket'
}

export type Provider =
  /** A server that speaks HTTP as it should, as far as the behaviour lets it. */
  | { readonly type: 'scripted'; readonly script: Scripted }
  | { readonly type: 'socket'; readonly script: RawScript }
  | { readonly type: 'nobody' }

export type Scripted = Behaviour | ((asked: Asked) => Behaviour)

export type Sees =
  /** All of the answer, and the end that the format asks for. */
  | { readonly type: 'answer' }
  /** An error of ours before the first byte. */
  | { readonly type: 'error'; readonly status: number; readonly retryAfter?: RegExp }
  /** The provider refuses Farebox, which the client is told so that it does not ask again. */
  | { readonly type: 'refuses-us' }
  /** What the provider has against the request: its own body where it is passed on, else an error in the client's format. */
  | { readonly type: 'refused'; readonly status: number }
  /** The same in our own words, because the provider's status blames itself; 200 where the format tells it in a stream alone. */
  | { readonly type: 'judged'; readonly status: number }
  /** A stream that has begun and ends with the error event of its format. */
  | {
      readonly type: 'cut'
      /** Something that an answer's end has was passed on before: the end of one of several candidates. */
      readonly hasEnd?: true
    }
  /** An error where nothing was sent yet, else a cut stream: which of them depends on what the client's format sends when. */
  | { readonly type: 'broken'; readonly status: number }
  /** A connection was lost that another attempt may replace: an answer, or a 502. */
  | { readonly type: 'answer-or-502' }

export type Fault = {
  readonly name: string
  /** What the provider does; it does so for every connection and every request. */
  readonly provider: Provider
  readonly sees: Sees | ((run: Run) => Sees)
  /** Both, unless given. */
  readonly modes?: readonly Mode[]
  /** Rows that are one misbehaviour at several places share this name. */
  readonly kind?: string
  /** `slow` rows wait for time limits, and all wait at once; `heavy` ones move many megabytes, and take turns. */
  readonly pace?: 'slow' | 'heavy'
  /** Calls that go well before the one that counts. */
  readonly callsBefore?: number
  /** What the client must find in the answer: the last thing said in it, unless given; null where there is nothing to find. */
  readonly finds?: string | null | ((run: Run) => string | null)
  /** In credits, where it is known. `bounded`: the provider's counts are beyond all reason, and the charge stops somewhere. */
  readonly charge?: number | 'bounded'
  /** Where the charged counts come from, where it is known. */
  readonly source?: 'reported' | 'estimated'
}

export const ANSWERED: Sees = { type: 'answer' }
export const CUT: Sees = { type: 'cut' }
export const FAILED: Sees = { type: 'error', status: 502 }
export const TOO_SLOW: Sees = { type: 'error', status: 504 }
export const BROKEN: Sees = { type: 'broken', status: 502 }

/** In credits, of 19 input and 10 output tokens. */
export const ORDINARY_CHARGE = 0.000039

/** Of answers in which nothing is said. */
export const NOTHING_SAID = { finds: null } as const

/** Of calls that break off: clients of Gemini get calls whole or not at all, all others what there was of one. */
export function inPieces({ format }: Run): string | null {
  return format.name === 'gemini' ? null : LAST_WORDS
}

/** The words that must be in what a client gets; null where there are none. */
export function wordsOf(run: Run): string | null {
  const { finds = LAST_WORDS } = run.fault
  return typeof finds === 'function' ? finds(run) : finds
}

/** Passed on as it is to a client that speaks the format, but no answer that could be translated. */
export function onlyPassed(otherwise: Sees): (run: Run) => Sees {
  return ({ isPassed }) => (isPassed ? ANSWERED : otherwise)
}

export const STREAMED: readonly Mode[] = ['streamed']
export const WHOLE: readonly Mode[] = ['whole']

/** The last words of every ordinary answer. Who does not find them was sent a part of it. */
export const LAST_WORDS = 'the-last-words'

/** Long enough that every format has sent something when it breaks inside the tenth event. */
export const TEXT = {
  type: 'answer',
  pieces: [...Array.from({ length: 12 }, (_, index) => `word-${index} `), LAST_WORDS],
} as const satisfies Behaviour

/** Each of the first two hundred bytes in a write of its own. */
export const ONE_BY_ONE = { offsets: Array.from({ length: 200 }, (_, index) => index + 1) }

/** The middle of an event that comes when every client has something of the answer. */
export const LATE = { insideEvent: 9 } as const

/** Reasoning, text and two calls: every kind of event that a stream has. */
export const EVERYTHING = {
  type: 'answer',
  reasoning: 'Let me think.',
  pieces: ['Grüße ', 'aus 世界 ', '\u{1F600}.'],
  toolCalls: [
    { id: 'call_1', name: 'look', arguments: '{"where":"here and there"}' },
    { id: 'call_2', name: 'say', arguments: `{"to":"everybody who listens","what":"${LAST_WORDS}"}` },
  ],
} as const satisfies Behaviour

export function scripted(script: Scripted): Provider {
  return { type: 'scripted', script }
}

export function socket(asked: NonNullable<RawScript['asked']>): Provider {
  return { type: 'socket', script: { asked } }
}

type Piece = Buffer | string
type Shape = Content & StreamShape & Transport

/** The events of an ordinary stream, changed. */
export function edited(edit: (events: readonly Buffer[]) => readonly Piece[], shape: Shape = {}): Provider {
  return scripted((asked) => {
    const { type: _type, ...content } = { ...TEXT, ...shape }
    const parts = edit(buildReply({ type: 'answer', ...content }, asked).parts)
    return { ...shape, type: 'raw', parts }
  })
}

/** An ordinary whole answer, changed. */
export function editedWhole(edit: (answer: Readonly<Record<string, unknown>>) => unknown): Provider {
  return scripted((asked) => {
    const answer = JSON.parse(Buffer.concat(buildReply(TEXT, asked).parts).toString()) as Record<string, unknown>
    return { type: 'status', status: 200, body: edit(answer) }
  })
}

/** A stream of exactly these pieces. */
export function stream(...parts: readonly Piece[]): Provider {
  return scripted({ type: 'raw', parts })
}

/** A whole answer of exactly this value. */
export function answer(body: unknown): Provider {
  return scripted({ type: 'status', status: 200, body })
}

/** A body of exactly these bytes that says that it is JSON. */
export function jsonBytes(...parts: readonly Piece[]): Provider {
  return scripted({ type: 'raw', contentType: 'application/json', withoutLength: true, parts })
}

/** With one event put in behind the eighth, where every client has something of the answer. */
export function withEvent(...extra: readonly Piece[]): (events: readonly Buffer[]) => readonly Piece[] {
  return (events) => [...events.slice(0, 8), ...extra, ...events.slice(8)]
}

export function named(data: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

export function unnamed(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** The JSON text of so many arrays, one in the other. */
export function deepJson(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}
