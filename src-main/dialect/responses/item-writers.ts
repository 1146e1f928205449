// One output item each, written as the events of a stream. An item that has nothing to show writes nothing and takes no index.

import type { KeptItem } from '#dialect/dialect.ts'
import type { Block, Citation } from '#dialect/part.ts'
import { wrapCallSeal } from '#dialect/call-seal.ts'
import type { Wishes } from '#dialect/responses/wishes.ts'
import { compactionItem } from '#dialect/responses/compaction.ts'
import {
  annotationOf,
  callIdPrefix,
  callItem,
  encryptedOf,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
  type Annotation,
  type ItemStatus,
  type ToolBlock,
} from '#dialect/responses/write-items.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Where an item stands in its answer. */
export type ItemSlot = {
  /** What the ids of one answer have in common. */
  readonly stem: string
  /** Takes the next index of the output. */
  nextIndex(): number
  /** The events of what waited for an item to follow it. */
  waited(): string
  /** An event with the next number. */
  event(type: string, members: string): string
}

export abstract class ItemWriter {
  protected readonly slot: ItemSlot
  protected index = -1
  protected id = ''
  /** `"item_id":…,"output_index":…`, which is in every event of the item. */
  protected place = ''
  protected text = ''
  protected sealed: Sealed | undefined
  /** The item's JSON text once it is done; empty if it never began. */
  json = ''
  /** Whether more may come after its end was announced. */
  readonly canWait: boolean = false
  /** Whether it is a message, which clients take for the answer where it is last. */
  readonly isMessage: boolean = false

  constructor(slot: ItemSlot) {
    this.slot = slot
  }

  abstract open(): string
  abstract delta(text: string): string
  /** `status` is how the item ends: `incomplete` where the answer broke off in the middle of it. */
  abstract done(status?: ItemStatus): string

  cite(_citation: Citation): string {
    return ''
  }

  seal(sealed: Sealed | undefined): void {
    this.sealed = sealed ?? this.sealed
  }

  /** Whether no client has seen anything of it yet. */
  get isUnseen(): boolean {
    return this.index === -1
  }

  /** The item for requests that only name it: with all that it needs to be sent to a provider again. */
  kept(): KeptItem {
    return { id: this.id, text: this.json }
  }

  protected begin(prefix: string, item: (id: string) => JsonObject): string {
    const before = this.slot.waited()
    this.index = this.slot.nextIndex()
    this.id = `${prefix}_${this.slot.stem}_${this.index}`
    this.place = `"item_id":"${this.id}","output_index":${this.index}`
    const members = `"output_index":${this.index},"item":${JSON.stringify(item(this.id))}`
    return before + this.slot.event('response.output_item.added', members)
  }

  protected finish(item: JsonObject): string {
    this.json = JSON.stringify(item)
    return this.slot.event('response.output_item.done', `"output_index":${this.index},"item":${this.json}`)
  }
}

export function newItemWriter(slot: ItemSlot, block: Block, wishes: Wishes): ItemWriter {
  switch (block.type) {
    case 'text':
      return wishes.isCompaction ? new CompactionWriter(slot) : new TextWriter(slot)
    case 'refusal':
      return wishes.takesRefusalParts ? new RefusalWriter(slot) : new TextWriter(slot)
    case 'reasoning':
      return new ReasoningWriter(slot, wishes)
    case 'tool-call':
      return new CallWriter(slot, block)
  }
}

class TextWriter extends ItemWriter {
  readonly #annotations: Annotation[] = []
  override readonly canWait = true
  override readonly isMessage = true

  open(): string {
    const added = this.begin('msg', (id) => messageItem(id, 'in_progress', []))
    this.place += ',"content_index":0'
    return (
      added + this.slot.event('response.content_part.added', `${this.place},"part":${JSON.stringify(textPart('', []))}`)
    )
  }

  delta(text: string): string {
    this.text += text
    return this.slot.event('response.output_text.delta', `${this.place},"delta":${JSON.stringify(text)},"logprobs":[]`)
  }

  override cite(citation: Citation): string {
    const annotation = annotationOf(citation, this.text.length)
    const members = `${this.place},"annotation_index":${this.#annotations.length},"annotation":${JSON.stringify(annotation)}`
    this.#annotations.push(annotation)
    return this.slot.event('response.output_text.annotation.added', members)
  }

  done(status: ItemStatus = 'completed'): string {
    const part = textPart(this.text, this.#annotations)
    return (
      this.slot.event('response.output_text.done', `${this.place},"text":${JSON.stringify(this.text)},"logprobs":[]`) +
      this.slot.event('response.content_part.done', `${this.place},"part":${JSON.stringify(part)}`) +
      this.finish(messageItem(this.id, status, [part]))
    )
  }
}

/** Nothing is seen of a summary before it is whole: a part of one stands for nothing. */
class CompactionWriter extends ItemWriter {
  override readonly canWait = true

  open(): string {
    return ''
  }

  delta(text: string): string {
    this.text += text
    return ''
  }

  done(status: ItemStatus = 'completed'): string {
    if (this.text === '' || status !== 'completed') return ''
    const added = this.begin('cmp', (id) => compactionItem(id, ''))
    return added + this.finish(compactionItem(this.id, this.text))
  }
}

class RefusalWriter extends ItemWriter {
  override readonly isMessage = true

  open(): string {
    const added = this.begin('msg', (id) => messageItem(id, 'in_progress', []))
    this.place += ',"content_index":0'
    return (
      added + this.slot.event('response.content_part.added', `${this.place},"part":${JSON.stringify(refusalPart(''))}`)
    )
  }

  delta(text: string): string {
    this.text += text
    return this.slot.event('response.refusal.delta', `${this.place},"delta":${JSON.stringify(text)}`)
  }

  done(status: ItemStatus = 'completed'): string {
    const part = refusalPart(this.text)
    return (
      this.slot.event('response.refusal.done', `${this.place},"refusal":${JSON.stringify(this.text)}`) +
      this.slot.event('response.content_part.done', `${this.place},"part":${JSON.stringify(part)}`) +
      this.finish(messageItem(this.id, status, [part]))
    )
  }
}

/**
 * Reasoning is shown as a summary where the client asked for one. Where it only asked for sealed reasoning its text is kept
 * until the end, since one kind of seal is worth nothing without the text that it signs.
 */
export class ReasoningWriter extends ItemWriter {
  readonly #wishes: Wishes
  #hasPart = false

  constructor(slot: ItemSlot, wishes: Wishes) {
    super(slot)
    this.#wishes = wishes
  }

  /** Nothing yet: a block that holds only a seal is nothing to a client that does not keep seals. */
  open(): string {
    return ''
  }

  delta(text: string): string {
    this.text += text
    return this.#wishes.showsReasoning ? this.#write(text) : ''
  }

  done(): string {
    let events = ''
    const kept = this.#wishes.keepsSealed ? this.sealed : undefined
    if (!this.#wishes.showsReasoning) {
      if (kept !== undefined && needsText(kept) && this.text !== '') events += this.#write(this.text)
      else this.text = ''
    }
    if (!this.#hasPart && kept === undefined) return ''
    if (this.index === -1) events += this.#begin()
    return events + this.#endPart() + this.finish(this.#item(this.id, this.text))
  }

  #begin(): string {
    const added = this.begin('rs', (id) => this.#item(id, ''))
    this.place += ',"summary_index":0'
    return added
  }

  #write(text: string): string {
    let events = ''
    if (!this.#hasPart) {
      events += this.#begin()
      this.#hasPart = true
      const part = '{"type":"summary_text","text":""}'
      events += this.slot.event('response.reasoning_summary_part.added', `${this.place},"part":${part}`)
    }
    const delta = `${this.place},"delta":${JSON.stringify(text)}`
    return events + this.slot.event('response.reasoning_summary_text.delta', delta)
  }

  #endPart(): string {
    if (!this.#hasPart) return ''
    const text = JSON.stringify(this.text)
    return (
      this.slot.event('response.reasoning_summary_text.done', `${this.place},"text":${text}`) +
      this.slot.event(
        'response.reasoning_summary_part.done',
        `${this.place},"part":{"type":"summary_text","text":${text}}`,
      )
    )
  }

  /** The item of reasoning that the client was not told of; undefined where its seal would not have been told either. */
  keptUnseen(id: string): KeptItem | undefined {
    if (!this.#wishes.keepsSealed || this.sealed === undefined) return undefined
    const text = needsText(this.sealed) ? this.text : ''
    return { id, text: JSON.stringify(reasoningItem({ id, text, encrypted: encryptedOf(this.sealed) })) }
  }

  override kept(): KeptItem {
    if (this.#wishes.keepsSealed || this.sealed === undefined) return super.kept()
    const item = reasoningItem({ id: this.id, text: this.text, encrypted: encryptedOf(this.sealed) })
    return { id: this.id, text: JSON.stringify(item) }
  }

  #item(id: string, text: string): JsonObject {
    return reasoningItem({ id, text, encrypted: this.#wishes.keepsSealed ? encryptedOf(this.sealed) : undefined })
  }
}

/** A signature of the messages format signs the text beside it; the others carry all of the reasoning themselves. */
function needsText(sealed: Sealed): boolean {
  return sealed.origin === 'messages'
}

class CallWriter extends ItemWriter {
  readonly #block: ToolBlock

  constructor(slot: ItemSlot, block: ToolBlock) {
    super(slot)
    this.#block = block
  }

  open(): string {
    return this.begin(callIdPrefix(this.#block), (itemId) => callItem({ ...this.#block, itemId }, 'in_progress', ''))
  }

  delta(text: string): string {
    this.text += text
    const name = this.#eventName()
    return name === undefined ? '' : this.slot.event(`${name}.delta`, `${this.place},"delta":${JSON.stringify(text)}`)
  }

  done(status: ItemStatus = 'completed'): string {
    const isWhole = status === 'completed'
    // Everybody parses the arguments of a function, and an empty text is no JSON. That of a call that broke off stays as it is:
    // clients run a call as soon as its item is done, and nothing that can be parsed may be made of the beginning of one.
    if (isWhole && this.text === '' && this.#block.kind === 'function') this.text = '{}'
    const item = callItem({ ...this.#block, itemId: this.id }, status, this.text)
    return (isWhole || this.text !== '' ? this.#textDone() : '') + this.finish(item)
  }

  #textDone(): string {
    const text = JSON.stringify(this.text)
    switch (this.#block.kind) {
      case 'function': {
        const members = `${this.place},"name":${JSON.stringify(this.#block.name)},"arguments":${text}`
        return this.slot.event('response.function_call_arguments.done', members)
      }
      case 'custom':
        return this.slot.event('response.custom_tool_call_input.done', `${this.place},"input":${text}`)
      default:
        return ''
    }
  }

  /** Calls of the client's own search and shell have no events but the two of every item. */
  #eventName(): string | undefined {
    if (this.#block.kind === 'function') return 'response.function_call_arguments'
    return this.#block.kind === 'custom' ? 'response.custom_tool_call_input' : undefined
  }
}

/** The item of a call's seal, for an answer that was told without it. */
export function keptCallSeal(id: string, sealed: Sealed): KeptItem {
  const item = reasoningItem({ id, text: '', encrypted: wrapCallSeal(sealed, 'responses') })
  return { id, text: JSON.stringify(item) }
}

/** The empty reasoning item in front of a call, in which the call's seal travels. */
export class SealedCallWriter extends ItemWriter {
  readonly #encrypted: string

  constructor(slot: ItemSlot, sealed: Sealed) {
    super(slot)
    this.#encrypted = wrapCallSeal(sealed, 'responses')
  }

  open(): string {
    return this.begin('rs', (id) => this.#item(id))
  }

  delta(): string {
    return ''
  }

  done(): string {
    return this.finish(this.#item(this.id))
  }

  #item(id: string): JsonObject {
    return reasoningItem({ id, text: '', encrypted: this.#encrypted })
  }
}
