// Writes a conversation as a request of the Gemini API. What Gemini has no place for is named, never lost in silence.

import type { Quirks } from '#core/quirks.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { tokenCount } from '#core/usage.ts'
import type { WriteTarget, WrittenRequest } from '#dialect/dialect.ts'
import { writeContents } from '#dialect/gemini/contents.ts'
import { withCap, writeGeneration } from '#dialect/gemini/generation.ts'
import { vertexCount } from '#dialect/gemini/vertex.ts'
import { modelFacts, type GeminiFacts } from '#dialect/gemini/model-facts.ts'
import type { Dropped } from '#dialect/gemini/model-parts.ts'
import { cleanParameters, SchemaAllowance } from '#dialect/gemini/schema.ts'
import { effectiveToolChoice } from '#dialect/tools.ts'
import type { Conversation, JsonObject, Tool } from '#dialect/turn.ts'

/** Expects turns in order and tools with the names that the provider gets. */
export function writeGeminiRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal {
  const facts = modelFacts(target.upstreamModel)
  const written = writeBody(conversation, facts, target.quirks)
  if (isRefusal(written)) return written
  const { body, generation, dropped } = written
  const method = target.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    path: `/${modelPath(target.upstreamModel)}:${method}`,
    dropped: [...dropped],
    body: (cap) => JSON.stringify({ ...body, generationConfig: withCap(generation, cap, facts.thinking) }),
  }
}

/** A request that counts the input tokens of another one, with its instructions and tools. */
export function writeGeminiCount(
  conversation: Conversation,
  target: WriteTarget,
): { readonly path: string; readonly body: string } | Refusal {
  const written = writeBody(conversation, modelFacts(target.upstreamModel), target.quirks)
  if (isRefusal(written)) return written
  const path = modelPath(target.upstreamModel)
  const request = { model: decodeURIComponent(path), ...written.body }
  if (target.quirks.platform === 'vertex') {
    return { path: `/${path}:countTokens`, body: vertexCount(JSON.stringify(request)) }
  }
  return { path: `/${path}:countTokens`, body: JSON.stringify({ generateContentRequest: request }) }
}

/** undefined for what is no count. */
export function readGeminiCount(answer: JsonObject): number | undefined {
  return tokenCount(answer['totalTokens'])
}

/** Names may say of which collection they are; without that they are Google's own models. */
export function modelPath(upstreamModel: string): string {
  const [, collection = 'models/', name = ''] = /^(models\/|tunedModels\/)?(.*)$/s.exec(upstreamModel) ?? []
  return collection + encodeURIComponent(name.toWellFormed())
}

type Written = { readonly body: JsonObject; readonly generation: JsonObject; readonly dropped: Dropped }

function writeBody(conversation: Conversation, facts: GeminiFacts, quirks: Quirks): Written | Refusal {
  const dropped: Dropped = new Set([...Object.keys(conversation.shared), ...conversation.hostedTools])
  if (conversation.user !== undefined) dropped.add('user')
  const contents = writeContents(conversation.turns, facts, dropped)
  if (isRefusal(contents)) return contents
  const allowance = new SchemaAllowance()
  const calling = writeCalling(conversation, facts, dropped)
  if (isRefusal(calling)) return calling
  const tools = conversation.tools.map((tool) => declarationOf(tool, allowance, dropped))
  const hasCalls = tools.length > 0
  const generation = writeGeneration(conversation, {
    facts,
    quirks,
    allowance,
    hasCalls,
    forcesCalls: calling?.['mode'] === 'ANY',
    dropped,
  })
  const { instructions } = contents
  const body = {
    ...(instructions.length === 0 ? {} : { systemInstruction: { parts: instructions } }),
    contents: contents.contents,
    ...(hasCalls ? { tools: [{ functionDeclarations: tools }] } : {}),
    ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
  }
  return { body, generation, dropped }
}

function declarationOf(tool: Tool, allowance: SchemaAllowance, dropped: Dropped): JsonObject {
  if (tool.cacheMark !== undefined) dropped.add('cache_control')
  const parameters = tool.parameters === undefined ? undefined : cleanParameters(tool.parameters, allowance)
  return { name: tool.name, description: tool.description, parameters }
}

/** How functions are to be called; undefined where the provider's default says the same. */
function writeCalling(
  conversation: Conversation,
  facts: GeminiFacts,
  dropped: Dropped,
): JsonObject | undefined | Refusal {
  const choice = effectiveToolChoice(conversation)
  if (conversation.toolChoice?.type === 'hosted') {
    const message = `The provider has no tool '${conversation.toolChoice.name}' that could be forced. Leave out 'tool_choice'.`
    return refuse('invalid_request', message, { param: 'tool_choice' })
  }
  if (conversation.tools.length === 0) return undefined
  if (conversation.allowsParallelTools === false) dropped.add('parallel_tool_calls')
  const isStrict = conversation.tools.some((tool) => tool.isStrict === true)
  if (isStrict && !facts.hasValidatedCalls) dropped.add('strict')
  switch (choice?.type) {
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] }
    default:
      return isStrict && facts.hasValidatedCalls ? { mode: 'VALIDATED' } : undefined
  }
}
