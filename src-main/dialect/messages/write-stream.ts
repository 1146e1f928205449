// Writes an answer as a stream in the messages format. Anthropic's SDK is strict about it: an event line before each data
// line, one `message_start`, blocks one after the other with indexes without gaps, and texts that begin empty.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerContext, StreamWriter } from '#dialect/dialect.ts'
import {
  callSealBlock,
  callSealSignature,
  messageHead,
  takesThinking,
  thinkingBlock,
  webCitation,
} from '#dialect/messages/answer-blocks.ts'
import { messagesStreamError } from '#dialect/messages/errors.ts'
import { PING } from '#dialect/messages/tap-stream.ts'
import { stopMembers, writeFinish } from '#dialect/messages/finish-reasons.ts'
import { writeMessagesUsage } from '#dialect/messages/usage.ts'
import type { AnswerPart, Block, FinishReason } from '#dialect/part.ts'
import { wrapSeal, type Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

type WrittenBlock = {
  readonly block: Block
  /** Text and thinking are begun with their first text, so that no client gets an empty block. */
  isBegun: boolean
}

export class MessagesStreamWriter implements StreamWriter {
  readonly #context: AnswerContext
  readonly #carriesSeals: boolean
  #hasStarted = false
  /** The index of the next block. */
  #next = 0
  #open: WrittenBlock | undefined
  /** Thinking without a signature has come to its end, which is not written yet: a call behind it may bring one. */
  #isUnsigned = false
  /** Seals without text that came behind other blocks, until it shows that something follows them. */
  #heldSeals: Sealed[] = []
  /** The last block is a whole call. */
  #isBehindCall = false
  #finish: FinishReason | undefined
  #stopSequence: string | undefined
  #hasToolCall = false
  #hasCutCall = false
  #hasRefusal = false

  constructor(context: AnswerContext) {
    this.#context = context
    this.#carriesSeals = takesThinking(context)
  }

  write(part: AnswerPart): string {
    // The format has one choice; its readers refuse to ask for more.
    if ('choice' in part && part.choice !== 0) return ''
    switch (part.type) {
      case 'start':
        return this.#start()
      case 'open':
        return this.#start() + this.#close(undefined, false) + this.#sign(part.block) + this.#begin(part.block)
      case 'delta':
        return this.#delta(part.text)
      case 'close':
        return this.#close(part.sealed, part.isCut === true)
      case 'citation':
        return this.#cite(webCitation(part.url, part.title))
      case 'finish':
        this.#finish = part.reason
        this.#stopSequence = part.stopSequence
        return ''
      case 'usage':
        return ''
    }
  }

  end(usage: TokenUsage): string {
    const before = this.#start() + this.#close(undefined, true) + this.#sign(undefined) + this.#lastSeals()
    const reason = writeFinish({
      finish: this.#finish,
      hasToolCall: this.#hasToolCall,
      hasCutCall: this.#hasCutCall,
      hasRefusal: this.#hasRefusal,
    })
    const { stop_details: details, ...delta } = stopMembers(reason, this.#stopSequence)
    const message = event('message_delta', {
      delta: details === null ? delta : { ...delta, stop_details: details },
      usage: writeMessagesUsage(usage),
    })
    return before + message + event('message_stop', {})
  }

  fail(refusal: Refusal, requestId: string): string {
    return messagesStreamError(refusal, requestId)
  }

  /** Before `message_start` there is nothing to keep alive: the exchange may still fail as a whole. */
  keepAlive(): string {
    return this.#hasStarted ? PING : ''
  }

  /** Clients throw on a second start, so that it is written once whatever comes. */
  #start(): string {
    if (this.#hasStarted) return ''
    this.#hasStarted = true
    const usage = {
      input_tokens: this.#context.likelyInputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    }
    const rest = { content: [], stop_reason: null, stop_sequence: null, stop_details: null, usage }
    return event('message_start', { message: { ...messageHead(this.#context), ...rest } })
  }

  #begin(block: Block): string {
    this.#open = { block, isBegun: false }
    if (block.type === 'refusal') this.#hasRefusal = true
    if (block.type !== 'tool-call') return ''
    this.#open.isBegun = true
    return this.#blockStart({ type: 'tool_use', id: block.id, name: block.name, input: {} })
  }

  #delta(text: string): string {
    const open = this.#open
    if (open === undefined || text === '') return ''
    let start = ''
    if (!open.isBegun) {
      open.isBegun = true
      start = this.#blockStart(
        open.block.type === 'reasoning' ? thinkingBlock('', undefined) : { type: 'text', text: '' },
      )
    }
    return start + this.#blockDelta(deltaOf(open.block, text))
  }

  #close(sealed: Sealed | undefined, isCut: boolean): string {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return ''
    const { type } = open.block
    if (type === 'tool-call' && isCut) this.#hasCutCall = true
    if (type === 'tool-call' && !isCut) this.#hasToolCall = true
    this.#isBehindCall = type === 'tool-call' ? !isCut : this.#isBehindCall && !open.isBegun
    const seal = type === 'reasoning' ? sealed : undefined
    if (!open.isBegun) return seal === undefined ? '' : this.#sealAlone(seal)
    if (type === 'reasoning' && seal === undefined) {
      this.#isUnsigned = true
      return ''
    }
    return (seal === undefined ? '' : this.#signature(wrapSeal(seal, 'messages'))) + this.#blockStop()
  }

  /** Ends thinking that waited for a seal, with that of the call that follows; or gives the call's a block of its own. */
  #sign(next: Block | undefined): string {
    const seal = next?.type === 'tool-call' && this.#carriesSeals ? next.sealed : undefined
    if (!this.#isUnsigned) return seal === undefined ? '' : this.#wholeBlock(callSealBlock(seal))
    this.#isUnsigned = false
    return (seal === undefined ? '' : this.#signature(callSealSignature(seal))) + this.#blockStop()
  }

  #cite(citation: JsonObject): string {
    const isText = this.#open?.block.type === 'text' && this.#open.isBegun
    return isText ? this.#blockDelta({ type: 'citations_delta', citation }) : ''
  }

  /** Clients take a last block for the answer, so that an empty one never ends it behind a text: Claude Code would print nothing. */
  #sealAlone(sealed: Sealed): string {
    if (this.#next === 0) return this.#sealedBlock(sealed)
    this.#heldSeals.push(sealed)
    return ''
  }

  /** Behind a call a seal may be the call's, and nobody takes what is there for an answer. */
  #lastSeals(): string {
    const seals = this.#isBehindCall ? this.#heldSeals.splice(0) : []
    return seals.map((sealed) => this.#sealedBlock(sealed)).join('')
  }

  /** A block of reasoning that the provider does not show. */
  #sealedBlock(sealed: Sealed): string {
    return this.#wholeBlock(thinkingBlock('', sealed))
  }

  #wholeBlock(block: JsonObject): string {
    return this.#blockStart(block) + this.#blockStop()
  }

  /** A signature comes once and whole: clients replace what they have by it. */
  #signature(signature: string): string {
    return this.#blockDelta({ type: 'signature_delta', signature })
  }

  #blockStart(block: JsonObject): string {
    const held = this.#heldSeals.splice(0)
    const before = held.map((sealed) => this.#sealedBlock(sealed)).join('')
    return before + event('content_block_start', { index: this.#next, content_block: block })
  }

  #blockDelta(delta: JsonObject): string {
    const head = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":'
    return `${head}${this.#next},"delta":${JSON.stringify(delta)}}\n\n`
  }

  #blockStop(): string {
    return event('content_block_stop', { index: this.#next++ })
  }
}

function deltaOf(block: Block, text: string): JsonObject {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text }
    case 'reasoning':
      return { type: 'thinking_delta', thinking: text }
    case 'tool-call':
      return { type: 'input_json_delta', partial_json: text }
  }
}

function event(type: string, members: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}
