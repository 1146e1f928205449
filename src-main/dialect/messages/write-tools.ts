// Writes the tools of a conversation in the messages format, and which of them the model is to use.

import type { WriteTarget } from '#dialect/dialect.ts'
import { toolSchema } from '#dialect/messages/schema.ts'
import type { Writing } from '#dialect/messages/write-blocks.ts'
import { effectiveToolChoice } from '#dialect/tools.ts'
import type { Conversation, JsonObject, Tool, ToolChoice } from '#dialect/turn.ts'

/** The members `tools` and `tool_choice`, as far as they are needed. */
export function writeTools(conversation: Conversation, target: WriteTarget, writing: Writing): JsonObject {
  for (const name of conversation.hostedTools) writing.drop(name)
  if (conversation.tools.length === 0) return formerTools(conversation)
  const tools = conversation.tools.map((tool) => writeTool(tool, writing))
  const isSerial = conversation.allowsParallelTools === false
  if (isSerial && !target.quirks.parallelToolCalls) writing.drop('parallel_tool_calls')
  const choice = writeChoice(effectiveToolChoice(conversation))
  const serial = isSerial && target.quirks.parallelToolCalls && choice?.type !== 'none'
  if (!serial) return choice === undefined ? { tools } : { tools, tool_choice: choice }
  return { tools, tool_choice: { type: 'auto', ...choice, disable_parallel_tool_use: true } }
}

function writeTool(tool: Tool, writing: Writing): JsonObject {
  // Strict tools are compiled, within limits that the schemas of other dialects pass.
  if (tool.isStrict === true) writing.drop('strict')
  const block = {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: toolSchema(tool.parameters),
  }
  writing.marks.add('tools', block, tool.cacheMark)
  return block
}

function writeChoice(choice: ToolChoice | undefined): { readonly type: string; readonly name?: string } | undefined {
  switch (choice?.type) {
    case 'auto':
    case 'none':
      return { type: choice.type }
    case 'required':
      return { type: 'any' }
    case 'tool':
      return { type: 'tool', name: choice.name }
    case 'hosted':
    case undefined:
      return undefined
  }
}

/** A conversation with calls in it is refused without tools. Those that were called are named, but cannot be used again. */
function formerTools({ turns }: Conversation): JsonObject {
  const names = new Set(
    turns.flatMap((turn) =>
      turn.role === 'assistant' ? turn.content.flatMap((part) => (part.type === 'tool-call' ? [part.name] : [])) : [],
    ),
  )
  if (names.size === 0) return {}
  return {
    tools: [...names].map((name) => ({ name, input_schema: toolSchema(undefined) })),
    tool_choice: { type: 'none' },
  }
}
