// Adds a stream of chat completions up to the whole answer that its provider would have sent, with everything that is in it.

import { append, largest } from '#core/append.ts'
import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import type { StreamFold } from '#dialect/folded-answer.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { isDone } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

type GrowingObject = Record<string, unknown>
type FoldingChoice = {
  readonly rest: GrowingObject
  readonly message: GrowingObject
  readonly calls: Map<number, GrowingObject>
}

const MAX_CHOICES = 128
const MAX_CALLS = 1024
/** Said once, however often it comes; other texts are said in pieces. */
const SAID_ONCE = ['role', 'id', 'type', 'name']

export class ChatFold implements StreamFold {
  readonly #answer: GrowingObject = { object: 'chat.completion' }
  readonly #choices = new Map<number, FoldingChoice>()
  isComplete = false

  read(data: string, event: string | undefined): void {
    if (isDone(data)) {
      this.isComplete = true
      return
    }
    const chunk = parseJson(data)
    if (!isRecord(chunk)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    const { error, choices, object, ...rest } = chunk
    if (error !== undefined && error !== null) throw reportedError(error)
    if (event === 'error' || object === 'error') throw reportedError(chunk)
    // What is counted comes last, and what names the answer stays what it was.
    for (const [name, value] of Object.entries(rest)) if (value !== null) this.#answer[name] = value
    if (Array.isArray(choices)) for (const choice of choices) if (isRecord(choice)) this.#readChoice(choice)
  }

  /** Throws UpstreamFailure where the answer did not come to its end. */
  whole(): JsonObject {
    const choices = [...this.#choices].toSorted(([one], [other]) => one - other)
    const hasEnded = choices.every(([, { rest }]) => typeof rest['finish_reason'] === 'string')
    if (!this.isComplete && !(hasEnded && choices.length > 0)) {
      throw new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
    }
    return { ...this.#answer, choices: choices.map(([index, choice]) => wholeChoice(index, choice)) }
  }

  #readChoice({ index = 0, delta, logprobs, ...rest }: JsonObject): void {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) {
      throw new UpstreamFailure('malformed', 'The provider numbered a choice in a way that cannot be.')
    }
    const choice = this.#choices.get(index) ?? { rest: {}, message: {}, calls: new Map<number, GrowingObject>() }
    this.#choices.set(index, choice)
    for (const [name, value] of Object.entries(rest)) if (value !== null) choice.rest[name] = value
    if (isRecord(logprobs)) addTo(choice.rest, { logprobs })
    if (!isRecord(delta)) return
    const { tool_calls: calls, ...message } = delta
    addTo(choice.message, message)
    if (Array.isArray(calls)) for (const call of calls) if (isRecord(call)) addCall(choice.calls, call)
  }
}

function wholeChoice(index: number, { rest, message, calls }: FoldingChoice): JsonObject {
  const called = [...calls].toSorted(([one], [other]) => one - other).map(([, call]) => call)
  const content = message['content'] ?? (called.length > 0 ? null : '')
  const said = { role: 'assistant', ...message, content }
  const whole = called.length === 0 ? said : { ...said, tool_calls: called }
  return { index, message: whole, logprobs: null, ...rest }
}

/** A call without a number goes on with the last one, or is a new one where it brings an id. */
function addCall(calls: Map<number, GrowingObject>, { index, ...call }: JsonObject): void {
  const last = largest(calls.keys(), -1)
  const known = typeof index === 'number' && Number.isInteger(index) && index >= 0
  const place = known ? index : typeof call['id'] === 'string' ? last + 1 : Math.max(0, last)
  if (place >= MAX_CALLS) throw brokenOutput('The provider numbered a call in a way that cannot be.')
  const growing = calls.get(place) ?? {}
  calls.set(place, growing)
  addTo(growing, call)
}

/** Adds a piece: texts and lists go on, members of objects one by one, and everything else is what was said last. */
function addTo(growing: GrowingObject, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = Object.hasOwn(growing, name) ? growing[name] : undefined
    if (value === null || value === undefined) growing[name] = before ?? null
    else if (typeof value === 'string' && typeof before === 'string') {
      if (!SAID_ONCE.includes(name)) growing[name] = before + value
    } else if (Array.isArray(value) && Array.isArray(before)) append(before, value)
    else if (isRecord(value)) {
      const inner: GrowingObject = isRecord(before) ? before : {}
      growing[name] = inner
      addTo(inner, value)
    } else growing[name] = Array.isArray(value) ? [...value] : value
  }
}
