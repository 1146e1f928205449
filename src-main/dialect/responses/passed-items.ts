// Follows the output items of a stream that is passed on as it comes: what they say, once, for estimates; and which of them are done
// or open, so that the stream can be ended early.

import type { GeneratedText } from '#dialect/generated-text.ts'
import { isRecord } from '#dialect/request-body.ts'
import { BesideText } from '#dialect/responses/measure.ts'
import { ItemRegister } from '#dialect/responses/item-register.ts'
import { OpenItem, type OwnEvent } from '#dialect/responses/open-item.ts'
import type { OutputItem } from '#dialect/responses/output-item.ts'
import { beginningPart, pieceIn, type Piece } from '#dialect/responses/pieces.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The next piece of a text, and the item that it is of. */
type Spoken = { readonly known: OutputItem; readonly piece: Piece; readonly event: JsonObject }

export class PassedItems {
  readonly #generated: GeneratedText
  readonly #beside: BesideText
  readonly #register = new ItemRegister()
  readonly #open = new Map<OutputItem, OpenItem>()
  readonly #done = new Map<OutputItem, unknown>()
  #spoken: Spoken | undefined

  constructor(generated: GeneratedText) {
    this.#generated = generated
    this.#beside = new BesideText(generated)
  }

  /** Takes note of an event. */
  note(type: string, event: JsonObject): void {
    const { item } = event
    if (type === 'response.output_item.added') {
      if (isRecord(item)) this.#added(event, item)
    } else if (type === 'response.output_item.done') {
      if (isRecord(item)) this.#end(this.#register.ofItem(event, item, true), item)
    } else this.#inside(type, event)
  }

  /** The text of an event, if it is the one that was noted last and said nothing else. */
  saidBy(event: JsonObject): string | undefined {
    return this.#spoken?.event === event ? this.#spoken.piece.text : undefined
  }

  /** Takes note of an event that is the same as the last one but for its text. */
  again(text: string): void {
    if (this.#spoken === undefined) return
    const { known, piece, event } = this.#spoken
    this.#take(known, { ...piece, text })
    this.#open.get(known)?.note(event, text)
  }

  /** Takes what a final response holds beyond what was told before. */
  final(output: readonly unknown[]): void {
    for (const { known, item } of this.#register.pending(output)) this.#end(known, item)
  }

  /** Ends what is open, in its order, marked incomplete. Returns the events that say so. */
  close(which: 'messages' | 'all'): OwnEvent[] {
    const events: OwnEvent[] = []
    for (const [known, item] of this.#open) {
      if (which === 'messages' && !item.isMessage) continue
      for (const event of item.close()) events.push(event)
      this.#done.set(known, item.item())
      this.#open.delete(known)
    }
    return events
  }

  /** All items that are done. */
  output(): unknown[] {
    return [...this.#done].toSorted(([one], [other]) => placeOf(one) - placeOf(other)).map(([, item]) => item)
  }

  #added(event: JsonObject, item: JsonObject): void {
    const known = this.#register.ofItem(event, item, false)
    this.#addName(item)
    this.#beside.item(known, item)
    this.#open.set(known, new OpenItem(placeOf(known), item))
  }

  #end(known: OutputItem, item: JsonObject): void {
    if (known.isDone) return
    // An item that only its end tells of has its name from there.
    if (known.begun === undefined || known.begun === item) this.#addName(item)
    for (const { text } of known.takeItem(item)) this.#generated.add(text)
    this.#beside.item(known, item)
    known.isDone = true
    this.#done.set(known, item)
    this.#open.delete(known)
  }

  #inside(type: string, event: JsonObject): void {
    const part = beginningPart(type, event)
    const piece = part === undefined ? pieceIn(type, event) : undefined
    const kind = (part ?? piece)?.kind
    const hasMore = this.#beside.event(type, event, kind !== undefined)
    if (kind === undefined) return
    const known = this.#register.ofPiece(event, kind)
    if (part !== undefined) known.beginPart(part)
    if (piece !== undefined) this.#take(known, piece)
    this.#open.get(known)?.note(event)
    if (piece !== undefined && piece.whole === undefined && !hasMore) this.#spoken = { known, piece, event }
  }

  #take(known: OutputItem, piece: Piece): void {
    const news = known.take(piece)
    if (news !== undefined) this.#generated.add(news.text)
  }

  #addName({ name }: JsonObject): void {
    if (typeof name === 'string') this.#generated.add(name)
  }
}

function placeOf({ index, order }: OutputItem): number {
  return index ?? order
}
