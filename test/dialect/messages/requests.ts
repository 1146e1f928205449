// Requests and exchanges for the tests of the messages dialect.

import { expect } from 'vitest'
import { DEFAULT_QUIRKS, type Quirks } from '#core/quirks.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { AnswerContext, ClientRequest, WriteTarget } from '#dialect/dialect.ts'
import { readMessagesRequest } from '#dialect/messages/read-request.ts'
import type { Conversation, Turn } from '#dialect/turn.ts'

export type Members = Readonly<Record<string, unknown>>

export function requestText(members: Members): string {
  return JSON.stringify({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...members })
}

export function readRequest(text: string): ClientRequest {
  const request = readMessagesRequest(text, Buffer.byteLength(text))
  if (isRefusal(request)) expect.fail(request.message)
  return request
}

export function contextOf(members: Members = {}): AnswerContext {
  return {
    request: readRequest(requestText(members)),
    exchangeId: '01890a5d-ac96-774b-bcce-b302099a8057',
    createdAtS: 1_790_000_000,
    likelyInputTokens: 812,
  }
}

export const QUIRKS: Quirks = { ...DEFAULT_QUIRKS, laterSystem: 'user', cacheMarks: true, topK: true, maxStops: 64 }

export function targetOf(upstreamModel = 'claude-sonnet-4-5', quirks: Partial<Quirks> = {}): WriteTarget {
  return { upstreamModel, isStream: false, outputCapField: 'max_tokens', quirks: { ...QUIRKS, ...quirks } }
}

export function conversationOf(turns: readonly Turn[], members: Partial<Conversation> = {}): Conversation {
  return {
    turns,
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
    ...members,
  }
}

export function notRefused<Value>(value: Value | Refusal): Value {
  if (isRefusal(value)) expect.fail(value.message)
  return value
}
