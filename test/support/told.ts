// What clients and administrators were told by a gateway, and whether a data folder keeps it: an answer that somebody has to its last
// byte is charged exactly once, and a change that was confirmed is there.

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { CommandFailure } from '#cli/errors.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { openForReading, type Db } from '#store/database.ts'
import { exported } from '../recompute/exported.ts'
import { recompute } from '../recompute/recompute.ts'
import type { ChatTarget } from './chat.ts'
import { chatModel, setUpUpstream, startFarebox, type Farebox } from './farebox.ts'
import { paidCall, type PaidAnswer } from './paid-calls.ts'

/** `at`: when it was told, in the units of whoever keeps the note. */
type ToldAt<Value> = Value & { readonly at: number }

export type Told = {
  readonly answers: ToldAt<PaidAnswer>[]
  /** By their idempotency ids. */
  readonly topUps: ToldAt<{ readonly id: string }>[]
  readonly keys: ToldAt<{ readonly name: string }>[]
  readonly prices: ToldAt<{ readonly cacheReadMicro: number }>[]
  /** `since`: when the copy was asked for. */
  readonly backups: ToldAt<{ readonly name: string; readonly since: number }>[]
}

export const nothingTold = (): Told => ({ answers: [], topUps: [], keys: [], prices: [], backups: [] })

/** What had been told by then. */
export function toldUpTo({ answers, topUps, keys, prices, backups }: Told, moment: number): Told {
  const upTo = <Value>(all: readonly ToldAt<Value>[]) => all.filter(({ at }) => at <= moment)
  return {
    answers: upTo(answers),
    topUps: upTo(topUps),
    keys: upTo(keys),
    prices: upTo(prices),
    backups: upTo(backups),
  }
}

/** What was told by `later` counts as told all along. */
export function toldBefore(earlier: Told): Told {
  const all = <Value extends object>(values: readonly ToldAt<Value>[]) => values.map((value) => ({ ...value, at: 0 }))
  return {
    answers: all(earlier.answers),
    topUps: all(earlier.topUps),
    keys: all(earlier.keys),
    prices: all(earlier.prices),
    backups: [],
  }
}

const LOADED_KEYS = ['plenty', 'daily'] as const
const CREDITS = 1000

/** A data folder with a provider, models and a key in each of two packages. Returns the keys. */
export async function prepareLoad(dataDir: string, upstreamUrl: string): Promise<readonly string[]> {
  const farebox = await startFarebox({ dataDir })
  try {
    return await setUpLoad(farebox, upstreamUrl)
  } finally {
    await farebox.stop()
  }
}

export async function setUpLoad(farebox: Pick<Farebox, 'admin'>, upstreamUrl: string): Promise<readonly string[]> {
  await setUpUpstream(farebox, upstreamUrl, [
    { name: 'plenty', type: 'topup', credits: CREDITS },
    { name: 'daily', type: 'daily', credits: CREDITS },
  ])
  await farebox.admin.call('addModel', { body: chatModel('priced') })
  const keys: string[] = []
  for (const name of LOADED_KEYS) {
    keys.push((await farebox.admin.call('createKey', { body: { name, package: name } })).key)
  }
  return keys
}

export type Load = {
  readonly url: string
  readonly admin: Farebox['admin']
  readonly keys: readonly string[]
  readonly clients: number
  readonly callsEach: number
  readonly changes: number
  /** What makes the names of this load's changes its own. */
  readonly name: string
  readonly told: Told
  readonly now: () => number
  /** Where backups go. */
  readonly folder: string
}

/** Calls from many clients with changes of the catalogue beside them, until all is done or nobody answers any more. */
export async function runLoad(load: Load): Promise<void> {
  const clients = Array.from({ length: load.clients }, (_, index) => callAgain(load, index))
  await Promise.all([...clients, changeAgain(load)])
}

async function callAgain({ url, keys, callsEach, told, now }: Load, index: number): Promise<void> {
  const target: ChatTarget = { url, key: keys[index % keys.length] ?? '' }
  for (let turn = 0; turn < callsEach; turn++) {
    const answer = await unlessDead(paidCall(target, (index + turn) % 2 === 0))
    if (answer === undefined) return
    if (answer.status === 200 && answer.paidMicro !== undefined) told.answers.push({ ...answer, at: now() })
  }
}

async function changeAgain({ admin, changes, name, told, now, folder }: Load): Promise<void> {
  for (let turn = 1; turn <= changes; turn++) {
    const id = `${name}-${turn}`
    const isAlive = await unlessDead(
      (async () => {
        await admin.call('topUpKey', { id: 'plenty', body: { credits: 1, idempotency_id: id } })
        told.topUps.push({ id, at: now() })
        await admin.call('createKey', { body: { name: id, package: 'plenty' } })
        told.keys.push({ name: id, at: now() })
        await admin.call('priceModel', { id: 'priced', body: { input: 1, output: 2, cache_read: turn } })
        told.prices.push({ cacheReadMicro: turn * 1_000_000, at: now() })
        // A cycle that ends and one that begins, and an adjustment for each key of a package.
        await admin.call('editPackage', { id: 'daily', body: { reset_used: true } })
        await admin.call('editPackage', { id: 'plenty', body: { credits: CREDITS + turn } })
        if (turn % 4 !== 2) return true
        const since = now()
        await admin.call('backUp', { body: { file: `${folder}/${id}.db` } })
        told.backups.push({ name: `${id}.db`, since, at: now() })
        return true
      })(),
    )
    if (isAlive === undefined) return
  }
}

/** Of a gateway that died, fetch says that a connection broke, and the client of the admin API that nobody answers. */
async function unlessDead<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof TypeError || (error instanceof CommandFailure && error.errorType === 'no_answer'))
      return undefined
    throw error
  }
}

/** What was told to whoever has made these keys, by their names. */
type ToldOf = (names: readonly string[]) => Told

/**
 * Starts a gateway on a data folder as a crash left it, and looks whether it keeps what was told. Service has to return by itself:
 * what a crash leaves is never taken for books that somebody changed. Returns what was told, with the calls that were made to see that.
 */
export async function expectKept(dataDir: string, keys: readonly string[], toldOf: Told | ToldOf): Promise<Told> {
  const farebox = await startFarebox({ dataDir })
  const answers: PaidAnswer[] = []
  try {
    expect(farebox.log.filter((line) => !/^(Released |Completed the restore )/.test(line))).toEqual([])
    expect(await farebox.admin.call('status', {})).toMatchObject({ ledger: 'ok', held_credits: 0, open_exchanges: 0 })
    for (const key of keys) answers.push(await paidCall({ url: farebox.url, key }, false))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    expect(await farebox.admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [], open_holds: 0 })
  } finally {
    await farebox.stop()
  }
  expect(recompute(exported(dataDir))).toMatchObject({ code: 0, said: expect.stringMatching(/^agrees: /) as string })
  const db = openForReading(dataDir)
  try {
    const told = typeof toldOf === 'function' ? toldOf(keyNames(db)) : toldOf
    const all = { ...told, answers: [...told.answers, ...answers.map((answer) => ({ ...answer, at: 0 }))] }
    expectInBooks(db, all)
    return all
  } finally {
    db.close()
  }
}

/** Everything that was told is in these books, once. */
export function expectInBooks(db: Db, told: Told): void {
  expectCharged(db, told.answers)
  const topUps = db.prepare<[], string>(
    `SELECT substr(idempotency_id, 8) FROM ledger_entry WHERE idempotency_id LIKE 'top-up:%'`,
  )
  expectEach(
    topUps.pluck().all(),
    told.topUps.map(({ id }) => id),
  )
  expectEach(
    keyNames(db),
    told.keys.map(({ name }) => name),
  )
  const prices = db.prepare<[], number>(`SELECT cache_read_micro FROM price WHERE model_id = 'priced'`).pluck().all()
  expect(prices).toEqual(expect.arrayContaining(told.prices.map(({ cacheReadMicro }) => cacheReadMicro)))
}

function keyNames(db: Db): string[] {
  return db.prepare<[], string>('SELECT name FROM key').pluck().all()
}

function expectCharged(db: Db, answers: readonly PaidAnswer[]): void {
  const rows = db
    .prepare<[], { id: string; charge: number; outcome: string; charges: number }>(
      `SELECT usage_record.id AS id, usage_record.charge_micro AS charge, outcome, count(ledger_entry.seq) AS charges
         FROM usage_record JOIN ledger_entry ON exchange_id = usage_record.id AND kind IN ('settle', 'release')
        GROUP BY usage_record.id`,
    )
    .all()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const wrong = answers.filter(({ id, paidMicro }) => {
    const row = byId.get(id)
    return row?.charge !== paidMicro || row?.outcome !== 'answered' || row.charges !== 1
  })
  expect(wrong.map((answer) => ({ ...answer, booked: byId.get(answer.id) }))).toEqual([])
}

function expectEach(present: readonly string[], told: readonly string[]): void {
  expect(present).toEqual(expect.arrayContaining([...told]))
  expect(new Set(present).size).toBe(present.length)
}

/** A backup that was confirmed is whole, and has what was told before it was asked for. */
export function expectBackups(folder: string, told: Told): void {
  for (const { name, since } of told.backups) {
    const path = `${folder}/${name}`
    expect(existsSync(path), name).toBe(true)
    const db = new Database(path, { readonly: true })
    try {
      expect(verifyLedger(db)).toMatchObject({ ok: true, problems: [] })
      expectInBooks(db, toldUpTo(told, since))
    } finally {
      db.close()
    }
  }
}
