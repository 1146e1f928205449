// A disk that runs full at each write in turn. One client does the same few things after each other, on the same data folder
// as it was before, and each time the disk has room for one page more, until all of it fits: so every write that needs room
// is once the one that finds none, from the start of the process over calls, changes and the checkpoint of a long log to a
// backup. What then happens differs in turn: there is room again, or the process is stopped, or it is killed.

import { cpSync, existsSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { openWholeBooks } from '#app/whole-books.ts'
import { AdminError } from '#cli/client.ts'
import { verifyLedger } from '#ledger/verify.ts'
import type { Db } from '#store/database.ts'
import { fill } from '../bench/scale-fill.ts'
import { chatModel, setUpUpstream } from '../support/farebox.ts'
import { costlyAnswers } from '../support/load.ts'
import { paidCall, type PaidAnswer } from '../support/paid-calls.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

/** How many of the points are tried in CI, evenly over all of them. */
const POINTS_IN_CI = 8
const PAGE_BYTES = 4096
/** The log is folded into the database when it has 4,000 pages; the work below writes more than what is missing here. */
const LOG_PAGES = 3930

let upstream: Upstream | undefined
let disk: SmallDisk | undefined

afterEach(async () => {
  await endProcesses()
  disk?.remove()
  await upstream?.close()
})

/** What a client and an administrator were told. */
type Told = {
  readonly answers: PaidAnswer[]
  readonly keys: string[]
  readonly refusedKeys: string[]
  readonly topUps: string[]
  /** Each step, and whether it was done. */
  readonly steps: { readonly name: string; readonly isDone: boolean }[]
}

const newTold = (): Told => ({ answers: [], keys: [], refusedKeys: [], topUps: [], steps: [] })

/** Does what there is to do, in the same order each time. Whatever is refused is refused with an answer. */
async function work({ url, admin }: FareboxProcess, key: string, told: Told, copy: string): Promise<void> {
  const note = (name: string, isDone: boolean) => told.steps.push({ name, isDone })
  const call = async (name: string, isStream: boolean) => {
    const answer = await paidCall({ url, key }, isStream)
    expect([200, 503]).toContain(answer.status)
    told.answers.push(answer)
    note(name, answer.status === 200 && answer.paidMicro !== undefined)
  }
  const ask = async (name: string, action: () => Promise<unknown>) => {
    const isDone = await action().then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof AdminError)) throw error
        return false
      },
    )
    note(name, isDone)
    return isDone
  }
  await call('first call', false)
  await call('first stream', true)
  const isMade = await ask('new key', () => admin.call('createKey', { body: { name: 'made', package: 'plenty' } }))
  if (isMade) told.keys.push('made')
  else told.refusedKeys.push('made')
  const body = { credits: 1, idempotency_id: 'top-up' }
  if (await ask('top-up', () => admin.call('topUpKey', { id: 'loaded', body }))) told.topUps.push('top-up:top-up')
  await ask('price', () => admin.call('priceModel', { id: 'chat', body: { input: 1, output: 2, cache_read: 1 } }))
  for (let turn = 0; turn < 8; turn++) await call('later call', turn % 2 === 0)
  await ask('backup', () => admin.call('backUp', { body: { file: copy } }))
  await call('last call', false)
}

/** A data folder whose log is nearly as long as it gets, and the key of its client. */
async function prepare(folder: string, { url }: Upstream): Promise<{ pristine: string; key: string }> {
  const dataDir = join(folder, 'prepared')
  const program = await startProcess({ dataDir })
  await setUpUpstream(program, url, [{ name: 'plenty', type: 'topup', credits: 1000 }])
  const { key } = await program.admin.call('createKey', { body: { name: 'loaded', package: 'plenty' } })
  await program.admin.call('addModel', { body: chatModel('bench-chat') })
  await program.stop()
  const db = new Database(join(dataDir, 'farebox.db'))
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('synchronous = OFF')
  // While somebody reads what was before, these calls stay in the log: the database has yet to grow by them.
  db.exec('BEGIN')
  db.prepare('SELECT count(*) FROM key').get()
  fill(dataDir, { keys: 2, calls: 60 })
  db.exec('COMMIT')
  const version = Number(db.pragma('user_version', { simple: true }))
  for (let page = 0; page < LOG_PAGES; page++) db.pragma(`user_version = ${version}`)
  const pristine = join(folder, 'pristine')
  cpSync(dataDir, pristine, { recursive: true })
  db.close()
  return { pristine, key }
}

/** Everything that was promised must be in the database as it was left; `isKilled` calls may have ended with the process. */
function expectKept(db: Db, told: Told, isKilled: boolean): void {
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(verifyLedger(db)).toMatchObject({ ok: true, problems: [] })
  const charges = new Map(
    db
      .prepare<[], { id: string; charge_micro: number }>('SELECT id, charge_micro FROM usage_record')
      .all()
      .map((row) => [row.id, row.charge_micro]),
  )
  for (const { id, paidMicro } of told.answers) {
    // A stream that was cut brought its text all the same; its charge may be lost with a process that is killed.
    if (paidMicro !== undefined) expect(charges.get(id) ?? 0, id).toBe(paidMicro)
    else if (!isKilled) expect(charges.get(id), id).toBeGreaterThan(0)
  }
  const names = db.prepare<[], string>('SELECT name FROM key').pluck().all()
  expect(names).toEqual(expect.arrayContaining(told.keys))
  expect(names.filter((name) => told.refusedKeys.includes(name))).toEqual([])
  const ids = db.prepare<[], string>(`SELECT idempotency_id FROM ledger_entry WHERE kind = 'adjustment'`).pluck().all()
  expect(ids).toEqual(expect.arrayContaining(told.topUps))
}

/** Service returns by itself, and the gateway says that all is well. */
async function expectService({ url, admin }: FareboxProcess, key: string, told: Told): Promise<void> {
  await expect.poll(async () => (await admin.call('status', {})).ledger, { timeout: 15_000 }).toBe('ok')
  const answer = await paidCall({ url, key }, false)
  expect(answer.status).toBe(200)
  told.answers.push(answer)
  expect(await admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [], open_holds: 0 })
}

const ENDS = ['there is room again', 'it is stopped', 'it is killed'] as const

type Bench = { readonly folder: string; readonly pristine: string; readonly key: string; readonly disk: SmallDisk }

/** One round with room for so many pages. Returns the step that was the first to find none. */
async function round({ folder, pristine, key, disk: small }: Bench, pages: number): Promise<string> {
  const seen = join(small.place.root, folder)
  const dataDir = join(folder, 'data')
  const copy = join(folder, 'copy.db')
  const end = ENDS[pages % ENDS.length]
  small.clear()
  for (const name of ['data', 'copy.db']) rmSync(join(seen, name), { recursive: true, force: true })
  cpSync(pristine, join(seen, 'data'), { recursive: true })
  small.fill(pages * PAGE_BYTES)
  const told = newTold()
  const program = await startProcess({ dataDir, place: small.place }).catch((error: unknown) => {
    // It has to end by itself and say why.
    expect(String(error)).toMatch(/it ended \(1\) before it printed .*: .+/s)
    return undefined
  })
  if (program !== undefined) {
    await work(program, key, told, copy)
    expect(existsSync(join(seen, 'copy.db.new'))).toBe(false)
    if (end === 'there is room again') {
      small.clear()
      await expectService(program, key, told)
    }
    if (end === 'it is killed') program.kill('SIGKILL')
    else program.kill('SIGTERM')
    await program.exited
  }
  small.clear()
  const left = join(folder, '..', `left-${pages}`)
  cpSync(join(seen, 'data'), left, { recursive: true })
  const books = openWholeBooks(left, { isRunning: false })
  expectKept(books.db, told, end !== 'there is room again')
  books.close()
  rmSync(left, { recursive: true })
  if (program === undefined) return 'start'
  return told.steps.find(({ isDone }) => !isDone)?.name ?? 'nothing'
}

/** How many pages the work needs when there is room for all of it. */
async function pagesNeeded({ folder, pristine, key, disk: small }: Bench): Promise<number> {
  const seen = join(small.place.root, folder)
  cpSync(pristine, join(seen, 'data'), { recursive: true })
  const before = statfsSync(seen).bavail
  const program = await startProcess({ dataDir: join(folder, 'data'), place: small.place })
  await work(program, key, newTold(), join(folder, 'copy.db'))
  const used = before - statfsSync(seen).bavail
  program.kill('SIGKILL')
  await program.exited
  // The log was folded into the database on the way.
  const sizeIn = (data: string) => statSync(join(data, 'farebox.db')).size
  expect(sizeIn(join(seen, 'data'))).toBeGreaterThan(sizeIn(pristine))
  return used
}

describe.skipIf(!canMountSmallDisk)('a disk that is full at each write', () => {
  it('is survived at every write', { timeout: isLong ? 7_200_000 : 240_000 }, async () => {
    const outside = await temporaryFolder()
    const folder = join(outside, 'disk')
    mkdirSync(folder)
    disk = await mountSmallDisk(folder, '64m')
    upstream = await startUpstream()
    upstream.script(costlyAnswers())
    const bench: Bench = { folder, disk, ...(await prepare(outside, upstream)) }
    const kept = await pagesNeeded(bench)
    const step = isLong ? 1 : kept / (POINTS_IN_CI - 1)
    const firsts: string[] = []
    // What is needed for a moment only, such as the log beside the copy, is no more to be seen in what is kept.
    const most = kept * 2
    for (let pages = 0; firsts.at(-1) !== 'nothing' && pages <= most; pages += step) {
      firsts.push(await round(bench, Math.round(pages)))
    }
    const counts = [...new Set(firsts)].map((name) => `${name} ${firsts.filter((first) => first === name).length}`)
    console.log(`disk full at ${firsts.length} points; the first to find no room: ${counts.join(', ')}`)
    expect(firsts[0]).toBe('start')
    expect(firsts.at(-1)).toBe('nothing')
  })
})
