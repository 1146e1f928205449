// Brings the turns of a conversation into the order that every provider accepts: one turn after the other, each tool call
// answered once and right behind the turn that made it, no two calls with the same id, and ids that every provider takes.
// Clients send results before calls, texts between a call and its result, calls that were interrupted, results whose call was
// cut away, and ids of other providers that start from 0 in every turn; providers answer all of that with 400.

import { CallIds, plainIds } from '#dialect/call-ids.ts'
import type { AssistantContent, TextContent, ToolResult, Turn, UserContent } from '#dialect/turn.ts'

/** What a call is answered with whose result is missing. */
const NO_RESULT = 'No result: the call was interrupted.'
/** OpenAI's bound in chat completions; that of its responses is higher. */
const MAX_ID_LENGTH = 40

/** A call's place for its result. */
type ResultSlot = { readonly callId: string; readonly uniqueId: string; result: ToolResult | undefined }
/** A result at its place, so that one object that stands in two places is still two results. */
type Given = { readonly result: ToolResult; isUsed: boolean }
/** The calls of one turn. `lastResult` is the index of the turn with the last of their results. */
type Calls = { readonly slots: ResultSlot[]; lastResult: number }

type Pairing = { readonly calls: ReadonlyMap<number, Calls>; readonly given: ReadonlyMap<number, readonly Given[]> }

/** The turns in order. Nothing is lost: a result without a call becomes text of a user turn. Linear in their size. */
export function repairTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined = joinAssistants(turns)
  const { calls, given } = pairResults(joined)
  const ordered = new OrderedTurns()
  for (const [index, turn] of joined.entries()) {
    switch (turn.role) {
      case 'system':
        ordered.system(turn)
        break
      case 'user':
        ordered.user(turn.content)
        break
      case 'assistant':
        ordered.assistant(turn.content, calls.get(index), index)
        break
      case 'tool':
        for (const { result, isUsed } of given.get(index) ?? []) if (!isUsed) ordered.user(orphanText(result))
    }
  }
  return ordered.turns
}

/** The turns that hold anything, and one assistant turn for those that nothing parts. */
function joinAssistants(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = []
  let open: AssistantContent[] | undefined
  for (const turn of turns) {
    if (turn.role === 'tool' ? turn.results.length === 0 : turn.content.length === 0) continue
    if (turn.role !== 'assistant') {
      open = undefined
      joined.push(turn)
    } else if (open === undefined) {
      open = [...turn.content]
      joined.push({ role: 'assistant', content: open })
    } else append(open, turn.content)
  }
  return joined
}

/**
 * Gives each call its own result: the next one with its id, for calls of one turn in their order. Some providers use the
 * same ids in every turn, so a result belongs to the last turn that still waits for it. One that came before any call with
 * its id is taken for a call that has no other.
 */
function pairResults(turns: readonly Turn[]): Pairing {
  const calls = new Map<number, Calls>()
  const given = new Map<number, readonly Given[]>()
  const waiting = new Map<string, Waiting>()
  const ids = new CallIds(plainIds(MAX_ID_LENGTH))
  const waitingFor = (callId: string) => waiting.get(callId) ?? setIn(waiting, callId, new Waiting())
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      const own: Calls = { slots: [], lastResult: -1 }
      for (const part of turn.content) {
        if (part.type !== 'tool-call') continue
        const slot: ResultSlot = { callId: part.id, uniqueId: ids.call(part.id), result: undefined }
        own.slots.push(slot)
        waitingFor(part.id).add(slot, own)
      }
      if (own.slots.length > 0) calls.set(index, own)
    } else if (turn.role === 'tool') {
      const results = turn.results.map((result): Given => ({ result, isUsed: false }))
      given.set(index, results)
      for (const one of results) waitingFor(one.result.callId).answer(one, index)
    }
  }
  for (const one of waiting.values()) one.useEarly()
  return { calls, given }
}

/** The calls of one id that wait for a result, and the results that came before any of them. */
class Waiting {
  readonly #groups: { readonly calls: Calls; readonly slots: ResultSlot[]; next: number }[] = []
  #first: readonly ResultSlot[] | undefined
  readonly #early: Given[] = []

  add(slot: ResultSlot, calls: Calls): void {
    const last = this.#groups.at(-1)
    if (last?.calls === calls) last.slots.push(slot)
    else {
      const slots = [slot]
      this.#groups.push({ calls, slots, next: 0 })
      this.#first ??= slots
    }
  }

  answer(given: Given, index: number): void {
    if (this.#first === undefined) {
      this.#early.push(given)
      return
    }
    for (let group = this.#groups.at(-1); group !== undefined; group = this.#groups.at(-1)) {
      const slot = group.slots[group.next++]
      if (slot !== undefined) {
        fill(slot, given)
        group.calls.lastResult = index
        return
      }
      this.#groups.pop()
    }
  }

  useEarly(): void {
    const unanswered = (this.#first ?? []).filter((slot) => slot.result === undefined)
    for (const [index, slot] of unanswered.entries()) {
      const given = this.#early[index]
      if (given !== undefined) fill(slot, given)
    }
  }
}

/** Writes turns one behind the other, and joins those that providers want as one. */
class OrderedTurns {
  readonly turns: Turn[] = []
  /** The content of the last turn, where more can be added to it. */
  #openUser: UserContent[] | undefined
  #openAssistant: AssistantContent[] | undefined
  /** The assistant turn before the results that are the last turn. */
  #answered: { readonly content: AssistantContent[]; readonly lastResult: number } | undefined

  system(turn: Turn): void {
    this.#push(turn)
  }

  user(content: readonly UserContent[]): void {
    if (this.#openUser === undefined) {
      const own: UserContent[] = []
      this.#push({ role: 'user', content: own })
      this.#openUser = own
    }
    append(this.#openUser ?? [], content)
  }

  /** What is said without a call before the results of the last calls were all there belongs to the turn of those calls. */
  assistant(content: readonly AssistantContent[], calls: Calls | undefined, index: number): void {
    if (calls === undefined && this.#answered !== undefined && this.#answered.lastResult > index) {
      append(this.#answered.content, content)
      return
    }
    const own = this.#openAssistant ?? []
    if (this.#openAssistant === undefined) this.#push({ role: 'assistant', content: own })
    this.#openAssistant = own
    append(own, calls === undefined ? content : withIds(content, calls.slots))
    if (calls === undefined) return
    this.#push({ role: 'tool', results: calls.slots.map(resultOf) })
    this.#answered = { content: own, lastResult: calls.lastResult }
  }

  #push(turn: Turn): void {
    this.turns.push(turn)
    this.#openUser = undefined
    this.#openAssistant = undefined
    this.#answered = undefined
  }
}

function fill(slot: ResultSlot, given: Given): void {
  slot.result = given.result
  given.isUsed = true
}

function resultOf({ uniqueId, result }: ResultSlot): ToolResult {
  if (result === undefined) {
    return { callId: uniqueId, content: [{ type: 'text', text: NO_RESULT }], isError: true }
  }
  return result.callId === uniqueId ? result : { ...result, callId: uniqueId }
}

/** The calls with the ids of their slots, which are in the same order. */
function withIds(content: readonly AssistantContent[], slots: readonly ResultSlot[]): AssistantContent[] {
  let next = 0
  return content.map((part) => {
    if (part.type !== 'tool-call') return part
    const id = slots[next++]?.uniqueId ?? part.id
    return id === part.id ? part : { ...part, id }
  })
}

function orphanText(result: ToolResult): UserContent[] {
  const what = result.isError ? 'error' : 'result'
  const heading: TextContent = { type: 'text', text: `[${what} of tool call ${result.callId}]` }
  return [heading, ...result.content]
}

/** Without spreading into arguments, of which there can be too many. */
function append<Item>(target: Item[], items: readonly Item[]): void {
  for (const item of items) target.push(item)
}

function setIn<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  map.set(key, value)
  return value
}
