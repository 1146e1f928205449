// Ids of tool calls in a request as a provider takes them: of few characters, short, and no two calls with the same. Other
// makers' ids have dots and colons, and some count from 0 again in every turn. The same conversation always gives the same
// ids, also when it has grown, so that the provider's cache knows it again.

/** What an id becomes. The first attempt is the id itself where it is taken as it is; later ones are each another id. */
export type IdRule = (id: string, attempt: number) => string

const OTHER = /[^a-zA-Z0-9_-]/
const OTHERS = /[^a-zA-Z0-9_-]/g

/** Anthropic's rule for characters, which all others take, and a length. Ids that fit `known` stay in any case. */
export function plainIds(maxLength: number, known?: RegExp): IdRule {
  return (id, attempt) => {
    if (attempt === 1 && known?.test(id) === true) return id
    const plain = (OTHER.test(id) ? id.replaceAll(OTHERS, '_') : id) || 'call'
    const mark = attempt === 1 ? '' : `_${attempt}`
    return plain.slice(0, maxLength - mark.length) + mark
  }
}

/** The calls of one turn with the same id, as what they became. */
type Group = { readonly turn: number; readonly given: string[]; next: number }

class Known {
  readonly used = new Set<string>()
  readonly attempts = new Map<string, number>()
  readonly waiting = new Map<string, Group[]>()
}

export class CallIds {
  readonly #rule: IdRule
  /** Of the calls so far. Made with the first one: most conversations have none. */
  #known: Known | undefined
  #turn = 0

  constructor(rule: IdRule) {
    this.#rule = rule
  }

  /** Calls from here on are of another turn than those before. */
  nextTurn(): void {
    this.#turn += 1
  }

  /** The id of a call. */
  call(id: string): string {
    this.#known ??= new Known()
    const { used, attempts, waiting } = this.#known
    const first = this.#rule(id, 1)
    let attempt = attempts.get(first) ?? 1
    let given = attempt === 1 ? first : this.#rule(id, attempt)
    while (used.has(given)) given = this.#rule(id, ++attempt)
    attempts.set(first, attempt)
    used.add(given)
    this.#wait(waiting, id, given)
    return given
  }

  /**
   * The id of the call that a result answers: of the last turn in which a call with its id waits, the first such call.
   * undefined where there is none.
   */
  result(id: string): string | undefined {
    const groups = this.#known?.waiting.get(id)
    for (let group = groups?.at(-1); group !== undefined; group = groups?.at(-1)) {
      const given = group.given[group.next++]
      if (given !== undefined) return given
      groups?.pop()
    }
    return undefined
  }

  #wait(waiting: Known['waiting'], id: string, given: string): void {
    const groups = waiting.get(id) ?? []
    waiting.set(id, groups)
    const last = groups.at(-1)
    if (last?.turn === this.#turn) last.given.push(given)
    else groups.push({ turn: this.#turn, given: [given], next: 0 })
  }
}
