// Writes an answer as a stream in the Gemini format: each chunk is an answer with the next part of a candidate. Calls come whole.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import type { AnswerContext, StreamWriter } from '#dialect/dialect.ts'
import { answerNames, callPart, EMPTY_PART, grounding, thoughtPart } from '#dialect/gemini/answer-parts.ts'
import { writeFinish } from '#dialect/gemini/finish-reasons.ts'
import { StreamFrame } from '#dialect/gemini/stream-frame.ts'
import { writeGeminiUsage } from '#dialect/gemini/usage.ts'
import type { AnswerPart, Block, Citation, FinishReason } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

type OpenCandidate = {
  readonly index: number
  block: Block | undefined
  /** The arguments of the open call. */
  text: string
  finish: FinishReason | undefined
  hasToolCall: boolean
  hasCutCall: boolean
  hasRefusal: boolean
  readonly citations: Citation[]
}

export class GeminiStreamWriter implements StreamWriter {
  readonly #frame: StreamFrame
  readonly #names: JsonObject
  readonly #choices = new Map<number, OpenCandidate>()
  /** What follows the candidates of a chunk. */
  #tail: string
  #hasStarted = false

  constructor(context: AnswerContext) {
    this.#frame = new StreamFrame(context.request.streamType)
    this.#names = answerNames(context)
    // As in Google's own streams the counts so far stand in every chunk; the last one has what counts.
    this.#tail = this.#tailWith({ ...UNKNOWN_USAGE, inputTokens: context.likelyInputTokens })
  }

  write(part: AnswerPart): string {
    switch (part.type) {
      case 'start':
        this.#hasStarted = true
        return ''
      case 'usage':
        if (part.usage.inputTokens !== undefined) this.#tail = this.#tailWith(part.usage)
        return ''
      case 'open':
        this.#open(this.#choice(part.choice), part.block)
        return ''
      case 'delta':
        return this.#delta(this.#choice(part.choice), part.text)
      case 'close':
        return this.#close(this.#choice(part.choice), part.sealed, part.isCut === true)
      case 'citation':
        this.#choice(part.choice).citations.push({ url: part.url, title: part.title })
        return ''
      case 'finish':
        this.#choice(part.choice).finish = part.reason
        return ''
    }
  }

  end(usage: TokenUsage): string {
    this.#tail = this.#tailWith(usage)
    if (this.#choices.size === 0) this.#choice(0)
    let text = ''
    for (const choice of this.#choices.values()) {
      const content = { parts: [EMPTY_PART], role: 'model' }
      const { index, citations } = choice
      const candidate = { content, finishReason: writeFinish(choice), index, ...grounding(citations) }
      text += this.#frame.chunk(`{"candidates":[${JSON.stringify(candidate)}${this.#tail}`)
    }
    return text + this.#frame.end()
  }

  fail(refusal: Refusal, requestId: string): string {
    return this.#frame.fail(refusal, requestId)
  }

  /** Before the answer has begun there is nothing to keep alive: the exchange may still fail as a whole. */
  keepAlive(): string {
    return this.#hasStarted ? this.#frame.keepAlive() : ''
  }

  #choice(index: number): OpenCandidate {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const flags = { hasToolCall: false, hasCutCall: false, hasRefusal: false }
    const choice = { index, block: undefined, text: '', finish: undefined, ...flags, citations: [] }
    this.#choices.set(index, choice)
    return choice
  }

  #open(choice: OpenCandidate, block: Block): void {
    choice.block = block
    choice.text = ''
    if (block.type === 'refusal') choice.hasRefusal = true
  }

  #delta(choice: OpenCandidate, text: string): string {
    switch (choice.block?.type) {
      case 'tool-call':
        choice.text += text
        return ''
      case 'reasoning':
        return text === '' ? '' : this.#part(choice, `{"text":${JSON.stringify(text)},"thought":true}`)
      default:
        return text === '' ? '' : this.#part(choice, `{"text":${JSON.stringify(text)}}`)
    }
  }

  #close(choice: OpenCandidate, sealed: Sealed | undefined, isCut: boolean): string {
    const { block } = choice
    choice.block = undefined
    if (block?.type === 'reasoning') {
      return sealed === undefined ? '' : this.#part(choice, JSON.stringify(thoughtPart('', sealed)))
    }
    if (block?.type !== 'tool-call') return ''
    if (isCut) choice.hasCutCall = true
    else choice.hasToolCall = true
    return isCut ? '' : this.#part(choice, JSON.stringify(callPart(block, choice.text, sealed ?? block.sealed)))
  }

  #part({ index }: OpenCandidate, part: string): string {
    return this.#frame.chunk(
      `{"candidates":[{"content":{"parts":[${part}],"role":"model"},"index":${index}}${this.#tail}`,
    )
  }

  #tailWith(usage: TokenUsage): string {
    return `],${JSON.stringify({ usageMetadata: writeGeminiUsage(usage), ...this.#names }).slice(1)}`
  }
}
