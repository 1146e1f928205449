// The thread that reads and writes large bodies: started by the first job, ended when none came for a while, and replaced when it hangs or
// breaks. It does one job at a time; those that wait are bounded by what all bodies together may take.

import { Worker } from 'node:worker_threads'
import { scriptFile } from '#config/program-files.ts'
import type { BodyJob, BodyReply } from '#server/bodies/body-jobs.ts'

/** One job for the thread. */
export type Job = {
  /** What the thread is sent when it is the job's turn. Buffers in `transfer` cannot be used here any more. */
  readonly begin: () => { readonly message: BodyJob; readonly transfer: readonly ArrayBuffer[] }
  /** Takes what the thread answers; true once that was all. */
  readonly take: (reply: BodyReply) => boolean
}

export type BodyWorkerOptions = {
  /** The thread's file; the program's own unless given. */
  readonly script?: URL
  /** For how long the thread is kept without work. */
  readonly idleMs?: number
  /** A thread that takes this long for one job hangs and is replaced. */
  readonly hangMs?: number
}

const DEFAULTS = {
  script: scriptFile('body-thread'),
  idleMs: 30_000,
  hangMs: 10_000,
} as const satisfies BodyWorkerOptions

/** A body, its text, what it says, and what is made of it for a provider. */
const MAX_HEAP_MB = 512
const YOUNG_HEAP_MB = 8

type Waiting = { readonly job: Job; readonly resolve: (isDone: boolean) => void }

export class BodyWorker {
  readonly #options: Required<BodyWorkerOptions>
  /** Called when there is a new thread, or none any more: it knows nothing of what was before. */
  readonly #onForgotten: () => void
  readonly #waiting: Waiting[] = []
  #worker: Worker | undefined
  #running: Waiting | undefined
  /** Without work: ends the thread. With work: replaces one that hangs. */
  #watch: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: BodyWorkerOptions, onForgotten: () => void) {
    this.#options = { ...DEFAULTS, ...options }
    this.#onForgotten = onForgotten
  }

  /** False where the thread was lost over the job, or there is none any more. */
  run(job: Job): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    if (this.#isClosed) return Promise.resolve(false)
    this.#waiting.push({ job, resolve })
    this.#next()
    return promise
  }

  /** Tells a thread that is there something that it need not answer. */
  tell(message: BodyJob): void {
    this.#worker?.postMessage(message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(false)
    await this.#replace()
  }

  #next(): void {
    if (this.#running !== undefined) return
    clearTimeout(this.#watch)
    this.#running = this.#waiting.shift()
    if (this.#running === undefined) {
      this.#watch = setTimeout(() => void this.#replace(), this.#options.idleMs).unref()
      return
    }
    this.#watch = setTimeout(() => void this.#replace(), this.#options.hangMs).unref()
    const worker = this.#thread()
    if (worker === undefined) return this.#finish(false)
    const { message, transfer } = this.#running.job.begin()
    worker.postMessage(message, [...transfer])
  }

  /** undefined where the system allows no other thread now: the job is lost, as with a thread that breaks. */
  #thread(): Worker | undefined {
    try {
      return (this.#worker ??= this.#start())
    } catch {
      // Also called from timers, where an exception could not be caught.
      return undefined
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.script, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    })
    worker.unref()
    worker.on('message', (reply: BodyReply) => {
      if (worker !== this.#worker) return
      if (this.#running?.job.take(reply) !== false) return this.#finish(true)
      // Others have their turn before the next part is taken over.
      setImmediate(() => worker.postMessage({ type: 'next' } satisfies BodyJob))
    })
    const lose = () => {
      if (worker === this.#worker) void this.#replace()
    }
    worker.on('error', lose)
    worker.on('exit', lose)
    return worker
  }

  /** Ends the thread; whose job it had is told so. */
  async #replace(): Promise<void> {
    clearTimeout(this.#watch)
    const worker = this.#worker
    this.#worker = undefined
    this.#onForgotten()
    if (this.#running !== undefined) this.#finish(false)
    await worker?.terminate()
  }

  #finish(isDone: boolean): void {
    const running = this.#running
    this.#running = undefined
    running?.resolve(isDone)
    if (!this.#isClosed) this.#next()
  }
}

/** A part of a larger piece of memory is not ours to give away; it is copied. */
export function transferable({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : []
}
