// Counts the tokens of texts on a thread of its own, which is started by the first count and ended when nobody has counted
// for a while. The same texts have the same count whether the thread runs already, is being started or was lost meanwhile: who
// asks waits for it. A count is never worth a failure: what the thread cannot answer, or not in time, is estimated from its size.

import { Worker } from 'node:worker_threads'
import { scriptFile } from '#config/program-files.ts'
import { estimateInputTokens } from '#core/estimate.ts'
import { sampleOf, type Sample } from '#core/sample.ts'
import type { BoundCounter, TokenCounter } from '#pipeline/ports.ts'

/** What the thread is sent; it answers with the number of tokens. */
export type CountCall = { readonly texts: readonly string[] }

/** What is taken for what is not counted of texts: what it likely comes to, or a token for each byte. */
type Rest = 'likely' | 'most'

type Job = {
  readonly texts: readonly string[]
  readonly rest: Rest
  /** What of the texts is counted, and by how much they are longer. */
  readonly sample: Sample
  readonly characters: number
  /** How many threads were lost over it. */
  losses: number
  readonly resolve: (tokens: number) => void
  readonly limit: NodeJS.Timeout
}

export type TokenizerOptions = {
  /** The thread's file; the program's own unless given. */
  readonly script?: URL
  /** For how long the thread is kept without work. */
  readonly idleMs?: number
  /** After this time, waiting included, a call is answered with an estimate. */
  readonly waitMs?: number
  /** A thread that takes this long for one call hangs and is replaced. */
  readonly hangMs?: number
}

const DEFAULTS = {
  script: scriptFile('tokenizer-thread'),
  idleMs: 60_000,
  waitMs: 20_000,
  hangMs: 15_000,
} as const satisfies TokenizerOptions

/** Calls that wait for the thread, and their characters: they are kept in memory. */
const MAX_JOBS = 4096
const MAX_CHARACTERS = 64 * 1024 * 1024
/**
 * Of longer texts this much is counted, in pieces from all over them, and the rest is taken to be like it. It is a length and no
 * time, so that the count does not depend on what else the machine does. Ordinary texts of this length take 30 ms, the slowest a second.
 */
const MAX_COUNTED = 256 * 1024
/** For a bound more is counted, because what is not counts for as much as it can be. */
const MAX_COUNTED_OF_BOUND = 1024 * 1024
/** A thread may be lost for reasons of its own; texts that took two with them are estimated. */
const MAX_LOSSES = 2
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
    const sample = sampleOf(texts, rest === 'most' ? MAX_COUNTED_OF_BOUND : MAX_COUNTED)
    const characters = sample.texts.reduce((sum, text) => sum + text.length, 0)
    if (characters === 0) return Promise.resolve(0)
    const isFull = this.#jobs.size >= MAX_JOBS || this.#characters + characters > MAX_CHARACTERS
    if (this.#isClosed || isFull) return Promise.resolve(estimate({ texts, rest }))
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.#settle(job, estimate(job)), patienceMs)
      const job: Job = { texts, rest, sample, characters, losses: 0, resolve, limit }
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
    const worker = this.#thread()
    if (worker === undefined) this.#finish(undefined)
    else worker.postMessage({ texts: job.sample.texts } satisfies CountCall)
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

  /** A thread that was lost has no answer: its job is the first that the next thread gets, and estimated if it costs that one too. */
  #finish(tokens: number | undefined): void {
    const job = this.#running
    this.#running = undefined
    if (job !== undefined && tokens !== undefined) this.#settle(job, ofAll(job, tokens))
    else if (job !== undefined && ++job.losses >= MAX_LOSSES) this.#settle(job, estimate(job))
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

/** What all of the texts come to, from the tokens of the part that was counted. */
function ofAll({ texts, rest, sample }: Job, tokens: number): number {
  if (rest === 'likely') return Math.ceil(tokens * sample.factor)
  return tokens + bytesOf(texts) - bytesOf(sample.texts)
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function estimate({ texts, rest }: Pick<Job, 'texts' | 'rest'>): number {
  const textBytes = bytesOf(texts)
  return rest === 'most' ? textBytes : estimateInputTokens({ textBytes, mediaParts: 0 })
}
