// The output items of the responses format as parts, from the events of a stream as they come and from whole items. An item's
// last event repeats all of it, so whatever came in pieces before is not taken from there again.

import { append } from '#core/append.ts'
import type { ToolPiece } from '#dialect/blocks.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { KeyedBlocks } from '#dialect/keyed-blocks.ts'
import type { AnswerPart, CitationPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import { ItemRegister } from '#dialect/responses/item-register.ts'
import { BesideText } from '#dialect/responses/measure.ts'
import type { News, OutputItem } from '#dialect/responses/output-item.ts'
import { beginningPart, ITEM_TYPES, pieceIn, recordsIn, type Piece } from '#dialect/responses/pieces.ts'
import { customArguments } from '#dialect/tools.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What is known of an item beside what was said in it. */
type State = {
  /** Whether reasoning is told by its summary or by its own text; providers that send both say the same twice. */
  reasoning: 'summary' | 'content' | undefined
  /** The part of the reasoning that was written last. */
  reasoningPart: number
  hasCitations: boolean
  /** Where a custom tool's input comes in pieces, it is made into JSON on the way. */
  input: 'open' | 'closed' | undefined
}

export class OutputItems {
  readonly #blocks: KeyedBlocks
  readonly #generated: GeneratedText
  readonly #beside: BesideText
  readonly #register = new ItemRegister()
  readonly #states = new Map<OutputItem, State>()

  constructor(newCallId: () => string, generated = new GeneratedText('utf8')) {
    this.#blocks = new KeyedBlocks(0, newCallId)
    this.#generated = generated
    this.#beside = new BesideText(generated)
  }

  get hasToolCalls(): boolean {
    return this.#blocks.hasToolCalls
  }

  added(event: JsonObject, item: JsonObject): AnswerPart[] {
    const known = this.#register.ofItem(event, item, false)
    this.#beside.item(known, item)
    this.#addName(item)
    if (isCall(item['type'])) return this.#call(known, item, '')
    const plain = BEGUN.get(item['type'])
    if (plain !== undefined && !known.isDone) this.#blocks.begin(keyOf(known), plain)
    return []
  }

  /** The item as a whole. */
  done(event: JsonObject, item: JsonObject): AnswerPart[] {
    return this.#done(this.#register.ofItem(event, item, true), item)
  }

  /** An event inside an item. */
  read(type: string, event: JsonObject): AnswerPart[] {
    const part = beginningPart(type, event)
    if (part !== undefined) this.#beginPart(event, part)
    const piece = pieceIn(type, event)
    this.#beside.event(type, event, (part ?? piece) !== undefined)
    if (piece === undefined || (piece.whole === 'part' && piece.text === '')) return []
    const known = this.#register.ofPiece(event, piece.kind)
    const news = known.take(piece)
    if (news !== undefined) this.#generated.add(news.text)
    const parts = news === undefined ? [] : this.#tell(known, news)
    // The JSON around a custom tool's input ends with it.
    if (piece.kind === 'input' && piece.whole !== undefined) append(parts, this.#closeInput(known))
    return parts
  }

  #beginPart(event: JsonObject, part: Pick<Piece, 'kind' | 'index'>): void {
    const known = this.#register.ofPiece(event, part.kind)
    known.beginPart(part)
    const plain = BEGUN.get(ITEM_TYPES[part.kind])
    if (plain !== undefined && !known.isDone) this.#blocks.begin(keyOf(known), plain)
  }

  cited(type: string, event: JsonObject): AnswerPart[] {
    this.#beside.event(type, event, false)
    const citation = citationOf(event['annotation'])
    if (citation === undefined) return []
    const known = this.#register.ofPiece(event, 'text')
    this.#stateOf(known).hasCitations = true
    return this.#blocks.cite(keyOf(known), citation)
  }

  /** What a final response holds that was not told before, where the stream left items or their ends out. */
  final(output: readonly unknown[]): AnswerPart[] {
    return this.#register.pending(output).flatMap(({ known, item }) => this.#done(known, item))
  }

  end(options: { readonly isCut: boolean }): AnswerPart[] {
    const parts: AnswerPart[] = []
    for (const known of this.#register.all) {
      if (known.isDone) continue
      // Of an item that never ended there is what it began with; what was cut off is left open, so that nobody runs it.
      if (known.begun !== undefined) append(parts, this.#rest(known, known.begun))
      if (!options.isCut) append(parts, this.#closeInput(known))
    }
    append(parts, this.#blocks.finish(options))
    return parts
  }

  #done(known: OutputItem, item: JsonObject): AnswerPart[] {
    if (known.isDone) return []
    known.isDone = true
    // An item that only its end tells of has its name from there.
    if (known.begun === undefined || known.begun === item) this.#addName(item)
    this.#beside.item(known, item)
    const parts = this.#rest(known, item)
    switch (item['type']) {
      case 'reasoning':
        append(parts, this.#blocks.end(keyOf(known), sealOf(item)))
        break
      case 'function_call':
        append(parts, this.#call(known, item, known.length('arguments') === 0 ? '{}' : ''))
        break
      case 'custom_tool_call':
        if (known.length('input') === 0) append(parts, this.#call(known, item, customArguments('')))
        append(parts, this.#closeInput(known))
        break
      default:
        append(parts, this.#blocks.end(keyOf(known)))
    }
    return parts
  }

  /** What of an item was not said in pieces. */
  #rest(known: OutputItem, item: JsonObject): AnswerPart[] {
    if (isCall(item['type'])) this.#stateOf(known)
    const parts = isCall(item['type']) ? this.#call(known, item, '') : []
    for (const news of known.takeItem(item)) {
      this.#generated.add(news.text)
      append(parts, this.#tell(known, news))
    }
    if (item['type'] !== 'message' || this.#stateOf(known).hasCitations) return parts
    for (const part of recordsIn(item['content'])) {
      const citations = recordsIn(part['annotations']).flatMap((annotation) => citationOf(annotation) ?? [])
      for (const citation of citations) append(parts, this.#blocks.cite(keyOf(known), citation))
    }
    return parts
  }

  #addName({ name }: JsonObject): void {
    if (typeof name === 'string') this.#generated.add(name)
  }

  #tell(known: OutputItem, { kind, index, text }: News): AnswerPart[] {
    switch (kind) {
      case 'text':
      case 'refusal':
        return this.#blocks.plain(keyOf(known), kind, text)
      case 'summary':
      case 'content':
        return this.#reason(known, { kind, index, text })
      case 'arguments':
        return this.#call(known, {}, text)
      case 'input':
        return this.#enter(known, text)
      default:
        return []
    }
  }

  #reason(known: OutputItem, { kind, index, text }: News & { readonly kind: 'summary' | 'content' }): AnswerPart[] {
    const state = this.#stateOf(known)
    state.reasoning ??= kind
    if (state.reasoning !== kind) return []
    const isNewPart = state.reasoningPart !== -1 && state.reasoningPart !== index
    state.reasoningPart = index
    return this.#blocks.plain(keyOf(known), 'reasoning', isNewPart ? `\n\n${text}` : text)
  }

  /** A piece of a custom tool's input, as the inside of a JSON string; halves of a character are escapes, and fit together again. */
  #enter(known: OutputItem, text: string): AnswerPart[] {
    const state = this.#stateOf(known)
    const inside = JSON.stringify(text).slice(1, -1)
    const isFirst = state.input === undefined
    state.input ??= 'open'
    return this.#call(known, {}, isFirst ? `{"input":"${inside}` : inside)
  }

  #closeInput(known: OutputItem): AnswerPart[] {
    const state = this.#stateOf(known)
    if (state.input !== 'open') return []
    state.input = 'closed'
    return this.#call(known, {}, '"}')
  }

  #call(known: OutputItem, { call_id: id, name }: JsonObject, argumentsText: string): AnswerPart[] {
    const piece: ToolPiece = {
      key: keyOf(known),
      id: typeof id === 'string' ? id : undefined,
      name: typeof name === 'string' ? name : undefined,
      arguments: argumentsText,
    }
    return this.#blocks.tool(piece)
  }

  #stateOf(known: OutputItem): State {
    const state = this.#states.get(known)
    if (state !== undefined) return state
    const fresh: State = { reasoning: undefined, reasoningPart: -1, hasCitations: false, input: undefined }
    this.#states.set(known, fresh)
    return fresh
  }
}

/** What items have in them as far as is known when they begin. */
const BEGUN: ReadonlyMap<unknown, 'text' | 'reasoning'> = new Map([
  ['message', 'text'],
  ['reasoning', 'reasoning'],
])

function keyOf({ order }: OutputItem): string {
  return String(order)
}

function isCall(type: unknown): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function sealOf({ encrypted_content: encrypted }: JsonObject) {
  if (typeof encrypted !== 'string' || encrypted === '') return undefined
  return { origin: 'responses', value: encrypted } as const
}

function citationOf(annotation: unknown): CitationPart | undefined {
  if (!isRecord(annotation) || annotation['type'] !== 'url_citation') return undefined
  const { url, title } = annotation
  if (typeof url !== 'string' || url === '') return undefined
  return { type: 'citation', choice: 0, url, title: typeof title === 'string' ? title : undefined }
}
