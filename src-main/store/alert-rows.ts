// Alerts, the thresholds that hold, and what is on its way to whom. An alert and its deliveries are written in one transaction, so
// that after whatever end of the process either both are there or none.

import { isReached, type Alert, type ThresholdRule } from '#core/alerts.ts'
import type { Network } from '#core/entities.ts'
import { microCredits } from '#core/money.ts'
import type { Addressing, Delivery, DeliveryState, Receiver } from '#core/delivery.ts'
import type { Db } from '#store/database.ts'

export type AlertWrite =
  | { readonly type: 'thresholds'; readonly rule: ThresholdRule }
  /** Those of the scope hold again. */
  | { readonly type: 'no-thresholds'; readonly scope: string; readonly subjectId: string | undefined }
  | { readonly type: 'receiver'; readonly receiver: Receiver }
  | { readonly type: 'no-receiver'; readonly id: string }
  | { readonly type: 'delivery'; readonly delivery: Delivery }

/** Alerts that were reached, each with what is to be delivered of it. */
export type Raised = readonly { readonly alert: Alert; readonly deliveries: readonly Delivery[] }[]

export type LoadedAlerts = {
  /** Reached, and not over: what is not to be told again, by its cycle. */
  readonly standing: readonly Pick<Alert, 'scope' | 'subjectId' | 'cycleStartedAtMs' | 'threshold'>[]
  readonly latest: readonly Alert[]
  readonly rules: readonly ThresholdRule[]
  readonly receivers: readonly Receiver[]
  readonly deliveries: readonly Delivery[]
}

/** Alerts that are shown, and kept in memory. */
const MAX_LATEST = 200
/** Older alerts of cycles that are over are forgotten. */
const MAX_KEPT = 10_000
/** Deliveries to one receiver that have ended. */
const MAX_ENDED = 20

type AlertRow = {
  id: string
  scope: string
  subject_id: string
  name: string
  cycle_started_at_ms: number
  next_reset_at_ms: number | null
  threshold: number
  used_micro: number
  total_micro: number
  at_ms: number
}

/** A receiver: webhooks were the first kind. */
type ReceiverRow = {
  id: string
  name: string
  url: string
  network: Network
  created_at_ms: number
  mail: string | null
}

type DeliveryRow = {
  id: string
  webhook_id: string
  body: string
  created_at_ms: number
  state: DeliveryState
  attempts: number
  at_ms: number
  status: number | null
  problem: string | null
}

export function loadAlerts(db: Db): LoadedAlerts {
  const standing = db
    .prepare<[], Pick<AlertRow, 'scope' | 'subject_id' | 'cycle_started_at_ms' | 'threshold'>>(
      'SELECT scope, subject_id, cycle_started_at_ms, threshold FROM alert WHERE is_over = 0 ORDER BY cycle_started_at_ms',
    )
    .all()
  const latest = db
    .prepare<[number], AlertRow>('SELECT * FROM alert ORDER BY at_ms DESC, id DESC LIMIT ?')
    .all(MAX_LATEST)
  const rules = db
    .prepare<[], { scope: string; subject_id: string; thresholds: string }>('SELECT * FROM alert_threshold')
    .all()
  const receivers = db.prepare<[], ReceiverRow>('SELECT * FROM webhook ORDER BY created_at_ms, id').all()
  const deliveries = db.prepare<[], DeliveryRow>('SELECT * FROM webhook_delivery ORDER BY created_at_ms, id').all()
  return {
    standing: standing.map((row) => ({
      scope: row.scope,
      subjectId: row.subject_id,
      cycleStartedAtMs: row.cycle_started_at_ms,
      threshold: row.threshold,
    })),
    latest: latest.map(alertOf),
    rules: rules.map((row) => ({
      scope: row.scope,
      subjectId: row.subject_id === '' ? undefined : row.subject_id,
      // Written by this program from values that were checked.
      thresholds: JSON.parse(row.thresholds) as number[],
    })),
    receivers: receivers.map(receiverOf),
    deliveries: deliveries.map(deliveryOf),
  }
}

/** Returns the ids of the alerts that were new. Runs inside the caller's transaction. */
export function raiseAlerts(db: Db, raised: Raised): string[] {
  const insert = db.prepare(
    `INSERT INTO alert (id, scope, subject_id, name, cycle_started_at_ms, next_reset_at_ms, threshold, used_micro, total_micro, at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const added = raised.filter(({ alert }) => {
    const { id, scope, subjectId, name, cycleStartedAtMs, nextResetAtMs = null } = alert
    const { threshold, usedMicro, totalMicro, atMs } = alert
    const budget = [cycleStartedAtMs, nextResetAtMs, threshold, usedMicro, totalMicro, atMs] as const
    return insert.run([id, scope, subjectId, name, ...budget]).changes > 0
  })
  const deliveries = added.flatMap((each) => each.deliveries)
  for (const delivery of deliveries) putDelivery(db, delivery)
  // What is given up at once has ended, and no attempt comes after it.
  const ended = deliveries.filter(({ state }) => state !== 'waiting').map(({ receiverId }) => receiverId)
  for (const receiverId of new Set(ended)) forgetEnded(db, receiverId)
  forgetOld(db)
  return added.map(({ alert }) => alert.id)
}

/**
 * Arms thresholds of keys again that a top-up, a correction or other terms took them below. `balances` are those rows that are written
 * in the same transaction, which is the caller's.
 */
export function rearmAlerts(
  db: Db,
  balances: readonly (readonly [keyId: string, cycleMs: number, ...rest: unknown[]])[],
): void {
  const find = db.prepare<[string, number], { id: string; threshold: number }>(
    `SELECT id, threshold FROM alert WHERE scope = 'key' AND subject_id = ? AND cycle_started_at_ms = ? AND is_over = 0`,
  )
  const end = db.prepare('UPDATE alert SET is_over = 1 WHERE id = ?')
  for (const [keyId, cycleMs, , granted, used] of balances) {
    const amounts = { totalMicro: microCredits(Number(granted)), usedMicro: microCredits(Number(used)) }
    for (const { id, threshold } of find.all(keyId, cycleMs)) if (!isReached(amounts, threshold)) end.run(id)
  }
}

/** Throws SqliteError where a constraint says no. */
export function writeAlerts(db: Db, write: AlertWrite): void {
  switch (write.type) {
    case 'thresholds': {
      const { scope, subjectId = '', thresholds } = write.rule
      const sql = `INSERT INTO alert_threshold (scope, subject_id, thresholds) VALUES (?, ?, ?)
        ON CONFLICT (scope, subject_id) DO UPDATE SET thresholds = excluded.thresholds`
      db.prepare(sql).run(scope, subjectId, JSON.stringify(thresholds))
      return
    }
    case 'no-thresholds':
      db.prepare('DELETE FROM alert_threshold WHERE scope = ? AND subject_id = ?').run(
        write.scope,
        write.subjectId ?? '',
      )
      return
    case 'receiver': {
      const { id, name, url, network, createdAtMs, mail } = write.receiver
      const sql = 'INSERT INTO webhook (id, name, url, network, created_at_ms, mail) VALUES (?, ?, ?, ?, ?, ?)'
      db.prepare(sql).run(id, name, url, network, createdAtMs, mail === undefined ? null : JSON.stringify(mail))
      return
    }
    case 'no-receiver':
      db.prepare('DELETE FROM webhook WHERE id = ?').run(write.id)
      return
    case 'delivery':
      putDelivery(db, write.delivery)
      forgetEnded(db, write.delivery.receiverId)
  }
}

/** Of a receiver that was removed meanwhile nothing is kept. */
function putDelivery(db: Db, delivery: Delivery): void {
  const { id, receiverId, body, createdAtMs, state, attempts, atMs, status = null, problem = null } = delivery
  db.prepare(
    `INSERT INTO webhook_delivery (id, webhook_id, body, created_at_ms, state, attempts, at_ms, status, problem)
     SELECT ?, id, ?, ?, ?, ?, ?, ?, ? FROM webhook WHERE id = ?
     ON CONFLICT (id) DO UPDATE SET state = excluded.state, attempts = excluded.attempts, at_ms = excluded.at_ms,
       status = excluded.status, problem = excluded.problem`,
  ).run(id, body, createdAtMs, state, attempts, atMs, status, problem, receiverId)
}

function forgetEnded(db: Db, receiverId: string): void {
  db.prepare(
    `DELETE FROM webhook_delivery WHERE webhook_id = @receiverId AND state <> 'waiting' AND id NOT IN (
       SELECT id FROM webhook_delivery WHERE webhook_id = @receiverId AND state <> 'waiting'
       ORDER BY created_at_ms DESC, id DESC LIMIT ${MAX_ENDED})`,
  ).run({ receiverId })
}

/** What stands in the latest cycle of its subject stays: it says what is not to be told again. */
function forgetOld(db: Db): void {
  db.prepare(
    `DELETE FROM alert WHERE at_ms < (SELECT at_ms FROM alert ORDER BY at_ms DESC LIMIT 1 OFFSET ${MAX_KEPT})
       AND (is_over = 1 OR cycle_started_at_ms < (SELECT max(cycle_started_at_ms) FROM alert AS other
         WHERE other.scope = alert.scope AND other.subject_id = alert.subject_id AND other.is_over = 0))`,
  ).run()
}

function alertOf(row: AlertRow): Alert {
  return {
    id: row.id,
    scope: row.scope,
    subjectId: row.subject_id,
    name: row.name,
    cycleStartedAtMs: row.cycle_started_at_ms,
    nextResetAtMs: row.next_reset_at_ms ?? undefined,
    threshold: row.threshold,
    usedMicro: microCredits(row.used_micro),
    totalMicro: microCredits(row.total_micro),
    atMs: row.at_ms,
  }
}

function receiverOf({ created_at_ms: createdAtMs, mail, ...receiver }: ReceiverRow): Receiver {
  // Written by this program.
  return { ...receiver, createdAtMs, mail: mail === null ? undefined : (JSON.parse(mail) as Addressing) }
}

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    receiverId: row.webhook_id,
    body: row.body,
    createdAtMs: row.created_at_ms,
    state: row.state,
    attempts: row.attempts,
    atMs: row.at_ms,
    status: row.status ?? undefined,
    problem: row.problem ?? undefined,
  }
}
