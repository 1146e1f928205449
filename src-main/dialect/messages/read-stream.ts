// Reads a provider's stream in the messages format into parts. Its blocks already come one after the other; what is left to do
// is to open none before something is in it, to find calls that were cut off, and to forgive servers that speak the dialect
// with an accent.

import { append } from '#core/append.ts'
import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import { JsonDepth } from '#dialect/blocks.ts'
import type { PartReader } from '#dialect/dialect.ts'
import { reportedFailure } from '#dialect/messages/errors.ts'
import { readStopReason } from '#dialect/messages/stop-reasons.ts'
import { writeInput } from '#dialect/tool-input.ts'
import { eventUsage, readMessagesUsage, readStartUsage } from '#dialect/messages/usage.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { unwrapSeal } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

type PlainType = 'text' | 'reasoning'

type OpenBlock = {
  readonly index: unknown
  /** `other`: a tool that the provider ran itself, or a block newer than this code; its content is left out. */
  readonly kind: 'plain' | 'redacted' | 'tool' | 'other'
  /** What is open in the answer for it. */
  plain: PlainType | undefined
  signature: string
  /** A tool's input where it stands on the first event, as it does in whole answers. */
  readonly input: string
  readonly depth: JsonDepth
  hasInput: boolean
  citations: AnswerPart[]
}

const CHOICE = 0
/** Stop reasons that end an answer wherever it is. */
const CUTTING = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal'])
/** Providers without a stream of [DONE] lines; some servers send one nevertheless. */
const DONE = '[DONE]'

export class MessagesPartReader implements PartReader {
  readonly #newCallId: () => string
  #messageId: unknown
  #hasStarted = false
  #usage: TokenUsage | undefined
  #open: OpenBlock | undefined
  /** A call without any arguments ended: whether it was cut off shows only afterwards. */
  #isCallUndecided = false
  #hasToolCall = false
  #stopReason: string | undefined
  #stopSequence: string | undefined
  isComplete = false

  constructor(newCallId: () => string) {
    this.#newCallId = newCallId
  }

  get hasEnded(): boolean {
    return this.#stopReason !== undefined
  }

  read(data: string, event: string | undefined): readonly AnswerPart[] {
    if (this.isComplete || data.trim() === DONE) return []
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
        return this.#open === undefined || isOther(value['index'], this.#open) ? [] : this.#end(this.#open)
      case 'message_delta':
        return this.#messageDelta(value)
      case 'message_stop':
        return this.#finish()
      default:
        if (value['type'] === 'error' || isRecord(value['error'])) throw reportedFailure(value, 'utf8')
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
    const before = [...(this.#open === undefined ? [] : this.#end(this.#open)), ...this.#decide(false)]
    const open: OpenBlock = {
      index,
      kind: kindOf(given['type']),
      plain: undefined,
      signature: textOf(given['signature']),
      input: writeInput(given['input']),
      depth: new JsonDepth(),
      hasInput: false,
      citations: [],
    }
    this.#open = open
    switch (open.kind) {
      case 'plain': {
        const citations = Array.isArray(given['citations']) ? given['citations'].flatMap(readCitation) : []
        const parts = [
          ...this.#plain(open, 'reasoning', textOf(given['thinking'])),
          ...this.#plain(open, 'text', textOf(given['text'])),
        ]
        return [...before, ...parts, ...this.#cite(open, citations)]
      }
      case 'redacted':
        open.signature = textOf(given['data'])
        return before
      case 'tool':
        return [...before, this.#openCall(given)]
      case 'other':
        return before
    }
  }

  #openCall(block: JsonObject): AnswerPart {
    const { id, name } = block
    if (typeof name !== 'string' || name === '')
      throw new UpstreamFailure('malformed', 'The provider sent a tool call without a name.')
    const callId = typeof id === 'string' && id !== '' ? id : this.#newCallId()
    return { type: 'open', choice: CHOICE, block: { type: 'tool-call', id: callId, name, kind: 'function' } }
  }

  #delta(index: unknown, delta: unknown): readonly AnswerPart[] {
    const open = this.#open
    if (open === undefined || isOther(index, open))
      throw new UpstreamFailure('malformed', 'The provider sent a piece of a block that is not open.')
    if (!isRecord(delta) || open.kind === 'other' || open.kind === 'redacted') return []
    switch (delta['type']) {
      case 'text_delta':
        return this.#plain(open, 'text', textOf(delta['text']))
      case 'thinking_delta':
        return this.#plain(open, 'reasoning', textOf(delta['thinking']))
      case 'signature_delta':
        open.signature = textOf(delta['signature'])
        return []
      case 'citations_delta':
        return this.#cite(open, readCitation(delta['citation']))
      case 'input_json_delta':
        return this.#input(open, textOf(delta['partial_json']))
      default:
        return []
    }
  }

  /** Which of the two it is says each piece: some servers send thinking in a block that was begun as text. */
  #plain(open: OpenBlock, type: PlainType, text: string): readonly AnswerPart[] {
    if (text === '') return []
    if (open.kind === 'tool') throw new UpstreamFailure('malformed', 'The provider sent text inside a tool call.')
    const delta = { type: 'delta', choice: CHOICE, text } as const
    if (open.plain === type) return [delta]
    const before = open.plain === undefined ? [] : this.#closePlain(open)
    open.plain = type
    const citations = type === 'text' ? open.citations.splice(0) : []
    return [...before, { type: 'open', choice: CHOICE, block: { type } }, delta, ...citations]
  }

  #cite(open: OpenBlock, citations: AnswerPart[]): readonly AnswerPart[] {
    if (open.plain === 'text') return citations
    append(open.citations, citations)
    return []
  }

  #input(open: OpenBlock, text: string): readonly AnswerPart[] {
    if (text === '' || open.kind !== 'tool') return []
    open.depth.read(text)
    open.hasInput ||= text.trim() !== ''
    return [{ type: 'delta', choice: CHOICE, text }]
  }

  #end(open: OpenBlock): readonly AnswerPart[] {
    this.#open = undefined
    switch (open.kind) {
      case 'plain':
        if (open.plain !== undefined) return this.#closePlain(open)
        return sealedBlock(open.signature, 'messages')
      case 'redacted':
        return sealedBlock(open.signature, 'messages-redacted')
      case 'tool':
        return this.#endCall(open)
      case 'other':
        return []
    }
  }

  #endCall(open: OpenBlock): readonly AnswerPart[] {
    if (open.hasInput) {
      const isCut = !open.depth.isComplete
      if (!isCut) this.#hasToolCall = true
      return [{ type: 'close', choice: CHOICE, isCut }]
    }
    this.#isCallUndecided = true
    return open.input === '' ? [] : [{ type: 'delta', choice: CHOICE, text: open.input }]
  }

  #decide(isCut: boolean): readonly AnswerPart[] {
    if (!this.#isCallUndecided) return []
    this.#isCallUndecided = false
    if (!isCut) this.#hasToolCall = true
    return [{ type: 'close', choice: CHOICE, isCut }]
  }

  #closePlain(open: OpenBlock): readonly AnswerPart[] {
    const sealed = open.plain === 'reasoning' ? unwrapSeal(open.signature, 'messages') : undefined
    open.plain = undefined
    return [{ type: 'close', choice: CHOICE, sealed }]
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
    const rest = [...(this.#open === undefined ? [] : this.#end(this.#open)), ...this.#decide(isCut)]
    const reason = readStopReason(this.#stopReason, this.#hasToolCall)
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

function kindOf(type: unknown): OpenBlock['kind'] {
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

/** An event without an index belongs to the block that is open. */
function isOther(index: unknown, open: OpenBlock): boolean {
  return index !== undefined && open.index !== undefined && index !== open.index
}

function sealedBlock(value: string, origin: 'messages' | 'messages-redacted'): readonly AnswerPart[] {
  const sealed = unwrapSeal(value, origin)
  if (sealed === undefined) return []
  return [
    { type: 'open', choice: CHOICE, block: { type: 'reasoning' } },
    { type: 'close', choice: CHOICE, sealed },
  ]
}

/** Only sources with an address: others are places in documents of the request. */
function readCitation(citation: unknown): AnswerPart[] {
  if (!isRecord(citation)) return []
  const { url, title } = citation
  if (typeof url !== 'string' || url === '') return []
  return [{ type: 'citation', choice: CHOICE, url, title: typeof title === 'string' ? title : undefined }]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
