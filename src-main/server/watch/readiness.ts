// Whether Farebox takes calls now, and if not, why: one word, which tells a stranger nothing about who uses it for what.

import type { Ledger } from '#ledger/ledger.ts'
import type { WriteMeter } from '#ledger/write-meter.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { Leases } from '#pipeline/leases.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { MemoryGuard } from '#server/bodies/memory-guard.ts'

/**
 * `starting` and `draining`: its life begins or ends; `ledger`: nothing can be charged; `writer`: the disk takes too long with what
 * was charged; `fleet`: the books that it shares are out of reach; `paused`: an administrator said so; `overloaded`: there is too little
 * memory, or as many calls run as file descriptors allow.
 */
export type NotReady = 'starting' | 'draining' | 'ledger' | 'writer' | 'fleet' | 'paused' | 'overloaded'

export type ReadinessDeps = {
  readonly ledger: Pick<Ledger, 'state'>
  readonly pause: Pick<Pause, 'untilMs'>
  readonly writes: Pick<WriteMeter, 'underWayMs'>
  readonly memory: Pick<MemoryGuard, 'isShort'>
  readonly open: Pick<OpenExchanges, 'isFull'>
  /** undefined for a gateway by itself. */
  readonly leases: Pick<Leases, 'isServing'> | undefined
}

/** A batch takes milliseconds. One that takes this long keeps every call waiting for its last bytes. */
const WRITER_BEHIND_MS = 5000

export class Readiness {
  readonly #deps: ReadinessDeps
  #phase: 'starting' | 'running' | 'leaving' | 'draining' = 'starting'

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
  }

  get isDraining(): boolean {
    return this.#phase === 'draining'
  }

  /** Calls are taken from now on. */
  begin(): void {
    this.#phase = 'running'
  }

  /** Whoever sends calls here is told to send them elsewhere; those that come are still taken. False where none were. */
  leave(): boolean {
    const wasRunning = this.#phase === 'running'
    if (wasRunning) this.#phase = 'leaving'
    return wasRunning
  }

  /** No new calls are taken any more. */
  end(): void {
    this.#phase = 'draining'
  }

  /** undefined where calls are taken. */
  get problem(): NotReady | undefined {
    const { ledger, pause, writes, memory, open, leases } = this.#deps
    if (this.#phase === 'leaving') return 'draining'
    if (this.#phase !== 'running') return this.#phase
    if (ledger.state !== 'ok') return 'ledger'
    if (writes.underWayMs > WRITER_BEHIND_MS) return 'writer'
    if (leases?.isServing === false) return 'fleet'
    if (memory.isShort || open.isFull) return 'overloaded'
    return pause.untilMs === undefined ? undefined : 'paused'
  }
}
