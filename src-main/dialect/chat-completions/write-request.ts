// Writes a conversation as a chat completion request for one provider. What the provider does not take is named.

import type { Quirks } from '#core/quirks.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { shortUser } from '#dialect/chat-completions/short-ids.ts'
import { ContentWriter, Losses } from '#dialect/chat-completions/write-content.ts'
import { MessageWriter } from '#dialect/chat-completions/write-messages.ts'
import type { WrittenRequest, WriteTarget } from '#dialect/dialect.ts'
import { effectiveToolChoice } from '#dialect/tools.ts'
import {
  effortOfBudget,
  type Conversation,
  type Effort,
  type JsonObject,
  type OutputFormat,
  type Tool,
  type ToolChoice,
} from '#dialect/turn.ts'

/** The conversation is in order, and its tools have the names that the provider gets. */
export function writeChatRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal {
  const { quirks } = target
  const { toolChoice } = conversation
  if (toolChoice?.type === 'hosted') {
    const says = `The tool '${toolChoice.name}' cannot be forced: this model's provider does not run it. Leave it out.`
    return refuse('invalid_request', says, { param: 'tool_choice' })
  }
  const losses = new Losses()
  for (const type of conversation.hostedTools) losses.names.add(type)
  const messages = new MessageWriter(quirks, losses).write(conversation.turns, schemaInstruction(conversation, quirks))
  const body = {
    ...writeShared(conversation.shared, losses),
    model: target.upstreamModel,
    messages,
    ...writeTools(conversation, quirks, losses),
    ...writeSampling(conversation, quirks, losses),
    ...writeFormat(conversation.format, quirks, losses),
    ...writeReasoning(conversation, quirks, losses),
    n: conversation.choices > 1 ? conversation.choices : undefined,
    user: conversation.user === undefined ? undefined : shortUser(conversation.user),
    stream: target.isStream ? true : undefined,
    stream_options: target.isStream && quirks.streamUsage ? { include_usage: true } : undefined,
  } satisfies JsonObject
  if (losses.problem !== undefined) return losses.problem
  const text = JSON.stringify(body)
  return {
    path: '/chat/completions',
    dropped: [...losses.names],
    body: (outputCap) => `{"${target.outputCapField}":${outputCap},${text.slice(1)}`,
  }
}

/** OpenAI takes `metadata` only with answers that it stores, and none are asked to be stored. */
function writeShared(shared: JsonObject, losses: Losses): JsonObject {
  const { metadata, ...rest } = shared
  if (metadata !== undefined) losses.names.add('metadata')
  return rest
}

function writeTools(conversation: Conversation, quirks: Quirks, losses: Losses): JsonObject {
  const { tools, allowsParallelTools } = conversation
  if (tools.length === 0) return {}
  if (allowsParallelTools === false && !quirks.parallelToolCalls) losses.names.add('parallel_tool_calls')
  const marks = new ContentWriter(losses, { hasMarks: quirks.cacheMarks })
  const choice = effectiveToolChoice(conversation)
  return {
    tools: tools.map((tool) => ({ type: 'function', function: writeFunction(tool), ...marks.mark(tool.cacheMark) })),
    tool_choice: choice === undefined ? undefined : writeToolChoice(choice),
    parallel_tool_calls: quirks.parallelToolCalls ? allowsParallelTools : undefined,
  }
}

function writeFunction({ name, description, parameters, isStrict }: Tool): JsonObject {
  return { name, description, parameters: withProperties(parameters ?? { type: 'object' }), strict: isStrict }
}

/** Several providers refuse an object without the list of its properties. */
function withProperties(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' && schema['properties'] === undefined ? { ...schema, properties: {} } : schema
}

function writeToolChoice(choice: ToolChoice): unknown {
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type
}

function writeSampling({ sampling, stop }: Conversation, quirks: Quirks, losses: Losses): JsonObject {
  if (sampling.topK !== undefined && !quirks.topK) losses.names.add('top_k')
  if (stop.length > quirks.maxStops) losses.names.add(`stop sequences after the first ${quirks.maxStops}`)
  const stops = stop.slice(0, quirks.maxStops)
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: quirks.topK ? sampling.topK : undefined,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    stop: stops.length === 0 ? undefined : stops,
  }
}

function writeFormat(format: OutputFormat | undefined, quirks: Quirks, losses: Losses): JsonObject {
  if (format === undefined) return {}
  if (format.type === 'json') return { response_format: { type: 'json_object' } }
  if (!quirks.jsonSchema) {
    losses.names.add('response_format.json_schema')
    return { response_format: { type: 'json_object' } }
  }
  const { description, schema, isStrict } = format
  const name = format.name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'output'
  return { response_format: { type: 'json_schema', json_schema: { name, description, schema, strict: isStrict } } }
}

/** A schema that cannot be enforced is told instead. */
function schemaInstruction({ format }: Conversation, quirks: Quirks): string | undefined {
  if (format?.type !== 'json-schema' || quirks.jsonSchema) return undefined
  return `Answer with one JSON object that fits this JSON schema, and with nothing else:\n${JSON.stringify(format.schema)}`
}

function writeReasoning({ reasoning }: Conversation, quirks: Quirks, losses: Losses): JsonObject {
  const { effort, budgetTokens } = reasoning
  const wish = effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens))
  if (wish === undefined) return {}
  if (!quirks.reasoningEffort) {
    losses.names.add('reasoning_effort')
    return {}
  }
  return { reasoning_effort: commonEffort(wish, losses) }
}

/** The efforts above `high` are known to few providers, and the others answer them with an error. */
function commonEffort(effort: Effort, losses: Losses): Effort {
  if (effort !== 'xhigh' && effort !== 'max') return effort
  losses.names.add(`reasoning_effort ${effort}`)
  return 'high'
}
