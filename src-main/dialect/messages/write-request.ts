// Writes a request for a provider of this dialect from the hub's words. Anthropic refuses much that others overlook, so that
// each rule here keeps a request from a 400.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { tokenCount } from '#core/usage.ts'
import type { WrittenRequest, WriteTarget } from '#dialect/dialect.ts'
import type { WireBlock } from '#dialect/messages/cache-marks.ts'
import { hasLostThinking } from '#dialect/messages/lost-thinking.ts'
import { modelFacts, type ClaudeFacts } from '#dialect/messages/model-facts.ts'
import { cleanSchema } from '#dialect/messages/schema.ts'
import { countPath, messagesPath, versionAt } from '#dialect/messages/vertex.ts'
import { isBlank, Writing } from '#dialect/messages/write-blocks.ts'
import { planThinking, type ThinkingPlan } from '#dialect/messages/write-reasoning.ts'
import { writeTools } from '#dialect/messages/write-tools.ts'
import { endWithUser, writeTurns, type WireMessage } from '#dialect/messages/write-turns.ts'
import type { Conversation, JsonObject, OutputFormat, TextContent } from '#dialect/turn.ts'

/** What counting and answering have in common. */
type Prompt = {
  readonly system: WireBlock[]
  readonly messages: WireMessage[]
  readonly tools: JsonObject
}

/** Anthropic refuses longer identifiers of users, and those that name a person. */
const MAX_USER_LENGTH = 256
const PERSONAL = /@|^\+?[\d\s()./-]{6,}$/

const JSON_ONLY = 'Answer with one JSON object and nothing else: no text around it, no code fence.'

/** What a request says but for its model and its cap. */
export type Composed = Prompt & {
  /** The members beside the prompt, but for thinking, which depends on the cap. */
  readonly options: JsonObject
  readonly dropped: readonly string[]
  readonly thinking: (outputCap: number) => JsonObject | undefined
}

/** The request; or a refusal where something that was asked for cannot be had from this dialect. */
export function writeMessagesRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal {
  const composed = composeMessages(conversation, target)
  if (isRefusal(composed)) return composed
  const { system, messages, tools, options, dropped } = composed
  const stream = target.isStream ? { stream: true } : {}
  const members = { ...(system.length === 0 ? {} : { system }), messages, ...tools, ...options, ...stream }
  return {
    path: messagesPath(target.upstreamModel, target.isStream, target.quirks.platform),
    dropped,
    body: (outputCap) => {
      const thinking = composed.thinking(outputCap)
      const version = versionAt(target.quirks.platform)
      const named = version === undefined ? { model: target.upstreamModel } : { anthropic_version: version }
      const head = { ...named, max_tokens: outputCap }
      return JSON.stringify({ ...head, ...members, ...(thinking === undefined ? {} : { thinking }) })
    },
  }
}

/** The parts of a request in the words of messages, which Amazon's Converse takes in other ones. */
export function composeMessages(conversation: Conversation, target: WriteTarget): Composed | Refusal {
  const writing = new Writing()
  const facts = factsOf(target)
  const prompt = writePrompt(conversation, target, facts, writing)
  const problem = writing.refusal ?? checkWishes(conversation)
  if (problem !== undefined) return problem
  const { toolChoice, format } = conversation
  const plan = planThinking(conversation.reasoning, facts, {
    isToolForced: conversation.tools.length > 0 && (toolChoice?.type === 'required' || toolChoice?.type === 'tool'),
    hasLostThinking: hasLostThinking(prompt.messages, {
      isFixed: facts.thinking === 'budget',
      isClaude: facts.strictThinking,
      wasForeign: () => false,
    }),
  })
  if (plan.isDropped) writing.drop('reasoning')
  if ((plan.isOn && facts.strictThinking) || !facts.prefill) endWithUser(prompt.messages)
  const takesSchema = facts.schema && target.quirks.jsonSchema
  const system = [...prompt.system, ...formatInstruction(format, takesSchema, writing)]
  const options = {
    ...sampling(conversation, target, facts, plan, writing),
    ...stops(conversation, target, writing),
    ...outputConfig(format, plan, takesSchema),
    ...userOf(conversation, writing),
  }
  for (const name of Object.keys(conversation.shared)) writing.drop(name)
  return { ...prompt, system, options, dropped: writing.dropped, thinking: (cap) => plan.thinking(cap) }
}

/** A request to count the input of a conversation. */
export function writeMessagesCount(
  conversation: Conversation,
  target: WriteTarget,
): { readonly path: string; readonly body: string } | Refusal {
  const writing = new Writing()
  const facts = factsOf(target)
  const { system, messages, tools } = writePrompt(conversation, target, facts, writing)
  if (writing.refusal !== undefined) return writing.refusal
  if (!facts.prefill) endWithUser(messages)
  const model = target.upstreamModel
  const anthropic_version = versionAt(target.quirks.platform)
  const body = { model, anthropic_version, ...(system.length === 0 ? {} : { system }), messages, ...tools }
  return { path: countPath(target.quirks.platform), body: JSON.stringify(body) }
}

/** The count in a provider's answer. */
export function readMessagesCount(answer: JsonObject): number | undefined {
  return tokenCount(answer['input_tokens'])
}

function factsOf(target: WriteTarget): ClaudeFacts {
  const facts = modelFacts(target.upstreamModel)
  return target.quirks.reasoningEffort ? facts : { ...facts, efforts: [] }
}

function writePrompt(conversation: Conversation, target: WriteTarget, facts: ClaudeFacts, writing: Writing): Prompt {
  const { turns } = conversation
  const firstOther = turns.findIndex((turn) => turn.role !== 'system')
  const leading = firstOther === -1 ? turns : turns.slice(0, firstOther)
  const system = leading.flatMap((turn) => (turn.role === 'system' ? writeSystem(turn.content, writing) : []))
  const options = { keepsSystem: target.quirks.laterSystem === 'keep', checksThinking: facts.strictThinking }
  const messages = writeTurns(turns.slice(leading.length), options, writing)
  const tools = writeTools(conversation, target, writing)
  const isCut = target.quirks.cacheMarks ? writing.marks.apply() : !writing.marks.isEmpty
  if (isCut) writing.drop('cache_control')
  return { system, messages, tools }
}

function writeSystem(content: readonly TextContent[], writing: Writing): WireBlock[] {
  return content.flatMap((part) => {
    if (isBlank(part.text)) return []
    const block = { type: 'text', text: part.text }
    writing.marks.add('system', block, part.cacheMark)
    return [block]
  })
}

function checkWishes(conversation: Conversation): Refusal | undefined {
  const { choices, toolChoice } = conversation
  if (choices > 1) {
    return refuse('invalid_request', 'This model gives one answer at a time. Leave out n, or set it to 1.', {
      param: 'n',
    })
  }
  if (toolChoice?.type !== 'hosted') return undefined
  const text = `'tool_choice' asks for ${toolChoice.name}, which is not available for this model. Choose another tool.`
  return refuse('invalid_request', text, { param: 'tool_choice' })
}

function sampling(
  { sampling: wish }: Conversation,
  target: WriteTarget,
  facts: ClaudeFacts,
  plan: ThinkingPlan,
  writing: Writing,
): JsonObject {
  const { temperature, topP, topK } = wish
  const takesAny = facts.sampling !== 'none' && !(plan.isOn && facts.strictThinking)
  const takesTopP = takesAny && (facts.sampling === 'all' || temperature === undefined)
  const takesTopK = takesAny && target.quirks.topK
  const given = {
    temperature: { value: temperature === undefined ? undefined : clamp(temperature), isTaken: takesAny },
    top_p: { value: topP === undefined ? undefined : clamp(topP), isTaken: takesTopP },
    top_k: { value: topK, isTaken: takesTopK },
    seed: { value: wish.seed, isTaken: false },
    presence_penalty: { value: wish.presencePenalty, isTaken: false },
    frequency_penalty: { value: wish.frequencyPenalty, isTaken: false },
  }
  if (takesAny && (temperature ?? 0) > 1) writing.drop('temperature above 1')
  const taken: Record<string, unknown> = {}
  for (const [name, { value, isTaken }] of Object.entries(given)) {
    if (value === undefined) continue
    if (isTaken) taken[name] = value
    // A penalty of 0 is none.
    else if (value !== 0 || !name.endsWith('penalty')) writing.drop(name)
  }
  return taken
}

function stops({ stop }: Conversation, target: WriteTarget, writing: Writing): JsonObject {
  const taken = stop.filter((text) => !isBlank(text)).slice(0, target.quirks.maxStops)
  if (taken.length < stop.length) writing.drop('stop')
  return taken.length === 0 ? {} : { stop_sequences: taken }
}

function outputConfig(format: OutputFormat | undefined, plan: ThinkingPlan, takesSchema: boolean): JsonObject {
  const config = {
    ...(plan.effort === undefined ? {} : { effort: plan.effort }),
    ...(format?.type === 'json-schema' && takesSchema
      ? { format: { type: 'json_schema', schema: cleanSchema(format.schema) } }
      : {}),
  }
  return Object.keys(config).length === 0 ? {} : { output_config: config }
}

/** A form that the provider cannot hold the model to is told to the model. */
function formatInstruction(format: OutputFormat | undefined, takesSchema: boolean, writing: Writing): WireBlock[] {
  if (format === undefined || (format.type === 'json-schema' && takesSchema)) return []
  writing.drop('response_format')
  const schema = format.type === 'json' ? '' : `\nIts JSON schema:\n${JSON.stringify(format.schema)}`
  return [{ type: 'text', text: JSON_ONLY + schema }]
}

function userOf({ user }: Conversation, writing: Writing): JsonObject {
  if (user === undefined) return {}
  if (user.length <= MAX_USER_LENGTH && !PERSONAL.test(user)) return { metadata: { user_id: user } }
  writing.drop('user')
  return {}
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
