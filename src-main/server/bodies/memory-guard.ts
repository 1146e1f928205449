// Refuses calls before memory runs out. Two things are bounded: how much the bodies that are being read and served may come to, and
// what is left, looked at once a second. What is left is judged by what is live: memory that is held and not used, such as what an
// attack leaves behind, is used again by the next call and is no reason to refuse it.

import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { refuse, type Refusal } from '#core/refusal.ts'
import { BodyBudget } from '#server/bodies/body-budget.ts'
import { collectGarbage } from '#server/bodies/garbage.ts'

export type MemoryReading = {
  readonly heapUsed: number
  readonly heapLimit: number
  /** Buffers and the like, outside of the heap. */
  readonly external: number
  readonly rss: number
  /** What the process may have at most; undefined where nobody set a limit. */
  readonly limit: number | undefined
  /** What the system could still give. */
  readonly available: number
}

export type MemoryGuardOptions = {
  /** undefined where the system does not tell just now. */
  readonly read?: () => MemoryReading | undefined
  /** For the bodies of all requests together. */
  readonly budget?: number
  /** Collects what is not used any more; asked for only where there seems to be too little left. */
  readonly collect?: () => void
}

const MIB = 1024 * 1024
/** Two of the largest bodies, where the heap has room for them. */
const MIN_BUDGET = 64 * MIB
/**
 * A body is in the heap several times while it is read and written again, as text and as what that says, and text that is not plain
 * takes two bytes a character.
 */
const HEAP_SHARE = 1 / 12
const MIN_AVAILABLE = 32 * MIB
const FULL_HEAP = 0.92
const FULL_LIMIT = 0.9
const RETRY_SECONDS = 5
/** Collecting stops everything for a moment: looks that find too little left collect at most once in so many. */
const LOOKS_PER_COLLECTION = 3

export class MemoryGuard {
  readonly #read: () => MemoryReading | undefined
  readonly #collect: () => void
  /** The bodies of all requests. */
  readonly bodies: BodyBudget
  /** What the process has beside heap and buffers: code, stacks, threads, the database. The least that was seen. */
  #rest = Number.POSITIVE_INFINITY
  #looksToCollection = 0
  #isShort = false

  constructor({
    read = readMemory,
    budget = budgetOf(read()),
    collect = () => collectGarbage('major'),
  }: MemoryGuardOptions = {}) {
    this.#read = read
    this.#collect = collect
    this.bodies = new BodyBudget(budget)
  }

  /** True while there is too little left to take calls. */
  get isShort(): boolean {
    return this.#isShort
  }

  /** The bodies that are being read and served, as far as they have arrived. */
  get bodyBytes(): number {
    return this.bodies.bytes
  }

  /** To be called every second. */
  look(): void {
    this.#looksToCollection = Math.max(0, this.#looksToCollection - 1)
    this.#isShort = this.#seemsShort()
    if (!this.#isShort || this.#looksToCollection > 0) return
    // Without calls nothing is allocated, so that V8 would not look for what it could give back: it would seem short for ever.
    this.#looksToCollection = LOOKS_PER_COLLECTION
    this.#collect()
    this.#isShort = this.#seemsShort()
  }

  /** Why a call with a body of so many bytes is not let in now, as far as its head tells. */
  refusal(announcedBytes: number): Refusal | undefined {
    return this.#isShort || !this.bodies.hasRoomFor(announcedBytes) ? tooLittle() : undefined
  }

  #seemsShort(): boolean {
    const reading = this.#read()
    // What was last seen still holds. A guard that guesses would refuse calls for nothing.
    if (reading === undefined) return this.#isShort
    const { heapUsed, heapLimit, external, rss, limit = Number.POSITIVE_INFINITY, available } = reading
    this.#rest = Math.min(this.#rest, Math.max(0, rss - heapUsed - external))
    const live = heapUsed + external + this.#rest
    if (heapUsed >= heapLimit * FULL_HEAP || live >= limit * FULL_LIMIT) return true
    // What it holds and does not use it can use as well as what the system could give.
    return available + Math.max(0, rss - live) < MIN_AVAILABLE
  }
}

/** For a call that finds no room. */
export function tooLittle(): Refusal {
  const message = `Farebox has too little memory left for this call. Retry in ${RETRY_SECONDS} s.`
  return refuse('overloaded', message, { retryAfterSeconds: RETRY_SECONDS })
}

function budgetOf(reading: MemoryReading | undefined): number {
  const ofProcess = Math.max(MIN_BUDGET, (reading?.limit ?? totalmem()) / 4)
  return Math.min(ofProcess, (reading?.heapLimit ?? getHeapStatistics().heap_size_limit) * HEAP_SHARE)
}

/** Both the memory of the process and what the system could give stand in files: without a descriptor neither can be read. */
function readMemory(): MemoryReading | undefined {
  const rss = residentMemory()
  if (rss === undefined) return undefined
  const constrained = process.constrainedMemory()
  const { used_heap_size: heapUsed, heap_size_limit: heapLimit, external_memory: external } = getHeapStatistics()
  return {
    heapUsed,
    heapLimit,
    external,
    rss,
    limit: constrained > 0 && constrained < totalmem() ? constrained : undefined,
    available: process.availableMemory(),
  }
}

/** undefined where the system does not tell, as where no file descriptor is left. */
export function residentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss()
  } catch {
    // Callers continue with the last measurement.
    return undefined
  }
}
