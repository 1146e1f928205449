// Reads a provider's stream in the messages format into parts. Its blocks mostly come one after the other; what is left to do is to
// put those in order that do not, to open none before something is in it, to find calls that were cut off, and to forgive servers
// that speak the dialect with an accent.

import { append } from '#core/append.ts'
import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { PartReader } from '#dialect/dialect.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { KeyedBlocks } from '#dialect/keyed-blocks.ts'
import { reportedFailure } from '#dialect/messages/errors.ts'
import { readFinish } from '#dialect/messages/finish-reasons.ts'
import { addBeside, addGeneratedBlock, addGeneratedDelta } from '#dialect/messages/measure.ts'
import { writeInput } from '#dialect/tool-input.ts'
import { eventUsage, readMessagesUsage, readStartUsage } from '#dialect/messages/usage.ts'
import type { AnswerPart, CitationPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { unwrapSeal } from '#dialect/seal.ts'
import { isDone } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'

type ReadBlock = {
  /** Tells it apart from every other block, also where indexes are left out or come again. */
  readonly key: string
  readonly index: unknown
  readonly type: unknown
  /** `other`: a tool that the provider ran itself, or a block newer than this code; its content is left out. */
  readonly kind: 'plain' | 'redacted' | 'tool' | 'other'
  signature: string
  /** A tool's input where it stands on the first event, as it does in whole answers. */
  readonly input: string
  hasText: boolean
  /** Sources that came before their text. */
  citations: CitationPart[]
}

const CHOICE = 0
/** Stop reasons that end an answer wherever it is. */
const CUTTING = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal'])
/** More than any answer has. */
const MAX_BLOCKS = 10_000

export class MessagesPartReader implements PartReader {
  readonly #blocks: KeyedBlocks
  readonly #generated: GeneratedText
  /** The blocks that have not ended. Servers keep one open while the next one runs. */
  #open: ReadBlock[] = []
  readonly #begun = new Set<unknown>()
  #blockCount = 0
  #messageId: unknown
  #hasStarted = false
  #usage: TokenUsage | undefined
  #stopReason: string | undefined
  #stopSequence: string | undefined
  isComplete = false
  /** Pieces that no block was there for, and that say nothing by themselves. */
  droppedPieces = 0

  constructor(newCallId: () => string, generated = new GeneratedText('utf8')) {
    this.#blocks = new KeyedBlocks(CHOICE, newCallId)
    this.#generated = generated
  }

  get hasEnded(): boolean {
    return this.#stopReason !== undefined
  }

  read(data: string, event: string | undefined): readonly AnswerPart[] {
    if (this.isComplete || isDone(data)) return []
    const value = parseJson(data)
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider sent an event that is not JSON.')
    return this.readEvent(typeof value['type'] === 'string' ? value : { ...value, type: event })
  }

  /** Takes one event; whole answers are read as the events that they would be. */
  readEvent(value: JsonObject): readonly AnswerPart[] {
    switch (value['type']) {
      case 'message_start':
        return this.#start(value['message'])
      case 'content_block_start':
        return this.#begin(value['index'], value['content_block'])
      case 'content_block_delta':
        return this.#delta(value['index'], value['delta'])
      case 'content_block_stop':
        return this.#stop(value['index'])
      case 'message_delta':
        return this.#messageDelta(value)
      case 'message_stop':
        return this.#finish()
      default:
        if (value['type'] === 'error' || isRecord(value['error'])) throw reportedFailure(value, 'utf8')
        if (!this.hasEnded) addBeside(this.#generated, value)
        return []
    }
  }

  end(): readonly AnswerPart[] {
    if (this.isComplete) return []
    // With a stop reason nothing is missing but the last event.
    if (this.hasEnded) return this.#finish()
    throw new UpstreamFailure('closed', 'The provider ended its stream before the answer was complete.')
  }

  #start(message: unknown): readonly AnswerPart[] {
    const { id, usage } = isRecord(message) ? message : {}
    if (this.#hasStarted) {
      // Some servers send it again before each block.
      if (id === this.#messageId) return []
      throw new UpstreamFailure('malformed', 'The provider sent two answers in one stream.')
    }
    this.#hasStarted = true
    this.#messageId = id
    return [{ type: 'start' }, ...this.#readUsage(readStartUsage(usage))]
  }

  #begin(index: unknown, block: unknown): readonly AnswerPart[] {
    this.#expectStarted()
    const given = isRecord(block) ? block : {}
    // Two blocks under one index, or without any, come one after the other.
    const before = this.#stop(index, (open) => open.index === index)
    const open = this.#newBlock(index, given)
    addGeneratedBlock(this.#generated, given)
    switch (open.kind) {
      case 'plain': {
        this.#blocks.begin(open.key, open.type === 'thinking' ? 'reasoning' : 'text')
        const citations = Array.isArray(given['citations']) ? given['citations'].flatMap(readCitation) : []
        append(before, this.#plain(open, 'reasoning', textOf(given['thinking'])))
        append(before, this.#plain(open, 'text', textOf(given['text'])))
        return [...before, ...this.#cite(open, citations)]
      }
      case 'tool':
        return [...before, ...this.#openCall(open, given)]
      case 'redacted':
      case 'other':
        return before
    }
  }

  #newBlock(index: unknown, given: JsonObject): ReadBlock {
    this.#blockCount += 1
    if (this.#blockCount > MAX_BLOCKS) throw new UpstreamFailure('too_large', 'The provider sent too many blocks.')
    const { type } = given
    const kind = kindOf(type)
    const open: ReadBlock = {
      key: String(this.#blockCount),
      index,
      type,
      kind,
      signature: textOf(given[kind === 'redacted' ? 'data' : 'signature']),
      input: writeInput(given['input']),
      hasText: false,
      citations: [],
    }
    this.#open.push(open)
    this.#begun.add(index)
    return open
  }

  #openCall({ key }: ReadBlock, { id, name }: JsonObject): readonly AnswerPart[] {
    if (typeof name !== 'string' || name === '') throw brokenOutput('The provider sent a tool call without a name.')
    return this.#blocks.tool({ key, id: typeof id === 'string' ? id : undefined, name, arguments: '' })
  }

  #delta(index: unknown, delta: unknown): readonly AnswerPart[] {
    this.#expectStarted()
    if (!isRecord(delta)) return []
    const open = this.#blockOf(index, delta['type'])
    if (open === undefined) return this.#late(index, delta)
    addGeneratedDelta(this.#generated, delta)
    if (open.kind === 'other' || open.kind === 'redacted') return []
    switch (delta['type']) {
      case 'text_delta':
        return this.#plain(open, 'text', textOf(delta['text']))
      case 'thinking_delta':
        return this.#plain(open, 'reasoning', textOf(delta['thinking']))
      case 'signature_delta':
        open.signature = textOf(delta['signature']) || open.signature
        return []
      case 'citations_delta':
        return this.#cite(open, readCitation(delta['citation']))
      case 'input_json_delta':
        return this.#input(open, textOf(delta['partial_json']))
      default:
        return []
    }
  }

  /** The open block that a piece belongs to: without an index the latest that takes such a piece, else the latest. */
  #blockOf(index: unknown, type: unknown): ReadBlock | undefined {
    const open = this.#open
    if (index !== undefined)
      return open.find((one) => one.index === index) ?? open.find((one) => one.index === undefined)
    return open.findLast((one) => one.type === TAKEN_BY.get(type)) ?? open.at(-1)
  }

  /** A piece of a block that was never begun, or has ended. What it says is kept; the rest of a call or a source is none. */
  #late(index: unknown, delta: JsonObject): readonly AnswerPart[] {
    const type = TAKEN_BY.get(delta['type'])
    if (delta['type'] === 'citations_delta' || (type !== 'text' && type !== 'thinking')) {
      this.#dropped(delta['type'])
      addGeneratedDelta(this.#generated, delta)
      return []
    }
    const hasEnded = this.#begun.has(index)
    const block = this.#newBlock(index, { type })
    const parts = [...this.#delta(index, delta)]
    return hasEnded ? [...parts, ...this.#end(block)] : parts
  }

  #dropped(type: unknown): void {
    if (TAKEN_BY.has(type)) this.droppedPieces += 1
  }

  /** Which of the two it is says each piece: some servers send thinking in a block that was begun as text. */
  #plain(open: ReadBlock, type: 'text' | 'reasoning', text: string): readonly AnswerPart[] {
    if (text === '') return []
    // No call has text in it: this is a block of its own.
    const parts = this.#blocks.plain(open.kind === 'tool' ? `${open.key} text` : open.key, type, text)
    if (type !== 'text' || open.hasText) return parts
    open.hasText = true
    return [...parts, ...this.#cite(open, open.citations.splice(0))]
  }

  #cite(open: ReadBlock, citations: readonly CitationPart[]): readonly AnswerPart[] {
    if (open.hasText) return citations.flatMap((citation) => this.#blocks.cite(open.key, citation))
    append(open.citations, citations)
    return []
  }

  #input(open: ReadBlock, text: string): readonly AnswerPart[] {
    if (open.kind !== 'tool') {
      this.#dropped('input_json_delta')
      return []
    }
    if (text === '') return []
    return this.#blocks.tool({ key: open.key, id: undefined, name: undefined, arguments: text })
  }

  /** Ends the open block of an index, the latest where there is none. */
  #stop(index: unknown, isIt = (open: ReadBlock) => isSame(open.index, index)): AnswerPart[] {
    const open = this.#open.findLast(isIt)
    return open === undefined ? [] : this.#end(open)
  }

  #end(open: ReadBlock): AnswerPart[] {
    this.#open = this.#open.filter((other) => other !== open)
    const { key, kind, signature, input } = open
    switch (kind) {
      case 'plain':
        return this.#blocks.end(key, unwrapSeal(signature, 'messages'))
      case 'redacted':
        return this.#blocks.end(key, unwrapSeal(signature, 'messages-redacted'))
      case 'tool':
        return [...this.#blocks.endTool(key, input), ...this.#blocks.end(`${key} text`)]
      case 'other':
        return []
    }
  }

  #messageDelta(value: JsonObject): readonly AnswerPart[] {
    this.#expectStarted()
    const delta = value['delta']
    if (isRecord(delta)) {
      // Some servers send usage in a delta of its own, whose reason is null.
      this.#stopReason = textOf(delta['stop_reason']) || this.#stopReason
      this.#stopSequence = textOf(delta['stop_sequence']) || this.#stopSequence
    }
    return this.#readUsage(readMessagesUsage(value['usage']))
  }

  #finish(): readonly AnswerPart[] {
    this.#expectStarted()
    this.isComplete = true
    const isCut = this.#stopReason !== undefined && CUTTING.has(this.#stopReason)
    const rest = this.#open.flatMap((open) => this.#end(open))
    append(rest, this.#blocks.finish({ isCut }))
    const reason = readFinish(this.#stopReason, this.#blocks.hasWholeCalls)
    return [...rest, { type: 'finish', choice: CHOICE, reason, stopSequence: this.#stopSequence }]
  }

  #readUsage(usage: TokenUsage | undefined): AnswerPart[] {
    const known = eventUsage(this.#usage, usage)
    if (known === undefined) return []
    this.#usage = known
    return [{ type: 'usage', usage: known }]
  }

  #expectStarted(): void {
    if (!this.#hasStarted) throw new UpstreamFailure('malformed', 'The provider sent an answer without its beginning.')
  }
}

function kindOf(type: unknown): ReadBlock['kind'] {
  switch (type) {
    case 'text':
    case 'thinking':
      return 'plain'
    case 'redacted_thinking':
      return 'redacted'
    case 'tool_use':
      return 'tool'
    default:
      return 'other'
  }
}

/** The types of blocks that pieces are of. */
const TAKEN_BY: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['citations_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
  ['input_json_delta', 'tool_use'],
])

/** An event without an index may be about any block, and a block without one may be meant by any event. */
function isSame(one: unknown, other: unknown): boolean {
  return one === undefined || other === undefined || one === other
}

/** Only sources with an address: others are places in documents of the request. */
function readCitation(citation: unknown): CitationPart[] {
  if (!isRecord(citation)) return []
  const { url, title } = citation
  if (typeof url !== 'string' || url === '') return []
  return [{ type: 'citation', choice: CHOICE, url, title: typeof title === 'string' ? title : undefined }]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
