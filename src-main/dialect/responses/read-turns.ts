// Makes a conversation of a request in the responses format. What refers to something that only a server with a memory has is
// refused, since the answer would be about another conversation than the client's; the rest is read, or named as dropped.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { isRecord } from '#dialect/request-body.ts'
import { asksForCompaction, COMPACTION_WISH } from '#dialect/responses/compaction.ts'
import { readItems } from '#dialect/responses/read-items.ts'
import { readToolChoice } from '#dialect/responses/read-tool-choice.ts'
import { ToolList } from '#dialect/responses/read-tools.ts'
import { TurnList } from '#dialect/responses/turn-list.ts'
import { wishesOf } from '#dialect/responses/wishes.ts'
import { EFFORTS, type Conversation, type JsonObject, type OutputFormat, type ReasoningWish } from '#dialect/turn.ts'

/** Members that are read here or by the request's reader, and those that ask for nothing that could be lost. */
const KNOWN = new Set([
  'model',
  'input',
  'instructions',
  'max_output_tokens',
  'stream',
  'stream_options',
  'background',
  'temperature',
  'top_p',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'include',
  'store',
  'truncation',
  'user',
  'previous_response_id',
  'conversation',
  'prompt',
])

/** Members that chat completions have by the same name. */
const SHARED = [
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
]

const NO_TOOL = { type: 'none' } as const

/** More names than any header has room for. */
const MAX_DROPPED = 64

export function readResponsesConversation(request: ClientRequest): Conversation | Refusal {
  const { value } = request.body
  const unusable = refuseMemory(value)
  if (unusable !== undefined) return unusable
  const dropped = new Set<string>()
  const turns = new TurnList()
  const list = new ToolList()
  const { instructions } = value
  if (typeof instructions === 'string' && instructions !== '') turns.system([{ type: 'text', text: instructions }])
  const problem = list.read(value['tools'], 'tools') ?? readInput(value, { turns, tools: list, dropped })
  if (problem !== undefined) return problem
  const isCompaction = asksForCompaction(value)
  if (isCompaction) turns.user([{ type: 'text', text: COMPACTION_WISH }])
  // Tools stay, because calls of them are in the conversation.
  const toolChoice = isCompaction ? NO_TOOL : readToolChoice(value['tool_choice'], list)
  if (isRefusal(toolChoice)) return toolChoice
  const text = readTextWish(isCompaction ? undefined : value['text'])
  if (isRefusal(text)) return text
  const reasoning = readReasoningWish(value, dropped)
  dropOthers(value, dropped)
  return {
    turns: turns.turns,
    tools: list.tools,
    hostedTools: isCompaction ? [] : list.hosted,
    toolChoice,
    allowsParallelTools: typeof value['parallel_tool_calls'] === 'boolean' ? value['parallel_tool_calls'] : undefined,
    outputCap: request.outputCap,
    stop: [],
    sampling: { temperature: numberIn(value['temperature']), topP: numberIn(value['top_p']) },
    reasoning,
    format: text.format,
    choices: 1,
    user: typeof value['user'] === 'string' ? value['user'] : undefined,
    shared: { ...sharedIn(value), ...(text.verbosity === undefined ? {} : { verbosity: text.verbosity }) },
    dropped: [...dropped].slice(0, MAX_DROPPED),
  }
}

function readInput(value: JsonObject, sinks: Parameters<typeof readItems>[1]): Refusal | undefined {
  const { input } = value
  if (Array.isArray(input)) return readItems(asksForCompaction(value) ? input.slice(0, -1) : input, sinks)
  if (typeof input === 'string') sinks.turns.user([{ type: 'text', text: input }])
  return undefined
}

function refuseMemory(value: JsonObject): Refusal | undefined {
  const previous = value['previous_response_id']
  if (previous !== undefined && previous !== null) {
    // OpenAI's words: clients that keep their history fall back to sending all of it when they read them.
    const id = typeof previous === 'string' && /^[\w-]{1,80}$/.test(previous) ? ` with id '${previous}'` : ''
    const message = `Previous response${id} not found. Answers are remembered for a short time only: send the whole conversation in 'input'.`
    const details = { code: 'previous_response_not_found' }
    return refuse('invalid_request', message, { param: 'previous_response_id', details })
  }
  for (const param of ['conversation', 'prompt']) {
    if (value[param] === undefined || value[param] === null) continue
    const message = `'${param}' cannot be used, since Farebox keeps none. Send the whole conversation in 'input'.`
    return refuse('invalid_request', message, { param, details: { code: 'unsupported_parameter' } })
  }
  return undefined
}

type TextWish = { readonly format: OutputFormat | undefined; readonly verbosity: string | undefined }

function readTextWish(text: unknown): TextWish | Refusal {
  if (text === undefined || text === null) return { format: undefined, verbosity: undefined }
  if (!isRecord(text)) return wrong('text', 'must be an object')
  const format = readFormat(text['format'])
  if (isRefusal(format)) return format
  return { format, verbosity: typeof text['verbosity'] === 'string' ? text['verbosity'] : undefined }
}

function readFormat(format: unknown): OutputFormat | undefined | Refusal {
  if (format === undefined || format === null) return undefined
  if (!isRecord(format)) return wrong('text.format', 'must be an object')
  switch (format['type']) {
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json' }
    case 'json_schema': {
      const { name, description, schema, strict } = format
      if (!isRecord(schema)) return wrong('text.format.schema', 'must be a JSON schema')
      return {
        type: 'json-schema',
        name: typeof name === 'string' && name !== '' ? name : 'output',
        description: typeof description === 'string' ? description : undefined,
        schema,
        isStrict: typeof strict === 'boolean' ? strict : undefined,
      }
    }
    default:
      return wrong('text.format.type', "must be 'text', 'json_object' or 'json_schema'")
  }
}

/**
 * Reasoning is asked of a provider where the client wants to read it, and also where it only wants to send it back: the
 * answer's writer then leaves its text out.
 */
function readReasoningWish(value: JsonObject, dropped: Set<string>): ReasoningWish {
  const reasoning = value['reasoning']
  const given = isRecord(reasoning) ? (reasoning['effort'] ?? undefined) : undefined
  const effort = EFFORTS.find((known) => known === given)
  if (given !== undefined && effort === undefined) dropped.add('reasoning.effort')
  const wishes = wishesOf(value)
  return { effort, budgetTokens: undefined, isShown: wishes.showsReasoning || wishes.keepsSealed }
}

function dropOthers(value: JsonObject, dropped: Set<string>): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === null || KNOWN.has(name) || SHARED.includes(name)) continue
    dropped.add(name)
  }
  if (value['store'] === true) dropped.add('store')
  const { include, truncation } = value
  if (truncation !== undefined && truncation !== null && truncation !== 'disabled') dropped.add('truncation')
  if (Array.isArray(include) && include.some((wish) => wish !== 'reasoning.encrypted_content')) dropped.add('include')
}

function sharedIn(value: JsonObject): JsonObject {
  return Object.fromEntries(
    SHARED.flatMap((name) => (value[name] === null || !(name in value) ? [] : [[name, value[name]]])),
  )
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function wrong(param: string, says: string): Refusal {
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}
