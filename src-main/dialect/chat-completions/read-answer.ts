// Reads a whole chat completion: each message is one delta, so that both forms share one mapping.

import { append } from '#core/append.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { addBeside } from '#dialect/chat-completions/measure.ts'
import { ChoiceReader } from '#dialect/chat-completions/read-delta.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readAnswerUsage } from '#dialect/chat-completions/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The parts of an answer. Throws UpstreamFailure for what is no chat completion. */
export function readChatAnswer(
  answer: JsonObject,
  newCallId: () => string,
  generated = new GeneratedText('utf8'),
): AnswerPart[] {
  const { error, choices } = answer
  if (error !== undefined && error !== null) throw reportedError(error)
  if (answer['object'] === 'error') throw reportedError(answer)
  if (!Array.isArray(choices) || choices.length === 0) throw noChoices(answer)
  const parts: AnswerPart[] = [{ type: 'start' }]
  for (const [index, choice] of choices.entries()) {
    readChoice(choice, new ChoiceReader(index, newCallId, generated), parts)
  }
  addBeside(new AsideMembers(generated), answer)
  const usage = readAnswerUsage(answer)
  if (usage !== undefined) parts.push({ type: 'usage', usage })
  return parts
}

function readChoice(choice: unknown, reader: ChoiceReader, parts: AnswerPart[]): void {
  if (!isRecord(choice)) throw noCompletion()
  if (choice['error'] !== undefined && choice['error'] !== null) throw reportedError(choice['error'])
  const { message, finish_reason: reason, stop_reason: stop } = choice
  if (!isRecord(message)) throw noCompletion()
  const stopSequence = typeof stop === 'string' && stop !== '' ? stop : undefined
  const finish = typeof reason === 'string' ? reason : 'stop'
  reader.delta(numbered(message), parts)
  append(parts, reader.finish(finish, stopSequence))
}

/** In a whole message each entry is a call of its own, whatever its index and id say. */
function numbered(message: JsonObject): JsonObject {
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.map((call, index) => (isRecord(call) ? { ...call, index } : call)) }
}

/** With a count of the prompt it is a chat completion, whose model wrote nothing: what moderation stops comes like this too. */
export function noChoices({ usage }: JsonObject): UpstreamFailure {
  const isModelOutput = isRecord(usage)
  return new UpstreamFailure('malformed', 'The provider did not answer with a chat completion.', { isModelOutput })
}

function noCompletion(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The provider did not answer with a chat completion.')
}
