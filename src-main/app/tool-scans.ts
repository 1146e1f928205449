// Scans of the tools' own logs for the dashboard: one at a time, each in a thread of its own that ends with it. What comes of one is
// told to whoever asked, and is not kept.

import { Worker } from 'node:worker_threads'
import { scriptFile } from '#config/program-files.ts'
import type { Surroundings } from '#connect/expand.ts'
import type { ToolScan } from '#contract/tools.ts'
import { sumToCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { ScanSum } from '#scan/summary.ts'
import type { ScanControl } from '#server/admin/admin-deps.ts'
import type { ScanThreadAnswer, ScanThreadData } from '#threads/scan-thread.ts'

/** Some gigabytes a minute are read. Who has more has the command line. */
const LIMIT_MS = 600_000
/** The usage of two million calls, which is what is told apart. */
const MAX_HEAP_MB = 1024

export type ToolScansDeps = {
  /** Whose logs are read; undefined where this Farebox has no user. */
  readonly surroundings: Pick<Surroundings, 'home' | 'env'> | undefined
  readonly nowMs: () => number
  /** The thread's file, and how long and with how much memory it may read; the program's own unless given. */
  readonly script?: URL
  readonly limitMs?: number
  readonly maxHeapMb?: number
}

type Running = { readonly days: number; readonly answer: Promise<ToolScan | Refusal>; readonly stop: () => void }

export class ToolScans implements ScanControl {
  readonly #deps: ToolScansDeps
  #running: Running | undefined

  constructor(deps: ToolScansDeps) {
    this.#deps = deps
  }

  /** Whoever asks the same while a scan runs gets its answer. */
  async run(days: number): Promise<ToolScan | Refusal> {
    const { surroundings } = this.#deps
    if (surroundings === undefined) return refuse('not_found', 'This Farebox has no user whose logs it could read.')
    if (this.#running !== undefined && this.#running.days !== days)
      return refuse('conflict', `A scan of ${this.#running.days} days is under way. Wait for it, or stop it.`)
    this.#running ??= this.#start(days, surroundings)
    return this.#running.answer
  }

  stop(): void {
    this.#running?.stop()
  }

  #start(days: number, { home, env }: Pick<Surroundings, 'home' | 'env'>): Running {
    const { script = scriptFile('scan-thread'), limitMs = LIMIT_MS, maxHeapMb = MAX_HEAP_MB, nowMs } = this.#deps
    const data: ScanThreadData = { home, env: { ...env }, nowMs: nowMs(), days }
    const worker = new Worker(script, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } })
    // A scan does not keep the program from ending.
    worker.unref()
    const { promise, resolve, reject } = Promise.withResolvers<ToolScan | Refusal>()
    const close = () => {
      clearTimeout(limit)
      if (this.#running?.answer === promise) this.#running = undefined
      void worker.terminate()
    }
    const end = (answer: ToolScan | Refusal) => {
      close()
      resolve(answer)
    }
    const fail = (error: Error) => {
      close()
      reject(error)
    }
    const limit = setTimeout(() => end(tooMuch('takes too long')), limitMs).unref()
    worker.once('message', (answer: ScanThreadAnswer) => end(viewOf(answer, days)))
    worker.once('error', (error: Error) => (isOutOfMemory(error) ? end(tooMuch('takes too much memory')) : fail(error)))
    worker.once('exit', () => fail(new Error('the scan thread ended without an answer')))
    return { days, answer: promise, stop: () => end(refuse('conflict', 'The scan was stopped.')) }
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function tooMuch(what: string): Refusal {
  return refuse('overloaded', `Reading these logs ${what} here. Ask for fewer days, or use farebox scan.`)
}

function viewOf({ summary: { by, total, isPartial, ...rest }, cardDate }: ScanThreadAnswer, days: number): ToolScan {
  const groupOf = ({ sums, others }: (typeof by)['model']) => ({
    sums: sums.map(sumView),
    others: others === null ? null : sumView(others),
  })
  const { cost_micro: cost, ...counts } = total
  return {
    ...rest,
    files: { ...rest.files },
    unpriced: [...rest.unpriced],
    uncounted: [...rest.uncounted],
    days,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    price_card: cardDate,
    by: { model: groupOf(by.model), day: groupOf(by.day), project: groupOf(by.project), tool: groupOf(by.tool) },
    total: { ...counts, credits: creditsOf(cost) },
    is_partial: isPartial,
  }
}

function sumView({ cost_micro: cost, ...sum }: ScanSum): ToolScan['by']['model']['sums'][number] {
  return { ...sum, credits: creditsOf(cost) }
}

function creditsOf(micro: number | null): number | null {
  return micro === null ? null : sumToCredits(micro)
}
