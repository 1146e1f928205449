// Which result of a client's request belongs to which call. Gemini's clients may leave ids out, of calls, of results, or of one of the two;
// then the name decides, and among calls of one name their order. Linear in their number.

type PairedCall = { readonly id: string; isAnswered: boolean }
type CallGroup = { readonly turn: number; readonly calls: PairedCall[]; next: number }

export class CallPairs {
  readonly #byId = new Map<string, PairedCall[]>()
  readonly #byName = new Map<string, CallGroup[]>()
  #turn = 0
  #made = 0

  /** Calls from here on are of another turn: results belong to the latest one that waits for them. */
  nextTurn(): void {
    this.#turn += 1
  }

  /** The id of a call, a new one where it was given none. */
  call(name: string, given: string | undefined): string {
    const call: PairedCall = { id: given ?? this.#newId(), isAnswered: false }
    listIn(this.#byId, call.id).push(call)
    const groups = listIn(this.#byName, name)
    const last = groups.at(-1)
    if (last?.turn === this.#turn) last.calls.push(call)
    else groups.push({ turn: this.#turn, calls: [call], next: 0 })
    return call.id
  }

  /** The id of the call that a result answers; the result's own, or a new one, where no call waits for it. */
  result(name: string, given: string | undefined): string {
    const call = this.#withId(given) ?? this.#withName(name)
    if (call === undefined) return given ?? this.#newId()
    call.isAnswered = true
    return call.id
  }

  #withId(id: string | undefined): PairedCall | undefined {
    const calls = id === undefined ? undefined : this.#byId.get(id)
    for (let call = calls?.pop(); call !== undefined; call = calls?.pop()) if (!call.isAnswered) return call
    return undefined
  }

  #withName(name: string): PairedCall | undefined {
    const groups = this.#byName.get(name)
    for (let group = groups?.at(-1); group !== undefined; group = groups?.at(-1)) {
      for (let call = group.calls[group.next++]; call !== undefined; call = group.calls[group.next++]) {
        if (!call.isAnswered) return call
      }
      groups?.pop()
    }
    return undefined
  }

  #newId(): string {
    return `call_${(this.#made++).toString(36).padStart(4, '0')}`
  }
}

function listIn<Item>(map: Map<string, Item[]>, key: string): Item[] {
  const known = map.get(key)
  if (known !== undefined) return known
  const list: Item[] = []
  map.set(key, list)
  return list
}
