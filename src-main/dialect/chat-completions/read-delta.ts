// What one choice of a chat completion says, piece by piece: deltas of a stream, or a whole message as one delta.

import { append } from '#core/append.ts'
import { BlockSequencer } from '#dialect/blocks.ts'
import { CallKeys } from '#dialect/chat-completions/call-keys.ts'
import { readFinish } from '#dialect/chat-completions/finish-reasons.ts'
import { readProviderSeal } from '#dialect/chat-completions/google-seal.ts'
import { addGenerated } from '#dialect/chat-completions/measure.ts'
import {
  readReasoningDetails,
  thinkingText,
  type ReasoningDetail,
} from '#dialect/chat-completions/reasoning-details.ts'
import type { OutputSink } from '#dialect/output-rules.ts'
import type { AnswerPart, Block, CitationPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { Sealed } from '#dialect/seal.ts'
import { objectText } from '#dialect/tool-input.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** More than any answer cites; what waits for its text is kept in memory. */
const MAX_CITATIONS = 1000
/** Seals that wait behind a tool call are bounded like the calls themselves. */
const MAX_HELD_SEALS = 512

export class ChoiceReader {
  readonly #choice: number
  readonly #blocks: BlockSequencer
  readonly #keys = new CallKeys()
  readonly #generated: OutputSink
  #open: Block['type'] | undefined
  /** The text of the reasoning that is open. */
  #thought = ''
  #hasText = false
  #citations: CitationPart[] = []
  readonly #seals: Sealed[] = []

  constructor(choice: number, newCallId: () => string, generated: OutputSink) {
    this.#choice = choice
    this.#generated = generated
    this.#blocks = new BlockSequencer(choice, newCallId)
  }

  /** Puts what a delta says behind `parts`. */
  delta(delta: JsonObject, parts: AnswerPart[]): void {
    addGenerated(this.#generated, delta)
    this.#reasoning(delta, parts)
    this.#content(delta['content'], parts)
    this.#plain('refusal', textOf(delta['refusal']), parts)
    this.#cite(delta['annotations'], parts)
    const calls = delta['tool_calls']
    if (Array.isArray(calls)) for (const call of calls) if (isRecord(call)) this.#call(call, parts)
    const old = delta['function_call']
    if (isRecord(old)) this.#call({ index: 0, function: old }, parts)
  }

  /** Ends the choice. `stopSequence` is what vLLM says was met. Throws UpstreamFailure for a reason that is a failure. */
  finish(reason: string, stopSequence: string | undefined): AnswerPart[] {
    const cut = readFinish(reason, false) !== 'stop'
    const parts = this.#blocks.end({ isCut: cut })
    const choice = this.#choice
    for (const sealed of this.#seals.splice(0)) append(parts, this.#blocks.sealedReasoning(sealed))
    if (this.#hasText) append(parts, this.#citations.splice(0))
    const finish = readFinish(reason, this.#blocks.hasToolCalls)
    if (finish === 'stop' && stopSequence !== undefined) {
      return [...parts, { type: 'finish', choice, reason: 'stop-sequence', stopSequence }]
    }
    return [...parts, { type: 'finish', choice, reason: finish }]
  }

  #reasoning(delta: JsonObject, parts: AnswerPart[]): void {
    const plain = textOf(delta['reasoning_content']) || textOf(delta['reasoning'])
    const given = delta['reasoning_details']
    const details = given === undefined || given === null ? [] : readReasoningDetails(given)
    const hasTexts = details.length > 0 && this.#isNews(details, plain)
    if (!hasTexts) this.#plain('reasoning', plain, parts)
    for (const { text, sealed } of details) {
      if (hasTexts) this.#plain('reasoning', text, parts)
      if (sealed !== undefined) this.#seal(sealed, parts)
    }
  }

  /** Details repeat the plain member beside them, or, together with a seal, all the text of the block that it is for. */
  #isNews(details: readonly ReasoningDetail[], plain: string): boolean {
    const text = details.map((detail) => detail.text).join('')
    if (plain !== '') return text === plain
    const isSealing = details.some(({ sealed }) => sealed !== undefined)
    return !(isSealing && this.#open === 'reasoning' && text === this.#thought)
  }

  #seal(sealed: Sealed, parts: AnswerPart[]): void {
    if (this.#open === 'reasoning') this.#push(this.#blocks.close(sealed), parts)
    else if (this.#open !== 'tool-call') this.#push(this.#blocks.sealedReasoning(sealed), parts)
    else if (this.#seals.length < MAX_HELD_SEALS) this.#seals.push(sealed)
  }

  /** Text, or parts: Mistral's reasoning models mix those of text and of thinking. */
  #content(content: unknown, parts: AnswerPart[]): void {
    if (typeof content === 'string') this.#plain('text', content, parts)
    if (!Array.isArray(content)) return
    for (const part of content) {
      if (!isRecord(part)) continue
      if (part['type'] === 'thinking') this.#plain('reasoning', thinkingText(part['thinking']), parts)
      else if (part['type'] === 'refusal') this.#plain('refusal', textOf(part['refusal']), parts)
      else this.#plain('text', textOf(part['text']), parts)
    }
  }

  #call(call: JsonObject, parts: AnswerPart[]): void {
    const called = isRecord(call['function']) ? call['function'] : {}
    const piece = {
      index: typeof call['index'] === 'number' ? call['index'] : undefined,
      id: textOf(call['id']),
      name: textOf(called['name']),
      arguments: isRecord(called['arguments']) ? objectText(called['arguments']) : textOf(called['arguments']),
    }
    const { key, id } = this.#keys.of(piece)
    const sealed = readProviderSeal(call)
    this.#push(this.#blocks.tool({ key, id, name: piece.name, arguments: piece.arguments, sealed }), parts)
  }

  /** Sources of the text; those that come before it wait for it. */
  #cite(annotations: unknown, parts: AnswerPart[]): void {
    if (!Array.isArray(annotations)) return
    for (const annotation of annotations) {
      const cited = isRecord(annotation) ? annotation['url_citation'] : undefined
      if (!isRecord(cited) || typeof cited['url'] !== 'string') continue
      const title = typeof cited['title'] === 'string' ? cited['title'] : undefined
      const citation: CitationPart = { type: 'citation', choice: this.#choice, url: cited['url'], title }
      if (this.#open === 'text') parts.push(citation)
      else if (this.#citations.length < MAX_CITATIONS) this.#citations.push(citation)
    }
  }

  #plain(type: 'text' | 'refusal' | 'reasoning', text: string, parts: AnswerPart[]): void {
    if (text !== '') this.#push(this.#blocks.plain(type, text), parts)
  }

  #push(more: readonly AnswerPart[], parts: AnswerPart[]): void {
    for (const part of more) {
      parts.push(part)
      if (part.type === 'delta' && this.#open === 'reasoning') this.#thought += part.text
      if (part.type === 'close') this.#open = undefined
      if (part.type !== 'open') continue
      this.#open = part.block.type
      this.#thought = ''
      if (this.#open !== 'text') continue
      this.#hasText = true
      append(parts, this.#citations.splice(0))
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
