// What tools used on this machine by their own logs, and what it would have cost at the price card. Logs hold conversations: of each line the
// numbers are read and the rest is let go at once. Nothing is written, nothing is kept, and nothing leaves the machine. None of it is
// part of the ledger: these calls went past Farebox, or were counted there already.

import type { Price } from '#core/price.ts'
import { findLogs } from '#scan/files.ts'
import { logFormats } from '#scan/formats.ts'
import type { LogFile, LogFormat } from '#scan/log-format.ts'
import { placeOf, type Home } from '#scan/places.ts'
import { readRecords } from '#scan/records.ts'
import { Tally, type ScanRow } from '#scan/tally.ts'
import { uncountedIn } from '#scan/uncounted.ts'

const DAY_MS = 86_400_000

export type ScanWish = Home & {
  readonly nowMs: number
  readonly days: number
  readonly priceOfModel: (model: string) => Price | undefined
}

export type Scan = {
  readonly rows: readonly ScanRow[]
  /** Of the tools whose logs are there. */
  readonly files: Readonly<Record<string, number>>
  /** Lines, objects and rows that are too long, and files that cannot be read, or not all of them. */
  readonly skipped: { readonly lines: number; readonly files: number }
  /** Tools that are used here and keep no counts that could be read. */
  readonly uncounted: readonly string[]
  /** Whether there is more that may hold a log than is looked at. */
  readonly isPartial: boolean
}

export async function scan({ home, env, nowMs, days, priceOfModel }: ScanWish): Promise<Scan> {
  const sinceMs = nowMs - days * DAY_MS
  const tally = new Tally({ sinceMs, untilMs: nowMs, priceOfModel })
  const files: Record<string, number> = {}
  const skipped = { lines: 0, files: 0 }
  let isPartial = false
  for (const format of logFormats()) {
    const place = placeOf(format.places, { home, env })
    if (place === undefined) continue
    const found = await findLogs(place, format)
    // What has not changed since then has no call of the time since.
    const recent = found.files.filter(({ changedAtMs }) => changedAtMs > sinceMs)
    if (recent.length > 0) files[format.tool] = (files[format.tool] ?? 0) + recent.length
    isPartial ||= found.isPartial
    for (const file of recent) {
      const read = () => readLog({ format, file, files: found.files, tally, onLong: () => (skipped.lines += 1) })
      await read().catch(() => (skipped.files += 1))
    }
  }
  return { rows: tally.rows(), files, skipped, uncounted: uncountedIn({ home, env }), isPartial }
}

type Reading = {
  readonly format: LogFormat
  readonly file: LogFile
  readonly files: readonly LogFile[]
  readonly tally: Tally
  readonly onLong: () => void
}

async function readLog({ format, file, files, tally, onLong }: Reading): Promise<void> {
  const reader = await format.open(file, files)
  for await (const record of readRecords(file.path, { format, onLong })) {
    for (const call of [reader(record) ?? []].flat()) tally.add(format.tool, call)
  }
}
