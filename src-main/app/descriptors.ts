// The limit of file descriptors, read once at the start, and a look each second whether one is left. Node raises its soft limit to the hard
// one when it starts, so that there is nothing to raise here.

import { closeSync, openSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Log } from '#core/log.ts'

/** undefined where there is none, or the system does not tell. */
export function descriptorLimit(): number | undefined {
  if (process.platform === 'win32') return undefined
  try {
    return parsedLimit(/^Max open files +(\w+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1])
  } catch {
    // Only Linux has this file. The report takes longer.
    return reportedLimit()
  }
}

function reportedLimit(): number | undefined {
  try {
    // Looking names up takes seconds.
    Object.assign(process.report, { excludeNetwork: true })
    const report = process.report.getReport() as { readonly userLimits?: { readonly open_files?: { soft?: unknown } } }
    return parsedLimit(report.userLimits?.open_files?.soft)
  } catch {
    // Then there are the bounds of a system without a limit.
    return undefined
  }
}

function parsedLimit(said: unknown): number | undefined {
  const limit = Number(said)
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined
}

export type DescriptorWatchOptions = {
  readonly limit: number | undefined
  readonly log: Log
  readonly monotonicMs: () => number
  /** Closes so many of the connections that have been idle for longest; returns how many it closed. */
  readonly shed: (count: number) => number
  /** Throws the system's error where no descriptor is left. */
  readonly open?: () => void
}

const SAID_EVERY_MS = 60_000
/** Closed at a time. */
const SHED = 32
const USED_UP = new Set(['EMFILE', 'ENFILE'])

export class DescriptorWatch {
  readonly #options: DescriptorWatchOptions
  #saidAtMs = Number.NEGATIVE_INFINITY

  constructor(options: DescriptorWatchOptions) {
    this.#options = options
  }

  /** To be called every second. Never throws. */
  look(): void {
    const { open = openAndClose } = this.#options
    try {
      open()
    } catch (error) {
      this.failed(error)
    }
  }

  /** To be told of errors of `accept`, and of opening. Makes room where descriptors are used up. */
  failed(error: unknown): void {
    const { limit, log, monotonicMs, shed } = this.#options
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const isUsedUp = USED_UP.has(code)
    const closed = isUsedUp ? shed(SHED) : 0
    if (monotonicMs() - this.#saidAtMs < SAID_EVERY_MS) return
    this.#saidAtMs = monotonicMs()
    const what = isUsedUp
      ? `No file descriptor is left (${code}, limit ${limit ?? 'unknown'}).`
      : `A connection could not be taken (${code}).`
    const done = closed === 0 ? '' : ` Closed ${closed} idle connections of clients.`
    log(`${what}${done}`, { event: 'descriptors', level: 'warning', fields: { code, limit: limit ?? null, closed } })
  }
}

function openAndClose(): void {
  closeSync(openSync(devNull, 'r'))
}
