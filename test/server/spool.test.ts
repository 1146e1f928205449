// What is kept of uploads while they are sent on: nothing of it can be read on the disk, and it is bounded for each upload, each key and all.

import { readdir, readlink, mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { Spools, type Spool, type SpoolError, type SpooledFile } from '#server/bodies/spool.ts'

const MOST = 1000

let dataDir: string
let spools: Spools
let nowMs = 0

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-spool-'))
  spools = new Spools({ dataDir, mostBytes: MOST, monotonicMs: () => nowMs })
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

  it('takes away what a program left that was killed, and nothing that somebody else has in a folder of that name', async () => {
    const uploads = join(dataDir, 'uploads')
    await mkdir(join(uploads, 'photos'), { recursive: true })
    await writeFile(join(uploads, 'photos', '0123456789abcdef0123456789abcdef'), 'mine')
    await writeFile(join(uploads, 'cv.pdf'), 'mine')
    await writeFile(join(uploads, 'fedcba9876543210fedcba9876543210'), '')
    const spool = await spools.open('a')
    expect((await readdir(uploads, { recursive: true })).toSorted()).toEqual([
      'cv.pdf',
      'photos',
      'photos/0123456789abcdef0123456789abcdef',
    ])
    await spool.close()
  })

  it('is refused where no file can be made, and tells no path', async () => {
    await writeFile(join(dataDir, 'other'), 'x')
    const nowhere = new Spools({ dataDir: join(dataDir, 'other'), mostBytes: MOST, monotonicMs: () => nowMs })
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

  it('and who hardly sends anything gives way to others, the slowest first', async () => {
    const open = await Promise.all(Array.from({ length: 32 }, (_, index) => spools.open(`key ${index}`)))
    const waiting = open.map(({ arrival }) => arrival.orGaveWay(new Promise<never>(() => {})))
    nowMs += 4999
    await expect(spools.open('another')).rejects.toEqual(refusedAs('no-room'))
    for (const [index, { arrival }] of open.entries()) arrival.note(index === 7 ? 1 : index === 9 ? 2 : 100_000)
    nowMs += 1
    const next = spools.open('another')
    expect(await waiting[7]).toBe('gave-way')
    await open[7]?.close()
    const another = await next
    const last = spools.open('one more')
    expect(await waiting[9]).toBe('gave-way')
    await open[9]?.close()
    // All others are fast enough, or have just come.
    const one = await last
    await expect(spools.open('too many')).rejects.toEqual(refusedAs('no-room'))
    for (const spool of [...open, another, one]) await spool.close()
  })

  it('of one key its own slow ones give way, and those of others stay', async () => {
    const others = await spools.open('b')
    const own = await Promise.all(Array.from({ length: 8 }, () => spools.open('a')))
    nowMs += 60_000
    const gone = Promise.race(
      own.map(({ arrival }, index) => arrival.orGaveWay(new Promise<never>(() => {})).then(() => index)),
    )
    const next = spools.open('a')
    await own[await gone]?.close()
    await (await next).close()
    expect(await others.arrival.orGaveWay(Promise.resolve('goes on'))).toBe('goes on')
    for (const spool of [others, ...own]) await spool.close()
  })

  it('what one that gives way had arrived is room for others', async () => {
    const [slow, other] = [await spools.open('a'), await spools.open('a')]
    await keep(slow, 'x'.repeat(MOST))
    nowMs += 5000
    other.arrival.note(MOST * 100)
    const third = await spools.open('a')
    await keep(other, 'x'.repeat(MOST))
    const kept = keep(third, 'x'.repeat(MOST))
    await slow.arrival.orGaveWay(new Promise<never>(() => {}))
    await slow.close()
    expect((await kept).byteLength).toBe(MOST)
    for (const spool of [other, third]) await spool.close()
  })

  it('whatever has arrived as a whole stays, however long its call takes', async () => {
    const own = await Promise.all(Array.from({ length: 8 }, () => spools.open('a')))
    for (const { arrival } of own) arrival.arrived()
    nowMs += 60_000
    await expect(spools.open('a')).rejects.toEqual(refusedAs('no-room'))
    for (const spool of own) await spool.close()
  })

  it('by its pace of late: what came long ago is no merit', async () => {
    const own = await Promise.all(Array.from({ length: 8 }, () => spools.open('a')))
    for (const { arrival } of own) arrival.note(100_000_000)
    nowMs += 30_000
    for (const { arrival } of own) arrival.note(1)
    const next = spools.open('a')
    const gone = await Promise.race(
      own.map((spool) => spool.arrival.orGaveWay(new Promise<never>(() => {})).then(() => spool)),
    )
    await gone.close()
    await (await next).close()
    for (const spool of own) await spool.close()
  })

  it('and two that need the room of each other end, in place of waiting for ever', async () => {
    const [first, second] = [await spools.open('a'), await spools.open('a')]
    await keep(first, 'x'.repeat(MOST))
    await keep(second, 'x'.repeat(MOST - 1))
    const others = [await spools.open('b'), await spools.open('b')]
    for (const spool of others) await keep(spool, 'x'.repeat(MOST))
    const third = await spools.open('a')
    nowMs += 60_000
    const grown = [third, second].map(async (spool) => {
      const end = await keep(spool, 'x').catch((error: unknown) => error)
      if (end instanceof Error) await spool.close()
      return end
    })
    const reading = first.arrival.orGaveWay(new Promise<never>(() => {})).then(() => first.close())
    await reading
    const ends = await Promise.all(grown)
    for (const end of ends) if (end instanceof Error) expect(end).toEqual(refusedAs('gave-way'))
    for (const spool of [first, second, third, ...others]) await spool.close()
  })

  it('and in random histories everybody comes to an end, with nothing kept', async () => {
    const random = randomFrom(7)
    const upTo = (bound: number) => Math.floor(random() * bound)
    const seen = { kept: 0, 'no-room': 0, 'gave-way': 0 }
    const upload = async () => {
      let spool: Spool | undefined
      try {
        spool = await spools.open(`key ${upTo(5)}`)
        for (let files = upTo(3); files >= 0; files--) await keep(spool, 'x'.repeat(upTo(200)), 'x'.repeat(upTo(100)))
        if (upTo(4) === 0) nowMs += 6000
        if (upTo(3) === 0) spool.arrival.note(upTo(200_000))
        const more = new Promise<string>((resolve) => setImmediate(resolve, 'more'))
        if ((await spool.arrival.orGaveWay(more)) === 'gave-way') seen['gave-way'] += 1
        else await keep(spool, 'x'.repeat(upTo(100)))
        spool.arrival.arrived()
        seen.kept += 1
      } catch (error) {
        const { problem } = error as SpoolError
        if (problem !== 'no-room' && problem !== 'gave-way') throw error
        seen[problem] += 1
      }
      await spool?.close()
    }
    for (let round = 0; round < 40; round++) await Promise.all(Array.from({ length: 60 }, upload))
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(40)
  })
})
