// What the tests of known bugs share: a request on its way to a provider, and a provider's answer on its way to a client,
// both through the code that the gateway runs.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { ASKING } from '../matrix/answers/all.ts'
import { dataEvents, typedEvents } from '../matrix/answers/fixture.ts'
import { eventsOf, foldStream } from '../matrix/fold.ts'
import { answer, send, sendOk, type Answered, type Pair, type ProviderName, type Variant } from '../matrix/pair.ts'

export function pairOf(client: ClientFormat, provider: ProviderName): Pair {
  return { client, provider, name: `${client}-to-${provider}` }
}

/** What every request needs. */
const MINIMAL: Readonly<Record<ClientFormat, JsonObject>> = {
  chat: { model: 'farebox-model', messages: [{ role: 'user', content: 'Hi' }] },
  messages: { model: 'farebox-model', max_tokens: 4000, messages: [{ role: 'user', content: 'Hi' }] },
  responses: { model: 'farebox-model', input: 'Hi' },
  gemini: { model: 'farebox-model', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

/** The body that the provider gets for a client's members; `dropped` is what the client is told about the rest. */
export function sent(client: ClientFormat, provider: ProviderName, members: JsonObject, variant?: Variant): Sent {
  const { body, prepared } = sendOk(pairOf(client, provider), { ...MINIMAL[client], ...members }, variant)
  const value: unknown = JSON.parse(body)
  if (!isRecord(value)) throw new Error('the provider gets no object')
  return { body: value, text: body, dropped: prepared.dropped }
}

export type Sent = { readonly body: JsonObject; readonly text: string; readonly dropped: readonly string[] }

export function refused(client: ClientFormat, provider: ProviderName, members: JsonObject): Refusal {
  const outcome = send(pairOf(client, provider), { ...MINIMAL[client], ...members })
  if (!isRefusal(outcome)) throw new Error('the request is not refused')
  return outcome
}

/** A provider's stream as the client gets it. The client asked for everything that an answer may hold, unless told. */
export function streamed(pair: readonly [ClientFormat, ProviderName], stream: string, members?: JsonObject): string {
  const { text, failure } = outcome(pair, stream, members)
  if (failure !== undefined) throw failure
  return text
}

/** The same where the answer may fail. */
export function outcome(
  [client, provider]: readonly [ClientFormat, ProviderName],
  stream: string,
  members?: JsonObject,
) {
  const body = { ...(members === undefined ? ASKING[client] : { ...MINIMAL[client], ...members }), stream: true }
  return answered(pairOf(client, provider), body, stream)
}

/** A provider's whole answer as the client gets it. */
export function whole(
  pair: readonly [ClientFormat, ProviderName],
  value: JsonObject,
  members?: JsonObject,
): JsonObject {
  const [client, provider] = pair
  const body = members === undefined ? ASKING[client] : { ...MINIMAL[client], ...members }
  const { text, failure } = answered(pairOf(client, provider), body, JSON.stringify(value))
  if (failure !== undefined) throw failure
  const read: unknown = JSON.parse(text)
  if (!isRecord(read)) throw new Error('the client gets no object')
  return read
}

function answered(pair: Pair, body: JsonObject, text: string): Answered {
  return answer(sendOk(pair, body).prepared, [Buffer.from(text)])
}

/** A chunk of chat completions. */
export function chunk(delta: JsonObject, finish: string | null = null, rest: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_795_239_990,
    model: 'acme-large',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  }
}

/** A piece of a tool call of chat completions; the first one has an id. */
export function toolDelta(index: number, text: string, head?: readonly [id: string, name: string]): JsonObject {
  if (head === undefined) return { tool_calls: [{ index, function: { arguments: text } }] }
  const [id, name] = head
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] }
}

export const CHAT_USAGE = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 }

/** A stream of chat completions that ends as OpenAI's do. */
export function chatStream(...chunks: readonly JsonObject[]): string {
  return dataEvents(...chunks, { ...chunk({}), choices: [], usage: CHAT_USAGE }) + 'data: [DONE]\n\n'
}

/** A stream of messages: its blocks between the beginning and the end. */
export function messagesStream(reason: string, ...blocks: readonly (readonly JsonObject[])[]): string {
  const usage = { input_tokens: 40, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-6', content: [], usage }
  const end = { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 12 } }
  return typedEvents(
    { type: 'message_start', message },
    ...blocks.flat(),
    { type: 'message_delta', ...end },
    { type: 'message_stop' },
  )
}

/** The events of one block of messages. */
export function block(index: number, start: JsonObject, ...deltas: readonly JsonObject[]): JsonObject[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** A stream of responses: its items between the beginning and the end. */
export function responsesStream(items: readonly (readonly JsonObject[])[], end: JsonObject = {}): string {
  const response = { id: 'resp_1', object: 'response', created_at: 1_795_239_990, model: 'gpt-5.5' }
  const usage = { input_tokens: 40, output_tokens: 12, total_tokens: 52 }
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items.flat(),
    { type: 'response.completed', response: { ...response, status: 'completed', output: [], usage, ...end } },
  ]
  return typedEvents(...events.map((event, index) => ({ ...event, sequence_number: index })))
}

/** A chunk of Gemini's. */
export function candidate(parts: readonly JsonObject[], finishReason?: string): JsonObject {
  const reason = finishReason === undefined ? {} : { finishReason }
  const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 12, totalTokenCount: 52 }
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...reason }], usageMetadata }
}

/** The data of each event of a stream, as objects. */
export function events(stream: string): JsonObject[] {
  return eventsOf(stream).flatMap(({ data }) => {
    const value: unknown = data === '[DONE]' ? undefined : JSON.parse(data)
    return isRecord(value) ? [value] : []
  })
}

export function eventTypes(stream: string): string[] {
  return events(stream).map(({ type }) => String(type))
}

/**
 * The blocks of a stream of messages, such as `text: Hi`, in the order of their indexes. Throws unless each is begun once,
 * gets nothing but deltas of its own kind, and is ended before the next one begins.
 */
export function messageBlocks(stream: string): string[] {
  foldStream('messages', stream)
  const blocks: string[] = []
  for (const { type, content_block: start, delta } of events(stream)) {
    if (type === 'content_block_start') blocks.push(`${String(at(start, 'type'))}: `)
    const text = at(delta, 'text') ?? at(delta, 'thinking') ?? at(delta, 'partial_json')
    if (type === 'content_block_delta' && typeof text === 'string') blocks[blocks.length - 1] += text
  }
  return blocks
}

/** The value at a path; undefined where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof step === 'number') found = Array.isArray(found) ? (found as readonly unknown[]).at(step) : undefined
    else found = isRecord(found) ? found[step] : undefined
  }
  return found
}

/** The objects of a list. */
export function records(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
