// The same answer told in another legal way: blocks and items side by side, ids, indexes, ends and counts left out, as far as what is
// left still says it all. A seed says which way.

import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { dataEvents, typedEvents } from './answers/fixture.ts'
import type { RealStream } from './real-streams.ts'
import { randomFrom } from '../support/random.ts'

export type Varied = {
  readonly text: string
  /** What the provider says of its counts: the truth, or nothing that could be charged. */
  readonly counts: 'told' | 'not told'
}

export function varied({ dialect, text }: RealStream, seed: number): Varied {
  const random = new Random(seed)
  const events = text
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((line) => parseJson(line.slice(5)))
    .filter(isRecord)
  switch (dialect) {
    case 'responses':
      return variedResponses(events, random)
    case 'messages':
      return variedMessages(events, random)
    case 'chat-completions':
      return variedChat(events, random)
  }
}

class Random {
  readonly next: () => number

  constructor(seed: number) {
    this.next = randomFrom(seed)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Value>(...values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.next() * values.length)] ?? values[0]
  }
}

/** Queues as one, each in its own order; none begins before the one in front of it has. */
function merged(queues: readonly (readonly JsonObject[])[], random: Random): JsonObject[] {
  const places = queues.map(() => 0)
  const result: JsonObject[] = []
  for (;;) {
    const begun = places.findIndex((place) => place === 0)
    const able = queues.flatMap((queue, index) =>
      (places[index] ?? 0) < queue.length && (begun === -1 || index <= begun) ? [index] : [],
    )
    const [first, ...others] = able
    if (first === undefined) return result
    const index = random.pick(first, ...others)
    const event = queues[index]?.[places[index] ?? 0]
    places[index] = (places[index] ?? 0) + 1
    if (event !== undefined) result.push(event)
  }
}

function without(event: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)))
}

function ordered(queues: readonly (readonly JsonObject[])[], isMixed: boolean, random: Random): JsonObject[] {
  return isMixed ? merged(queues, random) : queues.flat()
}

function grouped(events: readonly JsonObject[], keyOf: (event: JsonObject) => unknown): JsonObject[][] {
  const groups = new Map<unknown, JsonObject[]>()
  for (const event of events) {
    const key = keyOf(event)
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  return [...groups.values()]
}

// Responses

type Naming = 'all' | 'indexes' | 'ids' | 'some' | 'none'

function variedResponses(events: readonly JsonObject[], random: Random): Varied {
  const first = events.findIndex(({ type }) => !/^response\.(created|in_progress|queued)$/.test(String(type)))
  const inside = events.slice(first, -1)
  const groups = grouped(inside, itemKey)
  const isNumbered = inside.every(({ output_index: index }) => typeof index === 'number')
  const naming = isNumbered
    ? random.pick<Naming>('all', 'indexes', 'ids', 'some', 'none')
    : random.pick<Naming>('all', 'none')
  const finalHolds = random.chance(0.5)
  const isMixed = naming !== 'none' && random.chance(0.7)
  // An item that nobody has heard of, side by side with another, may be that one under a new id.
  const mayLoseBegin = naming !== 'none' && !isMixed
  const queues = groups.map((group) => thinned(group, { finalHolds, mayLoseBegin }, random))
  const mixed = ordered(queues, isMixed, random)
  const { end, counts } = responsesEnd(events.at(-1) ?? {}, finalHolds, random)
  const keepsPlaces = random.chance(0.6)
  const told = mixed
    .map((event) => named(event, naming, random))
    .map((event) => (keepsPlaces ? event : without(event, 'content_index', 'summary_index')))
  return { text: typedEvents(...events.slice(0, first), ...told, end), counts }
}

function itemKey(event: JsonObject): unknown {
  const { output_index: index, item_id: id, item } = event
  if (typeof index === 'number') return index
  if (typeof id === 'string') return id
  if (!isRecord(item)) return 'none'
  // An item without an id of its own is known by that of its call.
  return item['id'] ?? item['call_id']
}

type Thinning = { readonly finalHolds: boolean; readonly mayLoseBegin: boolean }

/** An item's events without some of those that only repeat what others say. */
function thinned(group: readonly JsonObject[], { finalHolds, mayLoseBegin }: Thinning, random: Random): JsonObject[] {
  const isItemEnd = ({ type }: JsonObject) => type === 'response.output_item.done'
  const item = group.find(isItemEnd)?.['item']
  const isSealed = isRecord(item) && typeof item['encrypted_content'] === 'string' && item['encrypted_content'] !== ''
  const mayLoseEnd = group.some(isItemEnd) && (finalHolds || !isSealed)
  const losesEnd = mayLoseEnd && random.chance(0.5)
  const losesBegin = mayLoseBegin && !losesEnd && group.some(isItemEnd) && random.chance(0.3)
  const losesDeltas = group.some(isItemEnd) && !losesEnd && random.chance(0.2)
  // A server sends a kind of event or does not.
  const types = new Set(group.map(({ type }) => String(type)))
  const lost = new Set(
    [...types].filter((type) => (type.endsWith('.done') || type.endsWith('part.added')) && random.chance(0.5)),
  )
  return group.filter((event) => {
    const type = String(event['type'])
    if (isItemEnd(event)) return !losesEnd
    if (type === 'response.output_item.added') return !losesBegin
    if (type.endsWith('.delta')) return !losesDeltas
    return !lost.has(type)
  })
}

function named(event: JsonObject, naming: Naming, random: Random): JsonObject {
  const { item } = event
  const bare = (one: JsonObject) => (isRecord(item) ? { ...one, item: without(item, 'id') } : one)
  switch (naming) {
    case 'all':
      return event
    case 'indexes':
      return bare(without(event, 'item_id'))
    case 'ids':
      return without(event, 'output_index')
    case 'some':
      return random.chance(0.5) ? without(event, 'output_index') : event
    case 'none':
      return bare(without(event, 'output_index', 'item_id'))
  }
}

function responsesEnd(event: JsonObject, finalHolds: boolean, random: Random) {
  const response = isRecord(event['response']) ? event['response'] : {}
  const output = finalHolds ? response['output'] : []
  const way = random.pick('told', 'absent', 'null', 'zero')
  const zero = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  const usage = { told: response['usage'], absent: undefined, null: null, zero }[way]
  const end = { ...event, response: { ...response, output, usage } }
  return { end, counts: way === 'told' ? 'told' : 'not told' } as const
}

// Messages

function variedMessages(events: readonly JsonObject[], random: Random): Varied {
  const isBlock = ({ type }: JsonObject) => String(type).startsWith('content_block_')
  const first = events.findIndex(isBlock)
  const last = events.findLastIndex(isBlock)
  const isNumbered = random.chance(0.8)
  const groups = grouped(events.slice(first, last + 1).filter(isBlock), ({ index }) => index)
  const queues = groups.map((group) => thinnedBlock(group, isNumbered, random))
  const mixed = ordered(queues, isNumbered && random.chance(0.7), random)
  const way = random.pick('told', 'told twice', 'absent', 'zero')
  const blocks = isNumbered ? mixed : mixed.map((event) => without(event, 'index'))
  const rest = events.slice(last + 1).flatMap((event) => messagesCounts(event, way))
  const start = events.slice(0, first).flatMap((event) => messagesCounts(event, way))
  return { text: typedEvents(...start, ...blocks, ...rest), counts: way.startsWith('told') ? 'told' : 'not told' }
}

function thinnedBlock(group: readonly JsonObject[], isNumbered: boolean, random: Random): JsonObject[] {
  const block = group[0]?.['content_block']
  const type = isRecord(block) ? block['type'] : undefined
  const isSaid = group.some(({ delta }) => isRecord(delta) && /^(text|thinking)_delta$/.test(String(delta['type'])))
  // Who has no number and no begin is nobody.
  const losesBegin = isNumbered && isSaid && (type === 'text' || type === 'thinking') && random.chance(0.2)
  const losesEnd = random.chance(0.3)
  return group.filter((event) => {
    if (event['type'] === 'content_block_start') return !losesBegin
    return event['type'] !== 'content_block_stop' || !losesEnd
  })
}

function messagesCounts(event: JsonObject, way: 'told' | 'told twice' | 'absent' | 'zero'): JsonObject[] {
  const { type, message } = event
  const given = way === 'absent' ? undefined : { input_tokens: 0, output_tokens: 0 }
  if (way === 'told') return [event]
  if (type === 'message_start' && isRecord(message))
    return [{ ...event, message: { ...message, usage: way === 'told twice' ? message['usage'] : given } }]
  if (type !== 'message_delta') return [event]
  return way === 'told twice' ? [{ ...event, delta: {} }, event] : [{ ...event, usage: given }]
}

// Chat completions

type Chunk = { readonly delta: JsonObject; readonly finish: unknown }

function variedChat(events: readonly JsonObject[], random: Random): Varied {
  const [head = {}] = events
  const chunks = events.flatMap(choicesOf)
  const finish = chunks.findLast((chunk) => typeof chunk.finish === 'string')?.finish
  const usage = events.findLast((event) => isRecord(event['usage']))?.['usage']
  const pieces = chunks.flatMap(({ delta }) => piecesOf(delta))
  const isMixed = random.chance(0.7)
  // Calls that come one after the other need no numbers.
  const isNumbered = isMixed || random.chance(0.5)
  const told = ordered(grouped(pieces, kindOf), isMixed, random).map((piece) =>
    isNumbered ? piece : unnumbered(piece),
  )
  const chunk = (delta: JsonObject, reason: unknown = null, more: JsonObject = {}) => ({
    ...without(head, 'usage', 'choices'),
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...more,
  })
  const way = random.pick('behind', 'beside', 'twice', 'early and late', 'absent', 'zero')
  const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const counts = { usage: way === 'zero' ? zero : usage }
  const behind = { ...without(head, 'choices'), choices: [], ...counts }
  const values = [
    chunk({ role: 'assistant' }, null, way === 'early and late' ? { usage: zero } : {}),
    ...told.map((delta) => chunk(delta, null, way === 'zero' ? counts : {})),
    chunk({}, finish, way === 'beside' || way === 'twice' ? counts : {}),
    ...(way === 'beside' || way === 'absent' ? [] : [behind]),
  ]
  const end = random.chance(0.8) ? 'data: [DONE]\n\n' : ''
  const isTold = isRecord(usage) && way !== 'absent' && way !== 'zero'
  return { text: dataEvents(...values) + end, counts: isTold ? 'told' : 'not told' }
}

function choicesOf({ choices }: JsonObject): Chunk[] {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isRecord(choice)) return []
  return [{ delta: isRecord(choice['delta']) ? choice['delta'] : {}, finish: choice['finish_reason'] }]
}

/** A delta as several that say one thing each. */
function piecesOf(delta: JsonObject): JsonObject[] {
  const calls = Array.isArray(delta['tool_calls']) ? delta['tool_calls'].filter(isRecord) : []
  const plain = Object.entries(without(delta, 'tool_calls', 'role')).filter(
    ([, value]) => value !== null && value !== '',
  )
  return [...plain.map(([name, value]) => ({ [name]: value })), ...calls.map((call) => ({ tool_calls: [call] }))]
}

function kindOf(piece: JsonObject): unknown {
  const calls = piece['tool_calls']
  if (!Array.isArray(calls)) return Object.keys(piece)[0]
  const call: unknown = calls[0]
  return isRecord(call) ? `call ${String(call['index'])}` : 'call'
}

function unnumbered(piece: JsonObject): JsonObject {
  const calls = piece['tool_calls']
  if (!Array.isArray(calls)) return piece
  return { tool_calls: calls.filter(isRecord).map((call) => without(call, 'index')) }
}
