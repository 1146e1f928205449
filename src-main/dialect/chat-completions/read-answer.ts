// Reads a whole chat completion: each message is one delta, so that both forms share one mapping.

import { UpstreamFailure } from '#core/failure.ts'
import { ChoiceReader } from '#dialect/chat-completions/read-delta.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The parts of an answer. Throws UpstreamFailure for what is no chat completion. */
export function readChatAnswer(answer: JsonObject, newCallId: () => string): AnswerPart[] {
  const { error, choices } = answer
  if (error !== undefined && error !== null) throw reportedError(error)
  if (answer['object'] === 'error') throw reportedError(answer)
  if (!Array.isArray(choices) || choices.length === 0) throw noCompletion()
  const parts: AnswerPart[] = [{ type: 'start' }]
  for (const [index, choice] of choices.entries()) {
    for (const part of readChoice(choice, index, newCallId)) parts.push(part)
  }
  const usage = readUsage(answer['usage'])
  if (usage !== undefined) parts.push({ type: 'usage', usage })
  return parts
}

function readChoice(choice: unknown, index: number, newCallId: () => string): AnswerPart[] {
  if (!isRecord(choice)) throw noCompletion()
  if (choice['error'] !== undefined && choice['error'] !== null) throw reportedError(choice['error'])
  const { message, finish_reason: reason, stop_reason: stop } = choice
  if (!isRecord(message)) throw noCompletion()
  const reader = new ChoiceReader(index, newCallId)
  const stopSequence = typeof stop === 'string' && stop !== '' ? stop : undefined
  const finish = typeof reason === 'string' ? reason : 'stop'
  return [...reader.delta(numbered(message)), ...reader.finish(finish, stopSequence)]
}

/** In a whole message each entry is a call of its own, whatever its index and id say. */
function numbered(message: JsonObject): JsonObject {
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.map((call, index) => (isRecord(call) ? { ...call, index } : call)) }
}

function noCompletion(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The provider did not answer with a chat completion.')
}
