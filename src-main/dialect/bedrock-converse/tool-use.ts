// A tool call of Converse in the words of messages.

import type { JsonObject } from '#dialect/turn.ts'

/** One that Amazon runs itself has another type, so that no client is asked to run it. */
export function messagesToolUse({ type, toolUseId: id, name, input }: JsonObject): JsonObject {
  return { type: type === 'server_tool_use' ? type : 'tool_use', id, name, input }
}
