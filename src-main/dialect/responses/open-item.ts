// An item that a stream of the responses format is in the middle of, followed so that it can be ended early in the way that
// the format asks for: its text, its part, its item.

import { isRecord } from '#dialect/request-body.ts'

type Event = Readonly<Record<string, unknown>>
export type OwnEvent = { readonly type: string; readonly members: Event }

export class OpenItem {
  readonly outputIndex: number
  readonly #item: Event
  /** The parts of a message that are done. */
  readonly #parts: unknown[] = []
  #part: Event | undefined
  #contentIndex = 0
  /** Of the open part, or of a call's arguments. */
  #text = ''
  readonly #summary = new Map<number, string>()

  /** `item` is that of `response.output_item.added`. */
  constructor(outputIndex: number, item: Event) {
    this.outputIndex = outputIndex
    this.#item = item
  }

  get isMessage(): boolean {
    return this.#item['type'] === 'message'
  }

  /** Takes note of an event inside the item. `delta` is its text where that is not what stands in it. */
  note(event: Event, delta = event['delta']): void {
    const { type } = event
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof delta === 'string') this.#say(type, delta)
        return
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (typeof delta === 'string') this.#text += delta
        return
      case 'response.reasoning_summary_text.delta': {
        const index = typeof event['summary_index'] === 'number' ? event['summary_index'] : 0
        if (typeof delta === 'string') this.#summary.set(index, (this.#summary.get(index) ?? '') + delta)
        return
      }
      case 'response.content_part.added':
        this.#part = isRecord(event['part']) ? event['part'] : undefined
        this.#contentIndex = typeof event['content_index'] === 'number' ? event['content_index'] : 0
        this.#text = ''
        return
      case 'response.content_part.done':
        this.#parts.push(event['part'])
        this.#part = undefined
        this.#text = ''
    }
  }

  /** Some servers begin no part before its text. */
  #say(type: string, text: string): void {
    this.#part ??= type === 'response.refusal.delta' ? { type: 'refusal' } : { type: 'output_text', annotations: [] }
    this.#text += text
  }

  /** The events that end what is open, in their order, and the item with them. */
  close(): OwnEvent[] {
    const output_index = this.outputIndex
    const item = { type: 'response.output_item.done', members: { output_index, item: this.item() } }
    const part = this.#openPart()
    if (part === undefined) return [item]
    const place = { item_id: this.#item['id'], output_index, content_index: this.#contentIndex }
    const text =
      part['type'] === 'refusal'
        ? { type: 'response.refusal.done', members: { ...place, refusal: this.#text } }
        : { type: 'response.output_text.done', members: { ...place, text: this.#text, logprobs: [] } }
    return [text, { type: 'response.content_part.done', members: { ...place, part } }, item]
  }

  /** The item with what it holds so far. */
  item(): Event {
    const begun = { ...this.#item, status: 'incomplete' }
    switch (this.#item['type']) {
      case 'message': {
        const part = this.#openPart()
        return { ...begun, content: part === undefined ? this.#parts : [...this.#parts, part] }
      }
      case 'function_call':
        return { ...begun, arguments: this.#text }
      case 'custom_tool_call':
        return { ...begun, input: this.#text }
      case 'reasoning': {
        const texts = [...this.#summary].toSorted(([left], [right]) => left - right)
        return { ...begun, summary: texts.map(([, text]) => ({ type: 'summary_text', text })) }
      }
      default:
        return begun
    }
  }

  #openPart(): Event | undefined {
    if (this.#part === undefined) return undefined
    return this.#part['type'] === 'refusal'
      ? { ...this.#part, refusal: this.#text }
      : { ...this.#part, text: this.#text }
  }
}
