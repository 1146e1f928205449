// What an event or an item of the responses format says, in pieces. Text comes up to five times: in deltas, in the end of the text,
// of its part and of its item, and in the last event. Which of them is news is for `output-item.ts` to say.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** `mcp` and `code`: what tools are given that the provider runs itself. */
export type PieceKind = 'text' | 'refusal' | 'summary' | 'content' | 'arguments' | 'input' | 'mcp' | 'code'

export type Piece = {
  readonly kind: PieceKind
  /** Of the content within its item; undefined where the provider does not say. */
  readonly index: number | undefined
  readonly text: string
  /** Set where it is all of the text and not the next piece of it: which event tells it. */
  readonly whole: string | undefined
}

type PieceSource = { readonly kind: PieceKind; readonly index?: string; readonly delta?: string; readonly done: string }

/** By the middle of an event's name: where its deltas and its end have their text. */
const SOURCES: Readonly<Record<string, PieceSource>> = {
  output_text: { kind: 'text', index: 'content_index', done: 'text' },
  refusal: { kind: 'refusal', index: 'content_index', done: 'refusal' },
  reasoning_text: { kind: 'content', index: 'content_index', done: 'text' },
  reasoning_summary_text: { kind: 'summary', index: 'summary_index', done: 'text' },
  function_call_arguments: { kind: 'arguments', done: 'arguments' },
  custom_tool_call_input: { kind: 'input', done: 'input' },
  mcp_call_arguments: { kind: 'mcp', done: 'arguments' },
  code_interpreter_call_code: { kind: 'code', done: 'code' },
}

type Reader = (event: JsonObject) => Piece | undefined

const READERS: ReadonlyMap<string, Reader> = new Map([
  ...Object.entries(SOURCES).flatMap(([name, source]): [string, Reader][] => [
    [`response.${name}.delta`, (event) => pieceOf(source, event, event['delta'], undefined)],
    [`response.${name}.done`, (event) => pieceOf(source, event, event[source.done], `response.${name}.done`)],
  ]),
  ['response.content_part.done', (event) => partOf(event, 'content_index')],
  ['response.reasoning_summary_part.done', (event) => partOf(event, 'summary_index')],
])

/** The kinds of parts, and the members that their texts stand in. */
const PARTS: Readonly<Record<string, { readonly kind: PieceKind; readonly member: string }>> = {
  output_text: { kind: 'text', member: 'text' },
  text: { kind: 'text', member: 'text' },
  refusal: { kind: 'refusal', member: 'refusal' },
  summary_text: { kind: 'summary', member: 'text' },
  reasoning_text: { kind: 'content', member: 'text' },
}

/** The types of items that pieces of a kind are in. */
export const ITEM_TYPES: Readonly<Record<PieceKind, string>> = {
  text: 'message',
  refusal: 'message',
  summary: 'reasoning',
  content: 'reasoning',
  arguments: 'function_call',
  input: 'custom_tool_call',
  mcp: 'mcp_call',
  code: 'code_interpreter_call',
}

/** What an event says; undefined for those that say nothing. */
export function pieceIn(type: string, event: JsonObject): Piece | undefined {
  return READERS.get(type)?.(event)
}

/** The kind and the place of a part that begins; undefined for every other event. */
export function beginningPart(type: string, event: JsonObject): Pick<Piece, 'kind' | 'index'> | undefined {
  if (type !== 'response.content_part.added' && type !== 'response.reasoning_summary_part.added') return undefined
  return partOf(event, type === 'response.content_part.added' ? 'content_index' : 'summary_index')
}

/** All that an item says, each kind's texts in their order and by their place. */
export function piecesOfItem(item: JsonObject): ReadonlyMap<PieceKind, ReadonlyMap<number, string>> {
  const pieces = new Map<PieceKind, Map<number, string>>()
  const add = (kind: PieceKind, index: number, text: unknown) => {
    if (typeof text !== 'string' || text === '') return
    const texts = pieces.get(kind) ?? new Map<number, string>()
    pieces.set(kind, texts.set(index, text))
  }
  switch (item['type']) {
    case 'message':
      for (const [index, part] of recordsIn(item['content']).entries()) {
        const isRefusal = part['type'] === 'refusal'
        add(isRefusal ? 'refusal' : 'text', index, part[isRefusal ? 'refusal' : 'text'])
      }
      break
    case 'reasoning':
      for (const kind of ['summary', 'content'] as const) {
        for (const [index, part] of recordsIn(item[kind]).entries()) add(kind, index, part['text'])
      }
      break
    case 'function_call':
      add('arguments', 0, item['arguments'])
      break
    case 'custom_tool_call':
      add('input', 0, item['input'])
      break
    case 'mcp_call':
      add('mcp', 0, item['arguments'])
      break
    case 'code_interpreter_call':
      add('code', 0, item['code'])
  }
  return pieces
}

export function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function pieceOf(source: PieceSource, event: JsonObject, text: unknown, whole: string | undefined): Piece {
  const index = source.index === undefined ? 0 : event[source.index]
  return { kind: source.kind, index: indexOf(index), text: typeof text === 'string' ? text : '', whole }
}

function partOf(event: JsonObject, indexName: string): Piece | undefined {
  const part = isRecord(event['part']) ? event['part'] : {}
  const known = PARTS[typeof part['type'] === 'string' ? part['type'] : '']
  if (known === undefined) return undefined
  const text = part[known.member]
  const index = indexOf(event[indexName])
  return { kind: known.kind, index, text: typeof text === 'string' ? text : '', whole: 'part' }
}

function indexOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
