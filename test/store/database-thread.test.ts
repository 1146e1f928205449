import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptFile } from '#config/program-files.ts'
import type { ReportOperations } from '#threads/report-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'
import { DatabaseThread, type Operations } from '#store/database-thread.ts'

const WRITER = scriptFile('writer-thread')
const REPORTS = scriptFile('report-thread')

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-thread-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

const writer = () => new DatabaseThread<WriterOperations>(WRITER, { dataDir })

describe('a database thread', () => {
  it('answers calls in the order in which they were made', async () => {
    const thread = writer()
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await thread.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } })
        order.push(index)
      }),
    )
    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index))
    await thread.close()
  })

  it('goes on after a call that failed', async () => {
    const thread = writer()
    const change = {
      changes: [{ type: 'delete-package', id: 'x' }],
      batch: { entries: [], usage: [], balances: [['nobody', 0, 0, 0, 0, 0, null, 'topup', 0, 'UTC', null]] },
    } as const
    await expect(thread.call('change', change)).rejects.toThrow('FOREIGN KEY')
    await expect(
      thread.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } }),
    ).resolves.toMatchObject({
      ledger: { mismatches: [] },
    })
    await thread.close()
  })

  it('refuses an operation that there is none of', async () => {
    const thread = new DatabaseThread<Operations>(WRITER, { dataDir })
    await expect(thread.call('drop-everything', undefined)).rejects.toThrow(`no operation 'drop-everything'`)
    await thread.close()
  })

  it('rejects what is asked of it after it was closed, and closes only once', async () => {
    const thread = writer()
    await thread.close()
    await expect(thread.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } })).rejects.toThrow(
      'ended',
    )
    await thread.close()
  })

  it('rejects everything with the reason when it cannot open its database', async () => {
    await writeFile(join(dataDir, 'farebox.db'), 'not a database'.repeat(1000))
    const thread = writer()
    const calls = [
      thread.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } }),
      thread.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } }),
    ]
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('damaged') as string },
      })
    }
    await expect(thread.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } })).rejects.toThrow(
      'damaged',
    )
    await thread.close()
  })

  it('can be started before it is known what it works on, and makes nothing before', async () => {
    const ahead = DatabaseThread.ahead<WriterOperations>(WRITER)
    expect(await readdir(dataDir)).toEqual([])
    const thread = ahead.begin({ dataDir })
    const load = { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } }
    const answers = await Promise.all([thread.call('loadCatalog', undefined), thread.call('load', load)])
    expect(answers).toMatchObject([{ catalog: { keys: {} } }, { ledger: { mismatches: [] } }])
    await thread.close()
    expect(await readdir(dataDir)).toContain('farebox.db')
  })

  it('keeps no process alive before it has begun', async () => {
    const threads = fileURLToPath(import.meta.resolve('#store/database-thread.ts'))
    const program = join(dataDir, 'ahead.ts')
    await writeFile(
      program,
      `import { DatabaseThread } from ${JSON.stringify(threads)}
       DatabaseThread.ahead(new URL(${JSON.stringify(WRITER.href)}))`,
    )
    const run = promisify(execFile)(process.execPath, [program], { timeout: 20_000 })
    await expect(run).resolves.toEqual({ stdout: '', stderr: '' })
  })

  it('reports on what another thread has written', async () => {
    const writing = writer()
    await writing.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } })
    const reports = new DatabaseThread<ReportOperations>(REPORTS, { dataDir })
    expect(await reports.call('verify', undefined)).toMatchObject({ ok: true, keys: 0 })
    await reports.close()
    await writing.close()
  })
})
