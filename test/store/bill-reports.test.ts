// Reports of providers as they are kept: the same ones leave the same lines, in whatever order, pieces and number they are handed in.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { rowsToKeep } from '#reports/kept-bills.ts'
import { CannotKeep, forgetReports, keepReport, keptReport, readAccount, type ReportRows } from '#store/bill-reports.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { randomFrom } from '../support/random.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse('2026-10-01T00:00:00Z')
const NOBODY = { accountKeys: undefined, project: undefined }

let folder: string
let db: Db
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-bills-'))
  db = openForWriting(folder)
  addProvider('p')
  addProvider('q')
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

function addProvider(id: string): void {
  db.prepare(
    `INSERT INTO provider (id, name, dialect, base_url, has_secret, output_cap_field, created_at_ms)
     VALUES (?, ?, 'chat-completions', ?, 0, 'max_tokens', 0)`,
  ).run(id, id, 'http://127.0.0.1:9/v1')
}

type Piece = { readonly form: string; readonly madeMs: number; readonly rows: ReportRows }

/** Lines of hours, by the number of the hour, their identity and a count. */
function piece(
  form: string,
  madeMs: number,
  lines: readonly (readonly [hour: number, identity: string, count: number])[],
): Piece {
  const hours = [...new Set(lines.map(([hour]) => hour))]
  return {
    form,
    madeMs,
    rows: {
      spans: hours.map((hour) => ({ kind: 'usage', startMs: START + hour * HOUR, endMs: START + (hour + 1) * HOUR })),
      lines: lines.map(([hour, identity, count]) => ({
        kind: 'usage',
        startMs: START + hour * HOUR,
        identity,
        line: JSON.stringify({ count }),
      })),
    },
  }
}

function keep(
  { form, madeMs, rows }: Piece,
  providerId = 'p',
  account: Parameters<typeof keepReport>[1]['account'] = NOBODY,
): void {
  const bytes = new TextEncoder().encode(JSON.stringify(rows))
  db.transaction(() => keepReport(db, { providerId, form, madeMs, account, rows: bytes }))()
}

function kept(providerId = 'p'): string[] {
  const { spans, lines } = keptReport(db, { providerId, fromMs: 0, toMs: START + 400 * DAY })
  const made = new Map(spans.map(({ startMs, madeMs }) => [startMs, madeMs]))
  return [
    ...spans.map(
      ({ startMs, endMs, madeMs }) => `${(startMs - START) / HOUR}-${(endMs - START) / HOUR} made ${madeMs - START}`,
    ),
    ...lines.map(
      ({ startMs, identity, line }) => `${(startMs - START) / HOUR} ${identity} ${line} ${made.has(startMs)}`,
    ),
  ]
}

describe('a report', () => {
  it('that is handed in twice, or in pieces of one hour, is there once and whole', () => {
    const [first, second] = [piece('csv', START + 5, [[1, 'a', 10]]), piece('csv', START + 6, [[1, 'b', 20]])]
    for (const one of [second, first, second]) keep(one)
    expect(kept()).toEqual(['1-2 made 6', '1 a {"count":10} true', '1 b {"count":20} true'])
    expect(kept('q')).toEqual([])
  })

  it('that was revised holds, and an older one changes nothing', () => {
    keep(piece('csv', START + 9, [[1, 'a', 11]]))
    keep(piece('csv', START + 5, [[1, 'a', 10]]))
    expect(kept()).toEqual(['1-2 made 9', '1 a {"count":11} true'])
  })

  it('in another form takes the place of older ones, hour by hour', () => {
    const both = [
      [1, 'a', 10],
      [2, 'a', 1],
    ] as const
    keep(piece('csv', START + 5, both))
    keep(piece('asked 7', START + 7, [[1, 'x', 12]]))
    keep(piece('csv', START + 6, [[1, 'a', 99]]))
    expect(kept()).toEqual(['1-2 made 7', '2-3 made 5', '1 x {"count":12} true', '2 a {"count":1} true'])
  })

  it('of other stretches of the same time is refused, and nothing of it stays', () => {
    keep(piece('csv', START + 5, [[30, 'a', 10]]))
    const day = { kind: 'usage', startMs: START + DAY, endMs: START + 2 * DAY } as const
    const rows = { spans: [{ ...day, startMs: START, endMs: START + DAY }, day], lines: [] }
    expect(() => keep({ form: 'csv', madeMs: START + 9, rows })).toThrow(CannotKeep)
    expect(kept()).toEqual(['30-31 made 5', '30 a {"count":10} true'])
    // Another kind and another provider are no matter of it.
    keep({ form: 'csv', madeMs: START + 9, rows: { spans: [{ ...day, kind: 'costs' }], lines: [] } })
    keep({ form: 'csv', madeMs: START + 9, rows }, 'q')
  })

  it('of more than 400 days ago is gone with the next one', () => {
    keep(piece('csv', START, [[1, 'a', 10]]))
    keep(piece('csv', START + 402 * DAY, [[24 * 300, 'a', 10]]))
    expect(kept()).toEqual(['7200-7201 made 34732800000', '7200 a {"count":10} true'])
  })

  it('of another project takes the place of all, and what is said of an account stays until it is forgotten', () => {
    keep(piece('csv', START + 5, [[1, 'a', 10]]), 'p', { accountKeys: ['k'], project: undefined })
    keep(piece('csv', START + 6, [[2, 'a', 10]]), 'p', { accountKeys: undefined, project: 'proj' })
    expect(readAccount(db, 'p')).toEqual({ accountKeys: ['k'], project: 'proj' })
    expect(kept()).toEqual(['2-3 made 6', '2 a {"count":10} true'])
    keep(piece('csv', START + 7, [[3, 'a', 10]]))
    expect(kept()).toHaveLength(4)
    forgetReports(db, 'p')
    expect(readAccount(db, 'p')).toEqual(NOBODY)
    expect(kept()).toEqual([])
  })

  it('goes with its provider', () => {
    keep(piece('csv', START + 5, [[1, 'a', 10]]), 'p', { accountKeys: ['k'], project: undefined })
    db.prepare('DELETE FROM provider WHERE id = ?').run('p')
    expect(kept()).toEqual([])
    expect(db.prepare('SELECT count(*) AS count FROM bill_line').get()).toEqual({ count: 0 })
  })
})

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

it('any reports leave the same lines in any order', () => {
  const random = randomFrom(7)
  const upTo = (most: number) => Math.floor(random() * most)
  for (let round = 0; round < 400; round++) {
    const pieces = Array.from({ length: 2 + upTo(5) }, () =>
      piece(
        ['csv', 'pages', 'asked'][upTo(3)] ?? '',
        START + upTo(6),
        Array.from({ length: 1 + upTo(4) }, () => [upTo(2), 'abc'[upTo(3)] ?? '', upTo(9)] as const),
      ),
    )
    const outcomes = [pieces, shuffled(pieces, random), shuffled([...pieces, ...pieces], random)].map((order) => {
      forgetReports(db, 'p')
      for (const one of order) keep(one)
      return kept()
    })
    expect(outcomes[1], `round ${round}`).toEqual(outcomes[0])
    expect(outcomes[2], `round ${round}`).toEqual(outcomes[0])
  }
})

/** A file of a console with random lines, each of which has an own identity or the same one with other numbers. */
function randomFile(form: (typeof FILES)[number], random: () => number): string[] {
  const upTo = (most: number) => Math.floor(random() * most)
  return Array.from({ length: 1 + upTo(12) }, () => form.line({ day: 1 + upTo(3), name: upTo(4), count: upTo(9999) }))
}

type LineSeed = { readonly day: number; readonly name: number; readonly count: number }

const FILES = [
  {
    head: 'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug',
    // What an answer cost is the same whenever it is exported.
    line: ({ day, name }: LineSeed) =>
      `gen-${day}-${name},2026-10-0${day} 0${name}:00:00,0.0${name}1,${name},7,openai/gpt-${name}`,
  },
  {
    head: 'Date;Service description;SKU description;Unrounded subtotal ($)',
    line: ({ day, name }: LineSeed) =>
      `2026-10-0${day};${name === 0 ? 'Cloud Run' : 'Gemini API'};Text Input ${name};0,${day}${name}`,
  },
  {
    head: 'start_time\tend_time\tmodel\tinput_tokens\toutput_tokens',
    line: ({ day, name }: LineSeed) =>
      `${START / 1000 + day * 86_400}\t${START / 1000 + (day + 1) * 86_400}\tgpt-${name}\t${day * 1000 + name}\t5`,
  },
] as const

it('a file leaves the same lines whole, twice, in pieces and out of order', () => {
  const random = randomFrom(11)
  for (let round = 0; round < 300; round++) {
    const form = FILES[round % FILES.length] ?? FILES[0]
    const lines = randomFile(form, random)
    const handIn = (pieces: readonly (readonly string[])[]) => {
      forgetReports(db, 'p')
      for (const piece of pieces) {
        const read = rowsToKeep([form.head, ...piece].join('\n'))
        if (isRefusal(read)) throw new Error(read.message)
        keep({ form: read.form, madeMs: START + 9, rows: read.rows })
      }
      return kept()
    }
    const whole = handIn([lines])
    const cuts = Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * lines.length))
    const ends = [0, ...cuts.toSorted((one, other) => one - other), lines.length]
    const pieces = ends.slice(1).map((end, index) => lines.slice(ends[index], end))
    const mixed = shuffled(lines, random)
    expect(handIn([lines, lines]), `twice, round ${round}`).toEqual(whole)
    expect(handIn(pieces), `pieces, round ${round}`).toEqual(whole)
    expect(handIn(shuffled([...pieces, mixed, ...pieces], random)), `out of order, round ${round}`).toEqual(whole)
    if (round === 0) expect(whole.length).toBeGreaterThan(2)
  }
})
