// The message that a stream of the responses format is in the middle of, followed so that it can be ended early in the way
// that the format asks for: its text, its part, its item.

import { isRecord } from '#dialect/request-body.ts'

type Event = Readonly<Record<string, unknown>>
export type OwnEvent = { readonly type: string; readonly members: Event }

export class OpenMessage {
  readonly #outputIndex: number
  readonly #item: Event
  /** The parts that are done. */
  readonly #parts: unknown[] = []
  #part: Event | undefined
  #contentIndex = 0
  #text = ''

  private constructor(outputIndex: number, item: Event) {
    this.#outputIndex = outputIndex
    this.#item = item
  }

  /** From an item that was added; undefined for one that is no message. `outputIndex`: its place in the output. */
  static begin(item: Event, outputIndex: number): OpenMessage | undefined {
    return item['type'] === 'message' ? new OpenMessage(outputIndex, item) : undefined
  }

  /** Takes note of an event inside the message. */
  note(event: Event): void {
    switch (event['type']) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        if (typeof event['delta'] === 'string') this.#say(event['type'], event['delta'])
        return
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
    const output_index = this.#outputIndex
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
    const part = this.#openPart()
    const content = part === undefined ? this.#parts : [...this.#parts, part]
    return { ...this.#item, status: 'incomplete', content }
  }

  #openPart(): Event | undefined {
    if (this.#part === undefined) return undefined
    return this.#part['type'] === 'refusal'
      ? { ...this.#part, refusal: this.#text }
      : { ...this.#part, text: this.#text }
  }
}
