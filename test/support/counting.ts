// The coding agent's conversation of test/fixtures/counting as the hub has it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AssistantContent, Conversation, JsonObject, TextContent, Turn } from '#dialect/turn.ts'

type Message = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
}
type Request = {
  readonly messages: readonly Message[]
  readonly tools: readonly { readonly function: { name: string; description: string; parameters: JsonObject } }[]
}

/** A conversation in which nothing is said. */
export const NO_CONVERSATION: Conversation = {
  turns: [],
  tools: [],
  hostedTools: [],
  toolChoice: undefined,
  allowsParallelTools: undefined,
  outputCap: undefined,
  stop: [],
  sampling: {},
  reasoning: { effort: undefined, budgetTokens: undefined, isShown: false },
  format: undefined,
  choices: 1,
  user: undefined,
  shared: {},
  dropped: [],
}

export const COUNTING = join(import.meta.dirname, '../fixtures/counting')

export function countingConversation(): Conversation {
  const { messages, tools } = JSON.parse(readFileSync(join(COUNTING, 'coding-agent.json'), 'utf8')) as Request
  return {
    ...NO_CONVERSATION,
    turns: messages.map(turnOf),
    tools: tools.map((tool) => ({ ...tool.function, kind: 'function', isStrict: undefined })),
  }
}

function turnOf({ role, content, tool_call_id: callId = '', tool_calls: calls = [] }: Message): Turn {
  const texts: TextContent[] = content === null ? [] : [{ type: 'text', text: content }]
  if (role === 'tool') return { role, results: [{ callId, content: texts, isError: false }] }
  if (role !== 'assistant') return { role, content: texts }
  const made = calls.map((call): AssistantContent => ({ type: 'tool-call', id: call.id, ...call.function }))
  return { role, content: [...texts, ...made] }
}
