// Reads a stream of the responses format as its strictest clients do, and throws where one of them would fail or lose
// something: the accumulator of OpenAI's SDK, the schemas of the AI SDK, and Codex, which knows of items only.

import { ResponseStream } from 'openai/lib/responses/ResponseStream.mjs'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

export type StrictReading = {
  readonly types: readonly string[]
  readonly events: readonly JsonObject[]
  /** The items as their last events have them. */
  readonly items: readonly JsonObject[]
  /** The response of the last event. */
  readonly response: JsonObject
  readonly hasDone: boolean
}

const TERMINAL = ['response.completed', 'response.incomplete', 'response.failed']

class StrictError extends Error {}

function must(rule: string, holds: boolean): asserts holds {
  if (!holds) throw new StrictError(rule)
}

/** Checks all rules and returns what was read. */
export function readStrictly(text: string): StrictReading {
  const { events, hasDone } = eventsOf(text)
  const types = events.map((event) => String(event['type']))
  must('the first event is response.created', types[0] === 'response.created')
  must('there is one response.created', types.filter((type) => type === 'response.created').length === 1)
  const last = types.at(-1) ?? ''
  must('the last event is a terminal one', TERMINAL.includes(last))
  must('there is one terminal event', types.filter((type) => TERMINAL.includes(type)).length === 1)
  must('a failed stream has no [DONE], every other one has it', hasDone === (last !== 'response.failed'))
  for (const [index, event] of events.entries()) {
    must('events are numbered from 0 on', event['sequence_number'] === index)
    if (isLifecycle(types[index] ?? '')) checkResponse(recordIn(event, 'response'))
  }
  const ids = new Set(events.filter((event) => 'response' in event).map((event) => recordIn(event, 'response')['id']))
  must('the response keeps its id', ids.size === 1)
  const items = new ItemRules(last)
  for (const event of events) items.read(event)
  items.end()
  const response = recordIn(events.at(-1) ?? {}, 'response')
  checkEnd(last, response, items.done)
  return { types, events, items: items.done, response, hasDone }
}

function eventsOf(text: string): { readonly events: JsonObject[]; readonly hasDone: boolean } {
  const splitter = new EventSplitter()
  const raw = splitter.push(text)
  must('every event ends in a blank line', splitter.rest === '')
  const hasDone = raw.at(-1) === 'data: [DONE]\n\n'
  const events = raw.slice(0, hasDone ? -1 : undefined).map((event) => {
    const value = parseJson(eventData(event) ?? '')
    must('every event is JSON: comments do not keep a client waiting', isRecord(value))
    must('every event is named by its type', typeof value['type'] === 'string' && eventName(event) === value['type'])
    return value
  })
  return { events, hasDone }
}

function isLifecycle(type: string): boolean {
  return ['response.created', 'response.in_progress', ...TERMINAL].includes(type)
}

function checkResponse(response: JsonObject): void {
  const { id, object, created_at: createdAt, model, output } = response
  must('a response has an id of at most 64 characters', typeof id === 'string' && id !== '' && id.length <= 64)
  must("a response's object is response", object === 'response')
  must('a response says when it was created', Number.isSafeInteger(createdAt))
  must('a response names its model', typeof model === 'string' && model !== '')
  must('a response has output items', Array.isArray(output))
  for (const name of REQUIRED) must(`a response has the member ${name}`, name in response)
  must('a response has tools and a choice', Array.isArray(response['tools']) && response['tool_choice'] !== undefined)
}

/** Members that OpenAI's published types have in every response. */
const REQUIRED =
  'error incomplete_details instructions metadata parallel_tool_calls temperature tool_choice tools top_p'.split(' ')

function checkEnd(type: string, response: JsonObject, items: readonly JsonObject[]): void {
  must('the status is that of the event', `response.${String(response['status'])}` === type)
  must('the output is that of the items', JSON.stringify(response['output']) === JSON.stringify(items))
  if (type === 'response.failed') {
    const { code, message } = recordIn(response, 'error')
    must('an error has a code and a message', typeof code === 'string' && typeof message === 'string')
    return
  }
  must('only a failed response has an error', response['error'] === null)
  const details = response['incomplete_details']
  if (type === 'response.incomplete')
    must('an incomplete response says why', isRecord(details) && details['reason'] !== '')
  else must('a complete response says nothing of that', details === null)
  checkUsage(recordIn(response, 'usage'))
}

/** Codex asks again for the whole answer where one of these is missing. */
function checkUsage(usage: JsonObject): void {
  for (const name of ['input_tokens', 'output_tokens', 'total_tokens']) {
    must(`usage has ${name}`, Number.isSafeInteger(usage[name]))
  }
  const input = recordIn(usage, 'input_tokens_details')
  const output = recordIn(usage, 'output_tokens_details')
  must('usage has cached_tokens', Number.isSafeInteger(input['cached_tokens']))
  must('usage has reasoning_tokens', Number.isSafeInteger(output['reasoning_tokens']))
  must('the total is the sum', usage['total_tokens'] === Number(usage['input_tokens']) + Number(usage['output_tokens']))
}

/** The events of items: one item at a time, each with a begin, its pieces, the whole text and an end that agree. */
class ItemRules {
  readonly done: JsonObject[] = []
  readonly #terminal: string
  readonly #ids = new Set<unknown>()
  #count = 0
  #open: JsonObject | undefined
  #index = -1
  /** Texts of the open item, by the kind of event and the index of the content. */
  #texts = new Map<string, string>()
  #parts = new Set<string>()

  constructor(terminal: string) {
    this.#terminal = terminal
  }

  read(event: JsonObject): void {
    const type = String(event['type'])
    if (isLifecycle(type) || type === 'keepalive') return
    if (type === 'response.output_item.added') return this.#added(event)
    const item = this.#open
    must(`${type} needs an open item`, item !== undefined)
    must(`${type} has the index of the open item`, event['output_index'] === this.#index)
    if (type === 'response.output_item.done') return this.#doneItem(event, item)
    must(`${type} has the id of the open item`, event['item_id'] === item['id'])
    this.#readInner(type, event, item)
  }

  get #isFailed(): boolean {
    return this.#terminal === 'response.failed'
  }

  end(): void {
    if (this.#open === undefined) return
    const isCall = String(this.#open['type']).endsWith('_call')
    const mayStay = this.#terminal === 'response.incomplete' && isCall
    must('no item is left open, but for a call that was cut off', mayStay)
  }

  #added(event: JsonObject): void {
    const isCut = this.#open !== undefined && String(this.#open['type']).endsWith('_call')
    must(
      'items come one after the other',
      this.#open === undefined || (isCut && this.#terminal !== 'response.completed'),
    )
    must('the index of an item is the number of items before it', event['output_index'] === this.#count)
    const item = recordIn(event, 'item')
    must('an item has an id of at most 64 characters', typeof item['id'] === 'string' && /^\w{1,64}$/.test(item['id']))
    must('no id is used twice', !this.#ids.has(item['id']))
    this.#ids.add(item['id'])
    if ('call_id' in item) {
      must('a call has an id', typeof item['call_id'] === 'string' && item['call_id'] !== '')
      must('no call id is used twice', !this.#ids.has(item['call_id']))
      this.#ids.add(item['call_id'])
    }
    this.#index = this.#count++
    this.#open = item
    this.#texts = new Map()
    this.#parts = new Set()
  }

  #readInner(type: string, event: JsonObject, item: JsonObject): void {
    const index = Number(event['content_index'] ?? event['summary_index'] ?? 0)
    const [, kind = '', phase = ''] = /^response\.(.+)\.(\w+)$/.exec(type) ?? []
    const owner = OWNERS[kind]
    must(`${type} is an event that is known`, owner !== undefined)
    must(`${type} belongs into an item of type ${owner}`, item['type'] === owner)
    const key = `${kind}:${index}`
    if (kind === 'content_part' || kind === 'reasoning_summary_part') {
      must(`${type} brings a part`, isRecord(event['part']))
      must(`${type} comes once, done after added`, this.#parts.has(key) === (phase === 'done'))
      must(`${type} comes once`, !this.#parts.has(`done ${key}`))
      const before = [...this.#parts].filter((other) => other.startsWith(`${kind}:`)).length
      must('parts are numbered from 0 on', phase === 'done' || index === before)
      this.#parts.add(phase === 'done' ? `done ${key}` : key)
    } else if (phase === 'delta') {
      must('a delta is a text', typeof event['delta'] === 'string')
      const part = PARTS[kind]
      must(`${type} comes after its part`, part === undefined || this.#parts.has(`${part}:${index}`))
      this.#texts.set(key, (this.#texts.get(key) ?? '') + event['delta'])
    } else if (phase === 'done') {
      const whole = event[WHOLES[kind] ?? 'text']
      const pieces = this.#texts.get(key) ?? ''
      // A call without arguments has no pieces, and the empty object as its whole.
      must(`${type} repeats the pieces`, whole === pieces || (kind === 'function_call_arguments' && whole === '{}'))
      this.#texts.set(`done ${key}`, String(whole))
    }
  }

  #doneItem(event: JsonObject, begun: JsonObject): void {
    const item = recordIn(event, 'item')
    for (const name of ['id', 'type', 'call_id', 'name', 'namespace']) {
      must(`an item keeps its ${name}`, item[name] === begun[name])
    }
    for (const key of this.#texts.keys()) {
      must('what came in pieces is told as a whole', key.startsWith('done ') || this.#texts.has(`done ${key}`))
    }
    for (const key of this.#parts) {
      must('parts that were added are done', key.startsWith('done ') || this.#parts.has(`done ${key}`))
    }
    this.#checkWhole(item)
    this.#open = undefined
    this.done.push(item)
  }

  #checkWhole(item: JsonObject): void {
    const told = (kind: string) => this.#texts.get(`done ${kind}:0`)
    // The item that a failure breaks off is incomplete: the last one.
    const isDone = item['status'] === 'completed' || (item['status'] === 'incomplete' && this.#isFailed)
    switch (item['type']) {
      case 'message': {
        must('a message is complete and of the assistant', isDone && item['role'] === 'assistant')
        const [part] = recordsIn(item['content'])
        if (part?.['type'] === 'refusal')
          return must('the item repeats its refusal', part['refusal'] === told('refusal'))
        must('a message has a text', part?.['type'] === 'output_text' && part['text'] === told('output_text'))
        return must('a text has annotations', Array.isArray(part['annotations']))
      }
      case 'reasoning': {
        must('reasoning has a summary', Array.isArray(item['summary']))
        const texts = recordsIn(item['summary']).map((part) => part['text'])
        return must('the item repeats its summary', texts.join('') === (told('reasoning_summary_text') ?? ''))
      }
      case 'function_call':
        must('a function call is complete', isDone && typeof item['name'] === 'string')
        return must('the item repeats its arguments', item['arguments'] === (told('function_call_arguments') ?? ''))
      case 'custom_tool_call':
        must('a custom call is complete', isDone && typeof item['name'] === 'string')
        return must('the item repeats its input', item['input'] === (told('custom_tool_call_input') ?? ''))
      case 'tool_search_call':
        return must(
          'a search has an object of arguments',
          isRecord(item['arguments']) && item['execution'] === 'client',
        )
      case 'local_shell_call':
        return must('a shell call has a command', Array.isArray(recordIn(item, 'action')['command']))
      default:
        must(`${String(item['type'])} is a type of item that is known`, false)
    }
  }
}

const OWNERS: Readonly<Record<string, string>> = {
  content_part: 'message',
  output_text: 'message',
  'output_text.annotation': 'message',
  refusal: 'message',
  reasoning_summary_part: 'reasoning',
  reasoning_summary_text: 'reasoning',
  function_call_arguments: 'function_call',
  custom_tool_call_input: 'custom_tool_call',
}

const PARTS: Readonly<Record<string, string>> = {
  output_text: 'content_part',
  refusal: 'content_part',
  reasoning_summary_text: 'reasoning_summary_part',
}

const WHOLES: Readonly<Record<string, string>> = {
  refusal: 'refusal',
  function_call_arguments: 'arguments',
  custom_tool_call_input: 'input',
}

/** The items that Codex takes from a stream: those that are done, without messages that have a part it does not know. */
export function codexItems({ items }: StrictReading): readonly JsonObject[] {
  const isKnown = (part: JsonObject) => ['input_text', 'input_image', 'output_text'].includes(String(part['type']))
  return items.filter((item) => item['type'] !== 'message' || recordsIn(item['content']).every(isKnown))
}

/** The response that OpenAI's SDK puts together; rejects where its accumulator does. */
export async function readWithSdk({ events }: StrictReading): Promise<unknown> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(lines))
      controller.close()
    },
  })
  return await ResponseStream.fromReadableStream(stream).finalResponse()
}

function recordIn(value: JsonObject, name: string): JsonObject {
  const member = value[name]
  must(`${name} is an object`, isRecord(member))
  return member
}

function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
