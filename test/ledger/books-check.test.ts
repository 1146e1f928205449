// The check of older entries beside the calls, and what is known when it cannot be made.

import { renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openApp } from '#app/open.ts'
import { BooksCheck } from '#ledger/books-check.ts'
import { summariseNext } from '#ledger/summary.ts'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import { fill } from '../bench/scale-fill.ts'
import { postChat } from '../support/chat.ts'
import { chatModel, startFarebox, testConfig } from '../support/farebox.ts'

const SOUND: LedgerReport = { ok: true, keys: 1, entries: 1, openHolds: 0, usageRecords: 0, problems: [] }

/** A check whose outcomes are given in advance. */
function checkOf(outcomes: (LedgerReport | Error)[]) {
  const problems: string[] = []
  const retries: number[] = []
  const check = new BooksCheck({
    async verify() {
      const outcome = outcomes.shift() ?? SOUND
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    nowMs: () => Date.now(),
    onProblems: (found) => problems.push(...found),
    onFailure: (_, retryMs) => retries.push(retryMs),
  })
  return { check, problems, retries }
}

describe('the check', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }))
  afterEach(() => void vi.useRealTimers())

  it('knows nothing before it is made, and when it was made afterwards', async () => {
    const { check, problems, retries } = checkOf([SOUND])
    const running = check.run()
    expect([check.state, check.checkedAtMs]).toEqual(['checking', undefined])
    await running
    expect([check.state, check.checkedAtMs]).toEqual(['checked', 1_800_000_000_000])
    expect([problems, retries]).toEqual([[], []])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells of problems once', async () => {
    const { check, problems } = checkOf([{ ...SOUND, ok: false, problems: ['a sum is wrong'] }])
    await check.run()
    expect([check.state, problems]).toEqual(['checked', ['a sum is wrong']])
  })

  it('is tried again where it cannot be made, less and less often, for as long as it takes', async () => {
    const { check, problems, retries } = checkOf([
      ...Array.from({ length: 14 }, () => new Error('unreadable')),
      { ...SOUND, ok: false, problems: ['found at last'] },
    ])
    await check.run()
    expect([check.state, check.checkedAtMs]).toEqual(['unchecked', undefined])
    for (let tries = 1; tries < 14; tries++) {
      await vi.advanceTimersByTimeAsync(3_600_000)
      if (retries.length === 14) break
    }
    expect(retries.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000])
    expect(Math.max(...retries)).toBe(3_600_000)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([check.state, problems]).toEqual(['checked', ['found at last']])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is given up with the program, in the middle and between two tries', async () => {
    const between = checkOf([new Error('unreadable')])
    await between.check.run()
    between.check.close()
    expect(vi.getTimerCount()).toBe(0)
    const within = checkOf([new Error('the thread has ended')])
    const running = within.check.run()
    within.check.close()
    await running
    expect([within.retries, vi.getTimerCount()]).toEqual([[], 0])
  })
})

it('spending goes on while the older entries cannot be read, and the status says so', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-check-'))
  const dataDir = join(folder, 'data')
  const setUp = await startFarebox({ dataDir })
  const key = (await setUp.app.setUpDemo()) ?? ''
  const targets = [{ provider: 'demo', model: 'demo-chat' }]
  await setUp.admin.call('addModel', { body: chatModel('bench-chat', { targets }) })
  expect(await setUp.admin.call('status', {})).toMatchObject({ ledger_check: 'checked' })
  await setUp.stop()
  fill(dataDir, { keys: 5, calls: 4000 })
  const db = new Database(join(dataDir, 'farebox.db'))
  summariseNext(db)
  db.close()
  const log: string[] = []
  const app = await openApp(testConfig(dataDir, {}), (line) => log.push(line))
  const status = async () => (await app.inject({ method: 'GET', path: '/api/status', body: undefined })).body
  try {
    // The writer has its file open; whoever comes now finds none.
    const path = join(dataDir, 'farebox.db')
    renameSync(path, `${path}.away`)
    const url = await app.listen(0)
    await expect.poll(status).toMatchObject({ ledger: 'ok', ledger_check: 'unchecked', ledger_checked_at: null })
    expect(log.join()).toContain('The older entries of the ledger could not be checked. It is tried again in 5 s.')
    const answered = await postChat({ url, key }, { model: 'demo-chat' })
    expect(answered.status).toBe(200)
    await answered.text()
    renameSync(`${path}.away`, path)
    await expect
      .poll(status, { timeout: 20_000 })
      .toMatchObject({ ledger_check: 'checked', ledger_checked_at: expect.any(String) as string })
  } finally {
    await app.close()
    await rm(folder, { recursive: true, force: true })
  }
})
