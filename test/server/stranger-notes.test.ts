import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StrangerNotes } from '#server/sign-in/stranger-notes.ts'
import { VisitJournal } from '#server/sign-in/visit-journal.ts'
import type { NewAuditEntry } from '#store/audit-rows.ts'
import type { VisitChange } from '#store/session-rows.ts'

const HOUR_MS = 3_600_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function house() {
  const saved: VisitChange[] = []
  const notes = new StrangerNotes((change) => saved.push(change))
  const knock = (members: Partial<NewAuditEntry> = {}) => {
    const kind = { action: 'signIn', outcome: 'unauthenticated', status: 401, subject: undefined, details: '{}' }
    notes.add({ atMs: 0, actor: 'nobody', doer: 'stranger', source: '192.0.2.1', ...kind, ...members })
  }
  return { saved, notes, knock }
}

it('writes the first of a kind at once, and then what came meanwhile every few seconds', () => {
  const { saved, knock } = house()
  for (let atMs = 0; atMs < 10_000; atMs++) knock({ atMs })
  expect(saved).toMatchObject([{ type: 'add-audit-entry', entry: { atMs: 0 } }])
  vi.advanceTimersByTime(5000)
  expect(saved[1]).toMatchObject({ type: 'count-audit-entry', count: 10_000, lastAtMs: 9999, entry: { atMs: 0 } })
  vi.advanceTimersByTime(60_000)
  expect(saved).toHaveLength(2)
})

it('tells kinds and sources apart', () => {
  const { saved, knock } = house()
  knock()
  knock({ source: '192.0.2.2' })
  knock({ outcome: 'invalid_request' })
  knock({ action: 'acceptInvite' })
  knock({ actor: 'mia' })
  expect(saved.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => 'add-audit-entry'))
})

it('begins a new entry after an hour, and leaves the old one with all that it counted', () => {
  const { saved, knock } = house()
  knock()
  knock({ atMs: 1 })
  knock({ atMs: HOUR_MS })
  expect(saved).toMatchObject([
    { type: 'add-audit-entry' },
    { type: 'count-audit-entry', count: 2, lastAtMs: 1 },
    { type: 'add-audit-entry', entry: { atMs: HOUR_MS } },
  ])
})

it('writes a bounded number of entries an hour, from however many sources strangers come', () => {
  const { saved, notes, knock } = house()
  for (let count = 0; count < 100_000; count++) {
    knock({ atMs: count, source: `2001:db8:${count.toString(16)}:0::/64`, actor: `name ${count % 7}` })
  }
  notes.write()
  const added = saved.filter(({ type }) => type === 'add-audit-entry')
  expect(added).toHaveLength(41)
  expect(added.at(-1)).toMatchObject({ entry: { source: 'elsewhere', actor: 'nobody' } })
  const counted = saved.filter((change) => change.type === 'count-audit-entry')
  expect(counted).toMatchObject([{ count: 100_000 - 40, entry: { source: 'elsewhere' } }])
})

it('leaves room for others where nothing can be written', async () => {
  let isFull = true
  const written: VisitChange[] = []
  const write = async (changes: readonly VisitChange[]) => {
    if (isFull) throw new Error('full')
    written.push(...changes)
  }
  const journal = new VisitJournal({ write, onLoss: () => undefined })
  for (let count = 0; count < 10_000; count++) {
    journal.add({ type: 'put-failure', failure: { subject: String(count), count: 1, lastAtMs: 1 } })
  }
  journal.add({ type: 'delete-session', id: 'ours' })
  await journal.flushed()
  isFull = false
  await journal.close()
  expect(written).toHaveLength(2501)
  expect(written.at(-1)).toEqual({ type: 'delete-session', id: 'ours' })
})
