// What is kept of uploads while they are sent on: nothing of it can be read on the disk, and it is bounded for each upload, each key and all.

import { readdir, readlink, mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Spools, type Spool, type SpoolError, type SpooledFile } from '#server/bodies/spool.ts'

const MOST = 1000

let dataDir: string
let spools: Spools

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-spool-'))
  spools = new Spools({ dataDir, mostBytes: MOST })
})

afterEach(async () => {
  expect(spools.kept).toEqual({ uploads: 0, bytes: 0 })
  await rm(dataDir, { recursive: true })
})

async function keep(spool: Spool, ...pieces: readonly string[]): Promise<SpooledFile> {
  const writing = spool.begin()
  for (const piece of pieces) await writing.add(Buffer.from(piece))
  return writing.end()
}

async function textOf(file: SpooledFile): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.read()) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** What stands in the files that this process has open in the data folder. */
async function onDisk(): Promise<Buffer> {
  const open: Buffer[] = []
  for (const name of await readdir('/proc/self/fd')) {
    const path = await readlink(`/proc/self/fd/${name}`).catch(() => '')
    if (path.startsWith(join(dataDir, 'uploads'))) open.push(readFileSync(`/proc/self/fd/${name}`))
  }
  return Buffer.concat(open)
}

const refusedAs = (problem: SpoolError['problem']) => expect.objectContaining({ problem }) as unknown

describe('a spool', () => {
  it('gives back its files as often as they are read, each by itself', async () => {
    const spool = await spools.open('a')
    const first = await keep(spool, 'one ', 'and ', 'one')
    const second = await keep(spool, 'two')
    const none = await keep(spool)
    expect([await textOf(first), await textOf(second), await textOf(first), await textOf(none)]).toEqual([
      'one and one',
      'two',
      'one and one',
      '',
    ])
    expect([first.byteLength, second.byteLength, none.byteLength]).toEqual([11, 3, 0])
    expect(Buffer.from(first.head).toString()).toBe('one and one')
    await spool.close()
  })

  it.runIf(process.platform === 'linux')('has no name, and its bytes say nothing', async () => {
    const spool = await spools.open('a')
    await keep(spool, 'a secret', 'a secret')
    await keep(spool, 'a secret', 'a secret')
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([])
    const bytes = await onDisk()
    expect(bytes).toHaveLength(32)
    expect(bytes.includes('secret')).toBe(false)
    // The same text twice is not the same bytes.
    expect(bytes.subarray(0, 16).equals(bytes.subarray(16))).toBe(false)
    await spool.close()
    expect(await onDisk()).toHaveLength(0)
  })

  it('takes away what a program left that was killed', async () => {
    await mkdir(join(dataDir, 'uploads'))
    await writeFile(join(dataDir, 'uploads', 'left'), 'x')
    const spool = await spools.open('a')
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([])
    await spool.close()
  })

  it('is refused where no file can be made, and tells no path', async () => {
    await writeFile(join(dataDir, 'other'), 'x')
    const nowhere = new Spools({ dataDir: join(dataDir, 'other'), mostBytes: MOST })
    const error: unknown = await nowhere.open('a').catch((raised: unknown) => raised)
    expect(error).toEqual(refusedAs('no-disk'))
    expect(String(error)).not.toContain(dataDir)
    expect(nowhere.kept).toEqual({ uploads: 0, bytes: 0 })
  })
})

describe('what may be kept is bounded', () => {
  it('for one upload, by all of its files together', async () => {
    const spool = await spools.open('a')
    await keep(spool, 'x'.repeat(600))
    await expect(keep(spool, 'x'.repeat(401))).rejects.toEqual(refusedAs('too-large'))
    await keep(spool, 'x'.repeat(400))
    await spool.close()
    await spool.close()
  })

  it('for one key by number and by size, which keeps nobody else out', async () => {
    const open = await Promise.all(Array.from({ length: 8 }, () => spools.open('a')))
    await expect(spools.open('a')).rejects.toEqual(refusedAs('no-room'))
    const other = await spools.open('b')
    const [first, second, third] = open as [Spool, Spool, Spool]
    await keep(first, 'x'.repeat(MOST))
    await keep(second, 'x'.repeat(MOST))
    await expect(keep(third, 'x')).rejects.toEqual(refusedAs('no-room'))
    await keep(other, 'x'.repeat(MOST))
    await first.close()
    await keep(third, 'x')
    for (const spool of [...open, other]) await spool.close()
  })

  it('for all keys together', async () => {
    const open = await Promise.all(Array.from({ length: 32 }, (_, index) => spools.open(`key ${index}`)))
    await expect(spools.open('another')).rejects.toEqual(refusedAs('no-room'))
    for (const spool of open.slice(0, 4)) await keep(spool, 'x'.repeat(MOST))
    await expect(keep(open[4] as Spool, 'x')).rejects.toEqual(refusedAs('no-room'))
    for (const spool of open) await spool.close()
    await (await spools.open('another')).close()
  })
})
