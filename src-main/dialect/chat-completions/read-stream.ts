// Reads the stream of a provider of chat completions into parts. Nothing ends before the stream does: usage, and with some
// providers more of the answer, comes behind the finish reason.

import { append } from '#core/append.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { addBeside } from '#dialect/chat-completions/measure.ts'
import { ChoiceReader } from '#dialect/chat-completions/read-delta.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readAnswerUsage } from '#dialect/chat-completions/usage.ts'
import type { PartReader } from '#dialect/dialect.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { isDone } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What a request may ask for; a provider that sends more is not believed. */
const MAX_CHOICES = 128

type ReadChoice = {
  readonly reader: ChoiceReader
  finishReason: string | undefined
  stopSequence: string | undefined
  hasDelta: boolean
}

export class ChatPartReader implements PartReader {
  readonly #newCallId: () => string
  readonly #choices = new Map<number, ReadChoice>()
  readonly #generated: GeneratedText
  readonly #beside: AsideMembers
  #hasStarted = false
  isComplete = false

  constructor(newCallId: () => string, generated = new GeneratedText('utf8')) {
    this.#newCallId = newCallId
    this.#generated = generated
    this.#beside = new AsideMembers(generated)
  }

  get hasEnded(): boolean {
    for (const { finishReason } of this.#choices.values()) if (finishReason === undefined) return false
    return this.#choices.size > 0
  }

  read(data: string, event: string | undefined): readonly AnswerPart[] {
    if (this.isComplete) return []
    if (isDone(data)) return this.#finish()
    const chunk = parseJson(data)
    if (!isRecord(chunk)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    throwReported(chunk, event)
    const parts: AnswerPart[] = this.#hasStarted ? [] : [{ type: 'start' }]
    this.#hasStarted = true
    if (!this.hasEnded) addBeside(this.#beside, chunk)
    const choices = chunk['choices']
    if (Array.isArray(choices)) for (const choice of choices) if (isRecord(choice)) this.#readChoice(choice, parts)
    const usage = readAnswerUsage(chunk)
    if (usage !== undefined) parts.push({ type: 'usage', usage })
    return parts
  }

  end(): readonly AnswerPart[] {
    if (this.isComplete) return []
    if (!this.hasEnded) {
      throw new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
    }
    return this.#finish()
  }

  #readChoice(choice: JsonObject, parts: AnswerPart[]): void {
    if (choice['error'] !== undefined && choice['error'] !== null) throw reportedError(choice['error'])
    const index = choice['index'] ?? 0
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) {
      throw new UpstreamFailure('malformed', 'The provider numbered a choice in a way that cannot be.')
    }
    const known = this.#choice(index)
    const { delta, message } = choice
    // Some servers send the whole message once, in the form of an answer that is not streamed.
    const piece = isRecord(delta) ? delta : isRecord(message) && !known.hasDelta ? message : undefined
    if (piece !== undefined) {
      known.hasDelta = true
      known.reader.delta(piece, parts)
    }
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '') known.finishReason = reason
    const stop = choice['stop_reason']
    if (typeof stop === 'string' && stop !== '') known.stopSequence = stop
  }

  #choice(index: number): ReadChoice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const reader = new ChoiceReader(index, this.#newCallId, this.#generated)
    const choice: ReadChoice = { reader, finishReason: undefined, stopSequence: undefined, hasDelta: false }
    this.#choices.set(index, choice)
    return choice
  }

  #finish(): AnswerPart[] {
    if (this.#choices.size === 0)
      throw new UpstreamFailure('malformed', 'The provider sent a stream without an answer.')
    const parts: AnswerPart[] = []
    for (const { reader, finishReason, stopSequence } of this.#choices.values()) {
      append(parts, reader.finish(finishReason ?? 'stop', stopSequence))
    }
    this.isComplete = true
    return parts
  }
}

function throwReported(chunk: JsonObject, event: string | undefined): void {
  const { error } = chunk
  if (error !== undefined && error !== null) throw reportedError(error)
  if (event === 'error' || chunk['object'] === 'error') throw reportedError(chunk)
}
