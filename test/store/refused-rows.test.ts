// Refused calls on disk: nobody can push out what happened to others, and nobody can fill the disk.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RefusedBurst } from '#core/refused-call.ts'
import { uuidV7Generator } from '#core/uuid.ts'
import { openForWriting, type Db } from '#store/database.ts'
import { findRefused, listRefused, saveRefused, type RefusedFilter } from '#store/refused-rows.ts'

let folder = ''
let db: Db
let nowMs = 1_700_000_000_000
let made = 0
const newId = uuidV7Generator(
  () => nowMs,
  (bytes) => new DataView(bytes.buffer).setUint32(4, (made += 1)),
)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-refused-'))
  db = openForWriting(folder)
  db.pragma('foreign_keys = ON')
  db.exec(`INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
    VALUES ('p', 'p', 'monthly', 1, 'UTC', '"all"', 1)`)
  for (const id of ['a', 'b']) {
    db.prepare(
      `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, 'h', 'p', 'active', 1)`,
    ).run(id, id, id.repeat(43))
  }
})

afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

function burst(more: Partial<RefusedBurst> = {}): RefusedBurst {
  nowMs += 1000
  const id = newId()
  return {
    id,
    lastId: id,
    keyId: 'a',
    endpoint: 'chat',
    modelId: undefined,
    code: 'rate_limited',
    status: 429,
    message: 'x'.repeat(300),
    limit: undefined,
    limitScope: undefined,
    count: 1,
    atMs: nowMs,
    lastAtMs: nowMs,
    tails: 't'.repeat(256),
    ...more,
  }
}

/** In one transaction, as the writer does. */
function save(bursts: readonly RefusedBurst[]): void {
  db.transaction(() => saveRefused(db, bursts))()
}

const ALL: RefusedFilter = {
  keyIds: undefined,
  modelId: undefined,
  code: undefined,
  sinceMs: undefined,
  untilMs: undefined,
  before: undefined,
  limit: 5000,
}

it('keeps the newest of each key and of strangers, whoever is refused how often', () => {
  const first = burst({ keyId: 'b' })
  save([first])
  for (let index = 0; index < 60; index++) {
    saveRefused(
      db,
      Array.from({ length: 100 }, () => burst({ keyId: index % 2 === 0 ? 'a' : undefined })),
    )
  }
  const rows = listRefused(db, ALL)
  expect(rows.filter(({ key_id }) => key_id === 'a')).toHaveLength(200)
  expect(rows.filter(({ key_id }) => key_id === null)).toHaveLength(200)
  expect(rows.filter(({ key_id }) => key_id === 'b')).toMatchObject([{ id: first.id, key_name: 'b' }])
  expect(Number(db.pragma('page_count', { simple: true })) * 4096).toBeLessThan(5_000_000)
})

it('writes a burst that went on over what was there', () => {
  const one = burst()
  save([one])
  save([{ ...one, count: 9, lastAtMs: one.atMs + 500, message: 'later' }])
  expect(listRefused(db, ALL)).toMatchObject([{ id: one.id, count: 9, last_at_ms: one.atMs + 500, message: 'later' }])
})

it('has nothing of a key that is gone', () => {
  save([burst({ keyId: 'never' })])
  expect(listRefused(db, ALL)).toEqual([])
})

it('is paged without gap or repetition, also where many ended at once', () => {
  const many = Array.from({ length: 25 }, () => ({ ...burst(), atMs: 5, lastAtMs: 5 }))
  save(many)
  const seen: string[] = []
  for (let before: RefusedFilter['before']; ;) {
    const page = listRefused(db, { ...ALL, before, limit: 10 })
    seen.push(...page.map(({ id }) => id))
    const last = page.at(-1)
    if (last === undefined) break
    before = { lastAtMs: last.last_at_ms, id: last.id }
  }
  expect(seen).toEqual(
    many
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
})

it('finds a request by its id, and by its time only where nothing else could be meant', () => {
  const one = burst({ count: 1000, tails: '' })
  const within = newId()
  nowMs += 1000
  const whole = { ...one, lastAtMs: nowMs, lastId: newId() }
  save([whole])
  expect(findRefused(db, one.id)).toMatchObject({ isCertain: false })
  expect(findRefused(db, whole.lastId)).toMatchObject({ row: { id: one.id }, isCertain: true })
  expect(findRefused(db, within)).toMatchObject({ row: { id: one.id }, isCertain: false })
  save([{ ...whole, id: newId(), keyId: undefined }])
  expect(findRefused(db, within)).toBeUndefined()
})
