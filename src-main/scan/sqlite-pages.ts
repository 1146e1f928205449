// The pages of a SQLite database, read without SQLite: no lock is taken, no file is made beside it and none is written, so that the tool
// which has it open never waits for us. What the tool has not brought into the database yet is read from its write-ahead log.
// Format: https://www.sqlite.org/fileformat2.html

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const UTF_8 = 1
const MIN_PAGE_BYTES = 512
/** Half a terabyte of pages of the usual size. */
const MAX_PAGES = 2 ** 27

const WAL_HEADER_BYTES = 32
const WAL_MAGICS = [0x377f0682, 0x377f0683] as const
const FRAME_HEADER_BYTES = 24
/** Tools bring their log into the database at a few megabytes; one of this many frames is no such log. */
const MAX_FRAMES = 2 ** 22

type Log = { readonly file: number; readonly offsets: ReadonlyMap<number, number> }

export class SqlitePages {
  readonly pageBytes: number
  /** The part of each page that is used. */
  readonly usableBytes: number
  readonly pageCount: number
  readonly #file: number
  #log: Log | undefined

  /** Throws where it is no database that can be read. `close` it. */
  constructor(path: string) {
    this.#file = openSync(path, 'r')
    try {
      const header = readAt(this.#file, { offset: 0, length: HEADER_BYTES })
      if (header.toString('latin1', 0, 16) !== MAGIC) throw new Error('no SQLite database')
      const size = header.readUInt16BE(16)
      this.pageBytes = size === 1 ? 65_536 : size
      if (this.pageBytes < MIN_PAGE_BYTES) throw new Error('no page size')
      this.usableBytes = this.pageBytes - header.readUInt8(20)
      this.#log = logOf(`${path}-wal`, this.pageBytes)
      const own = Math.ceil(fstatSync(this.#file).size / this.pageBytes)
      this.pageCount = [...(this.#log?.offsets.keys() ?? [])].reduce((most, page) => Math.max(most, page), own)
      if (this.pageCount > MAX_PAGES) throw new Error('more pages than are read')
      // A database that was just made has its encoding in the log.
      if (this.read(1).readUInt32BE(56) !== UTF_8) throw new Error('a database of another encoding')
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Pages count from 1. Throws where there is no such page. */
  read(page: number): Buffer {
    if (!Number.isSafeInteger(page) || page < 1 || page > this.pageCount) throw new Error('no such page')
    const offset = this.#log?.offsets.get(page)
    if (this.#log !== undefined && offset !== undefined)
      return readAt(this.#log.file, { offset, length: this.pageBytes })
    return readAt(this.#file, { offset: (page - 1) * this.pageBytes, length: this.pageBytes })
  }

  close(): void {
    closeSync(this.#file)
    if (this.#log !== undefined) closeSync(this.#log.file)
    this.#log = undefined
  }
}

/** Where the newest committed version of each page is; undefined where there is no log, or it is not of this database. */
function logOf(path: string, pageBytes: number): Log | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    // The tool has closed its database, or never had a log.
    return undefined
  }
  try {
    return { file, offsets: committed(file, pageBytes) }
  } catch {
    // It is damaged, or being begun anew: the database has all that was brought into it.
    closeSync(file)
    return undefined
  }
}

/** Frames of an earlier run of the log have other salts. The checksum over the contents is left alone: a torn page has no rows that parse. */
function committed(file: number, pageBytes: number): Map<number, number> {
  const header = readAt(file, { offset: 0, length: WAL_HEADER_BYTES })
  if (!WAL_MAGICS.some((magic) => magic === header.readUInt32BE(0))) throw new Error('no write-ahead log')
  if (header.readUInt32BE(8) !== pageBytes) throw new Error('a log of other pages')
  const salts = header.subarray(16, 24)
  const offsets = new Map<number, number>()
  let pending: (readonly [page: number, offset: number])[] = []
  const step = FRAME_HEADER_BYTES + pageBytes
  const frames = Math.floor((fstatSync(file).size - WAL_HEADER_BYTES) / step)
  for (let frame = 0; frame < Math.min(frames, MAX_FRAMES); frame++) {
    const offset = WAL_HEADER_BYTES + frame * step
    const head = readAt(file, { offset, length: FRAME_HEADER_BYTES })
    if (!head.subarray(8, 16).equals(salts)) break
    pending.push([head.readUInt32BE(0), offset + FRAME_HEADER_BYTES])
    const isCommit = head.readUInt32BE(4) !== 0
    if (!isCommit) continue
    for (const [page, place] of pending) offsets.set(page, place)
    pending = []
  }
  return offsets
}

/** Throws where the file ends before. */
function readAt(file: number, { offset, length }: { readonly offset: number; readonly length: number }): Buffer {
  const bytes = Buffer.alloc(length)
  if (readSync(file, bytes, 0, length, offset) < length) throw new Error('the file ends before')
  return bytes
}
