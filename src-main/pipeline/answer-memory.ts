// Remembers answers for a while, because clients of the responses format name what they were told instead of sending it again. It is
// memory of this process alone: nothing of it is written down or told to anybody but the key that was given the answer.

import type { KeptAnswer, KeptAnswers } from '#dialect/dialect.ts'

/** How much is kept, in bytes as `sizeOf` counts them. */
export type MemoryBounds = { readonly perKey: number; readonly inAll: number; readonly perAnswer: number }

const MEBIBYTE = 1024 * 1024
/** Some thousand answers of a chat for each key, which are a million tokens and more. */
const BOUNDS: MemoryBounds = { perKey: 16 * MEBIBYTE, inAll: 64 * MEBIBYTE, perAnswer: 2 * MEBIBYTE }
/** What was asked is not kept where it is longer. In characters. */
export const MAX_ASKED_LENGTH = BOUNDS.perAnswer / 2
/** What an answer and an item take beside their texts, rounded up. */
const ANSWER_BYTES = 1024
const ITEM_BYTES = 256
/** In characters. Longer ids are nobody's that we know, and none is kept that a client may make as long as a body. */
const MAX_ID = 256

export type MemoryOptions = {
  readonly monotonicMs: () => number
  /** For how long an answer is kept after its last use; 0 keeps none. */
  readonly keptMs: number
  readonly bounds?: MemoryBounds
}

type Entry = { readonly owner: KeyAnswers; readonly answer: KeptAnswer; readonly bytes: number; usedAtMs: number }

export class AnswerMemory {
  readonly #options: MemoryOptions
  readonly #bounds: MemoryBounds
  readonly #keys = new Map<string, KeyAnswers>()
  /** Of all keys, the one that was not used for longest first. */
  readonly #entries = new Set<Entry>()
  #bytes = 0

  constructor(options: MemoryOptions) {
    this.#options = options
    this.#bounds = options.bounds ?? BOUNDS
  }

  /** What is kept, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** The answers of a key; undefined for one that has none, which is nearly every key. */
  of(keyId: string): KeptAnswers | undefined {
    if (this.#entries.size === 0) return undefined
    this.sweep()
    return this.#keys.get(keyId)
  }

  /**
   * Keeps an answer, in place of those of its key that were not used for longest, and where the whole memory is full of those of the key
   * that uses most. One that is too long is not kept.
   */
  keep(keyId: string, given: KeptAnswer): void {
    if (this.#options.keptMs === 0) return
    if ((given.previousId?.length ?? 0) > MAX_ID) return
    const answer = this.#fitting(given)
    const bytes = sizeOf(answer)
    if (bytes > this.#bounds.perAnswer) return
    const owner = this.#keys.get(keyId) ?? new KeyAnswers(keyId, (entry) => this.#use(entry))
    const same = owner.entry(answer.id)
    // Ids are what providers make of them: none may put an answer in the place of another one's.
    if (same !== undefined && same.answer.providerId !== answer.providerId) return
    this.#drop(same)
    this.#keys.set(keyId, owner)
    const entry = { owner, answer, bytes, usedAtMs: this.#options.monotonicMs() }
    owner.add(entry)
    this.#entries.add(entry)
    this.#bytes += bytes
    while (owner.bytes > this.#bounds.perKey) this.#drop(owner.oldest())
    while (this.#bytes > this.#bounds.inAll) this.#drop(this.#heaviest()?.oldest())
  }

  /** Forgets what was not used for so long that it may not be kept any more. */
  sweep(): void {
    const { keptMs, monotonicMs } = this.#options
    for (const entry of this.#entries) {
      if (monotonicMs() - entry.usedAtMs < keptMs) return
      this.#drop(entry)
    }
  }

  /** Forgets all answers of a key. */
  forget(keyId: string): void {
    for (const entry of this.#keys.get(keyId)?.entries ?? []) this.#drop(entry)
  }

  /** A long document in a request must not keep its answer from being named. */
  #fitting(answer: KeptAnswer): KeptAnswer {
    const { asked } = answer
    if (asked === undefined || sizeOf(answer) > this.#bounds.perAnswer) return { ...answer, asked: undefined }
    // A part of a text would keep the whole body in memory that it is a part of.
    return { ...answer, asked: Buffer.from(asked).toString() }
  }

  /** The key that uses most makes room, so that a few cannot push out what everybody else was told. */
  #heaviest(): KeyAnswers | undefined {
    let heaviest: KeyAnswers | undefined
    for (const owner of this.#keys.values()) if (owner.bytes > (heaviest?.bytes ?? 0)) heaviest = owner
    return heaviest
  }

  #use(entry: Entry): void {
    entry.usedAtMs = this.#options.monotonicMs()
    this.#entries.delete(entry)
    this.#entries.add(entry)
  }

  #drop(entry: Entry | undefined): void {
    if (entry === undefined || !this.#entries.delete(entry)) return
    this.#bytes -= entry.bytes
    entry.owner.remove(entry)
    if (entry.owner.bytes === 0) this.#keys.delete(entry.owner.keyId)
  }
}

/** The answers of one key. Whatever is asked for counts as used. */
class KeyAnswers implements KeptAnswers {
  readonly keyId: string
  readonly #use: (entry: Entry) => void
  /** The one that was not used for longest first. */
  readonly #byId = new Map<string, Entry>()
  readonly #byItem = new Map<string, Entry>()
  bytes = 0

  constructor(keyId: string, use: (entry: Entry) => void) {
    this.keyId = keyId
    this.#use = use
  }

  get entries(): readonly Entry[] {
    return [...this.#byId.values()]
  }

  oldest(): Entry | undefined {
    return first(this.#byId.values())
  }

  entry(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  add(entry: Entry): void {
    const { id: answerId, itemIds, providerId } = entry.answer
    this.#byId.set(answerId, entry)
    for (const id of itemIds) {
      const same = this.#byItem.get(id)
      if (same === undefined || same.answer.providerId === providerId) this.#byItem.set(id, entry)
    }
    this.bytes += entry.bytes
  }

  remove(entry: Entry): void {
    this.#byId.delete(entry.answer.id)
    for (const id of entry.answer.itemIds) if (this.#byItem.get(id) === entry) this.#byItem.delete(id)
    this.bytes -= entry.bytes
  }

  answer(id: string): KeptAnswer | undefined {
    return this.#used(this.#byId.get(id))?.answer
  }

  withItem(id: string): KeptAnswer | undefined {
    return this.#used(this.#byItem.get(id))?.answer
  }

  #used(entry: Entry | undefined): Entry | undefined {
    if (entry === undefined) return undefined
    this.#byId.delete(entry.answer.id)
    this.#byId.set(entry.answer.id, entry)
    this.#use(entry)
    return entry
  }
}

/** A character takes two bytes at most. */
function sizeOf({ id, itemIds, length, asked, previousId }: KeptAnswer): number {
  const ids = itemIds.reduce((sum, one) => sum + one.length, id.length + (previousId?.length ?? 0))
  return ANSWER_BYTES + itemIds.length * ITEM_BYTES + 2 * (ids + length + (asked?.length ?? 0))
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value
  return undefined
}
