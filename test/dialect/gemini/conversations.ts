// Conversations as readers of client formats give them, with only what a test is about.

import { DEFAULT_QUIRKS } from '#core/quirks.ts'
import { isRefusal } from '#core/refusal.ts'
import type { WriteTarget, WrittenRequest } from '#dialect/dialect.ts'
import { writeGeminiRequest } from '#dialect/gemini/write-request.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { Conversation, JsonObject, Tool, Turn } from '#dialect/turn.ts'

const EMPTY: Conversation = {
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

export function conversation(given: Partial<Conversation>): Conversation {
  return { ...EMPTY, turns: [user('Hi')], ...given }
}

export function user(text: string): Turn {
  return { role: 'user', content: [{ type: 'text', text }] }
}

export function system(text: string): Turn {
  return { role: 'system', content: [{ type: 'text', text }] }
}

export function tool(name: string, parameters?: JsonObject): Tool {
  return { name, kind: 'function', description: `Does ${name}.`, parameters, isStrict: undefined }
}

export function target(upstreamModel: string, isStream = false): WriteTarget {
  const quirks = { ...DEFAULT_QUIRKS, topK: true, maxStops: 5 }
  return { upstreamModel, isStream, outputCapField: 'max_tokens', quirks }
}

/** The request, which must not be refused. */
export function written(given: Partial<Conversation>, model = 'gemini-3.5-flash'): WrittenRequest {
  const request = writeGeminiRequest(conversation(given), target(model))
  if (isRefusal(request)) throw new Error(request.message)
  return request
}

export function bodyOf(given: Partial<Conversation>, model?: string, cap = 1000): JsonObject {
  const body: unknown = JSON.parse(written(given, model).body(cap))
  if (!isRecord(body)) throw new Error('not an object')
  return body
}
