// Ids of the tool calls in one translated answer. Clients tell calls apart by them for as long as a conversation lasts, and the
// next provider has to take them: one that the conversation has already, or that is of other characters than all dialects
// take, is replaced by one that no answer ever had.

/** What every dialect takes; OpenAI's chat completions bound the length. */
const MAX_LENGTH = 40
const TAKEN = new RegExp(`^[a-zA-Z0-9_-]{1,${MAX_LENGTH}}$`)

export class AnswerCallIds {
  readonly #stem: string
  readonly #used: Set<string>
  #count = 0

  /** `known` are the ids of the calls that the client knows from before. */
  constructor(exchangeId: string, known: Iterable<string>) {
    this.#stem = exchangeId.replaceAll('-', '').slice(-20)
    this.#used = new Set(known)
  }

  /** A new id, for providers that give none: short, and unique among the calls of one client. */
  fresh(): string {
    return `call_${this.#stem}${(this.#count++).toString(36).padStart(4, '0')}`
  }

  /** The id for a call to which the provider gave `id`. */
  of(id: string): string {
    let own = TAKEN.test(id) ? id : this.fresh()
    while (this.#used.has(own)) own = this.fresh()
    this.#used.add(own)
    return own
  }
}
