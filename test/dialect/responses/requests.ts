// Requests in the responses format, made ready for the tests.

import { expect } from 'vitest'
import { DEFAULT_QUIRKS, type Quirks } from '#core/quirks.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import type { AnswerContext, ClientRequest, WriteTarget } from '#dialect/dialect.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import type { Conversation, JsonObject } from '#dialect/turn.ts'
import type { TokenUsage } from '#core/usage.ts'
import { readStrictly, type StrictReading } from './strict-reader.ts'

export const EXCHANGE = '01985d1e-2f3a-7b4c-8d5e-6f7081920a1b'
export const USAGE: TokenUsage = {
  inputTokens: 7,
  cacheReadTokens: 2,
  cacheWriteTokens: undefined,
  outputTokens: 5,
  reasoningTokens: 1,
}

export function request(body: JsonObject = {}): ClientRequest {
  const text = JSON.stringify({ model: 'm', input: 'Hi', ...body })
  const read = readResponsesRequest(text, Buffer.byteLength(text))
  return isRefusal(read) ? expect.fail(read.message) : read
}

export function context(body: JsonObject = {}): AnswerContext {
  return { request: request(body), exchangeId: EXCHANGE, createdAtS: 1_790_000_000, likelyInputTokens: 3 }
}

export function conversation(body: JsonObject): Conversation {
  const read = readResponsesConversation(request(body))
  return isRefusal(read) ? expect.fail(`${read.param}: ${read.message}`) : read
}

export function refusal(body: JsonObject): Refusal {
  const read = readResponsesConversation(request(body))
  return isRefusal(read) ? read : expect.fail('this was not refused')
}

export function target(quirks: Partial<Quirks> = {}, isStream = true): WriteTarget {
  const all = { ...DEFAULT_QUIRKS, ...quirks }
  return { upstreamModel: 'up', isStream, outputCapField: 'max_tokens', quirks: all }
}

/** The stream that parts make, read by the strict readers. */
export function streamOf(parts: readonly AnswerPart[], body: JsonObject = {}): StrictReading {
  const writer = new ResponsesStreamWriter(context(body))
  return readStrictly(parts.map((part) => writer.write(part)).join('') + writer.end(USAGE))
}
