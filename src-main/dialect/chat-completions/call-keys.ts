// Tells the tool calls of one streamed answer apart. Providers number them from 0, from 1, all with 0, or not at all; give an
// id once, in every piece, another one in every piece, the same to all, or none; and repeat the name or send an empty one.

import { JsonDepth } from '#dialect/blocks.ts'

type Call = {
  readonly key: string
  id: string | undefined
  name: string
  readonly index: number | undefined
  readonly depth: JsonDepth
}

export type CallPiece = {
  /** undefined where it is missing. */
  readonly index: number | undefined
  /** Empty where they are missing. */
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export class CallKeys {
  #count = 0
  #latest: Call | undefined
  readonly #byIndex = new Map<number, Call>()
  readonly #byId = new Map<string, Call>()

  /** The call that a piece belongs to. `id` is undefined where another call has it already. */
  of(piece: CallPiece): { readonly key: string; readonly id: string | undefined } {
    const call = this.#known(piece) ?? this.#begin(piece)
    if (call.name === '') call.name = piece.name
    if (call.id === undefined && piece.id !== '' && !this.#byId.has(piece.id)) {
      call.id = piece.id
      this.#byId.set(piece.id, call)
    }
    call.depth.read(piece.arguments)
    this.#latest = call
    return { key: call.key, id: call.id }
  }

  #known(piece: CallPiece): Call | undefined {
    const { id, index } = piece
    const byIndex = index === undefined ? undefined : this.#byIndex.get(index)
    if (id !== '') {
      const byId = this.#byId.get(id)
      // An id that comes late, or again, belongs to the call of that index where that one has no id of its own.
      if (byIndex !== undefined && byIndex.id === undefined && !isNext(byIndex, piece)) return byIndex
      if (byId !== undefined) return isOther(byId, piece) ? undefined : byId
      return isMore(byIndex, piece) ? byIndex : undefined
    }
    const call = index === undefined ? this.#latest : byIndex
    return call === undefined || isNext(call, piece) ? undefined : call
  }

  #begin(piece: CallPiece): Call {
    const key = String(this.#count++)
    const call: Call = { key, id: undefined, name: '', index: piece.index, depth: new JsonDepth() }
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call)
    return call
  }
}

/** Whether a piece with the id of a call is about another one: it has a name again and another index. */
function isOther(call: Call, piece: CallPiece): boolean {
  return piece.name !== '' && piece.index !== undefined && call.index !== undefined && piece.index !== call.index
}

/** Whether a piece with a new id goes on with the call of its number all the same: it begins none, and that one is still open or gets nothing. */
function isMore(call: Call | undefined, piece: CallPiece): boolean {
  if (call === undefined || call.name === '' || piece.name !== '') return false
  return !call.depth.isComplete || piece.arguments === ''
}

/** Whether a piece without an id of its own begins a call: it has another name, or arguments for one that has them all. */
function isNext(call: Call, piece: CallPiece): boolean {
  if (piece.name === '' || call.name === '') return false
  return call.name !== piece.name || (call.depth.isComplete && piece.arguments !== '')
}
