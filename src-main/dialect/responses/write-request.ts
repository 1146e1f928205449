// Writes a conversation as a request in the responses format. Nothing is kept by the provider (`store` is false), so what it
// has to get back, its sealed reasoning, is asked for and sent along.

import { refuse, type Refusal } from '#core/refusal.ts'
import type { WriteTarget, WrittenRequest } from '#dialect/dialect.ts'
import { writeInput } from '#dialect/responses/write-input.ts'
import { effectiveToolChoice } from '#dialect/tools.ts'
import { effortOfBudget, type Conversation, type JsonObject, type Tool } from '#dialect/turn.ts'

const SHARED = new Set([
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
])

/** OpenAI's bound for identifiers of end users. */
const MAX_USER_LENGTH = 64

/** Expects turns in order and tools with the names that the provider gets. */
export function writeResponsesRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal {
  const impossible = refuseImpossible(conversation)
  if (impossible !== undefined) return impossible
  const dropped = new Set<string>(conversation.hostedTools)
  const { instructions, input } = writeInput(conversation.turns, target.quirks, dropped)
  if (hasCacheMark(conversation)) dropped.add('cache_control')
  const { shared } = conversation
  for (const name of Object.keys(shared)) if (!SHARED.has(name) && name !== 'verbosity') dropped.add(name)
  const body = {
    model: target.upstreamModel,
    ...(instructions === undefined ? {} : { instructions }),
    input,
    ...writeTools(conversation, target, dropped),
    ...writeSampling(conversation, dropped),
    ...writeText(conversation, target, dropped),
    ...writeReasoning(conversation, target, dropped),
    ...writeUser(conversation, dropped),
    ...Object.fromEntries(Object.entries(shared).filter(([name]) => SHARED.has(name))),
    store: false,
    stream: target.isStream,
  }
  return {
    path: '/responses',
    dropped: [...dropped],
    body: (outputCap) => JSON.stringify({ ...body, max_output_tokens: outputCap }),
  }
}

/** OpenAI caches without being told where. */
function hasCacheMark({ turns, tools }: Conversation): boolean {
  const isMarked = (part: object) => 'cacheMark' in part && part.cacheMark !== undefined
  return (
    tools.some(isMarked) || turns.some((turn) => (turn.role === 'tool' ? turn.results : turn.content).some(isMarked))
  )
}

function refuseImpossible({ choices, toolChoice }: Conversation): Refusal | undefined {
  if (choices > 1) {
    const message = "The provider of this model gives one answer for each request. Leave out 'n', or ask several times."
    return refuse('invalid_request', message, { param: 'n' })
  }
  if (toolChoice?.type !== 'hosted') return undefined
  const message = `The tool '${toolChoice.name}' cannot be forced at the provider of this model. Leave out 'tool_choice'.`
  return refuse('invalid_request', message, { param: 'tool_choice' })
}

function writeTools(conversation: Conversation, { quirks }: WriteTarget, dropped: Set<string>): JsonObject {
  const { tools, allowsParallelTools } = conversation
  if (tools.length === 0) return {}
  const choice = effectiveToolChoice(conversation)
  const isParallel = quirks.parallelToolCalls ? allowsParallelTools : undefined
  if (isParallel !== allowsParallelTools) dropped.add('parallel_tool_calls')
  return {
    tools: tools.map(toolOf),
    ...(choice === undefined
      ? {}
      : { tool_choice: choice.type === 'tool' ? { type: 'function', name: choice.name } : choice.type }),
    ...(isParallel === undefined ? {} : { parallel_tool_calls: isParallel }),
  }
}

/** Without `strict` this format takes a schema for a strict one, and refuses those that are not. */
function toolOf(tool: Tool): JsonObject {
  const given = tool.parameters ?? {}
  return {
    type: 'function',
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: given['type'] === undefined || given['type'] === 'object' ? withProperties(given) : given,
    strict: tool.isStrict ?? false,
  }
}

function withProperties(schema: JsonObject): JsonObject {
  return 'properties' in schema && 'type' in schema ? schema : { type: 'object', properties: {}, ...schema }
}

function writeSampling({ sampling, stop }: Conversation, dropped: Set<string>): JsonObject {
  const absent = {
    top_k: sampling.topK,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    stop: stop.length === 0 ? undefined : stop,
  }
  for (const [name, value] of Object.entries(absent)) if (value !== undefined) dropped.add(name)
  return {
    ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
  }
}

function writeText({ format, shared }: Conversation, { quirks }: WriteTarget, dropped: Set<string>): JsonObject {
  const verbosity = shared['verbosity']
  const isReduced = format?.type === 'json-schema' && !quirks.jsonSchema
  if (isReduced) dropped.add('json_schema')
  const written = isReduced || format?.type === 'json' ? { type: 'json_object' } : schemaFormat(format)
  const text = {
    ...(written === undefined ? {} : { format: written }),
    ...(typeof verbosity === 'string' ? { verbosity } : {}),
  }
  return Object.keys(text).length === 0 ? {} : { text }
}

function schemaFormat(format: Conversation['format']): JsonObject | undefined {
  if (format?.type !== 'json-schema') return undefined
  const { name, description, schema, isStrict } = format
  return {
    type: 'json_schema',
    name,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(isStrict === undefined ? {} : { strict: isStrict }),
  }
}

/**
 * Models that do not reason refuse to be asked about it, so nothing is said where the client named neither effort nor budget:
 * that it would be shown reasoning says nothing about the model.
 */
function writeReasoning({ reasoning }: Conversation, { quirks }: WriteTarget, dropped: Set<string>): JsonObject {
  const { budgetTokens, isShown } = reasoning
  const effort = reasoning.effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens))
  if (effort === undefined) return {}
  if (!quirks.reasoningEffort) {
    dropped.add('reasoning')
    return {}
  }
  if (effort === 'none') return { reasoning: { effort } }
  return {
    reasoning: { effort, ...(isShown ? { summary: 'auto' } : {}) },
    include: ['reasoning.encrypted_content'],
  }
}

function writeUser({ user }: Conversation, dropped: Set<string>): JsonObject {
  if (user === undefined) return {}
  if (user.length <= MAX_USER_LENGTH) return { user }
  dropped.add('user')
  return {}
}
