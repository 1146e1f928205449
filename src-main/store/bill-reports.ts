// The numbers of providers' reports as they are kept: stretches of time, and the lines in them. The same reports leave the same
// lines, in whatever order and pieces and however often they are handed in.

import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'

export type ReportKind = 'usage' | 'costs'
export type SpanRow = { readonly kind: ReportKind; readonly startMs: number; readonly endMs: number }
export type LineRow = {
  readonly kind: ReportKind
  readonly startMs: number
  readonly identity: string
  /** JSON. */
  readonly line: string
}
export type ReportRows = { readonly spans: readonly SpanRow[]; readonly lines: readonly LineRow[] }

/** What Farebox has of an account, as its provider calls it; undefined where nobody said. */
export type BillAccount = { readonly accountKeys: readonly string[] | undefined; readonly project: string | undefined }

export type ReportToKeep = {
  readonly providerId: string
  /** Lines of one form add to each other; a later report of another form takes their place. */
  readonly form: string
  readonly madeMs: number
  readonly account: BillAccount
  /** JSON text of `ReportRows`. */
  readonly rows: Uint8Array
}

/** Why a report cannot be kept beside those that are there. */
export type KeepProblem = 'overlaps' | 'too_many'

const DAY_MS = 86_400_000
const KEPT_DAYS = 400
/** Of all providers: a hundred megabytes or so. */
const MAX_LINES = 500_000
/** No stretch of time is longer. */
const LONGEST_MS = 31 * DAY_MS

export class CannotKeep extends Error {
  readonly problem: KeepProblem

  constructor(problem: KeepProblem) {
    super(problem)
    this.problem = problem
  }
}

/** In a transaction. Throws a `CannotKeep`, after which it has to be rolled back. */
export function keepReport(db: Db, { providerId, form, madeMs, account, rows }: ReportToKeep): void {
  const { spans, lines } = JSON.parse(new TextDecoder().decode(rows)) as ReportRows
  putAccount(db, providerId, account)
  // The cascade takes the lines along.
  db.prepare<[string, number]>('DELETE FROM bill_span WHERE provider_id = ? AND start_ms < ?').run(
    providerId,
    madeMs - KEPT_DAYS * DAY_MS,
  )
  const taken = new Set<string>()
  for (const span of spans) if (keepSpan(db, { ...span, providerId, form, madeMs })) taken.add(placeOf(span))
  const put = db.prepare(
    `INSERT INTO bill_line (provider_id, kind, start_ms, identity, made_ms, line) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET made_ms = excluded.made_ms, line = excluded.line
     WHERE excluded.made_ms > made_ms OR (excluded.made_ms = made_ms AND excluded.line > line)`,
  )
  for (const { kind, startMs, identity, line } of lines) {
    if (taken.has(placeOf({ kind, startMs }))) put.run(providerId, kind, startMs, identity, madeMs, line)
  }
  const { count } = db.prepare<[], { count: number }>('SELECT count(*) AS count FROM bill_line').get() ?? { count: 0 }
  if (count > MAX_LINES) throw new CannotKeep('too_many')
}

type SpanToKeep = SpanRow & Pick<ReportToKeep, 'providerId' | 'form' | 'madeMs'>
/** Of two that were made at the same time the form decides, so that there is one later one. */
type Made = { readonly form: string; readonly madeMs: number }
type SpanState = Made & { readonly otherForm: string; readonly otherMs: number }

const AT_PLACE = 'WHERE provider_id = @providerId AND kind = @kind AND start_ms = @startMs'

/** Whether its lines count: not where a later report in another form has told about the same time. */
function keepSpan(db: Db, span: SpanToKeep): boolean {
  const overlapping = statement<{ one: 1 }>(
    db,
    `SELECT 1 AS one FROM bill_span WHERE provider_id = @providerId AND kind = @kind
       AND start_ms > @startMs - ${LONGEST_MS} AND start_ms < @endMs AND end_ms > @startMs
       AND NOT (start_ms = @startMs AND end_ms = @endMs) LIMIT 1`,
  )
  if (overlapping.get(span) !== undefined) throw new CannotKeep('overlaps')
  const kept = statement<SpanState>(
    db,
    `SELECT form, made_ms AS madeMs, other_form AS otherForm, other_ms AS otherMs FROM bill_span ${AT_PLACE}`,
  ).get(span)
  if (kept === undefined) {
    statement(db, "INSERT INTO bill_span VALUES (@providerId, @kind, @startMs, @endMs, @form, @madeMs, '', 0)").run(
      span,
    )
    return true
  }
  const after = { ...span, ...stateAfter(kept, span) }
  const set = 'form = @form, made_ms = @madeMs, other_form = @otherForm, other_ms = @otherMs'
  statement(db, `UPDATE bill_span SET ${set} ${AT_PLACE}`).run(after)
  const isOld = 'made_ms < @otherMs OR (made_ms = @otherMs AND @form < @otherForm)'
  const leaves = after.form === kept.form ? isOld : 'TRUE'
  statement(db, `DELETE FROM bill_line ${AT_PLACE} AND (${leaves})`).run(after)
  return after.form === span.form && isLater(span, otherOf(after))
}

/** The form of the latest report holds; of all other forms the latest one is known. */
function stateAfter(kept: SpanState, { form, madeMs }: Made): SpanState {
  const comes = { form, madeMs }
  if (form === kept.form) return { ...kept, madeMs: Math.max(kept.madeMs, madeMs) }
  // Whatever held was later than all others.
  if (isLater(comes, kept)) return { ...comes, otherForm: kept.form, otherMs: kept.madeMs }
  const other = isLater(comes, otherOf(kept)) ? comes : otherOf(kept)
  return { ...kept, otherForm: other.form, otherMs: other.madeMs }
}

function otherOf({ otherForm: form, otherMs: madeMs }: SpanState): Made {
  return { form, madeMs }
}

function isLater(one: Made, other: Made): boolean {
  return one.madeMs > other.madeMs || (one.madeMs === other.madeMs && one.form > other.form)
}

function placeOf({ kind, startMs }: Pick<SpanRow, 'kind' | 'startMs'>): string {
  return `${kind} ${startMs}`
}

/** What is not said stays. What was kept of another project is of no use any more. */
function putAccount(db: Db, providerId: string, said: BillAccount): void {
  const before = readAccount(db, providerId)
  const { accountKeys = before.accountKeys, project = before.project } = said
  if (before.project !== project) deleteSpans(db, providerId)
  const keys = accountKeys === undefined ? null : JSON.stringify(accountKeys)
  db.prepare('INSERT OR REPLACE INTO bill_account (provider_id, account_keys, project) VALUES (?, ?, ?)').run(
    providerId,
    keys,
    project ?? null,
  )
}

export function readAccount(db: Db, providerId: string): BillAccount {
  const row = db
    .prepare<[string], { account_keys: string | null; project: string | null }>(
      'SELECT account_keys, project FROM bill_account WHERE provider_id = ?',
    )
    .get(providerId)
  const keys = row?.account_keys ?? undefined
  return {
    accountKeys: keys === undefined ? undefined : (JSON.parse(keys) as readonly string[]),
    project: row?.project ?? undefined,
  }
}

/** All that is kept of its reports, and what is known of its account. */
export function forgetReports(db: Db, providerId: string): void {
  deleteSpans(db, providerId)
  db.prepare('DELETE FROM bill_account WHERE provider_id = ?').run(providerId)
}

/** The cascade takes the lines along. */
function deleteSpans(db: Db, providerId: string): void {
  db.prepare('DELETE FROM bill_span WHERE provider_id = ?').run(providerId)
}

export type KeptSpan = SpanRow & { readonly madeMs: number }

/** Those that begin within the time, and their lines. */
export function keptReport(
  db: Db,
  { providerId, fromMs, toMs }: { readonly providerId: string; readonly fromMs: number; readonly toMs: number },
): { readonly spans: readonly KeptSpan[]; readonly lines: readonly LineRow[] } {
  const range = { providerId, fromMs, toMs }
  const where = 'provider_id = @providerId AND start_ms >= @fromMs AND start_ms < @toMs'
  return {
    spans: db
      .prepare<typeof range, KeptSpan>(
        `SELECT kind, start_ms AS startMs, end_ms AS endMs, made_ms AS madeMs FROM bill_span WHERE ${where}`,
      )
      .all(range),
    lines: db
      .prepare<typeof range, LineRow>(
        `SELECT kind, start_ms AS startMs, identity, line FROM bill_line WHERE ${where} ORDER BY kind, start_ms, identity`,
      )
      .all(range),
  }
}
