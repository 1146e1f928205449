// Keeps the files of uploads while they are sent on: they are too large for the memory, and a provider may have to be sent them twice.
// They are no stored content: each lies in a file without a name, encrypted with a key that is in memory alone, and ends with its call.

import { createCipheriv, createDecipheriv, randomBytes, type Cipheriv } from 'node:crypto'
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Arrivals, type Arrival } from '#server/bodies/arrivals.ts'
import { collectGarbage, release } from '#server/bodies/garbage.ts'

type SpoolOptions = {
  readonly dataDir: string
  /** Of one upload. */
  readonly mostBytes: number
  readonly monotonicMs: () => number
}

/** How many there may be at a time, and how many of the largest, by what has arrived of them. */
const ALL = { uploads: 32, largest: 4 }
/** The same of one key. */
const OF_KEY = { uploads: 8, largest: 2 }
const PIECE_BYTES = 64 * 1024
/** Enough to know what kind of file it is. */
const HEAD_BYTES = 64
/** Each piece is in memory several times until it is collected, which V8 would do only after tens of megabytes. */
const BYTES_PER_COLLECTION = 512 * 1024
const CIPHER = 'aes-256-ctr'

export type SpooledFile = {
  readonly byteLength: number
  readonly head: Uint8Array
  /** All of it, each time anew. */
  read(): AsyncGenerator<Uint8Array>
}

/** Why something cannot be kept. */
export type SpoolProblem = 'too-large' | 'no-room' | 'no-disk' | 'gave-way'
export class SpoolError extends Error {
  readonly problem: SpoolProblem

  constructor(problem: SpoolProblem) {
    super(`an upload cannot be kept: ${problem}`)
    this.problem = problem
  }
}

/** What is kept of somebody. */
type Kept = { uploads: number; bytes: number }
const NOTHING = { uploads: 0, bytes: 0 } as const

export class Spools {
  readonly #folder: string
  readonly mostBytes: number
  readonly #all: Kept = { uploads: 0, bytes: 0 }
  readonly #ofKey = new Map<string, Kept>()
  readonly #arrivals: Arrivals
  /** What a program that was killed may have left is gone. */
  #isSwept: Promise<void> | undefined

  constructor({ dataDir, mostBytes, monotonicMs }: SpoolOptions) {
    this.#folder = join(dataDir, 'uploads')
    this.mostBytes = mostBytes
    this.#arrivals = new Arrivals(monotonicMs)
  }

  /** What is kept at the moment. */
  get kept(): Readonly<Kept> {
    return this.#all
  }

  /** Where there is no place, an upload that hardly comes gives way. Throws SpoolError. Whoever opens one closes it. */
  async open(keyId: string): Promise<Spool> {
    await this.#makeRoom(keyId, { uploads: 1, bytes: 0 })
    const arrival = this.#arrivals.begin(keyId)
    const end = (bytes: number) => {
      this.#take(keyId, { uploads: -1, bytes: -bytes })
      arrival.end()
    }
    const grow = (bytes: number) => this.#makeRoom(keyId, { uploads: 0, bytes }, arrival)
    try {
      this.#isSwept ??= sweep(this.#folder)
      await this.#isSwept
      return new Spool(await nameless(this.#folder), { mostBytes: this.mostBytes, arrival, grow, end })
    } catch {
      // Its message names a path. What it says for a caller is that nothing can be kept.
      end(0)
      this.#isSwept = undefined
      throw new SpoolError('no-disk')
    }
  }

  /** Takes it as soon as there is room. One that has to give way itself waits for nobody, so that no two wait for each other. */
  async #makeRoom(keyId: string, more: Kept, arrival?: Arrival): Promise<void> {
    for (let full = this.#fullFor(keyId, more); full !== undefined; full = this.#fullFor(keyId, more)) {
      const displaced = this.#arrivals.displace(full === 'key' ? keyId : undefined)
      const isFreed = await (arrival === undefined ? displaced : arrival.orGaveWay(displaced))
      if (isFreed === 'gave-way') throw new SpoolError('gave-way')
      if (!isFreed) throw new SpoolError('no-room')
    }
    this.#take(keyId, more)
  }

  /** Whose bound leaves no room; undefined where there is room. */
  #fullFor(keyId: string, more: Kept): 'key' | 'all' | undefined {
    const ofKey = this.#ofKey.get(keyId) ?? NOTHING
    if (!this.#fits(ofKey, more, OF_KEY)) return 'key'
    return this.#fits(this.#all, more, ALL) ? undefined : 'all'
  }

  #fits(kept: Kept, more: Kept, bound: typeof ALL): boolean {
    const isOneMore = more.uploads > 0
    const hasPlace = !isOneMore || kept.uploads < bound.uploads
    return hasPlace && kept.bytes + more.bytes <= this.mostBytes * bound.largest
  }

  #take(keyId: string, { uploads, bytes }: Kept): void {
    const ofKey = this.#ofKey.get(keyId) ?? { ...NOTHING }
    this.#ofKey.set(keyId, ofKey)
    for (const kept of [this.#all, ofKey]) {
      kept.uploads += uploads
      kept.bytes += bytes
    }
    if (ofKey.uploads === 0) this.#ofKey.delete(keyId)
  }
}

/** By its name alone: in a data folder that was not empty, a folder of this name may be somebody's. */
async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) if (OWN_NAME.test(name)) await rm(join(folder, name), { force: true })
}

const OWN_NAME = /^[0-9a-f]{32}$/

/** A file that nobody else can open: its name is gone before anything is written. */
async function nameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomBytes(16).toString('hex'))
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
  } catch (error) {
    await file.close()
    throw error
  }
  return file
}

type Share = {
  readonly mostBytes: number
  readonly arrival: Arrival
  grow(bytes: number): Promise<void>
  end(bytes: number): void
}
type SealedPlace = { readonly from: number; readonly to: number; readonly key: Buffer; readonly iv: Buffer }

/** The files of one upload, one behind the other. */
export class Spool {
  readonly #file: FileHandle
  readonly #share: Share
  #isClosed = false
  #bytes = 0
  /** What went through since the last collection. */
  #uncollected = 0

  constructor(file: FileHandle, share: Share) {
    this.#file = file
    this.#share = share
  }

  get arrival(): Arrival {
    return this.#share.arrival
  }

  /** Begins a file, which is kept piece by piece as it comes. */
  begin(): SpoolWriting {
    const key = { key: randomBytes(32), iv: randomBytes(16) }
    const cipher = createCipheriv(CIPHER, key.key, key.iv)
    const from = this.#bytes
    let head = Buffer.alloc(0)
    return {
      add: async (bytes) => {
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)])
        if (this.#bytes + bytes.length > this.#share.mostBytes) throw new SpoolError('too-large')
        await this.#share.grow(bytes.length)
        await this.#write(cipher, bytes)
        this.#tidy(bytes.length)
      },
      end: () => {
        const place = { from, to: this.#bytes, ...key }
        return { byteLength: place.to - from, head, read: () => this.#read(place) }
      },
    }
  }

  /** Gives back all of it; may be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#share.end(this.#bytes)
    await this.#file.close()
  }

  async #write(cipher: Cipheriv, bytes: Buffer): Promise<void> {
    const from = this.#bytes
    // It counts from now on, whatever of it is written.
    this.#bytes += bytes.length
    const sealed = cipher.update(bytes)
    try {
      for (let done = 0; done < sealed.length;) {
        const { bytesWritten } = await this.#file.write(sealed, done, sealed.length - done, from + done)
        done += bytesWritten
      }
    } catch {
      throw new SpoolError('no-disk')
    } finally {
      release(sealed)
    }
  }

  #tidy(bytes: number): void {
    this.#uncollected += bytes
    if (this.#uncollected < BYTES_PER_COLLECTION) return
    this.#uncollected = 0
    collectGarbage('minor')
  }

  async *#read({ from, to, key, iv }: SealedPlace): AsyncGenerator<Uint8Array> {
    const decipher = createDecipheriv(CIPHER, key, iv)
    const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    for (let at = from; at < to;) {
      const { bytesRead } = await this.#file.read(piece, 0, Math.min(PIECE_BYTES, to - at), at)
      if (bytesRead === 0) throw new Error('an upload is shorter than what was kept of it')
      at += bytesRead
      yield decipher.update(piece.subarray(0, bytesRead))
      this.#tidy(bytesRead)
    }
  }
}

/** One file at a time is written. `add` throws SpoolError. */
type SpoolWriting = { add(bytes: Buffer): Promise<void>; end(): SpooledFile }
