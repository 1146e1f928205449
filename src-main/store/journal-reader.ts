// The reading side of the journal's files, on the writer thread: finds the frames that the database does not have yet, in their order,
// and says what is missing among them.

import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { FRAMES_AT, frameAt, type Frame, journalPaths, nameIn, scanFrames, seedOf } from '#store/journal-frames.ts'
import type { JournalPlace } from '#store/journal-writer.ts'
import { errorCode } from '#store/files.ts'

const PIECE_BYTES = 64 * 1024

/** Texts of frames that follow each other, and the number of the last. */
export type Frames = { readonly texts: readonly string[]; readonly last: number }

type FilePlace = { readonly file: number; readonly at: number }

export class JournalReader {
  readonly #fds: readonly number[]
  readonly #seed: number
  #place: FilePlace = { file: 0, at: FRAMES_AT }
  /** Where the reading stands once what was read last is projected. */
  #next: FilePlace = this.#place
  #projected: number

  /** Of files that are there; those that are missing hold nothing. */
  constructor(paths: readonly string[], { name, frame }: JournalPlace) {
    this.#fds = paths.filter((path) => existsSync(path)).map((path) => openSync(path, 'r'))
    this.#seed = seedOf(name)
    this.#projected = frame
    this.#place = this.#placeOf(frame + 1) ?? this.#place
  }

  /** The number of the last frame that is projected. */
  get projected(): number {
    return this.#projected
  }

  /** The frames behind those that are projected, up to a number, and not many more than so many bytes of text. */
  read({ upTo, mostBytes }: { readonly upTo: number; readonly mostBytes: number }): Frames {
    const texts: string[] = []
    let last = this.#projected
    let bytes = 0
    let place = this.#place
    while (last < upTo && bytes < mostBytes) {
      const found = this.#placeOf(last + 1, place)
      if (found === undefined) break
      const { file, at } = found
      for (const frame of framesOf(this.#fds[file] ?? -1, at, this.#seed)) {
        if (frame.number !== last + 1 || last >= upTo || bytes >= mostBytes) break
        texts.push(frame.text)
        bytes += frame.text.length
        last = frame.number
        place = { file, at: frame.end }
      }
    }
    this.#next = place
    return { texts, last }
  }

  /** What was read last is in the database. */
  accept({ last }: Frames): void {
    this.#projected = last
    this.#place = this.#next
  }

  /** The highest number of a whole frame in the files, wherever it lies; that of the last projected one where there is none higher. */
  highest(): number {
    let highest = this.#projected
    for (const fd of this.#fds) {
      for (const number of scanFrames(readAll(fd), this.#seed)) highest = Math.max(highest, number)
    }
    return highest
  }

  close(): void {
    for (const fd of this.#fds) closeSync(fd)
  }

  /** Where a frame begins: where the reading stands, or somewhere in a file behind the frames before it. */
  #placeOf(number: number, present?: FilePlace): FilePlace | undefined {
    if (present !== undefined && this.#frameAt(present)?.number === number) return present
    for (const [file, fd] of this.#fds.entries()) {
      let at = FRAMES_AT
      for (const frame of framesOf(fd, at, this.#seed)) {
        if (frame.number === number) return { file, at }
        // What follows is of an earlier turn.
        if (frame.number > number) break
        at = frame.end
      }
    }
    return undefined
  }

  #frameAt({ file, at }: FilePlace): Frame | undefined {
    const [frame] = framesOf(this.#fds[file] ?? -1, at, this.#seed)
    return frame
  }
}

/** The name of the journal in each file; undefined for one that is missing or none of ours. */
export function journalNames(dataDir: string): (string | undefined)[] {
  return journalPaths(dataDir).map((path) => {
    try {
      const fd = openSync(path, 'r')
      try {
        const head = Buffer.alloc(FRAMES_AT)
        return nameIn(head.subarray(0, readSync(fd, head, 0, FRAMES_AT, 0)))
      } finally {
        closeSync(fd)
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  })
}

/** Whole frames that follow each other in a file. */
function* framesOf(fd: number, from: number, seed: number): Generator<Frame> {
  let start = from
  let size = PIECE_BYTES
  for (;;) {
    const piece = readPiece(fd, start, size)
    let at = 0
    let frame = frameAt(piece, at, seed)
    while (frame !== undefined && frame !== 'short') {
      yield { ...frame, end: start + frame.end }
      at = frame.end
      frame = frameAt(piece, at, seed)
    }
    if (frame === undefined || piece.length < size) return
    // The piece ends inside of a frame: it is read on from there, and more at once where the frame is longer than a piece.
    size = at === 0 ? 2 * size : PIECE_BYTES
    start += at
  }
}

function readPiece(fd: number, position: number, bytes: number): Buffer {
  const piece = Buffer.allocUnsafe(bytes)
  return piece.subarray(0, readSync(fd, piece, 0, bytes, position))
}

function readAll(fd: number): Buffer {
  return readPiece(fd, 0, fstatSync(fd).size)
}
