// Other streams that say the same as a recorded one: events in another legal order, and without what a server may leave out. A
// number chooses what is done, so that a failure can be seen again.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import type { RecordedDialect } from './recording.ts'

export type LegalStream = {
  readonly text: string
  /** What was done, in words. */
  readonly done: readonly string[]
  /** True where the counts of the output were left out. */
  readonly isWithoutUsage: boolean
}

type Event = { readonly name: string | undefined; readonly value: JsonObject | string }
type Chance = () => number

/** Event types that only repeat or announce what others say. */
const OPTIONAL_EVENTS: Readonly<Partial<Record<RecordedDialect, readonly string[]>>> = {
  messages: ['ping'],
  responses: [
    'response.in_progress',
    'response.content_part.added',
    'response.content_part.done',
    'response.output_text.done',
    'response.reasoning_text.done',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_part.done',
    'response.reasoning_summary_text.done',
    'response.function_call_arguments.done',
  ],
}
/** Members that servers are known to leave out. */
const OPTIONAL_MEMBERS: Readonly<Partial<Record<RecordedDialect, readonly string[]>>> = {
  'chat-completions': ['id', 'object', 'created', 'model', 'system_fingerprint', 'timings'],
  responses: ['content_index', 'summary_index', 'sequence_number', 'logprobs'],
}

export function legalStream(dialect: RecordedDialect, text: string, seed: number): LegalStream {
  const chance = chanceOf(seed)
  const done: string[] = []
  let events = eventsOf(text)
  if (dialect !== 'chat-completions' && chance() < 0.6) {
    events = interleaved(dialect, events, chance)
    done.push('interleaved')
  }
  for (const type of OPTIONAL_EVENTS[dialect] ?? []) {
    if (chance() < 0.7) continue
    events = events.filter(({ value }) => !isRecord(value) || value['type'] !== type)
    done.push(`without ${type}`)
  }
  for (const member of OPTIONAL_MEMBERS[dialect] ?? []) {
    if (chance() < 0.7) continue
    events = events.map((event) => without(event, member))
    done.push(`without ${member}`)
  }
  if (dialect === 'responses' && chance() < 0.4) {
    // An item is known by its index or by its id: one of the two has to be there.
    const isWithId = chance() < 0.5
    events = withIndexes(events, isWithId)
    done.push(isWithId ? 'with indexes' : 'with indexes instead of ids')
  }
  const isWithoutUsage = chance() < 0.2
  if (isWithoutUsage) {
    events = events.map(({ name, value }) => ({ name, value: isRecord(value) ? withoutUsage(value) : value }))
    done.push('without usage')
  }
  return { text: events.map(written).join(''), done, isWithoutUsage }
}

/** Items or blocks begin in their order, and then run side by side; each keeps the order of its own events. */
function interleaved(dialect: RecordedDialect, events: readonly Event[], chance: Chance): Event[] {
  const keys = events.map(({ value }) => (isRecord(value) ? keyOf(dialect, value) : undefined))
  const first = keys.findIndex((key) => key !== undefined)
  const last = keys.findLastIndex((key) => key !== undefined)
  if (first === -1) return [...events]
  const queues = new Map<unknown, Event[]>()
  const loose: Event[] = []
  for (let index = first; index <= last; index += 1) {
    const event = events[index]
    if (event === undefined) continue
    const key = keys[index]
    if (key === undefined) loose.push(event)
    else queues.set(key, [...(queues.get(key) ?? []), event])
  }
  return [...events.slice(0, first), ...loose, ...merged([...queues.values()], chance), ...events.slice(last + 1)].map(
    renumbered,
  )
}

function merged(queues: Event[][], chance: Chance): Event[] {
  const out: Event[] = []
  let begun = 1
  for (;;) {
    const open = queues.slice(0, begun).filter((queue) => queue.length > 0)
    const canBegin = begun < queues.length
    if (open.length === 0 && !canBegin) return out
    const choice = Math.floor(chance() * (open.length + (canBegin ? 1 : 0)))
    const queue = open[choice]
    if (queue !== undefined) out.push(...queue.splice(0, 1))
    else {
      begun += 1
      out.push(...(queues[begun - 1]?.splice(0, 1) ?? []))
    }
  }
}

/** The block or item that an event is about. */
function keyOf(dialect: RecordedDialect, value: JsonObject): unknown {
  if (dialect === 'messages') return value['index']
  const { item } = value
  return isRecord(item) ? item['id'] : (value['item_id'] ?? undefined)
}

function withIndexes(events: readonly Event[], isWithId: boolean): Event[] {
  const order: unknown[] = []
  return events.map((event) => {
    const { name, value } = event
    const key = isRecord(value) ? keyOf('responses', value) : undefined
    if (!isRecord(value) || key === undefined) return event
    if (!order.includes(key)) order.push(key)
    const indexed = { name, value: { ...value, output_index: order.indexOf(key) } }
    return isWithId ? indexed : without(indexed, 'item_id')
  })
}

function renumbered({ name, value }: Event, number: number): Event {
  if (!isRecord(value) || value['sequence_number'] === undefined) return { name, value }
  return { name, value: { ...value, sequence_number: number } }
}

function without({ name, value }: Event, member: string): Event {
  if (!isRecord(value)) return { name, value }
  const { [member]: _, ...rest } = value
  return { name, value: rest }
}

function withoutUsage(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([name]) => name !== 'usage' && name !== 'timings')
  return Object.fromEntries(
    members.map(([name, inner]) => [
      name,
      (name === 'message' || name === 'response') && isRecord(inner) ? withoutUsage(inner) : inner,
    ]),
  )
}

function eventsOf(text: string): Event[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((event) => event.includes('data:'))
    .map((event) => {
      const data = /^data: ?(.*)$/m.exec(event)?.[1] ?? ''
      return {
        name: /^event: ?(.*)$/m.exec(event)?.[1],
        value: data.startsWith('{') ? (JSON.parse(data) as JsonObject) : data,
      }
    })
}

function written({ name, value }: Event): string {
  const data = typeof value === 'string' ? value : JSON.stringify(value)
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`
}

/** Numbers below 1 that follow from a seed alone (the generator of Lehmer). */
function chanceOf(seed: number): Chance {
  let state = (Math.abs(seed) % 2_147_483_646) + 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  // The first numbers of neighbouring seeds are neighbours.
  for (let spin = 0; spin < 3; spin += 1) next()
  return next
}
