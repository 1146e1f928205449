// When providers were asked for their bills by themselves.

import type { Asked } from '#core/polling.ts'
import type { Db } from '#store/database.ts'

export type BillQuestion = Asked & {
  readonly providerId: string
  /** Why there was no report; empty where there was one. */
  readonly problem: string
}

export type BillsKept = {
  readonly questions: readonly BillQuestion[]
  /** Whether any report is kept, which is what a comparison needs. */
  readonly hasReports: boolean
}

/** A provider that is gone meanwhile keeps nothing. */
export function keepBillQuestion(db: Db, question: BillQuestion): void {
  db.prepare<BillQuestion>(
    `INSERT OR REPLACE INTO bill_question (provider_id, asked_ms, quiet_until_ms, failures, problem)
     SELECT id, @askedMs, @quietUntilMs, @failures, @problem FROM provider WHERE id = @providerId`,
  ).run(question)
}

export function readBillsKept(db: Db): BillsKept {
  const questions = db
    .prepare<[], BillQuestion>(
      `SELECT provider_id AS providerId, asked_ms AS askedMs, quiet_until_ms AS quietUntilMs, failures, problem
       FROM bill_question`,
    )
    .all()
  return { questions, hasReports: db.prepare('SELECT 1 FROM bill_span LIMIT 1').get() !== undefined }
}
