// Reads a chat completion request in no dialect's words, for providers of another dialect. Every member has a place in the
// conversation or is named as dropped.

import type { Refusal } from '#core/refusal.ts'
import { isGiven, Notes } from '#dialect/chat-completions/notes.ts'
import { readTurns } from '#dialect/chat-completions/read-messages.ts'
import { readTools } from '#dialect/chat-completions/read-tools.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { isRecord } from '#dialect/request-body.ts'
import { EFFORTS, type Conversation, type JsonObject, type OutputFormat, type ReasoningWish } from '#dialect/turn.ts'

/** Members that responses has as well, with the same meaning. */
const SHARED = [
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'verbosity',
]

/** Members that are read below, or by whoever read the request first. */
const READ = new Set([
  ...SHARED,
  ...'model messages stream stream_options max_tokens max_completion_tokens n user stop response_format'.split(' '),
  ...'temperature top_p top_k seed presence_penalty frequency_penalty reasoning_effort reasoning thinking'.split(' '),
  ...'tools tool_choice parallel_tool_calls functions function_call web_search_options'.split(' '),
])

export function readChatConversation(request: ClientRequest): Conversation | Refusal {
  const body = request.body.value
  const notes = new Notes()
  const turns = readTurns(body['messages'], notes)
  const tools = readTools(body, notes)
  const stop = readStop(body['stop'], notes)
  const format = readFormat(body['response_format'], notes)
  const reasoning = readReasoningWish(body, notes)
  const sampling = {
    temperature: readNumber(body, 'temperature', notes),
    topP: readNumber(body, 'top_p', notes),
    topK: readNumber(body, 'top_k', notes),
    seed: readNumber(body, 'seed', notes),
    presencePenalty: readNumber(body, 'presence_penalty', notes),
    frequencyPenalty: readNumber(body, 'frequency_penalty', notes),
  }
  const allowsParallelTools = readBoolean(body, 'parallel_tool_calls', notes)
  const user = readUser(body['user'], notes)
  for (const [name, value] of Object.entries(body)) if (!READ.has(name) && !saysNothing(name, value)) notes.drop(name)
  if (notes.problem !== undefined) return notes.problem
  return {
    turns,
    ...tools,
    // The deprecated form of an answer has room for one call.
    allowsParallelTools: isOldForm(body) ? false : allowsParallelTools,
    outputCap: request.outputCap,
    stop,
    sampling,
    reasoning,
    format,
    choices: request.choices,
    user,
    shared: Object.fromEntries(SHARED.flatMap((name) => (isGiven(body[name]) ? [[name, body[name]]] : []))),
    dropped: notes.dropped,
  }
}

/** Whether the client speaks of functions and expects `function_call` in the answer. */
export function isOldForm(body: JsonObject): boolean {
  return Array.isArray(body['functions']) && !isGiven(body['tools'])
}

/** A member that only says what holds anyway. */
function saysNothing(name: string, value: unknown): boolean {
  if (!isGiven(value)) return true
  switch (name) {
    case 'store':
    case 'logprobs':
      return value === false
    case 'top_logprobs':
      return value === 0
    case 'logit_bias':
      return isRecord(value) && Object.keys(value).length === 0
    case 'modalities':
      return Array.isArray(value) && value.every((modality) => modality === 'text')
    default:
      return false
  }
}

function readStop(value: unknown, notes: Notes): string[] {
  if (!isGiven(value)) return []
  const stops: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = stops.filter((stop) => typeof stop === 'string')
  if (texts.length < stops.length) notes.wrong('stop', 'must be a string or an array of strings')
  return texts.filter((text) => text !== '')
}

function readFormat(value: unknown, notes: Notes): OutputFormat | undefined {
  if (!isGiven(value)) return undefined
  if (!isRecord(value)) return notes.wrong('response_format', 'must be an object')
  switch (value['type']) {
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return readSchemaFormat(value['json_schema'], notes)
    default:
      notes.drop('response_format')
      return undefined
  }
}

function readSchemaFormat(value: unknown, notes: Notes): OutputFormat | undefined {
  const param = 'response_format.json_schema'
  if (!isRecord(value)) return notes.wrong(param, 'must be an object')
  const { name, description, schema, strict } = value
  if (!isGiven(schema)) return { type: 'json' }
  if (!isRecord(schema)) return notes.wrong(`${param}.schema`, 'must be a JSON schema')
  return {
    type: 'json-schema',
    name: typeof name === 'string' && name !== '' ? name : 'output',
    description: typeof description === 'string' ? description : undefined,
    schema,
    isStrict: typeof strict === 'boolean' ? strict : undefined,
  }
}

/** OpenAI's member, OpenRouter's object, or the one that other providers took over from messages; the first that says it. */
function readReasoningWish(body: JsonObject, notes: Notes): ReasoningWish {
  const reasoning = isRecord(body['reasoning']) ? body['reasoning'] : {}
  const thinking = isRecord(body['thinking']) ? body['thinking'] : {}
  const named = body['reasoning_effort'] ?? reasoning['effort']
  const effort = EFFORTS.find((known) => known === named)
  if (isGiven(named) && effort === undefined) notes.drop('reasoning_effort')
  const isOff = reasoning['enabled'] === false || thinking['type'] === 'disabled'
  const budget = reasoning['max_tokens'] ?? thinking['budget_tokens']
  const hasBudget = typeof budget === 'number' && Number.isSafeInteger(budget) && budget > 0
  return {
    effort: effort ?? (isOff ? 'none' : undefined),
    budgetTokens: hasBudget && !isOff ? budget : undefined,
    isShown: reasoning['exclude'] !== true,
  }
}

function readNumber(body: JsonObject, name: string, notes: Notes): number | undefined {
  const value = body[name]
  if (!isGiven(value)) return undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : notes.wrong(name, 'must be a number')
}

function readBoolean(body: JsonObject, name: string, notes: Notes): boolean | undefined {
  const value = body[name]
  if (!isGiven(value)) return undefined
  return typeof value === 'boolean' ? value : notes.wrong(name, 'must be true or false')
}

function readUser(value: unknown, notes: Notes): string | undefined {
  if (!isGiven(value) || value === '') return undefined
  return typeof value === 'string' ? value : notes.wrong('user', 'must be a string')
}
