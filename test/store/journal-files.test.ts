// The journal's files: what was appended is read once and in its order, whatever comes between, and what a crash leaves in pieces is
// never taken for something that was appended.

import fs, { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openForWriting, type Db } from '#store/database.ts'
import { FRAMES_AT, IDLE_BYTES, journalPaths, MAX_TEXT_BYTES } from '#store/journal-frames.ts'
import { foreignJournal, frameCounter, framesIn, journalPlace, openJournal, startJournal } from '#store/journal-open.ts'
import type { JournalReader } from '#store/journal-reader.ts'
import { JournalWriter } from '#store/journal-writer.ts'
import { isLong } from '../support/cases.ts'

const RUNS = isLong ? 3000 : 60

let folder: string
let db: Db

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-journal-'))
  db = openForWriting(folder)
})

afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true, force: true })
})

/** Both sides of the journal, as a process has them after a start. */
class Sides {
  readonly reader: JournalReader
  readonly writer: JournalWriter
  readonly #note = frameCounter(db)
  #isOver = false

  constructor() {
    this.reader = openJournal(folder, db)
    this.left = this.take(Infinity)
    const place = journalPlace(db)
    if (place === undefined) throw new Error('there is no journal')
    this.writer = new JournalWriter(folder, place)
  }

  /** What the process before left. */
  readonly left: readonly string[]

  /** Reads up to a frame, in pieces, and notes it as a projection does. */
  take(upTo: number, mostBytes = 300_000): string[] {
    const all: string[] = []
    for (;;) {
      const frames = this.reader.read({ upTo, mostBytes })
      if (frames.texts.length === 0) return all
      all.push(...frames.texts)
      this.#note(frames.last)
      this.reader.accept(frames)
    }
  }

  project(upTo: number): string[] {
    const taken = this.take(upTo)
    this.writer.projected(this.reader.projected)
    return taken
  }

  /** Ends as a killed process does, which closes its files and nothing else. */
  async kill(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.writer.close()
    this.reader.close()
  }
}

function overwrite(path: string, position: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, position)
  closeSync(file)
}

const STEP = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ type: fc.constant('append' as const), bytes: fc.integer({ min: 0, max: 90_000 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('project' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('kill' as const), torn: fc.integer({ min: 0, max: 200 }) }) },
)

it(
  'everything that was appended is read once and in its order, over any turns, kills and torn ends',
  { timeout: 600_000 },
  async () => {
    let turns = 0
    const property = fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 60 }), async (steps) => {
      let sides = new Sides()
      const pending: string[] = []
      let count = 0
      try {
        for (const step of steps) {
          if (step.type === 'append') {
            const text = `${(count += 1)} ${'ü'.repeat(step.bytes / 2)}`
            await sides.writer.append(text)
            pending.push(text)
          } else if (step.type === 'project') {
            const some = Math.round(pending.length * step.part)
            expect(sides.project(sides.writer.lastFrame - pending.length + some)).toEqual(pending.splice(0, some))
            turns += 1
          } else {
            if (step.torn > 0) await tear(sides, step.torn)
            await sides.kill()
            sides = new Sides()
            expect(sides.left).toEqual(pending.splice(0))
          }
        }
      } finally {
        await sides.kill()
      }
    })
    await fc.assert(property, { numRuns: RUNS })
    expect(turns).toBeGreaterThan(RUNS / 10)
  },
)

/** Appends a frame of which a power cut leaves a part. */
async function tear(sides: Sides, bytes: number): Promise<void> {
  const text = `torn ${sides.writer.lastFrame} ${'t'.repeat(200)}`
  await sides.writer.append(text)
  for (const path of journalPaths(folder)) {
    const at = readFileSync(path, 'latin1').lastIndexOf(text)
    if (at !== -1) overwrite(path, at + 200 - bytes, Buffer.alloc(bytes, 0x7f))
  }
}

describe('a file', () => {
  it('is written anew from its start when it is long and all of it is projected, so that none grows without end', async () => {
    const sides = new Sides()
    const text = 'x'.repeat(100_000)
    for (let count = 0; count < 200; count++) {
      await sides.writer.append(text)
      // As under load: something has always been appended since the last projection.
      if (count % 4 === 3) expect(sides.project(sides.writer.lastFrame - 1)).toHaveLength(count === 3 ? 3 : 4)
    }
    for (const path of journalPaths(folder)) expect(statSync(path).size).toBeLessThanOrEqual(2 * 1024 * 1024)
    await sides.kill()
  })

  it('grows while nothing is projected, and loses nothing', async () => {
    const sides = new Sides()
    for (let count = 0; count < 40; count++) await sides.writer.append(`${count} ${'x'.repeat(100_000)}`)
    expect(sides.writer.pendingBytes).toBeGreaterThan(4_000_000)
    expect(sides.project(40).map((text) => parseInt(text))).toEqual([...Array(40).keys()])
    expect(sides.writer.pendingBytes).toBe(0)
    await sides.kill()
  })

  it('that a burst made long is short again once everything is projected, and goes on from its start', async () => {
    const sides = new Sides()
    const sizes = () => journalPaths(folder).map((path) => statSync(path).size)
    for (let burst = 0; burst < 3; burst++) {
      const texts = Array.from({ length: 40 }, (_, count) => `${burst} ${count} ${'x'.repeat(100_000)}`)
      for (const text of texts) await sides.writer.append(text)
      expect(Math.max(...sizes())).toBeGreaterThan(3 * IDLE_BYTES)
      // Not before: the last one is in no table yet.
      expect(sides.project(sides.writer.lastFrame - 1)).toEqual(texts.slice(0, -1))
      expect(Math.max(...sizes())).toBeGreaterThan(3 * IDLE_BYTES)
      expect(sides.project(sides.writer.lastFrame)).toEqual(texts.slice(-1))
      await expect.poll(sizes).toEqual([IDLE_BYTES, IDLE_BYTES])
    }
    await sides.writer.append('last')
    await sides.kill()
    expect(new Sides().left).toEqual(['last'])
  })

  it('of a new journal is short, has another name, and its numbers go on', async () => {
    const sides = new Sides()
    for (let count = 0; count < 40; count++) await sides.writer.append('x'.repeat(100_000))
    await sides.kill()
    const before = journalPlace(db)
    const place = startJournal(folder, db, 40)
    expect(place).toEqual({ name: expect.not.stringMatching(before?.name ?? '') as string, frame: 40 })
    expect(journalPlace(db)).toEqual(place)
    expect(journalPaths(folder).map((path) => statSync(path).size)).toEqual([IDLE_BYTES, IDLE_BYTES])
    const next = new Sides()
    expect(next.left).toEqual([])
    await next.writer.append('next')
    expect(next.writer.lastFrame).toBe(41)
    expect(next.project(41)).toEqual(['next'])
    await next.kill()
  })

  it('takes no text that could not be read again, and each that could', { timeout: 60_000 }, async () => {
    const sides = new Sides()
    const longest = 'ü'.repeat(MAX_TEXT_BYTES / 2)
    await sides.writer.append('first')
    await expect(sides.writer.append(`${longest}.`)).rejects.toThrow('too long')
    await sides.writer.append(longest)
    await sides.writer.append('last')
    await sides.kill()
    const { left } = new Sides()
    expect(left.map(({ length }) => length)).toEqual([5, longest.length, 4])
    expect(left[1] === longest).toBe(true)
  })

  it('that is closed takes nothing more', async () => {
    const sides = new Sides()
    await sides.writer.append('first')
    await sides.kill()
    await expect(sides.writer.append('refused')).rejects.toThrow('closed')
    expect(sides.writer.lastFrame).toBe(1)
    expect(new Sides().left).toEqual(['first'])
  })
})

it('a frame that was refused is written over in its own place, also when the other file is free by then', async () => {
  const sides = new Sides()
  // The present file is long, and what it holds is not projected: the next frame goes behind it.
  await sides.writer.append('x'.repeat(300_000))
  await sides.writer.append('y'.repeat(300_000))
  sides.project(1)
  const present = sides.writer.lastFrame
  const disk = vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_fd, done) => done(new Error('no room')))
  syncBuiltinESMExports()
  await expect(sides.writer.append('refused')).rejects.toThrow('no room')
  disk.mockRestore()
  syncBuiltinESMExports()
  sides.project(present)
  await sides.writer.append('written')
  await sides.kill()
  expect(new Sides().left).toEqual(['written'])
  for (const path of journalPaths(folder)) expect(readFileSync(path, 'latin1')).not.toContain('refused')
})

describe('a journal that', () => {
  /** Ten frames, of which four are projected. */
  async function left(): Promise<void> {
    const sides = new Sides()
    for (let count = 0; count < 10; count++) await sides.writer.append(`text ${count}`)
    sides.project(4)
    await sides.kill()
  }

  const [first, second] = [() => journalPaths(folder)[0], () => journalPaths(folder)[1]]

  it('is gone leaves nothing to read, and its place behind what was noted', async () => {
    await left()
    for (const path of journalPaths(folder)) rmSync(path)
    const reader = openJournal(folder, db)
    expect([reader.projected, reader.highest()]).toEqual([4, 4])
    expect(reader.read({ upTo: Infinity, mostBytes: 1e6 }).texts).toEqual([])
    reader.close()
  })

  it('is damaged in its middle shows that there is more behind it', async () => {
    await left()
    const text = readFileSync(first(), 'latin1')
    overwrite(first(), text.indexOf('text 6'), Buffer.from('#'))
    const reader = openJournal(folder, db)
    const frames = reader.read({ upTo: Infinity, mostBytes: 1e6 })
    expect(frames).toEqual({ texts: ['text 4', 'text 5'], last: 6 })
    expect(reader.highest()).toBe(10)
    reader.close()
    expect(framesIn(journalPaths(folder), db)).toEqual({ projected: 4, highest: 10 })
    // The other file holds nothing.
    rmSync(second())
    expect(framesIn(journalPaths(folder), db)).toEqual({ projected: 4, highest: 10 })
  })

  it('is cut anywhere is read up to there', async () => {
    await left()
    const end = readFileSync(first(), 'latin1').indexOf('text 9') + 6
    for (let cut = FRAMES_AT; cut <= end; cut += 7) {
      truncateSync(first(), cut)
      const reader = openJournal(folder, db)
      const { texts } = reader.read({ upTo: Infinity, mostBytes: 1e6 })
      expect(texts).toEqual(['text 4', 'text 5', 'text 6', 'text 7', 'text 8', 'text 9'].slice(0, texts.length))
      reader.close()
      await rm(folder, { recursive: true, force: true })
      db.close()
      folder = await mkdtemp(join(tmpdir(), 'farebox-journal-'))
      db = openForWriting(folder)
      await left()
    }
  })

  it('is of another database is known as such, and one that was only made is not', async () => {
    await left()
    expect(foreignJournal(folder, db)).toBeUndefined()
    const name = journalPlace(db)?.name
    db.prepare('UPDATE journal SET name = ?').run('00000000-0000-4000-8000-000000000000')
    expect(foreignJournal(folder, db)).toContain('are of another database')
    db.prepare('DELETE FROM journal').run()
    expect(foreignJournal(folder, db)).toContain('are of another database')
    db.prepare('INSERT INTO journal VALUES (1, ?, 4)').run(name)
    // Its frames are behind a head of their own; without any there is nothing that could be lost.
    for (const path of [first(), second()]) truncateSync(path, FRAMES_AT)
    db.prepare('DELETE FROM journal').run()
    expect(foreignJournal(folder, db)).toBeUndefined()
  })
})
