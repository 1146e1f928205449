// Puts blocks that run side by side one after the other, for formats whose pieces say which block they belong to. Of two blocks of
// one type the later one waits until the earlier one has ended, so that no text gets mixed up. A block of another type does not
// wait: servers leave their reasoning open until the answer is complete, and nobody is to wait for the answer because of that.
// What then still comes of the block that gave way, such as its seal, is told as soon as the present one has ended.

import { append } from '#core/append.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { BlockSequencer, type PlainType, type ToolPiece } from '#dialect/blocks.ts'
import type { AnswerPart, CitationPart } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'

type Entry = {
  readonly key: string
  readonly type: PlainType
  /** What waits for its turn. */
  text: string
  citations: CitationPart[]
  sealed: Sealed | undefined
  /** Whether anything of it was told. */
  hasSpoken: boolean
  isEnded: boolean
}

/** More than any answer cites; what waits for its text is kept in memory. */
const MAX_CITATIONS = 1000
/** More than any provider keeps open. */
const MAX_OPEN = 1000

export class KeyedBlocks {
  readonly #blocks: BlockSequencer
  /** The blocks that have not ended, or wait, in the order in which they began. */
  #entries: Entry[] = []
  /** The one whose block is open. */
  #current: Entry | undefined
  /** Sources that came before any text did. */
  #citations: CitationPart[] = []
  #hasText = false

  constructor(choice: number, newCallId: () => string) {
    this.#blocks = new BlockSequencer(choice, newCallId)
  }

  get hasToolCalls(): boolean {
    return this.#blocks.hasToolCalls
  }

  get hasWholeCalls(): boolean {
    return this.#blocks.hasWholeCalls
  }

  /** A block begins that may have nothing to tell yet; later ones of its type wait for it. */
  begin(key: string, type: PlainType): void {
    this.#entry(key, type)
  }

  plain(key: string, type: PlainType, text: string): AnswerPart[] {
    if (text === '') return []
    const current = this.#current
    // Nearly every piece: the next one of the block that is open.
    if (current?.key === key && current.type === type && current.text === '')
      return this.#cited(this.#blocks.plain(type, text))
    this.#entry(key, type).text += text
    return this.#cited(this.#speak())
  }

  /** A source of a block's text; it waits where the text does. */
  cite(key: string, citation: CitationPart): AnswerPart[] {
    const entry = this.#entries.find((one) => one.key === key && one.type === 'text' && !one.isEnded)
    const waits = entry !== undefined && entry.text !== ''
    if (!waits && this.#hasText) return [citation]
    const citations = waits ? entry.citations : this.#citations
    if (citations.length < MAX_CITATIONS) citations.push(citation)
    return []
  }

  /** Ends what there is of a block. What was sealed is the reasoning's, also where there is none to show. */
  end(key: string, sealed?: Sealed): AnswerPart[] {
    const own = this.#entries.filter((entry) => entry.key === key)
    const reasoning = sealed === undefined ? undefined : this.#entry(key, 'reasoning')
    if (reasoning !== undefined) reasoning.sealed = sealed
    for (const entry of reasoning === undefined ? own : [...own, reasoning]) entry.isEnded = true
    return this.#cited(this.#speak())
  }

  /** A piece of a tool call. What is open ends where a call begins. */
  tool(piece: ToolPiece): AnswerPart[] {
    const parts = this.#blocks.tool(piece)
    if (parts.length > 0) this.#current = undefined
    return this.#cited(parts)
  }

  /** The end of a call, with the arguments that came at its begin. */
  endTool(key: string, given: string): AnswerPart[] {
    return this.#cited(this.#blocks.endTool(key, given))
  }

  /** The end of the choice: everything that waited comes out. */
  finish(options: { readonly isCut: boolean }): AnswerPart[] {
    const parts: AnswerPart[] = []
    for (const entry of this.#entries) entry.isEnded = true
    append(parts, this.#speak())
    append(parts, this.#blocks.end(options))
    return this.#cited(parts)
  }

  /** With the sources that waited for the first text, behind its begin. */
  #cited(parts: AnswerPart[]): AnswerPart[] {
    if (this.#hasText) return parts
    const begin = parts.findIndex((part) => part.type === 'open' && part.block.type === 'text')
    if (begin === -1) return parts
    this.#hasText = true
    const behind = parts.splice(begin + 1)
    append(parts, this.#citations.splice(0))
    append(parts, behind)
    return parts
  }

  #entry(key: string, type: PlainType): Entry {
    const known = this.#entries.find((entry) => entry.key === key && entry.type === type && !entry.isEnded)
    if (known !== undefined) return known
    if (this.#entries.length >= MAX_OPEN)
      throw new UpstreamFailure('too_large', 'The provider sent too many blocks at once.')
    const rest = { text: '', citations: [], sealed: undefined, hasSpoken: false, isEnded: false }
    const entry: Entry = { key, type, ...rest }
    this.#entries.push(entry)
    return entry
  }

  /** Tells what may be told now. */
  #speak(): AnswerPart[] {
    const parts: AnswerPart[] = []
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      if (entry.text !== '') append(parts, this.#write(entry))
      if (entry.isEnded) append(parts, this.#close(entry))
    }
    return parts
  }

  /** The block whose turn it is, if it has anything to tell. */
  #next(): Entry | undefined {
    const current = this.#current
    if (current !== undefined && isDue(current)) return current
    const heads = this.#entries.filter((entry, place) => place === this.#headOf(entry.type) && isDue(entry))
    // A block that gave way does not break into the one that is open, and neither does a seal alone.
    return heads.find((entry) => current === undefined || (!entry.hasSpoken && entry.text !== '') || isSilentEnd(entry))
  }

  #headOf(type: PlainType): number {
    return this.#entries.findIndex((entry) => entry.type === type)
  }

  #write(entry: Entry): AnswerPart[] {
    const parts = this.#current === entry ? [] : this.#blocks.close()
    append(parts, this.#blocks.plain(entry.type, entry.text))
    entry.text = ''
    entry.hasSpoken = true
    this.#current = entry
    if (entry.type === 'text') append(parts, entry.citations.splice(0))
    return parts
  }

  #close(entry: Entry): AnswerPart[] {
    this.#entries = this.#entries.filter((other) => other !== entry)
    const { sealed } = entry
    if (this.#current === entry) {
      this.#current = undefined
      const closed = this.#blocks.close(sealed)
      return closed.length > 0 || sealed === undefined ? closed : this.#blocks.sealedReasoning(sealed)
    }
    if (sealed === undefined) return []
    this.#current = undefined
    return this.#blocks.sealedReasoning(sealed)
  }
}

function isDue({ text, isEnded }: Entry): boolean {
  return text !== '' || isEnded
}

/** An end that nobody notices. */
function isSilentEnd({ text, sealed }: Entry): boolean {
  return text === '' && sealed === undefined
}
