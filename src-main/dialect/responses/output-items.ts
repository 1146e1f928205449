// The output items of the responses format as parts, from the events of a stream as they come and from whole items. An item's
// last event repeats all of it, so whatever came in pieces before is not taken from there again.

import { BlockSequencer } from '#dialect/blocks.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import { customArguments } from '#dialect/tools.ts'
import type { JsonObject } from '#dialect/turn.ts'

type State = {
  /** Which contents came in pieces: `text:0`, `summary:1`, `arguments`. */
  readonly seen: Set<string>
  /** Whether reasoning is told by its summary or by its own text; providers that send both say the same twice. */
  reasoning: 'summary' | 'content' | undefined
  /** The part of the reasoning that was written last. */
  reasoningPart: number
  hasCitations: boolean
  /** Calls of tools that take free text, whose arguments are made into JSON on the way. */
  isCustom: boolean
  isDone: boolean
}

/** Tells one item from another. Ids change within one item at some providers, indexes do not. */
export type ItemKey = string

export class OutputItems {
  readonly #blocks: BlockSequencer
  readonly #items = new Map<ItemKey, State>()
  /** The item that the open block of text or reasoning belongs to. */
  #current: ItemKey | undefined

  constructor(newCallId: () => string) {
    this.#blocks = new BlockSequencer(0, newCallId)
  }

  get isEmpty(): boolean {
    return this.#items.size === 0
  }

  get hasToolCalls(): boolean {
    return this.#blocks.hasToolCalls
  }

  added(key: ItemKey, item: JsonObject): AnswerPart[] {
    const state = this.#state(key)
    state.isCustom = item['type'] === 'custom_tool_call'
    return state.isCustom || item['type'] === 'function_call' ? this.#call(key, item, '') : []
  }

  /** A piece of a message's text or refusal, or all of one that came without pieces. */
  said(key: ItemKey, type: 'text' | 'refusal', piece: Piece): AnswerPart[] {
    if (!this.#takes(key, `${type}:${piece.index}`, piece)) return []
    return this.#plain(key, type, piece.text)
  }

  reasoned(key: ItemKey, kind: 'summary' | 'content', piece: Piece): AnswerPart[] {
    const state = this.#state(key)
    state.reasoning ??= kind
    if (state.reasoning !== kind || !this.#takes(key, `${kind}:${piece.index}`, piece)) return []
    const isNewPart = state.reasoningPart !== -1 && state.reasoningPart !== piece.index
    state.reasoningPart = piece.index
    return this.#plain(key, 'reasoning', isNewPart ? `\n\n${piece.text}` : piece.text)
  }

  /** A piece of a function's arguments. */
  argued(key: ItemKey, piece: Omit<Piece, 'index'>): AnswerPart[] {
    return this.#takes(key, 'arguments', piece) ? this.#call(key, {}, piece.text) : []
  }

  /** A piece of a custom tool's input. */
  entered(key: ItemKey, piece: Omit<Piece, 'index'>): AnswerPart[] {
    const state = this.#state(key)
    if (piece.isWhole)
      return this.#takes(key, 'arguments', piece) ? this.#call(key, {}, customArguments(piece.text)) : []
    const isFirst = !state.seen.has('arguments')
    state.seen.add('arguments')
    state.isCustom = true
    // The inside of a JSON string; halves of a character that were cut in two are escapes, and fit together again.
    const inside = JSON.stringify(piece.text).slice(1, -1)
    return this.#call(key, {}, isFirst ? `{"input":"${inside}` : inside)
  }

  cited(key: ItemKey, annotation: unknown): AnswerPart[] {
    const citation = citationOf(annotation)
    if (citation === undefined) return []
    this.#state(key).hasCitations = true
    return [citation]
  }

  /** The item as a whole. */
  done(key: ItemKey, item: JsonObject): AnswerPart[] {
    const state = this.#state(key)
    if (state.isDone) return []
    state.isDone = true
    switch (item['type']) {
      case 'message':
        return [...this.#messageRest(key, item, state), ...this.#leave(key)]
      case 'reasoning':
        return [...this.#reasoningRest(key, item), ...this.#seal(key, item['encrypted_content'])]
      case 'function_call':
        return this.#endCall(key, item, textIn(item['arguments']))
      case 'custom_tool_call': {
        const wasStreamed = state.isCustom && state.seen.has('arguments')
        return wasStreamed
          ? this.#call(key, item, '"}')
          : this.#endCall(key, item, customArguments(textIn(item['input'])))
      }
      default:
        return []
    }
  }

  end(options: { readonly isCut: boolean }): AnswerPart[] {
    return this.#blocks.end(options)
  }

  #messageRest(key: ItemKey, item: JsonObject, state: State): AnswerPart[] {
    return recordsIn(item['content']).flatMap((part, index) => {
      const isRefusal = part['type'] === 'refusal'
      const text = textIn(part[isRefusal ? 'refusal' : 'text'])
      const said = this.said(key, isRefusal ? 'refusal' : 'text', { index, text, isWhole: true })
      if (state.hasCitations) return said
      return [...said, ...recordsIn(part['annotations']).flatMap((annotation) => citationOf(annotation) ?? [])]
    })
  }

  #reasoningRest(key: ItemKey, item: JsonObject): AnswerPart[] {
    const whole = (kind: 'summary' | 'content') =>
      recordsIn(item[kind]).flatMap((part, index) =>
        this.reasoned(key, kind, { index, text: textIn(part['text']), isWhole: true }),
      )
    return [...whole('summary'), ...whole('content')]
  }

  #seal(key: ItemKey, encrypted: unknown): AnswerPart[] {
    if (typeof encrypted !== 'string' || encrypted === '') return this.#leave(key)
    const sealed = { origin: 'responses', value: encrypted } as const
    const parts = this.#current === key ? this.#blocks.close(sealed) : []
    this.#current = undefined
    return parts.length > 0 ? parts : this.#blocks.sealedReasoning(sealed)
  }

  #endCall(key: ItemKey, item: JsonObject, whole: string): AnswerPart[] {
    const isKnown = this.#state(key).seen.has('arguments')
    return this.#call(key, item, isKnown ? '' : whole === '' ? '{}' : whole)
  }

  #call(key: ItemKey, item: JsonObject, argumentsText: string): AnswerPart[] {
    this.#current = undefined
    const { call_id: id, name } = item
    return this.#blocks.tool({
      key,
      id: typeof id === 'string' ? id : undefined,
      name: typeof name === 'string' ? name : undefined,
      arguments: argumentsText,
    })
  }

  #plain(key: ItemKey, type: 'text' | 'refusal' | 'reasoning', text: string): AnswerPart[] {
    if (text === '') return []
    const before = this.#current === key ? [] : this.#blocks.close()
    this.#current = key
    return [...before, ...this.#blocks.plain(type, text)]
  }

  #leave(key: ItemKey): AnswerPart[] {
    if (this.#current !== key) return []
    this.#current = undefined
    return this.#blocks.close()
  }

  /** Whether a piece is news: a whole text is not where its pieces came before. */
  #takes(key: ItemKey, content: string, { text, isWhole }: Omit<Piece, 'index'>): boolean {
    const { seen } = this.#state(key)
    if (text === '' || (isWhole && seen.has(content))) return false
    seen.add(content)
    return true
  }

  #state(key: ItemKey): State {
    const known = this.#items.get(key)
    if (known !== undefined) return known
    const state: State = {
      seen: new Set(),
      reasoning: undefined,
      reasoningPart: -1,
      hasCitations: false,
      isCustom: false,
      isDone: false,
    }
    this.#items.set(key, state)
    return state
  }
}

export type Piece = {
  /** Of the content within its item. */
  readonly index: number
  readonly text: string
  /** Whether it is all of the text, not the next piece of it. */
  readonly isWhole: boolean
}

function citationOf(annotation: unknown): AnswerPart | undefined {
  if (!isRecord(annotation) || annotation['type'] !== 'url_citation') return undefined
  const { url, title } = annotation
  if (typeof url !== 'string' || url === '') return undefined
  return { type: 'citation', choice: 0, url, title: typeof title === 'string' ? title : undefined }
}

function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
