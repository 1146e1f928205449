// Scans for the dashboard: one at a time, joined, stopped, and bounded in time.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolScans, type ToolScansDeps } from '#app/tool-scans.ts'
import { claudeLine, writeLog } from '../scan/logs.ts'

const NOW = Date.now()

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'farebox-scans-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function scansOf(more: Partial<ToolScansDeps> = {}): ToolScans {
  return new ToolScans({ surroundings: { home, env: {} }, nowMs: () => NOW, ...more })
}

/** A thread of the test's own in place of the one that reads logs. */
function threadOf(source: string): URL {
  const file = join(home, 'thread.mjs')
  writeFileSync(file, source)
  return pathToFileURL(file)
}

const NEVER = 'setInterval(() => {}, 1000)'

function logged(): void {
  const at = new Date(NOW - 3_600_000).toISOString()
  writeLog(home, '.claude/projects/p/a.jsonl', [
    claudeLine({ id: 'a', at, cwd: '/home/ada/shop' }, { input: 1_000_000, output: 100_000 }),
    claudeLine({ id: 'b', at, cwd: '/home/ada/notes' }, { input: 1_000_000, output: 0 }),
    claudeLine({ id: 'c', at, model: 'nobodys', cwd: '/home/ada/notes' }, { input: 7, output: 8 }),
  ])
}

describe('a scan', () => {
  it('adds up what the logs have, by each of what calls are told apart by', async () => {
    logged()
    const found = await scansOf().run(1)
    expect(found).toMatchObject({
      days: 1,
      files: { 'claude-code': 1 },
      total: { calls: 3, input_tokens: 2_000_007, output_tokens: 100_008, credits: 12.5 },
      unpriced: ['nobodys'],
      by: {
        model: {
          sums: [
            { name: 'claude-opus-4-6', credits: 12.5 },
            { name: 'nobodys', credits: null },
          ],
          others: null,
        },
        project: {
          sums: [
            { name: 'shop', credits: 7.5 },
            { name: 'notes', credits: 5 },
          ],
        },
        tool: { sums: [{ name: 'claude-code', calls: 3 }] },
      },
    })
    expect(JSON.stringify(found)).not.toContain('secret sentence')
  })

  it('is empty where there are no logs, and can be had again', async () => {
    const scans = scansOf()
    expect(await scans.run(7)).toMatchObject({ total: { calls: 0, credits: null }, files: {} })
    logged()
    expect(await scans.run(7)).toMatchObject({ total: { calls: 3 } })
  })

  it('that somebody else asked for is waited for, and another one is refused meanwhile', async () => {
    const scans = scansOf({ script: threadOf(NEVER) })
    const [first, second] = [scans.run(30), scans.run(30)]
    expect(await scans.run(7)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('30 days') as string,
    })
    scans.stop()
    const stopped = { code: 'conflict', message: 'The scan was stopped.' }
    expect(await Promise.all([first, second])).toMatchObject([stopped, stopped])
    // The next one has no part of it.
    const next = scans.run(7)
    scans.stop()
    expect(await next).toMatchObject(stopped)
  })

  it('ends after its time, and says what else there is', async () => {
    const scans = scansOf({ script: threadOf(NEVER), limitMs: 50 })
    expect(await scans.run(30)).toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('farebox scan') as string,
    })
    expect(await scans.run(7)).toMatchObject({ code: 'overloaded' })
  })

  it('that takes more memory than it may is ended alone', async () => {
    const greedy = 'const all = []; for (;;) all.push(new Array(1_000_000).fill(Math.random()))'
    expect(await scansOf({ script: threadOf(greedy), maxHeapMb: 64 }).run(30)).toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('memory') as string,
    })
  })

  it('whose thread fails is an error, and the next one works', async () => {
    logged()
    const failing = threadOf('throw new Error("broken")')
    await expect(scansOf({ script: failing }).run(30)).rejects.toThrow('broken')
    await expect(scansOf({ script: threadOf('process.exit(0)') }).run(30)).rejects.toThrow('without an answer')
    expect(await scansOf().run(30)).toMatchObject({ total: { calls: 3 } })
  })

  it('needs a user whose logs it could read, and stopping none is nothing', async () => {
    const scans = scansOf({ surroundings: undefined })
    scans.stop()
    expect(await scans.run(30)).toMatchObject({ code: 'not_found' })
  })
})
