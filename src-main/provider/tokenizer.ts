// Counts the tokens of texts on a thread of its own, which is started by the first count and ended when nobody has counted
// for a while. A count is never worth a failure: what the thread does not answer in time is estimated from its size.

import { Worker } from 'node:worker_threads'
import { scriptFile } from '#main/program-files.ts'
import { estimateInputTokens } from '#core/estimate.ts'
import type { BoundCounter, TokenCounter } from '#pipeline/ports.ts'

/** What the thread is sent; it answers with the number of tokens. */
export type CountCall = {
  readonly texts: readonly string[]
  /** What is not counted within this time is estimated by the thread. */
  readonly budgetMs: number
  readonly rest: Rest
}

/** What is taken for texts that are not counted: what they likely come to, or the most. */
export type Rest = 'likely' | 'most'

type Job = {
  readonly texts: readonly string[]
  readonly rest: Rest
  readonly characters: number
  readonly resolve: (tokens: number) => void
  readonly limit: NodeJS.Timeout
}

export type TokenizerOptions = {
  /** The thread's file; the program's own unless given. */
  readonly script?: URL
  /** For how long the thread is kept without work. */
  readonly idleMs?: number
  /** For how long the thread counts for one call. */
  readonly budgetMs?: number
  /** After this time, waiting included, a call is answered with an estimate. */
  readonly waitMs?: number
  /** A thread that takes this long for one call hangs and is replaced. */
  readonly hangMs?: number
}

const DEFAULTS = {
  script: scriptFile('tokenizer-thread'),
  idleMs: 60_000,
  budgetMs: 2_000,
  waitMs: 10_000,
  hangMs: 8_000,
} as const satisfies TokenizerOptions

/** Calls that wait for the thread, and their characters: they are kept in memory. */
const MAX_JOBS = 256
const MAX_CHARACTERS = 64 * 1024 * 1024
/** Many times what the tables and the largest request need. */
const MAX_HEAP_MB = 512
/** For what lives briefly. The default takes 20 MB more and counts no faster. */
const YOUNG_HEAP_MB = 8

export class Tokenizer implements TokenCounter, BoundCounter {
  readonly #options: Required<TokenizerOptions>
  #worker: Worker | undefined
  /** Without work: ends the thread. With work: replaces a thread that hangs. */
  #watch: NodeJS.Timeout | undefined
  /** Calls without an answer, in the order of their arrival. */
  readonly #jobs = new Set<Job>()
  /** What the thread counts now. It may have been answered with an estimate already. */
  #running: Job | undefined
  #characters = 0
  #isClosed = false

  constructor(options: TokenizerOptions = {}) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** The tokens of the texts, each counted for itself. Never rejects. Who waits no longer than `patienceMs` gets an estimate then. */
  count(texts: readonly string[], patienceMs = this.#options.waitMs): Promise<number> {
    return this.#count(texts, 'likely', patienceMs)
  }

  /** No fewer than the texts have, whether they are counted or not. Never rejects. */
  countAtMost(texts: readonly string[]): Promise<number> {
    return this.#count(texts, 'most', this.#options.waitMs)
  }

  #count(texts: readonly string[], rest: Rest, patienceMs: number): Promise<number> {
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    if (characters === 0) return Promise.resolve(0)
    const isFull = this.#jobs.size >= MAX_JOBS || this.#characters + characters > MAX_CHARACTERS
    if (this.#isClosed || isFull) return Promise.resolve(estimate({ texts, rest }))
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.#settle(job, estimate(job)), patienceMs)
      const job: Job = { texts, rest, characters, resolve, limit }
      this.#jobs.add(job)
      this.#characters += characters
      this.#next()
    })
  }

  /** Ends the thread. Calls without an answer, and later ones, are answered with estimates. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#jobs) this.#settle(job, estimate(job))
    await this.#stop()
  }

  /** Hands the oldest job to the thread, or lets the thread wait for its end. */
  #next(): void {
    if (this.#running !== undefined) return
    clearTimeout(this.#watch)
    const [job] = this.#jobs
    if (job === undefined) {
      // Neither this nor the thread keeps the process alive; while a call waits, its time limit does.
      this.#watch = setTimeout(() => void this.#stop(), this.#options.idleMs).unref()
      return
    }
    this.#running = job
    this.#watch = setTimeout(() => this.#replace(), this.#options.hangMs).unref()
    this.#worker ??= this.#start()
    const { texts, rest } = job
    this.#worker.postMessage({ texts, budgetMs: this.#options.budgetMs, rest } satisfies CountCall)
  }

  #start(): Worker {
    const worker = new Worker(this.#options.script, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    })
    worker.unref()
    worker.on('message', (tokens: number) => {
      if (worker === this.#worker) this.#finish(tokens)
    })
    worker.on('error', () => this.#lose(worker))
    worker.on('exit', () => this.#lose(worker))
    return worker
  }

  #lose(worker: Worker): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    this.#finish(undefined)
  }

  #replace(): void {
    void this.#stop()
    this.#finish(undefined)
  }

  /** A thread that was lost has no answer: its job is estimated, since the same texts would cost the next thread too. */
  #finish(tokens: number | undefined): void {
    const job = this.#running
    this.#running = undefined
    if (job !== undefined) this.#settle(job, tokens ?? estimate(job))
    this.#next()
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#watch)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #settle(job: Job, tokens: number): void {
    if (!this.#jobs.delete(job)) return
    clearTimeout(job.limit)
    this.#characters -= job.characters
    job.resolve(tokens)
  }
}

function estimate({ texts, rest }: Pick<Job, 'texts' | 'rest'>): number {
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return rest === 'most' ? textBytes : estimateInputTokens({ textBytes, mediaParts: 0 })
}
