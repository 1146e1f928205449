// A provider's bill against our books, where it is known what went wrong: each difference gets its true cause, and there is none where
// nothing went wrong.

import { describe, expect, it } from 'vitest'
import { checkBill } from '#bills/check.ts'
import { readReport } from '#bills/read.ts'
import type { BillReport } from '#bills/report.ts'
import { anthropicPages, HOUR, makeMonth, MONTH, openAiPages, type Month } from './fake-bill.ts'

const LONG_AFTER = MONTH + 60 * 24 * HOUR

/** Half of the injected faults come in the words of each provider. */
const PROVIDERS = [
  { name: 'OpenAI, which counts requests', pages: openAiPages, accounts: undefined, seed: 1 },
  { name: 'Anthropic, which names keys', pages: anthropicPages, accounts: new Set(['ours']), seed: 2 },
]

function reportOf(pages: readonly object[]): BillReport {
  const read = readReport(JSON.stringify(pages))
  if (read.type === 'problem') throw new Error(read.message)
  return read.report
}

/** Each difference as one line, with the name that our side has for a model. */
function found({ side }: Month, report: BillReport, accounts: ReadonlySet<string> | undefined): string[] {
  const { tokens } = checkBill(report, side, { accounts, madeMs: () => LONG_AFTER })
  return tokens.differences.map(
    ({ startMs, model, causes, calls }) => `${startMs} ${plain(model)} ${causes.join()} ${calls.join()}`,
  )
}

function plain(model: string): string {
  return model.replace(/^model-(\d+)[.-]5.*/, 'model-$1.5')
}

describe.each(PROVIDERS)('the bill of $name', ({ pages, accounts, seed }) => {
  it('has the true cause at each of 5,000 injected differences, with its calls', () => {
    const month = makeMonth(seed, 0.4)
    const faults = [...month.faults]
    expect(faults.length).toBeGreaterThan(5000)
    const expected = faults.map(([place, { cause, calls }]) => `${place} ${cause} ${calls.join()}`)
    expect(found(month, reportOf(pages(month.metered, 168)), accounts).toSorted()).toEqual(expected.toSorted())
  })

  it('agrees where nothing went wrong', () => {
    const month = makeMonth(seed + 10, 0)
    const report = reportOf(pages(month.metered, 168))
    const { tokens, unexplained } = checkBill(report, month.side, { accounts, madeMs: () => LONG_AFTER })
    expect(tokens).toEqual({ compared: 20 * 30 * 24, differences: [] })
    expect(unexplained).toBe(0)
  })

  it('is the same whichever way its pages come', () => {
    const month = makeMonth(seed + 20, 0.4, 2)
    const all = pages(month.metered, 31)
    const report = found(month, reportOf(all), accounts)
    expect(found(month, reportOf(all.toReversed()), accounts)).toEqual(report)
    expect(found(month, reportOf([...all, ...all, ...pages(month.metered, 7)]), accounts)).toEqual(report)
  })

  it('is not reported yet in its last hours', () => {
    const month = makeMonth(seed + 30, 0, 3)
    const lastMs = MONTH + (30 * 24 - 1) * HOUR
    const report = reportOf(
      pages(
        month.metered.filter(({ endMs }) => endMs < lastMs),
        168,
      ),
    )
    const causesAt = (madeMs: number) =>
      checkBill(report, month.side, { accounts, madeMs: () => madeMs }).tokens.differences.map(
        ({ startMs, causes }) => [startMs, ...causes],
      )
    expect(causesAt(lastMs + 3 * HOUR - 1)).toEqual(Array.from({ length: 3 }, () => [lastMs, 'not_reported_yet']))
    expect(causesAt(lastMs + 3 * HOUR)).toEqual(Array.from({ length: 3 }, () => [lastMs, 'unexplained']))
  })
})
