// Finds the output item that an event of the responses format is about: by its index, by the id that events inside an item
// name it by, by the item's own id, in that order. Servers leave out the one or the other, or all, and some give an item another
// id in each event; what is left then is which item can go on like this.

import { UpstreamFailure } from '#core/failure.ts'
import { isRecord } from '#dialect/request-body.ts'
import { OutputItem } from '#dialect/responses/output-item.ts'
import { ITEM_TYPES, piecesOfItem, type PieceKind } from '#dialect/responses/pieces.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** More than any answer has. */
const MAX_ITEMS = 4096

export class ItemRegister {
  readonly #items: OutputItem[] = []
  readonly #byIndex = new Map<number, OutputItem>()
  readonly #byName = new Map<string, OutputItem>()
  /** Whether events inside an item name it as it names itself; servers that do so once do so always. */
  #namesHold = false

  get all(): readonly OutputItem[] {
    return this.#items
  }

  /** The item that is added or done by an event. */
  ofItem(event: JsonObject, item: JsonObject, isEnd: boolean): OutputItem {
    const names = [...namesOf(event['item_id']), ...ownNames(item)]
    const type = textOf(item['type'])
    const isIt = (known: OutputItem) => fits(known, type) && !isNext(known, item, isEnd)
    const { output_index: index } = event
    const found = this.#known(index, names, isIt) ?? (isEnd ? this.#endedBy(item, type, index) : undefined)
    const known = this.#meet(found, index, names)
    known.type ??= type
    if (!isEnd || known.begun === undefined) known.begun = item
    return known
  }

  /** The item that an event inside it is about. */
  ofPiece(event: JsonObject, kind: PieceKind): OutputItem {
    const indexed = typeof event['output_index'] === 'number' ? this.#byIndex.get(event['output_index']) : undefined
    if (indexed?.isNamedInside === true && indexed.type === ITEM_TYPES[kind]) return indexed
    const names = namesOf(event['item_id'])
    const type = ITEM_TYPES[kind]
    const { output_index: index } = event
    const named = this.#known(index, names, (known) => fits(known, type))
    if (named?.begun !== undefined) this.#namesHold ||= ownNames(named.begun).some((name) => names.includes(name))
    const known = this.#meet(named ?? this.#nameless(this.#open(type, index), names), index, names)
    if (names.length > 0) known.isNamedInside = true
    return known
  }

  /**
   * The items of a final response that are still to be read, each with the item that was streamed as it. What the stream said is not
   * read again under another id; what is beyond it is, if the response holds more of that type.
   */
  pending(output: readonly unknown[]): { readonly known: OutputItem; readonly item: JsonObject }[] {
    const streamed = this.#items.slice()
    const matched = new Set<OutputItem>()
    const items = output.flatMap((item, position) => (isRecord(item) ? [{ item, position }] : []))
    const pairs = items.map(({ item, position }) => {
      const known = this.#streamedAs(item, position, matched)
      if (known !== undefined) matched.add(known)
      return { item, known }
    })
    return pairs.flatMap(({ item, known }) => {
      if (known !== undefined) return [{ known, item }]
      const type = textOf(item['type'])
      const own = streamed.filter((one) => one.type === type)
      const isMore = own.length === 0 || sizeOfOutput(output, type) > sizeOfStream(own, type)
      return isMore ? [{ known: this.#meet(undefined, undefined, ownNames(item)), item }] : []
    })
  }

  /** The open item that this is the end of, under a name that none has. */
  #endedBy(item: JsonObject, type: string | undefined, index: unknown): OutputItem | undefined {
    if (this.#namesHold && ownNames(item).length > 0) return undefined
    return this.#open(type, index).find((open) => open.isContinuedBy(item))
  }

  #streamedAs(item: JsonObject, position: number, matched: ReadonlySet<OutputItem>): OutputItem | undefined {
    const type = textOf(item['type'])
    const isIt = (known: OutputItem) => fits(known, type) && !matched.has(known) && !known.isApartFrom(item)
    const found = this.#known(position, ownNames(item), isIt)
    const others = this.#items.filter(isIt)
    return found ?? others.find((other) => other.isContinuedBy(item)) ?? others[0]
  }

  #known(index: unknown, names: readonly string[], isIt: (known: OutputItem) => boolean): OutputItem | undefined {
    const byIndex = typeof index === 'number' ? this.#byIndex.get(index) : undefined
    if (byIndex !== undefined && isIt(byIndex)) return byIndex
    for (const name of names) {
      const byName = this.#byName.get(name)
      if (byName === undefined || !isIt(byName)) continue
      // One id for several items is no id where their indexes tell them apart.
      if (typeof index !== 'number' || byName.index === undefined || byName.index === index) return byName
    }
    return undefined
  }

  /** The items of a type that something without a known name, and with this index or none, can belong to. */
  #open(type: string | undefined, index: unknown): readonly OutputItem[] {
    const isApart = typeof index === 'number'
    return this.#items.filter(
      (known) => !known.isDone && known.type === type && !(isApart && known.index !== undefined),
    )
  }

  /** Where a piece belongs that is without a name, or has one that no item has: then to one that has no other name yet. */
  #nameless(open: readonly OutputItem[], names: readonly string[]): OutputItem | undefined {
    if (names.length === 0) return open.at(-1)
    return this.#namesHold ? undefined : open.find((known) => !known.isNamedInside)
  }

  #meet(found: OutputItem | undefined, index: unknown, names: readonly string[]): OutputItem {
    const item = found ?? new OutputItem(this.#items.length)
    if (found === undefined) {
      if (this.#items.length >= MAX_ITEMS) throw new UpstreamFailure('too_large', 'The provider sent too many items.')
      this.#items.push(item)
    }
    if (typeof index === 'number') {
      item.index ??= index
      this.#byIndex.set(index, item)
    }
    for (const name of names) this.#byName.set(name, item)
    return item
  }
}

/** Whether an item that begins, or ends, once more is another one under the same index or id. */
function isNext(known: OutputItem, item: JsonObject, isEnd: boolean): boolean {
  const { begun, isDone } = known
  if (isEnd ? !isDone : begun === undefined) return false
  if (begun === undefined) return false
  if (!isEnd && isDone && known.index === undefined) return true
  return ['id', 'call_id'].some((name) => isOther(begun[name], item[name]))
}

function isOther(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one !== other
}

function fits(known: OutputItem, type: string | undefined): boolean {
  return known.type === undefined || type === undefined || known.type === type
}

/** How much a list of items holds of a type: calls are counted, texts measured. */
function sizeOfOutput(output: readonly unknown[], type: string | undefined): number {
  let size = 0
  for (const item of output) {
    if (!isRecord(item) || item['type'] !== type) continue
    if (isCall(type)) size += 1
    else for (const texts of piecesOfItem(item).values()) for (const text of texts.values()) size += text.length
  }
  return size
}

function sizeOfStream(items: readonly OutputItem[], type: string | undefined): number {
  if (isCall(type)) return items.length
  return items.reduce((sum, item) => sum + KINDS.reduce((length, kind) => length + item.length(kind), 0), 0)
}

const KINDS: readonly PieceKind[] = ['text', 'refusal', 'summary', 'content']

function isCall(type: string | undefined): boolean {
  return type === undefined || !['message', 'reasoning'].includes(type)
}

/** An item without an id of its own may be known by that of its call. */
function ownNames({ id, call_id: callId }: JsonObject): string[] {
  return namesOf(id, callId)
}

function namesOf(...names: readonly unknown[]): string[] {
  return names.filter((name): name is string => typeof name === 'string' && name !== '')
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
