// Writes an answer as a chat completion stream. Deltas are put together from texts that are made once, since a stream is
// mostly deltas.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { answerHead, wantsFunctionCall } from '#dialect/chat-completions/answer-head.ts'
import { chatStreamError } from '#dialect/chat-completions/errors.ts'
import { writeFinish } from '#dialect/chat-completions/finish-reasons.ts'
import { writeGoogleSeal } from '#dialect/chat-completions/google-seal.ts'
import { writeReasoningDetails } from '#dialect/chat-completions/reasoning-details.ts'
import { writeUsage } from '#dialect/chat-completions/usage.ts'
import type { AnswerContext, StreamWriter } from '#dialect/dialect.ts'
import type { AnswerPart, Block, Citation, FinishReason } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'
import { KEEP_ALIVE } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

type OpenPart = Extract<AnswerPart, { type: 'open' }>
type ClosePart = Extract<AnswerPart, { type: 'close' }>

type WrittenChoice = {
  /** A chunk up to its delta. */
  readonly head: string
  /** Whether its first chunk, which has the role, was written. */
  hasBegun: boolean
  block: Block | undefined
  /** The open block's text, where the end of it needs all. */
  text: string
  calls: number
  reasonings: number
  finish: FinishReason | undefined
}

export class ChatStreamWriter implements StreamWriter {
  readonly #choices = new Map<number, WrittenChoice>()
  readonly #head: string
  /** What follows the choices. */
  readonly #tail: string
  readonly #wantsUsage: boolean
  readonly #isOldForm: boolean

  constructor(context: AnswerContext) {
    const { id, created, model } = answerHead(context)
    const object = 'chat.completion.chunk'
    this.#head = `data: ${JSON.stringify({ id, object, created, model }).slice(0, -1)},"choices":[`
    this.#wantsUsage = context.request.wantsUsage
    this.#tail = this.#wantsUsage ? '],"usage":null}\n\n' : ']}\n\n'
    this.#isOldForm = wantsFunctionCall(context)
  }

  write(part: AnswerPart): string {
    switch (part.type) {
      case 'start':
        return this.#begun(0)
      case 'open':
        return this.#begun(part.choice) + this.#open(this.#choice(part.choice), part)
      case 'delta':
        return this.#text(this.#choice(part.choice), part.text)
      case 'close':
        return this.#close(this.#choice(part.choice), part)
      case 'citation':
        return this.#begun(part.choice) + this.#delta(this.#choice(part.choice), citation([part]))
      case 'finish':
        this.#choice(part.choice).finish = part.reason
        return this.#begun(part.choice)
      case 'usage':
        return ''
    }
  }

  end(usage: TokenUsage): string {
    let text = this.#begun(0)
    for (const { head, finish } of this.#choices.values()) {
      text += `${head}{},"finish_reason":"${this.#finishReason(finish ?? 'stop')}"}${this.#tail}`
    }
    if (this.#wantsUsage) text += `${this.#head}],"usage":${JSON.stringify(writeUsage(usage))}}\n\n`
    return `${text}data: [DONE]\n\n`
  }

  fail(refusal: Refusal, requestId: string): string {
    return chatStreamError(refusal, requestId).toString()
  }

  keepAlive(): string {
    return KEEP_ALIVE
  }

  #finishReason(reason: FinishReason): string {
    return reason === 'tool-calls' && this.#isOldForm ? 'function_call' : writeFinish(reason)
  }

  /** The chunk with the role, before a choice's first. */
  #begun(index: number): string {
    const choice = this.#choice(index)
    if (choice.hasBegun) return ''
    choice.hasBegun = true
    return this.#deltaText(choice, '{"role":"assistant","content":"","refusal":null}')
  }

  #choice(index: number): WrittenChoice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const head = `${this.#head}{"index":${index},"delta":`
    const rest = { block: undefined, text: '', calls: 0, reasonings: 0, finish: undefined }
    const choice: WrittenChoice = { head, hasBegun: false, ...rest }
    this.#choices.set(index, choice)
    return choice
  }

  #open(choice: WrittenChoice, { block }: OpenPart): string {
    choice.block = block
    choice.text = ''
    if (block.type !== 'tool-call') return ''
    const index = choice.calls++
    const { id, name } = block
    // The deprecated form has room for one call.
    if (this.#isOldForm) return index > 0 ? '' : this.#delta(choice, { function_call: { name, arguments: '' } })
    const call =
      block.kind === 'custom'
        ? { index, id, type: 'custom', custom: { name, input: '' } }
        : { index, id, type: 'function', function: { name, arguments: '' } }
    return this.#delta(choice, { tool_calls: [{ ...call, ...writeGoogleSeal(block.sealed) }] })
  }

  #text(choice: WrittenChoice, text: string): string {
    const { block } = choice
    if (block === undefined || text === '') return ''
    const json = JSON.stringify(text)
    switch (block.type) {
      case 'text':
        return this.#deltaText(choice, `{"content":${json}}`)
      case 'refusal':
        return this.#deltaText(choice, `{"refusal":${json}}`)
      case 'reasoning':
        choice.text += text
        return this.#deltaText(choice, `{"reasoning_content":${json}}`)
      case 'tool-call':
        choice.text = '.'
        return this.#arguments(choice, block.kind === 'custom', json)
    }
  }

  #arguments(choice: WrittenChoice, isCustom: boolean, json: string): string {
    const index = choice.calls - 1
    if (this.#isOldForm) return index > 0 ? '' : this.#deltaText(choice, `{"function_call":{"arguments":${json}}}`)
    const called = isCustom ? `"custom":{"input":${json}}` : `"function":{"arguments":${json}}`
    return this.#deltaText(choice, `{"tool_calls":[{"index":${index},${called}}]}`)
  }

  #close(choice: WrittenChoice, { sealed, isCut }: ClosePart): string {
    const { block, text } = choice
    choice.block = undefined
    choice.text = ''
    if (block?.type === 'tool-call') {
      // Clients parse the arguments of every call, and nothing is not JSON.
      const isBare = text === '' && block.kind !== 'custom' && isCut !== true
      const bare = isBare ? this.#arguments(choice, false, '"{}"') : ''
      return bare + this.#lateSeal(choice, block.kind === 'custom', sealed)
    }
    if (block?.type !== 'reasoning' || sealed === undefined) return ''
    return this.#delta(choice, { reasoning_details: writeReasoningDetails(text, sealed, choice.reasonings++) })
  }

  /** A signature that came only with the end of the call. */
  #lateSeal(choice: WrittenChoice, isCustom: boolean, sealed: Sealed | undefined): string {
    const extra = writeGoogleSeal(sealed)
    if (this.#isOldForm || !('extra_content' in extra)) return ''
    const called = isCustom ? { custom: { input: '' } } : { function: { arguments: '' } }
    return this.#delta(choice, { tool_calls: [{ index: choice.calls - 1, ...called, ...extra }] })
  }

  #delta(choice: WrittenChoice, delta: JsonObject): string {
    return this.#deltaText(choice, JSON.stringify(delta))
  }

  #deltaText(choice: WrittenChoice, delta: string): string {
    return `${choice.head}${delta},"finish_reason":null}${this.#tail}`
  }
}

/** No provider but OpenAI's own says which characters a source is for. */
export function citation(sources: readonly Citation[]): JsonObject {
  return {
    annotations: sources.map(({ url, title }) => ({
      type: 'url_citation',
      url_citation: { url, title: title ?? '', start_index: 0, end_index: 0 },
    })),
  }
}
