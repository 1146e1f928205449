// Refuses calls before memory runs out. Two things are bounded: how much the bodies of the calls that are being served may come to,
// counted before they are read, and what is left, looked at once a second.

import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { refuse, type Refusal } from '#core/refusal.ts'

export type MemoryReading = {
  readonly heapUsed: number
  readonly heapLimit: number
  readonly rss: number
  /** What the process may have at most; undefined where nobody set a limit. */
  readonly limit: number | undefined
  /** What the system could still give. */
  readonly available: number
}

const MIB = 1024 * 1024
/** A body that does not say how long it is; few do, and most are small. */
const UNKNOWN_BYTES = MIB
const LEAST_BUDGET = 64 * MIB
const LEAST_AVAILABLE = 32 * MIB
const FULL_HEAP = 0.92
const FULL_LIMIT = 0.9
const RETRY_SECONDS = 5

export class MemoryGuard {
  readonly #read: () => MemoryReading
  readonly #budget: number
  #bodyBytes = 0
  #isShort = false

  constructor(read: () => MemoryReading = readMemory, budget: number = budgetOf(read())) {
    this.#read = read
    this.#budget = budget
  }

  /** True while there is too little left to take calls. */
  get isShort(): boolean {
    return this.#isShort
  }

  /** The bodies of the calls that are being served, as they were announced. */
  get bodyBytes(): number {
    return this.#bodyBytes
  }

  /** To be called every second. */
  look(): void {
    this.#isShort = isShort(this.#read())
  }

  /** Makes room for a call until its answer has ended, or refuses it. */
  take({ headers }: Pick<IncomingMessage, 'headers'>, response: Pick<ServerResponse, 'once'>): Refusal | undefined {
    const bytes = announced(headers)
    if (this.#isShort || this.#bodyBytes + bytes > this.#budget) {
      const message = `Farebox has too little memory left for this call. Retry in ${RETRY_SECONDS} s.`
      return refuse('overloaded', message, { retryAfterSeconds: RETRY_SECONDS })
    }
    if (bytes === 0) return undefined
    this.#bodyBytes += bytes
    response.once('close', () => (this.#bodyBytes -= bytes))
    return undefined
  }
}

function announced(headers: IncomingMessage['headers']): number {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : UNKNOWN_BYTES
}

function isShort({ heapUsed, heapLimit, rss, limit, available }: MemoryReading): boolean {
  if (heapUsed >= heapLimit * FULL_HEAP) return true
  return (limit !== undefined && rss >= limit * FULL_LIMIT) || available < LEAST_AVAILABLE
}

/** A body is there several times while it is read and written again. */
function budgetOf({ limit }: MemoryReading): number {
  return Math.max(LEAST_BUDGET, (limit ?? totalmem()) / 4)
}

function readMemory(): MemoryReading {
  const constrained = process.constrainedMemory()
  return {
    heapUsed: process.memoryUsage().heapUsed,
    heapLimit: getHeapStatistics().heap_size_limit,
    rss: process.memoryUsage.rss(),
    limit: constrained > 0 && constrained < totalmem() ? constrained : undefined,
    available: process.availableMemory(),
  }
}
