// The page Bills by a program that shares no code with it: from the export of the books and the reports as their provider gave them.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BillDays } from '#contract/bills.ts'
import { priceRow } from '#core/price.ts'
import { isRefusal } from '#core/refusal.ts'
import { billDays } from '#reports/bill-days.ts'
import { rowsToKeep } from '#reports/kept-bills.ts'
import { keepReport } from '#store/bill-reports.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { billOf, pagesOf, type Style } from '../bills/fake-bill.ts'
import { chargeOf, modelPrice } from '../bills/prices.ts'
import { DAY, makeMonth, MONTH, searchesIn, type Month } from '../bills/traffic.ts'
import { needs } from '../requirements.ts'
import { exported } from './exported.ts'

const PROGRAM = join(import.meta.dirname, 'bills.py')
const LONG_AFTER = MONTH + 60 * DAY
const NOBODY = { accountKeys: undefined, project: undefined }

let folder: string
let db: Db
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-bills-'))
  db = openForWriting(folder)
  db.prepare(
    `INSERT INTO provider (id, name, dialect, base_url, has_secret, output_cap_field, created_at_ms)
     VALUES ('p', 'provider', 'chat-completions', 'http://127.0.0.1:9/v1', 0, 'max_tokens', 0)`,
  ).run()
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

/** As the books would have them; nothing of what a bill is compared with needs the rest. */
function record({ records }: Month): void {
  db.pragma('foreign_keys = OFF')
  const insert = db.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, provider_id, upstream_model, is_stream, outcome, status,
       input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, usage_source, hold_micro, charge_micro, is_overrun,
       created_at_ms, duration_ms, estimated_classes, attempts, details, price_version)
     VALUES (?, 'k', 'pkg', 'chat', ?, ?, ?, 0, ?, 200, ?, ?, ?, ?, ?, 0, ?, 0, ?, ?, ?, ?, ?, 1)`,
  )
  const price = db.prepare(
    `INSERT INTO price (model_id, version, input_micro, output_micro, cache_read_micro, cache_write_micro, created_at_ms, details)
     VALUES (@model, @version, @input_micro, @output_micro, @cache_read_micro, @cache_write_micro, 0, @details)`,
  )
  db.transaction(() => {
    for (const model of new Set(records.map(({ upstreamModel }) => upstreamModel)))
      price.run({ model, ...priceRow(modelPrice(model)) })
    for (const one of records) {
      const { counts, upstreamModel: model, isServed, usageSource: source } = one
      const searches = searchesIn(one.unitParts)
      const attempts = [...one.failedModels.map((failed) => ({ provider: 'provider', model: failed })), {}]
      const charge = source === 'none' ? 0 : chargeOf(model, counts, searches)
      const used = [counts.input, counts.cache_read, counts.cache_write, counts.output]
      const units = searches > 0 ? { web_search: searches } : { search_without_a_price: 1 }
      const details = one.hasUnits ? JSON.stringify({ units }) : null
      const times = [one.startMs, one.endMs - one.startMs]
      const who = isServed ? ['p', model] : ['other', 'elsewhere']
      const rest = [one.estimatedClasses, JSON.stringify(attempts), details]
      insert.run(one.id, model, ...who, one.outcome, ...used, source, charge, ...times, ...rest)
    }
  })()
}

/** Their money is in the bill's day, and their tokens are in no report of tokens. */
function recordImages(): void {
  db.exec(`CREATE TEMP TABLE image AS SELECT * FROM usage_record WHERE provider_id = 'p' AND usage_source = 'reported' LIMIT 3;
    UPDATE image SET id = 'image-' || id, endpoint = 'images', upstream_model = 'gpt-image';
    INSERT INTO usage_record SELECT * FROM image`)
}

function keep(pages: readonly object[], madeMs: number): void {
  const read = rowsToKeep(JSON.stringify(pages))
  if (isRefusal(read)) throw new Error(read.message)
  const rows = new TextEncoder().encode(JSON.stringify(read.rows))
  db.transaction(() => keepReport(db, { providerId: 'p', form: read.form, madeMs, account: NOBODY, rows }))()
}

function page(): BillDays {
  const range = { fromMs: MONTH - DAY, toMs: MONTH + 40 * DAY, nowMs: LONG_AFTER }
  const answer = billDays(db, { providers: [{ id: 'p', name: 'provider' }], ...range })
  if (isRefusal(answer)) throw new Error(answer.message)
  return answer
}

function recompute(shown: BillDays, reports: readonly (readonly object[])[]): { code: number | null; said: string } {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const files = reports.map((pages, index) => write(`report-${index}.json`, JSON.stringify(pages)))
  const args = [write('export.jsonl', exported(folder)), 'p', write('page.json', JSON.stringify(shown)), ...files]
  const { status, stdout, stderr } = spawnSync('python3', [PROGRAM, ...args], { encoding: 'utf8' })
  return { code: status, said: stdout + stderr }
}

describe.each<Style>(['openai', 'anthropic'])('the page of a month of %s', needs('python3'), (style) => {
  it('has the numbers that another program computes, also after a revised report', () => {
    const month = makeMonth({ seed: style.length, share: 0.2, pairs: 0.2, extras: 0.3, strangers: 0.5, models: 4 })
    record(month)
    recordImages()
    const bill = billOf(month, style)
    // At first the provider had not counted a third of the requests.
    const early = billOf({ ...month, metered: month.metered.filter((_, index) => index % 3 > 0) }, style)
    const first = [...pagesOf(early.usage, style, 168), ...pagesOf(early.costs, style, 31)]
    const last = [...pagesOf(bill.usage, style, 168).slice(0, 3), ...pagesOf(bill.costs, style, 31)]
    keep(first, LONG_AFTER - DAY)
    keep(last, LONG_AFTER)
    const shown = page()
    expect(shown.days).toHaveLength(30)
    expect(recompute(shown, [first, last])).toMatchObject({
      code: 0,
      said: expect.stringContaining('ok: 30 days') as string,
    })
    const [day] = shown.days
    if (day?.money === undefined || day.money === null) throw new Error('the day has no money')
    const wrong = { ...day, money: { ...day.money, theirs: `${day.money.theirs}1` } }
    expect(recompute({ ...shown, days: [wrong, ...shown.days.slice(1)] }, [first, last]).code).toBe(1)
  })
})
