// Reports that are as large as they may be, and larger.

import { describe, expect, it } from 'vitest'
import { checkBill } from '#bills/check.ts'
import { readReport } from '#bills/read.ts'
import { MAX_LINES, type BillReport } from '#bills/report.ts'
import { measured } from '../support/cpu-time.ts'
import { HOUR, MONTH } from './traffic.ts'

const COUNTS = { input: 1, cache_read: 0, cache_write: 0, output: 1 }
const MODELS = 20_000
const MIB = 1024 * 1024
/** Each takes some tenths of a second; what grew faster than its length took minutes. */
const MAX_CPU_MS = 5000
const OPENAI = 'start_time,end_time,model,input_tokens,output_tokens'

function problem(text: string): string {
  const read = readReport(text)
  return read.type === 'problem' ? read.message : 'no problem'
}

function page(startMs: number, hours: number, results: readonly object[]): object {
  return { start_time: startMs / 1000, end_time: startMs / 1000 + hours * 3600, results }
}

describe('a report', () => {
  it('of many models and hours is compared in time that grows with its lines alone', () => {
    // Every line is of a model of its own: what looked at each model in each hour would look forty-eight million times.
    const hours = 2400
    const usage = Array.from({ length: MODELS }, (_, index) => {
      const startMs = MONTH + (index % hours) * HOUR
      return {
        startMs,
        endMs: startMs + HOUR,
        model: `m${index}`,
        counts: COUNTS,
        requests: 1,
        account: undefined,
        identity: '',
      }
    })
    const spans = Array.from({ length: hours }, (_, index) => {
      const startMs = MONTH + index * HOUR
      return { startMs, endMs: startMs + HOUR }
    })
    const amount = { parts: 1n, places: 12 }
    const costs = usage.map(({ counts: _counts, requests: _requests, ...line }) => {
      return { ...line, kind: 'tokens' as const, currency: 'USD', amount }
    })
    const report: BillReport = { usage, usageSpans: spans, costs, costSpans: spans }
    const side = { hours: usage.map((line) => ({ ...line, calls: 1, chargeMicro: 1, price: undefined })), doubtful: [] }
    const bill = checkBill(report, side, { accounts: undefined, madeMs: () => MONTH + 9000 * HOUR })
    expect(bill.tokens).toEqual({ compared: MODELS, differences: [] })
    expect(bill.money.compared).toBe(MODELS)
    expect(bill.unexplained).toBe(0)
  })

  it.each([
    ['a column of spaces before a bracket', `start_time,${' '.repeat(20_000)}(\n`],
    ['a column of brackets', `start_time,${'('.repeat(200_000)}\n`],
    ['a column of long words', `start_time,${'a '.repeat(MIB)}\n`],
    ['twenty long lines before its columns', `a,${'b '.repeat(MIB / 4)}\n`.repeat(20)],
    ['a quote that is never closed', `a,"${'""'.repeat(MIB)}`],
    ['a quote in each field', `a,${'"'.repeat(MIB)}`],
    ['columns without names', `${','.repeat(999)}\n`.repeat(2000)],
    ['five million empty objects', `{"data":[${'{},'.repeat(5_000_000)}{}]}`],
    ['a list that is nested deeply', '['.repeat(MIB)],
  ])('with %s is refused in time that grows with its length alone', (_, text) => {
    const { result, cpuMs } = measured(() => problem(text))
    expect(result).not.toBe('no problem')
    expect(cpuMs).toBeLessThan(MAX_CPU_MS)
  })

  it('of more lines is refused', () => {
    const lines = Array.from({ length: MAX_LINES + 1 }, (_, index) => `1790812800,1790899200,m${index},1,1`)
    expect(problem([OPENAI, ...lines].join('\n'))).toContain('more than 200000 lines')
    const results = Array.from({ length: MAX_LINES }, (_, index) => ({ model: `m${index}`, input_tokens: 1 }))
    expect(problem(JSON.stringify({ data: [page(MONTH, 1, results)] }))).toContain('more than 200000 lines')
  })

  it('of a line without an end is no file of values', () => {
    expect(problem(`${OPENAI}\n${','.repeat(5_000_000)}`)).toContain('It is no file')
  })

  it.each([
    ['an hour and its day', [page(MONTH, 24, []), page(MONTH + HOUR, 1, [])]],
    ['two days that are not those of one calendar', [page(MONTH, 24, []), page(MONTH + HOUR, 24, [])]],
  ])('whose times overlap is refused: %s', (_, data) => {
    expect(problem(JSON.stringify({ data }))).toContain('overlap')
  })

  it('may have the same time twice, and times with something between them', () => {
    const data = [page(MONTH, 24, []), page(MONTH, 24, []), page(MONTH + 48 * HOUR, 24, [])]
    expect(problem(JSON.stringify({ data }))).toBe('no problem')
  })
})
