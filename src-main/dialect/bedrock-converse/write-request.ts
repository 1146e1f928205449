// Writes a request of Converse: what a request of messages says, in other words.

import { isRefusal, type Refusal } from '#core/refusal.ts'
import { cachePoint, writeBlocks, type BlockWriting } from '#dialect/bedrock-converse/write-blocks.ts'
import type { WrittenRequest, WriteTarget } from '#dialect/dialect.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import { Writing } from '#dialect/messages/write-blocks.ts'
import { composeMessages, type Composed } from '#dialect/messages/write-request.ts'
import type { Conversation, JsonObject } from '#dialect/turn.ts'

/** The names that the parameters have in `inferenceConfig`. */
const INFERENCE = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['stop_sequences', 'stopSequences'],
] as const

/** Expects turns in order and tools with the names that the provider gets. */
export function writeConverseRequest(conversation: Conversation, target: WriteTarget): WrittenRequest | Refusal {
  // No instructions in the middle, whatever an administrator says: there is no word for them.
  const quirks = { ...target.quirks, laterSystem: 'user', jsonSchema: false } as const
  const composed = composeMessages(conversation, { ...target, quirks })
  if (isRefusal(composed)) return composed
  const writing = new Writing()
  const shared = { writing, isClaude: /claude/i.test(target.upstreamModel), names: new Set<string>() }
  const { options } = composed
  const system = writeBlocks(composed.system, shared)
  const messages = composed.messages.map(({ role, content }) => ({ role, content: writeBlocks(content, shared) }))
  if (writing.refusal !== undefined) return writing.refusal
  const members = {
    ...(system.length === 0 ? {} : { system }),
    // A turn of which nothing is left would be refused.
    messages: messages.filter(({ content }) => content.length > 0),
    ...writeTools(composed.tools, writing),
  }
  const inference = INFERENCE.flatMap(([from, to]) => (options[from] === undefined ? [] : [[to, options[from]]]))
  const dropOthers = takeFields(composed, conversation, shared)
  return {
    path: `${modelPath(target.upstreamModel)}/${target.isStream ? 'converse-stream' : 'converse'}`,
    dropped: [...composed.dropped, ...writing.dropped],
    body: (outputCap) => {
      const inferenceConfig = { maxTokens: outputCap, ...(Object.fromEntries(inference) as JsonObject) }
      const fields = dropOthers(outputCap)
      const more = Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }
      return JSON.stringify({ ...members, inferenceConfig, ...more })
    },
  }
}

/** Ids of models have colons in them, and names of inference profiles slashes. */
export function modelPath(upstreamModel: string): string {
  return `/model/${encodeURIComponent(upstreamModel.toWellFormed())}`
}

/** The members that each maker's models have for themselves; only Claude's are known here. */
function takeFields(
  { options, thinking }: Composed,
  { reasoning }: Conversation,
  { isClaude, writing }: BlockWriting,
): (outputCap: number) => JsonObject {
  const { top_k: topK, output_config: outputConfig, metadata } = options
  if (metadata !== undefined) writing.drop('user')
  if (isClaude) {
    return (outputCap) => {
      const plan = thinking(outputCap)
      // A model that thinks within a budget is told the effort by that: it wants a beta header for the member.
      const takesEffort = plan?.['type'] === 'adaptive' && outputConfig !== undefined
      return {
        ...(topK === undefined ? {} : { top_k: topK }),
        ...(plan === undefined ? {} : { thinking: plan }),
        ...(takesEffort ? { output_config: outputConfig } : {}),
      }
    }
  }
  if (topK !== undefined) writing.drop('top_k')
  if ((reasoning.effort ?? 'none') !== 'none' || (reasoning.budgetTokens ?? 0) > 0) writing.drop('reasoning')
  return () => ({})
}

function writeTools({ tools, tool_choice: choice }: JsonObject, writing: Writing): JsonObject {
  if (!Array.isArray(tools)) return {}
  const written = tools.map(recordOf).flatMap((tool) => {
    const { name, description, input_schema: json } = tool
    const told = description === undefined || description === '' ? {} : { description }
    return [{ toolSpec: { name, ...told, inputSchema: { json } } }, ...cachePoint(tool)]
  })
  const toolChoice = writeChoice(recordOf(choice), writing)
  return { toolConfig: { tools: written, ...(toolChoice === undefined ? {} : { toolChoice }) } }
}

function writeChoice({ type, name }: JsonObject, writing: Writing): JsonObject | undefined {
  switch (type) {
    case 'auto':
    case 'any':
      return { [type]: {} }
    case 'tool':
      return { tool: { name } }
    case 'none':
      // There is no word for it, and tools that were called must be there.
      writing.drop('tool_choice')
      return undefined
    default:
      return undefined
  }
}
