// Reads what a server sent as a forgiving person would: pieces are put together by what they say of themselves, and nothing is
// refused. It shares no code with Farebox, so that what Farebox makes of the same bytes can be held against it.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import type { RecordedDialect } from './recording.ts'

/** Tokens in disjoint classes, as the server's own words count them. What it does not say is 0. */
export type ReadUsage = {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

export type Reading = {
  readonly text: string
  readonly reasoning: string
  readonly tools: readonly { readonly name: string; readonly arguments: unknown }[]
  /** undefined where the server says nothing. */
  readonly usage: ReadUsage | undefined
  /** What was read of an error body. */
  readonly error: JsonObject | undefined
}

type Growing = { text: string; reasoning: string; tools: { name: string; text: string }[] }

/** An answer of a dialect, streamed or whole. */
export function readLeniently(dialect: RecordedDialect, text: string): Reading {
  const events = eventsIn(text)
  const whole = events.length === 0 ? objectOf(parse(text)) : undefined
  const error = [whole, ...events].map((value) => value?.['error']).find(isRecord)
  const seen: Growing = { text: '', reasoning: '', tools: [] }
  const usage = READERS[dialect](seen, whole, events)
  const tools = seen.tools.map(({ name, text: json }) => ({ name, arguments: json === '' ? {} : parse(json) }))
  return { text: seen.text, reasoning: seen.reasoning, tools, usage, error }
}

type Read = (seen: Growing, whole: JsonObject | undefined, events: readonly JsonObject[]) => ReadUsage | undefined

const READERS: Readonly<Record<RecordedDialect, Read>> = {
  'chat-completions': readChat,
  messages: readMessages,
  responses: readResponses,
  gemini: readGemini,
  embeddings: (_, whole) => openAiUsage(whole?.['usage'], 'prompt_tokens', 'completion_tokens'),
}

function readChat(seen: Growing, whole: JsonObject | undefined, events: readonly JsonObject[]) {
  const calls = new Map<unknown, Growing['tools'][number]>()
  for (const value of whole === undefined ? events : [whole]) {
    for (const choice of listOf(value['choices']).filter(({ index }) => index === undefined || index === 0)) {
      const delta = objectOf(choice['delta'] ?? choice['message'])
      seen.text += textIn(delta['content'])
      seen.reasoning += textIn(delta['reasoning_content'] ?? delta['reasoning'])
      for (const [position, call] of listOf(delta['tool_calls']).entries()) {
        const key = call['index'] ?? position
        const known = calls.get(key) ?? { name: '', text: '' }
        if (!calls.has(key)) seen.tools.push(known)
        calls.set(key, known)
        const inner = objectOf(call['function'])
        known.name ||= textIn(inner['name'])
        known.text += textIn(inner['arguments'])
      }
    }
  }
  const usage = (whole === undefined ? events : [whole]).map((value) => value['usage']).findLast(isRecord)
  return openAiUsage(usage, 'prompt_tokens', 'completion_tokens')
}

function readMessages(seen: Growing, whole: JsonObject | undefined, events: readonly JsonObject[]) {
  for (const block of listOf(whole?.['content'])) addMessagesBlock(seen, block)
  const calls = new Map<unknown, Growing['tools'][number]>()
  for (const event of events) {
    const block = objectOf(event['content_block'])
    if (event['type'] === 'content_block_start' && block['type'] === 'tool_use') {
      const call = { name: textIn(block['name']), text: '' }
      seen.tools.push(call)
      calls.set(event['index'], call)
    }
    if (event['type'] !== 'content_block_delta') continue
    const delta = objectOf(event['delta'])
    seen.text += textIn(delta['text'])
    seen.reasoning += textIn(delta['thinking'])
    const call = calls.get(event['index'])
    if (call !== undefined) call.text += textIn(delta['partial_json'])
  }
  const told = [whole, ...events].flatMap((value) => [objectOf(value?.['message'])['usage'], value?.['usage']])
  const usages = told.filter(isRecord)
  if (usages.length === 0) return undefined
  // Counts are cumulative, and a later one stands for those before it.
  const counts = Object.assign({}, ...usages) as JsonObject
  return {
    input: countIn(counts['input_tokens']),
    cacheRead: countIn(counts['cache_read_input_tokens']),
    cacheWrite: countIn(counts['cache_creation_input_tokens']),
    output: countIn(counts['output_tokens']),
  }
}

function addMessagesBlock(seen: Growing, block: JsonObject): void {
  seen.text += textIn(block['text'])
  seen.reasoning += textIn(block['thinking'])
  if (block['type'] === 'tool_use') {
    seen.tools.push({ name: textIn(block['name']), text: JSON.stringify(block['input']) })
  }
}

/** In a stream the items are taken as they are done, which every server tells whole. */
function readResponses(seen: Growing, whole: JsonObject | undefined, events: readonly JsonObject[]) {
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => objectOf(item))
  for (const item of whole === undefined ? done : listOf(whole['output'])) addItem(seen, item)
  const last = whole ?? objectOf(events.findLast(({ response }) => isRecord(response))?.['response'])
  return openAiUsage(last['usage'], 'input_tokens', 'output_tokens')
}

function addItem(seen: Growing, item: JsonObject): void {
  const parts = [...listOf(item['summary']), ...listOf(item['content'])]
  if (item['type'] === 'reasoning') for (const part of parts) seen.reasoning += textIn(part['text'])
  if (item['type'] === 'message') for (const part of parts) seen.text += textIn(part['text'])
  if (item['type'] === 'function_call') {
    seen.tools.push({ name: textIn(item['name']), text: textIn(item['arguments']) })
  }
}

function readGemini(seen: Growing, whole: JsonObject | undefined, events: readonly JsonObject[]) {
  const values = whole === undefined ? events : [whole]
  for (const value of values) {
    const [candidate = {}] = listOf(value['candidates'])
    for (const part of listOf(objectOf(candidate['content'])['parts'])) {
      if (part['thought'] === true) seen.reasoning += textIn(part['text'])
      else seen.text += textIn(part['text'])
      const call = part['functionCall']
      if (isRecord(call)) seen.tools.push({ name: textIn(call['name']), text: JSON.stringify(call['args'] ?? {}) })
    }
  }
  const usage = values.map((value) => value['usageMetadata']).findLast(isRecord)
  if (usage === undefined) return undefined
  const cacheRead = countIn(usage['cachedContentTokenCount'])
  const output = countIn(usage['candidatesTokenCount']) + countIn(usage['thoughtsTokenCount'])
  return { input: countIn(usage['promptTokenCount']) - cacheRead, cacheRead, cacheWrite: 0, output }
}

function openAiUsage(usage: unknown, inputName: string, outputName: string): ReadUsage | undefined {
  if (!isRecord(usage)) return undefined
  const details = objectOf(usage[inputName.replace('_tokens', '_tokens_details')])
  const cacheRead = countIn(details['cached_tokens'])
  const cacheWrite = countIn(details['cache_write_tokens'])
  const input = countIn(usage[inputName]) - cacheRead - cacheWrite
  return { input, cacheRead, cacheWrite, output: countIn(usage[outputName]) }
}

function eventsIn(text: string): JsonObject[] {
  if (!/^(data|event|:|id|retry)/.test(text.trimStart())) return []
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => parse(line.slice(5).trim()))
    .filter(isRecord)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It is text, such as [DONE] or arguments that a model did not finish.
    return text
  }
}

function objectOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function countIn(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
