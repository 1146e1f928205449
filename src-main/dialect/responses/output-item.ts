// One output item of a stream in the responses format: who it is, and how much of it is known. It keeps the length and a hash of
// what was said, and not the text: streams are long, and many of them run at once.

import { ITEM_TYPES, piecesOfItem, type Piece, type PieceKind } from '#dialect/responses/pieces.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What is new of a text, and at which place within its item it stands. */
export type News = { readonly kind: PieceKind; readonly index: number; readonly text: string }

export class OutputItem {
  /** The how manyth it is, which tells it apart from every other one. */
  readonly order: number
  /** As the provider numbers it; undefined where it does not. */
  index: number | undefined
  type: string | undefined
  /** The item as it was told when it began. */
  begun: JsonObject | undefined
  isDone = false
  /** Whether events inside the item named it. */
  isNamedInside = false
  readonly #said = new Map<PieceKind, Said>()

  constructor(order: number) {
    this.order = order
  }

  /** How many characters were said of a kind. */
  length(kind: PieceKind): number {
    return this.#said.get(kind)?.total.length ?? 0
  }

  /** A part begins: without a number of its own, it is the next one. */
  beginPart({ kind, index }: Pick<Piece, 'kind' | 'index'>): void {
    const said = this.#of(kind)
    if (index !== undefined) said.part = index
    else if (said.parts.has(said.part)) said.part += 1
  }

  /** What a piece brings that was not said before. */
  take(piece: Piece): News | undefined {
    const { kind, whole } = piece
    const said = this.#of(kind)
    const part = partOf(said, piece)
    const text = whole === undefined ? piece.text : part.seen.rest(piece.text)
    if (whole !== undefined) part.told.add(whole)
    if (text === '') return undefined
    part.seen.add(text)
    said.total.add(text)
    return { kind, index: said.part, text }
  }

  /** What the item as a whole brings that was not said before. */
  takeItem(item: JsonObject): News[] {
    const news: News[] = []
    for (const [kind, texts] of piecesOfItem(item)) {
      const said = this.#of(kind)
      // Without numbers nobody knows where one part ended and the next began, but all of them together are known.
      let skipped = said.isNumbered ? 0 : said.total.skip([...texts.values()].join(''))
      for (const [index, whole] of texts) {
        const { seen } = seenAt(said, index)
        const text = said.isNumbered ? seen.rest(whole) : whole.slice(skipped)
        skipped = Math.max(0, skipped - whole.length)
        if (text === '') continue
        seen.add(text)
        said.total.add(text)
        news.push({ kind, index, text })
      }
    }
    return news.toSorted((left, right) => left.index - right.index)
  }

  /** Whether an item goes on where this one is, so that it can be this one. */
  isContinuedBy(item: JsonObject): boolean {
    if (this.isApartFrom(item)) return false
    const pieces = piecesOfItem(item)
    for (const [kind, { total }] of this.#said) {
      const whole = [...(pieces.get(kind)?.values() ?? [])].join('')
      if (total.length > 0 && !total.isBeginningOf(whole)) return false
    }
    return true
  }

  /** Whether an item is another one for sure: its call has another id, or another function. */
  isApartFrom(item: JsonObject): boolean {
    const { begun } = this
    if (begun === undefined) return false
    return ['call_id', 'name'].some((name) => {
      const [own, other] = [begun[name], item[name]]
      return typeof own === 'string' && typeof other === 'string' && own !== other
    })
  }

  #of(kind: PieceKind): Said {
    this.type ??= ITEM_TYPES[kind]
    const known = this.#said.get(kind)
    if (known !== undefined) return known
    const said: Said = { total: new Seen(), parts: new Map(), part: 0, isNumbered: true }
    this.#said.set(kind, said)
    return said
  }
}

type SaidPart = {
  readonly seen: Seen
  /** By which kinds of events the part was told as a whole. */
  readonly told: Set<string>
}

type Said = {
  readonly total: Seen
  readonly parts: Map<number, SaidPart>
  /** The one that is being said. */
  part: number
  /** Whether every piece said which part it belongs to. */
  isNumbered: boolean
}

/** The part that a piece belongs to. Without a number it is the present one, or the next where that has come to its end. */
function partOf(said: Said, { index, whole }: Piece): SaidPart {
  if (index !== undefined) said.part = index
  else {
    said.isNumbered = false
    const told = said.parts.get(said.part)?.told
    // The end of a text, and that of its part, are each told once.
    if (told !== undefined && (whole === undefined ? told.size > 0 : told.has(whole))) said.part += 1
  }
  return seenAt(said, said.part)
}

function seenAt({ parts }: Said, index: number): SaidPart {
  const known = parts.get(index)
  if (known !== undefined) return known
  const part = { seen: new Seen(), told: new Set<string>() }
  parts.set(index, part)
  return part
}

/** A text by its length and its hash (FNV-1a). */
class Seen {
  length = 0
  #hash = 0x811c9dc5

  add(text: string): void {
    this.length += text.length
    this.#hash = hashOf(text, text.length, this.#hash)
  }

  isBeginningOf(whole: string): boolean {
    return whole.length >= this.length && hashOf(whole, this.length, 0x811c9dc5) === this.#hash
  }

  /** How much of a whole text there is no need to say. One that differs from what was said is not said again. */
  skip(whole: string): number {
    return this.length > 0 && !this.isBeginningOf(whole) ? whole.length : this.length
  }

  rest(whole: string): string {
    return whole.slice(this.skip(whole))
  }
}

function hashOf(text: string, length: number, seed: number): number {
  let hash = seed
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
