// Counts the system calls that make commits durable, where the machine lets one process watch another.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { needs } from '../requirements.ts'

const DATABASE = new URL('../../src-main/store/database.ts', import.meta.url)
const SYNC = /\b(fsync|fdatasync)\(/g

/** Opens a database in a process of its own and commits as many small transactions; returns what strace saw. */
async function syncCalls(commits: number): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'farebox-durable-'))
  const script = `
    import { openForWriting } from ${JSON.stringify(DATABASE.href)}
    const db = openForWriting(${JSON.stringify(dataDir)})
    const insert = db.prepare("INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)"
      + " VALUES (?, ?, 'topup', 5, 'UTC', '1', 1)")
    for (let count = 0; count < ${commits}; count++) db.transaction(() => insert.run('p' + count, 'p' + count)).immediate()`
  const trace = ['-f', '-e', 'trace=fsync,fdatasync', process.execPath, '--input-type=module', '-e', script]
  const result = spawnSync('strace', trace, { encoding: 'utf8', timeout: 60_000, maxBuffer: 64 * 1024 * 1024 })
  await rm(dataDir, { recursive: true, force: true })
  expect(result.status, result.stderr.slice(-1000)).toBe(0)
  return result.stderr.match(SYNC)?.length ?? 0
}

/** Some containers forbid it. */
const canTrace = spawnSync('strace', ['-f', '-e', 'trace=fsync', process.execPath, '-e', '0']).status === 0

it.skipIf(!canTrace)('every commit reaches the disk before it returns', needs('strace'), async () => {
  const [few, many] = [await syncCalls(10), await syncCalls(110)]
  expect(many - few).toBeGreaterThanOrEqual(100)
})
