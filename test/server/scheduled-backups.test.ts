// The schedule with a clock of its own: when a backup is made, what goes, and what is said when it fails.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogNote } from '#core/log.ts'
import { ScheduledBackups } from '#server/watch/scheduled-backups.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'

const START_MS = Date.parse('2026-11-21T12:00:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-backups-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function made(bytes: number): BackupAnswer {
  const books = { keys: 0, entries: 0, openHolds: 0, usageRecords: 0, problems: [] }
  return { type: 'made', bytes, contents: { schema: 1, books, endsAtMs: 0, keys: [], secretHolders: [] } }
}

/** A schedule whose backups are files of a few bytes. */
function schedule({ keep = 3 } = {}) {
  const clock = { nowMs: START_MS }
  const asked: string[] = []
  const notes: LogNote[] = []
  const disk = { answer: undefined as BackupAnswer | Error | undefined }
  const backups = new ScheduledBackups({
    folder,
    every: 'daily',
    keep,
    nowMs: () => clock.nowMs,
    log: (_line, note) => void (note === undefined ? undefined : notes.push(note)),
    async backUp({ file }: BackupRequest) {
      asked.push(basename(file))
      if (disk.answer instanceof Error) throw disk.answer
      if (disk.answer !== undefined) return disk.answer
      await writeFile(file, 'copy')
      return made(4)
    },
  })
  return { backups, clock, asked, notes, disk }
}

const present = async () => (await readdir(folder)).toSorted()

describe('a schedule of backups', () => {
  it('makes one at once where there is none, and the next a day later', async () => {
    const { backups, clock, asked } = schedule()
    await backups.look()
    clock.nowMs += DAY_MS - 1
    await backups.look()
    expect(asked).toEqual(['farebox-20261121T120000Z.db'])
    clock.nowMs += 1
    await backups.look()
    expect(asked).toEqual(['farebox-20261121T120000Z.db', 'farebox-20261122T120000Z.db'])
    expect(backups.standing).toMatchObject({ lastAtMs: clock.nowMs, lastBytes: 4, problem: undefined, failures: 0 })
    expect(backups.standing.nextAtMs).toBe(clock.nowMs + DAY_MS)
  })

  it('goes on with what an earlier process made', async () => {
    await writeFile(join(folder, 'farebox-20261121T080000Z.db'), 'copy')
    const { backups, asked } = schedule()
    await backups.look()
    expect(asked).toEqual([])
    expect(backups.standing.nextAtMs).toBe(Date.parse('2026-11-22T08:00:00Z'))
  })

  it('makes up for days that were slept through, with one backup', async () => {
    const { backups, clock, asked } = schedule()
    await backups.look()
    clock.nowMs += 9 * DAY_MS
    await backups.look()
    await backups.look()
    expect(asked).toHaveLength(2)
  })

  it('makes one, and not one after the other, when the clock was set back', async () => {
    await writeFile(join(folder, 'farebox-20300101T000000Z.db'), 'copy')
    const { backups, clock, asked } = schedule()
    await backups.look()
    clock.nowMs += MINUTE_MS
    await backups.look()
    expect(asked).toEqual(['farebox-20261121T120000Z.db'])
  })

  it('keeps the newest, and touches nothing else in the folder', async () => {
    const others = ['farebox-20200101T000000Z.db-notes', 'monday.db', 'readme.txt']
    for (const name of others) await writeFile(join(folder, name), 'mine')
    const { backups, clock } = schedule({ keep: 2 })
    for (let day = 0; day < 4; day++) {
      await backups.look()
      clock.nowMs += DAY_MS
    }
    const kept = ['farebox-20261123T120000Z.db', 'farebox-20261124T120000Z.db']
    expect(await present()).toEqual([...kept, ...others].toSorted())
  })

  it.each<[string, BackupAnswer | Error]>([
    ['is refused', { type: 'refused', reason: 'unsound', message: 'The copy does not add up.' }],
    ['breaks off', new Error('the database thread has ended')],
  ])('removes no older one where a new one %s, says so, and tries again after a while', async (_, answer) => {
    const { backups, clock, asked, notes, disk } = schedule({ keep: 1 })
    await backups.look()
    disk.answer = answer
    clock.nowMs += DAY_MS
    await backups.look()
    expect(await present()).toEqual(['farebox-20261121T120000Z.db'])
    expect(backups.standing).toMatchObject({ failures: 1, lastAtMs: START_MS })
    expect(backups.standing.problem).toMatch(/\.$/)
    expect(notes.at(-1)).toMatchObject({ event: 'backup_failed', level: 'error' })

    clock.nowMs += 14 * MINUTE_MS
    await backups.look()
    expect(asked).toHaveLength(2)
    disk.answer = undefined
    clock.nowMs += MINUTE_MS
    await backups.look()
    expect(asked).toHaveLength(3)
    expect(backups.standing.problem).toBeUndefined()
    expect(await present()).toEqual(['farebox-20261122T121500Z.db'])
  })

  it('says it when the folder is not there, and does not make one: it may be a disk that is not mounted', async () => {
    const { backups, asked } = schedule()
    await rm(folder, { recursive: true })
    await backups.look()
    expect(asked).toEqual([])
    expect(backups.standing.problem).toContain('ENOENT')
  })

  it('removes what a backup that broke off left behind', async () => {
    await writeFile(join(folder, 'farebox-20261120T000000Z.db.new'), 'half')
    const { backups } = schedule()
    await backups.look()
    expect(await present()).toEqual(['farebox-20261121T120000Z.db'])
  })

  it('makes no second one while one is being made, and none once it is closed', async () => {
    const { backups, clock, asked } = schedule()
    await Promise.all([backups.look(), backups.look()])
    expect(asked).toHaveLength(1)
    await backups.close()
    clock.nowMs += DAY_MS
    await backups.look()
    expect(asked).toHaveLength(1)
  })
})
