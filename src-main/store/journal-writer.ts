// The writing side of the journal's files, on the main thread: the system's own threads write and sync, so that a charge waits for the
// disk and for nothing else.

import { close, fdatasync, ftruncate, openSync, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import {
  FRAME_HEAD_BYTES,
  FRAMES_AT,
  IDLE_BYTES,
  journalPaths,
  MAX_TEXT_BYTES,
  sealFrame,
  seedOf,
} from '#store/journal-frames.ts'
import { JournalNote } from '#store/tail.ts'

/** Where a journal stands: the database has everything up to `frame`. */
export type JournalPlace = { readonly name: string; readonly frame: number }

/** A file that is this long is left as soon as the other one is free, in bytes. */
const FULL_BYTES = 256 * 1024
const FIRST_BUFFER_BYTES = 64 * 1024
/** A longer frame has memory of its own for as long as it is written. */
const MAX_KEPT_BUFFER_BYTES = 1024 * 1024
/** The most bytes that a character takes, of those that JavaScript counts as one. */
const MAX_BYTES_OF_CHARACTER = 3

/** `longest`: how long it became since it was made, or made short again. */
type JournalFile = { readonly fd: number; end: number; longest: number; lastFrame: number }

const closeFile = promisify(close)
const truncate = promisify(ftruncate)

export class JournalWriter {
  readonly #files: readonly [JournalFile, JournalFile]
  readonly #seed: number
  readonly #note: JournalNote
  #current: 0 | 1 = 0
  #lastFrame: number
  #projectedFrame: number
  #buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES)
  /** Whether a frame was refused that may lie where the next one belongs. */
  #isRefused = false
  #underWay: Promise<void> = Promise.resolve()
  #isAppending = false
  /** While files are made short again. */
  #shortening: Promise<unknown> | undefined
  #isClosed = false

  /** Goes on behind a place up to which everything is projected. The files are there already. */
  constructor(dataDir: string, place: JournalPlace) {
    const open = (path: string): JournalFile => ({
      fd: openSync(path, 'r+'),
      end: FRAMES_AT,
      longest: FRAMES_AT,
      lastFrame: place.frame,
    })
    const [first, second] = journalPaths(dataDir)
    this.#files = [open(first), open(second)]
    this.#seed = seedOf(place.name)
    this.#note = new JournalNote(dataDir)
    this.#lastFrame = place.frame
    this.#projectedFrame = place.frame
  }

  /** The number of the last frame that is on disk. */
  get lastFrame(): number {
    return this.#lastFrame
  }

  get projectedFrame(): number {
    return this.#projectedFrame
  }

  /** Bytes of the files that hold anything that is not projected. */
  get pendingBytes(): number {
    return this.#files.reduce((sum, { end, lastFrame }) => sum + (lastFrame > this.#projectedFrame ? end : 0), 0)
  }

  /** From now on the database has everything up to a frame. */
  projected(frame: number): void {
    this.#projectedFrame = Math.max(this.#projectedFrame, frame)
    const isIdle = this.#projectedFrame === this.#lastFrame && !this.#isAppending && !this.#isRefused
    if (isIdle && !this.#isClosed) this.#shorten()
  }

  /** Whether a text is short enough to be read again. */
  fits(text: string): boolean {
    return text.length * MAX_BYTES_OF_CHARACTER <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES
  }

  /**
   * Appends one frame and resolves when it is on disk. One at a time. Where it rejects, the frame is not there, and the next one takes
   * its place and its number.
   */
  append(text: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the journal is closed'))
    if (!this.fits(text)) return Promise.reject(new RangeError('a text is too long for the journal'))
    this.#isAppending = true
    const appended = this.#append(text).finally(() => (this.#isAppending = false))
    this.#underWay = appended.catch(() => undefined)
    return appended
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#underWay
    await this.#shortening
    this.#note.close()
    for (const { fd } of this.#files) await closeFile(fd)
  }

  async #append(text: string): Promise<void> {
    if (this.#shortening !== undefined) await this.#shortening
    const file = this.#isRefused ? this.#files[this.#current] : this.#place()
    const number = this.#lastFrame + 1
    const frame = this.#frameOf(text, number)
    try {
      await writeWhole(file.fd, frame, file.end)
      await sync(file.fd)
    } catch (error) {
      this.#isRefused = true
      forget(file)
      throw error
    }
    this.#isRefused = false
    file.end += frame.length
    file.longest = Math.max(file.longest, file.end)
    file.lastFrame = number
    this.#lastFrame = number
    this.#note.write(number)
  }

  /** The present file, or the other one where that is free and this one is long: both begin anew once they are projected. */
  #place(): JournalFile {
    const file = this.#files[this.#current]
    if (file.end < FULL_BYTES) return file
    const other = this.#current === 0 ? 1 : 0
    for (const index of [other, this.#current] as const) {
      const free = this.#files[index]
      if (free.lastFrame > this.#projectedFrame) continue
      free.end = FRAMES_AT
      this.#current = index
      return free
    }
    return file
  }

  /**
   * Gives back what a burst took, once everything is projected. Whether that reaches the disk makes no difference: what is cut off is
   * in the tables.
   */
  #shorten(): void {
    const long = this.#files.filter(({ longest }) => longest > IDLE_BYTES)
    if (long.length === 0) return
    for (const file of long) {
      file.longest = FRAMES_AT
      file.end = FRAMES_AT
    }
    // A file that stays long takes room and nothing else.
    this.#shortening = Promise.allSettled(long.map(({ fd }) => truncate(fd, IDLE_BYTES)))
  }

  #frameOf(text: string, number: number): Buffer {
    const buffer = this.#bufferFor(text)
    const textBytes = buffer.write(text, FRAME_HEAD_BYTES, 'utf8')
    sealFrame(buffer, { number, textBytes, seed: this.#seed })
    return buffer.subarray(0, FRAME_HEAD_BYTES + textBytes)
  }

  #bufferFor(text: string): Buffer {
    const most = FRAME_HEAD_BYTES + text.length * MAX_BYTES_OF_CHARACTER
    if (most > MAX_KEPT_BUFFER_BYTES) return Buffer.allocUnsafe(FRAME_HEAD_BYTES + Buffer.byteLength(text))
    if (this.#buffer.length < most) this.#buffer = Buffer.allocUnsafe(2 * most)
    return this.#buffer
  }
}

function writeWhole(fd: number, bytes: Buffer, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, position, (error, written) => {
      if (error !== null) reject(error)
      else if (written === bytes.length) resolve()
      // A disk that is full takes a part and says so at the next try.
      else resolve(writeWhole(fd, bytes.subarray(written), position + written))
    })
  })
}

/** On macOS libuv asks the drive itself, too. */
function sync(fd: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(fd, (error) => (error === null ? resolve() : reject(error))))
}

/** Whoever waits is told that the frame is not there, so a start after a crash must not find it, as far as the disk lets us. */
function forget({ fd, end }: JournalFile): void {
  try {
    writeSync(fd, Buffer.alloc(FRAME_HEAD_BYTES), 0, FRAME_HEAD_BYTES, end)
  } catch {
    // What the disk does not take now, the next frame overwrites.
  }
}
