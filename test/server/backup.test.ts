import { describe, expect, it } from 'vitest'
import { backupMaker } from '#server/admin/backup.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'

const MADE: BackupAnswer = {
  type: 'made',
  bytes: 4096,
  contents: {
    schema: 40,
    books: { keys: 1, entries: 3, openHolds: 1, usageRecords: 1, problems: [] },
    endsAtMs: 1,
    keys: [],
    secretHolders: [{ id: 'p', name: 'openai', baseUrl: 'https://one.example' }],
  },
}

/** A maker whose thread answers when it is told to, and what it was asked. */
function makerOf(state: 'ok' | 'halted' | 'mismatch' = 'ok') {
  const asked: BackupRequest[] = []
  const waiting: { resolve(answer: BackupAnswer): void; reject(error: Error): void }[] = []
  let flushes = 0
  const make = backupMaker(
    (request) => {
      asked.push(request)
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    { state, flush: async () => void (flushes += 1) },
  )
  return { make, asked, waiting, flushes: () => flushes }
}

/** Lets everything run that waits for nobody. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a backup through the admin API', () => {
  it.each([['monday.db'], ['./monday.db'], ['../monday.db'], ['~/monday.db'], ['']])(
    'is refused for %j, which leads nowhere by itself',
    async (file) => {
      const { make, asked } = makerOf()
      expect(await make({ file })).toMatchObject({ code: 'invalid_request', param: 'file' })
      expect(asked).toEqual([])
    },
  )

  it('is made after what was decided is on disk, and replaces nothing unless it is told to', async () => {
    const { make, asked, waiting, flushes } = makerOf()
    const answer = make({ file: '/backups/monday.db' })
    await settle()
    expect(flushes()).toBe(1)
    expect(asked).toEqual([{ file: '/backups/monday.db', isForced: false }])
    waiting[0]?.resolve(MADE)
    expect(await answer).toEqual({
      file: '/backups/monday.db',
      bytes: 4096,
      keys: 1,
      entries: 3,
      open_holds: 1,
      usage_records: 1,
      without_secrets: ['openai'],
    })
  })

  it.each(['halted', 'mismatch'] as const)('waits for no disk while the ledger is in state %s', async (state) => {
    const { make, asked, flushes } = makerOf(state)
    void make({ file: '/backups/monday.db', force: true })
    await settle()
    expect([flushes(), asked]).toEqual([0, [{ file: '/backups/monday.db', isForced: true }]])
  })

  it('is made of what is there while the disk refuses more', async () => {
    const asked: BackupRequest[] = []
    const backUp = (request: BackupRequest) => Promise.resolve((asked.push(request), MADE))
    const make = backupMaker(backUp, { state: 'ok', flush: () => Promise.reject(new Error('the disk refuses')) })
    expect(await make({ file: '/backups/monday.db' })).toMatchObject({ bytes: 4096 })
    expect(asked).toHaveLength(1)
  })

  it('is made one at a time, also after one that failed', async () => {
    const { make, waiting } = makerOf()
    const first = make({ file: '/backups/monday.db' })
    await settle()
    expect(await make({ file: '/backups/tuesday.db' })).toMatchObject({ code: 'conflict' })
    waiting[0]?.reject(new Error('the thread has ended'))
    await expect(first).rejects.toThrow('the thread has ended')
    const second = make({ file: '/backups/tuesday.db' })
    await settle()
    waiting[1]?.resolve(MADE)
    expect(await second).toMatchObject({ file: '/backups/tuesday.db' })
  })

  it.each([
    ['taken', 'conflict'],
    ['no-place', 'invalid_request'],
    ['full', 'disk_full'],
    ['unsound', 'conflict'],
  ] as const)('that could not be made because of %s is refused as %s', async (reason, code) => {
    const { make, waiting } = makerOf()
    const answer = make({ file: '/backups/monday.db' })
    await settle()
    waiting[0]?.resolve({ type: 'refused', reason, message: 'This is why.' })
    expect(await answer).toMatchObject({ type: 'refusal', code, message: 'This is why.', param: 'file' })
  })
})
