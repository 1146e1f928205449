// Puts what a provider sends in any order into blocks that come one after the other. Chat completions stream the arguments of
// several tool calls in turns, go from reasoning to text and back, and never say where anything ends; clients of the other
// formats need one open block at a time.

import { append } from '#core/append.ts'
import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import type { AnswerPart } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'

export type PlainType = 'text' | 'refusal' | 'reasoning'

/** A piece of a tool call as it comes: only the first has to have an id and a name. */
export type ToolPiece = {
  /** Tells the calls of one answer apart: the provider's index, or its id where indexes lie. */
  readonly key: string
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string
  readonly sealed?: Sealed | undefined
}

type Pending = {
  state: 'waiting' | 'live' | 'closed'
  id: string | undefined
  name: string
  arguments: string
  /** What the provider sealed with the call and was not sent yet. */
  sealed: Sealed | undefined
  readonly depth: JsonDepth
  hasArguments: boolean
  /** How the provider said that nothing more of it comes; whether a call without pieces was cut off shows only afterwards. */
  end: 'told' | 'undecided' | undefined
}

/** Text or reasoning that waits. */
type Held = { readonly type: PlainType; text: string; sealed: Sealed | undefined; isEnded: boolean }

/** More than any model calls at once; what waits for its turn is kept in memory. */
const MAX_TOOL_CALLS = 512
/** More than any model goes from reasoning to text and back in the middle of a call. */
const MAX_HELD = 10_000

/** The blocks of one choice. Methods return the parts that can be sent now. */
export class BlockSequencer {
  readonly #choice: number
  readonly #newCallId: () => string
  #open: PlainType | undefined
  #live: Pending | undefined
  /** Calls that wait until the live one is complete. */
  #waiting: Pending[] = []
  /** Text and reasoning that came while a call was still incomplete. */
  readonly #held: Held[] = []
  readonly #calls = new Map<string, Pending>()
  readonly #ids = new Set<string>()
  /** Whether any tool call was begun. */
  hasToolCalls = false
  /** Whether any came to its end. */
  hasWholeCalls = false

  constructor(choice: number, newCallId: () => string) {
    this.#choice = choice
    this.#newCallId = newCallId
  }

  /** Text, a refusal or reasoning. Empty text opens nothing. */
  plain(type: PlainType, text: string): AnswerPart[] {
    if (text === '') return []
    // Nearly every piece: more of the block that is open.
    if (this.#live === undefined && this.#open === type) return [{ type: 'delta', choice: this.#choice, text }]
    const parts: AnswerPart[] = []
    if (this.#live !== undefined && !this.#settleCalls(parts)) {
      const last = this.#held.at(-1)
      if (last?.type === type && !last.isEnded) last.text += text
      else this.#hold({ type, text, sealed: undefined, isEnded: false })
      return parts
    }
    this.#write(type, text, parts)
    return parts
  }

  /** Ends the open block, reasoning above all, with what the provider sealed; nothing where no block is open. */
  close(sealed?: Sealed): AnswerPart[] {
    const held = this.#held.at(-1)
    if (held !== undefined && !held.isEnded) {
      held.sealed = sealed
      held.isEnded = true
      return []
    }
    return this.#closeOpen(sealed)
  }

  /** A block that has nothing to show but what the provider sealed. */
  sealedReasoning(sealed: Sealed): AnswerPart[] {
    const parts: AnswerPart[] = []
    if (this.#live !== undefined && !this.#settleCalls(parts)) {
      this.#hold({ type: 'reasoning', text: '', sealed, isEnded: true })
    } else this.#writeSealed(sealed, parts)
    return parts
  }

  tool(piece: ToolPiece): AnswerPart[] {
    const parts: AnswerPart[] = []
    const known = this.#calls.get(piece.key)
    if (known === undefined) {
      if (this.#calls.size >= MAX_TOOL_CALLS)
        throw new UpstreamFailure('too_large', 'The provider sent too many tool calls.')
      const call: Pending = {
        state: 'waiting',
        id: undefined,
        name: '',
        arguments: '',
        sealed: undefined,
        depth: new JsonDepth(),
        hasArguments: false,
        end: undefined,
      }
      this.#calls.set(piece.key, call)
      this.#waiting.push(call)
      this.#keep(call, piece)
      this.#settleCalls(parts)
    } else if (known.state === 'live') this.#grow(known, piece, parts)
    else if (known.state === 'waiting') {
      this.#keep(known, piece)
      this.#settleCalls(parts)
    }
    // A late piece of a call that is closed already can only be one that says nothing more.
    return parts
  }

  /** The end of a call, for formats that tell it. `given`: its arguments as they came with its begin, for one without pieces. */
  endTool(key: string, given: string): AnswerPart[] {
    const call = this.#calls.get(key)
    const parts: AnswerPart[] = []
    if (call === undefined || call.state === 'closed' || call.end !== undefined) return parts
    call.end = call.hasArguments ? 'told' : 'undecided'
    const piece = { key, id: undefined, name: undefined, arguments: call.hasArguments ? '' : given }
    if (call.state === 'live') this.#grow(call, piece, parts)
    else this.#keep(call, piece)
    if (call.end === 'told' || this.#waiting.length > 0) this.#settleCalls(parts)
    return parts
  }

  /** The end of the choice: everything that waited comes out. `isCut` says that the answer was cut off by its length. */
  end({ isCut }: { readonly isCut: boolean }): AnswerPart[] {
    const parts: AnswerPart[] = []
    const nameless = this.#waiting.filter((call) => call.name === '')
    if (!isCut && nameless.some((call) => call.id !== undefined || call.arguments.trim() !== ''))
      throw brokenOutput('The provider sent a tool call without a name.')
    const named = this.#waiting.filter((call) => call.name !== '')
    this.#waiting = named
    if (this.#live === undefined) this.#next(parts)
    while (this.#live !== undefined) {
      this.#closeCall(this.#live, parts, isCutAtEnd(this.#live, isCut, this.#waiting.length > 0))
      this.#next(parts)
    }
    this.#release(parts)
    append(parts, this.#closeOpen())
    return parts
  }

  #closeOpen(sealed?: Sealed): AnswerPart[] {
    if (this.#open === undefined) return []
    this.#open = undefined
    return [{ type: 'close', choice: this.#choice, sealed }]
  }

  #hold(held: Held): void {
    if (this.#held.length >= MAX_HELD)
      throw new UpstreamFailure('too_large', 'The provider sent too much in the middle of a tool call.')
    this.#held.push(held)
  }

  #release(parts: AnswerPart[]): void {
    for (const { type, text, sealed, isEnded } of this.#held.splice(0)) {
      if (text !== '') this.#write(type, text, parts)
      else if (sealed !== undefined) this.#writeSealed(sealed, parts)
      if (isEnded) append(parts, this.#closeOpen(sealed))
    }
  }

  #writeSealed(sealed: Sealed, parts: AnswerPart[]): void {
    const choice = this.#choice
    const open = { type: 'open', choice, block: { type: 'reasoning' } } as const
    append(parts, [...this.#closeOpen(), open, { type: 'close', choice, sealed }])
  }

  #write(type: PlainType, text: string, parts: AnswerPart[]): void {
    const choice = this.#choice
    if (this.#open !== type) {
      append(parts, [...this.#closeOpen(), { type: 'open', choice, block: { type } }])
      this.#open = type
    }
    parts.push({ type: 'delta', choice, text })
  }

  /** Closes complete calls as long as others wait. True when no call is live any more, or could be closed. */
  #settleCalls(parts: AnswerPart[]): boolean {
    if (this.#live === undefined) this.#next(parts)
    while (this.#live !== undefined && (this.#live.depth.isComplete || this.#live.end !== undefined)) {
      this.#closeCall(this.#live, parts, isCutAtEnd(this.#live, false, true))
      this.#next(parts)
    }
    if (this.#live === undefined) this.#release(parts)
    return this.#live === undefined
  }

  /** Makes the next waiting call the live one. A call without a name yet has to wait on. */
  #next(parts: AnswerPart[]): void {
    this.#live = undefined
    const call = this.#waiting[0]
    if (call === undefined || call.name === '') return
    this.#waiting.shift()
    append(parts, this.#closeOpen())
    const { name, sealed } = call
    // An id that another call has would make two results of one.
    const id = call.id === undefined || this.#ids.has(call.id) ? this.#newCallId() : call.id
    this.#ids.add(id)
    const block = { type: 'tool-call', id, name, kind: 'function', sealed } as const
    parts.push({ type: 'open', choice: this.#choice, block })
    if (call.arguments !== '') parts.push({ type: 'delta', choice: this.#choice, text: call.arguments })
    call.state = 'live'
    call.arguments = ''
    call.sealed = undefined
    this.#live = call
    this.hasToolCalls = true
  }

  #grow(call: Pending, piece: ToolPiece, parts: AnswerPart[]): void {
    call.sealed = piece.sealed ?? call.sealed
    if (piece.arguments === '') return
    call.hasArguments ||= piece.arguments.trim() !== ''
    call.depth.read(piece.arguments)
    parts.push({ type: 'delta', choice: this.#choice, text: piece.arguments })
  }

  /** Some providers repeat the name in every piece, others send an empty one; the first that is not empty counts. */
  #keep(call: Pending, piece: ToolPiece): void {
    if (call.id === undefined && piece.id !== undefined && piece.id !== '') call.id = piece.id
    if (call.name === '' && piece.name !== undefined) call.name = piece.name
    call.sealed ??= piece.sealed
    call.arguments += piece.arguments
    call.hasArguments ||= piece.arguments.trim() !== ''
    call.depth.read(piece.arguments)
  }

  #closeCall(call: Pending, parts: AnswerPart[], isCut: boolean): void {
    call.state = 'closed'
    this.hasWholeCalls ||= !isCut
    const sealed = call.sealed === undefined ? {} : { sealed: call.sealed }
    parts.push({ type: 'close', choice: this.#choice, ...sealed, ...(isCut ? { isCut } : {}) })
  }
}

/** Whether a call is handed over as one that nobody may run. `isCut`: the answer was cut off by its length. */
function isCutAtEnd({ end, depth }: Pending, isCut: boolean, isFollowed: boolean): boolean {
  if (end === 'undecided') return isCut && !isFollowed
  return (isCut || end === 'told') && !depth.isComplete
}

/** Follows JSON text as it comes and knows when an object is complete. */
export class JsonDepth {
  #depth = 0
  #isString = false
  #isEscaped = false
  /** True while every brace that was opened is closed again, and there was one. */
  isComplete = false

  read(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (code === 0x5c) this.#isEscaped = true
        else if (code === 0x22) this.#isString = false
      } else if (code === 0x22) this.#isString = true
      else if (code === 0x7b || code === 0x5b) {
        this.#depth += 1
        this.isComplete = false
      } else if ((code === 0x7d || code === 0x5d) && this.#depth > 0) {
        this.#depth -= 1
        this.isComplete = this.#depth === 0
      }
    }
  }
}
