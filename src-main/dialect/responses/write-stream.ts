// Writes an answer as a stream of the responses format. There is one open item at a time and it is closed with all that it
// holds: Codex gives deltas to whichever item is open, and runs a tool as soon as its item is done.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerContext, KeptItem, StreamWriter } from '#dialect/dialect.ts'
import type { AnswerPart, Block, FinishReason } from '#dialect/part.ts'
import { SummaryParts } from '#dialect/responses/compaction.ts'
import { responseErrorOf } from '#dialect/responses/errors.ts'
import {
  keptCallSeal,
  newItemWriter,
  ReasoningWriter,
  SealedCallWriter,
  type ItemSlot,
  type ItemWriter,
} from '#dialect/responses/item-writers.ts'
import { writeFinish } from '#dialect/responses/finish-reasons.ts'
import { idStem, responseId, ResponseObject, type ResponseState } from '#dialect/responses/response-object.ts'
import { DONE, keepAliveEvent, MAX_REPEATED, streamEvent } from '#dialect/responses/stream-event.ts'
import { isKept, wishesOf, type Wishes } from '#dialect/responses/wishes.ts'
import type { ItemStatus } from '#dialect/responses/write-items.ts'
import type { Sealed } from '#dialect/seal.ts'

export class ResponsesStreamWriter implements StreamWriter {
  readonly #response: ResponseObject
  readonly #stem: string
  readonly #wishes: Wishes
  readonly #callIds = new Set<string>()
  /** JSON texts of the items that are done. */
  readonly #output: string[] = []
  /** The same items for requests that name them; undefined where nobody may. */
  readonly #kept: KeptItem[] | undefined
  readonly #context: AnswerContext
  /** For an answer that is to be one summary. */
  readonly #summary: SummaryParts | undefined
  #sequence = 0
  /** Characters of all texts. */
  #length = 0
  /** Items that were begun, which is the next one's index. */
  #count = 0
  #item: ItemWriter | undefined
  /** Whether the last item that was written is a message. */
  #isBehindMessage = false
  /** Reasoning behind a message of which there is nothing to see, until it shows that something follows it. */
  #waiting: ReasoningWriter[] = []
  #hasBegun = false
  #hasCutCall = false
  #finish: FinishReason = 'stop'

  constructor(context: AnswerContext) {
    this.#response = new ResponseObject(context)
    this.#stem = idStem(context.exchangeId)
    this.#wishes = wishesOf(context.request.body.value)
    this.#context = context
    this.#summary = this.#wishes.isCompaction ? new SummaryParts() : undefined
    this.#kept = context.keep === undefined || !isKept(context.request) ? undefined : []
  }

  write(part: AnswerPart): string {
    if (this.#summary?.keep(part) === false) return ''
    switch (part.type) {
      case 'start':
        return this.#begin()
      case 'usage':
        return ''
      default:
        // This format has one answer.
        return part.choice === 0 ? this.#begin() + this.#writePart(part) : ''
    }
  }

  end(usage: TokenUsage): string {
    const text = this.#begin() + this.#leave()
    const state = this.#finalState(usage)
    this.#keep()
    return text + this.#lifecycle(`response.${state.status}`, state) + DONE
  }

  /** The whole response, as the last event holds it. */
  final(usage: TokenUsage): string {
    this.#leave()
    this.#keep()
    return this.#response.write(this.#finalState(usage))
  }

  fail(refusal: Refusal, _requestId: string): string {
    const isRepeated = this.#length <= MAX_REPEATED
    const text = this.#begin() + (isRepeated ? this.#leave('incomplete') : '')
    const output = isRepeated ? this.#output : []
    const state = { status: 'failed', output, error: responseErrorOf(refusal) } as const
    return text + this.#lifecycle('response.failed', state)
  }

  keepAlive(): string {
    return this.#begin() + keepAliveEvent(this.#sequence++)
  }

  #writePart(part: Exclude<AnswerPart, { type: 'start' | 'usage' }>): string {
    switch (part.type) {
      case 'open':
        return this.#leave() + this.#open(part.block)
      case 'delta':
        this.#length += part.text.length
        return this.#item?.delta(part.text) ?? ''
      case 'close':
        return this.#close(part)
      case 'citation':
        return this.#item?.cite(part) ?? ''
      case 'finish':
        this.#finish = part.reason
        return this.#leave()
    }
  }

  #open(block: Block): string {
    const seal = block.type === 'tool-call' ? block.sealed : undefined
    const before = seal === undefined ? '' : this.#writeCallSeal(seal)
    this.#item = newItemWriter(this.#slot(), this.#ownCallId(block), this.#wishes)
    return before + this.#item.open()
  }

  /** A client that does not keep seals has the item of this one from our memory alone, if it goes on from this answer. */
  #writeCallSeal(sealed: Sealed): string {
    if (!this.#wishes.keepsSealed) {
      this.#kept?.push(keptCallSeal(`rs_${this.#stem}_${this.#count}`, sealed))
      return ''
    }
    const item = new SealedCallWriter(this.#slot(), sealed)
    const text = item.open() + item.done()
    this.#add(item)
    return text
  }

  /** Text stays open until something else comes: a source may still follow it. */
  #close(part: Extract<AnswerPart, { type: 'close' }>): string {
    const item = this.#item
    if (item === undefined) return ''
    if (part.isCut === true) {
      this.#item = undefined
      this.#hasCutCall = true
      return ''
    }
    item.seal(part.sealed)
    if (item.canWait) return ''
    return item instanceof ReasoningWriter && item.isUnseen ? this.#leaveUnseen(item) : this.#leave()
  }

  /**
   * Behind a message it waits, and is left out where nothing follows: clients take the last item for the answer, and Copilot CLI
   * would print nothing.
   */
  #leaveUnseen(item: ReasoningWriter): string {
    if (!this.#isBehindMessage) return this.#leave()
    this.#item = undefined
    this.#waiting.push(item)
    return ''
  }

  /** Before an item begins. */
  #writeWaiting(): string {
    let text = ''
    for (const item of this.#waiting.splice(0)) {
      text += item.done()
      if (item.json !== '') this.#add(item)
    }
    return text
  }

  /** Ends the open item, if there is one. */
  #leave(status: ItemStatus = 'completed'): string {
    const item = this.#item
    if (item === undefined) return ''
    this.#item = undefined
    const text = item.done(status)
    if (item.json !== '') this.#add(item)
    return text
  }

  #add(item: ItemWriter): void {
    this.#output.push(item.json)
    this.#kept?.push(item.kept())
    this.#isBehindMessage = item.isMessage
  }

  /** Before the last bytes of the answer are written, because the next request may follow at once. */
  #keep(): void {
    const { request, exchangeId, keep } = this.#context
    if (this.#kept === undefined) return
    const items = [...this.#kept, ...this.#unseenItems()]
    keep?.({
      id: responseId(exchangeId),
      itemIds: items.map(({ id }) => id),
      items: () => items,
      length: items.reduce((sum, { text }) => sum + text.length, 0),
      previousId: request.wentOn?.previousId,
    })
  }

  /** What was left out for clients, which a request that goes on from this answer brings to its provider all the same. */
  #unseenItems(): readonly KeptItem[] {
    return this.#waiting.flatMap((item, at) => item.keptUnseen(`rs_${this.#stem}_${this.#count + at}`) ?? [])
  }

  /** Readers tell calls apart by their ids, and some providers give the same one twice. */
  #ownCallId(block: Block): Block {
    if (block.type !== 'tool-call') return block
    const id = this.#callIds.has(block.id) || block.id === '' ? `${block.id.slice(0, 50)}_${this.#count}` : block.id
    this.#callIds.add(id)
    return { ...block, id }
  }

  #slot(): ItemSlot {
    return {
      stem: this.#stem,
      nextIndex: () => this.#count++,
      waited: () => this.#writeWaiting(),
      event: (type: string, members: string) => streamEvent(type, this.#sequence++, members),
    }
  }

  #finalState(usage: TokenUsage): ResponseState {
    const reason = writeFinish(this.#finish, this.#hasCutCall)
    const status = reason === undefined ? 'completed' : 'incomplete'
    return { status, output: this.#output, usage, incompleteReason: reason }
  }

  #begin(): string {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const state = { status: 'in_progress', output: [] } as const
    return this.#lifecycle('response.created', state) + this.#lifecycle('response.in_progress', state)
  }

  #lifecycle(type: string, state: ResponseState): string {
    return streamEvent(type, this.#sequence++, `"response":${this.#response.write(state)}`)
  }
}
