// How the journal lies on the disk. It has two files, written in turn: while what one of them holds is projected into the database, the
// other is written, and a file that is projected as a whole is written anew from its start. Each begins with a line that names the
// journal, and goes on with frames: numbers that grow for ever, and a checksum that only this journal's frames have. So what
// a file still holds from an earlier turn, or what a power cut left in pieces, is never taken for a frame that was written.

import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** Both files, in the data folder. */
export const JOURNAL_FILES = ['farebox.journal-1', 'farebox.journal-2'] as const

export function journalPaths(dataDir: string): readonly [string, string] {
  return [join(dataDir, JOURNAL_FILES[0]), join(dataDir, JOURNAL_FILES[1])]
}

/** Where frames begin: behind the first sector, which is written once. */
export const FRAMES_AT = 512

/**
 * What a file is made with and comes back to: what is appended then needs no new room, and a sync has nothing but the bytes to bring to
 * disk.
 */
export const IDLE_BYTES = 1024 * 1024

/** The bytes before the text of a frame: a mark, the length of the text in bytes, the frame's number, the checksum. */
export const FRAME_HEAD_BYTES = 20
const MARK = 0x4a584246
const [LENGTH_AT, NUMBER_AT, CHECKSUM_AT] = [4, 8, 16]
/** 64 MiB. What claims more is no frame, so no longer text is ever written. */
export const MAX_TEXT_BYTES = 0x400_0000

const HEAD_LINE = /^farebox journal 1 ([0-9a-f-]{36})\n/

/** The first sector of a journal's file. */
export function headOf(name: string): Buffer {
  const head = Buffer.alloc(FRAMES_AT)
  head.write(`farebox journal 1 ${name}\n`, 'latin1')
  return head
}

/** The name of the journal that a file begins with; undefined where it is none of ours. */
export function nameIn(head: Buffer): string | undefined {
  return HEAD_LINE.exec(head.toString('latin1'))?.[1]
}

/** What the checksums of a journal begin with, so that no other journal's frames have them. */
export function seedOf(name: string): number {
  return crc32(name)
}

/** Completes a frame whose text of so many bytes stands in the buffer already, behind the room for its head. */
export function sealFrame(buffer: Buffer, frame: { number: number; textBytes: number; seed: number }): void {
  buffer.writeUInt32LE(MARK, 0)
  buffer.writeUInt32LE(frame.textBytes, LENGTH_AT)
  buffer.writeDoubleLE(frame.number, NUMBER_AT)
  buffer.writeUInt32LE(checksumOf(buffer, 0, frame), CHECKSUM_AT)
}

export type Frame = { readonly number: number; readonly text: string; readonly end: number }

/**
 * The frame at a place of a buffer, and the place behind it; undefined where there is no whole frame of this journal. `short` where
 * the buffer may end before the frame does.
 */
export function frameAt(buffer: Buffer, at: number, seed: number): Frame | 'short' | undefined {
  if (at + FRAME_HEAD_BYTES > buffer.length) return 'short'
  if (buffer.readUInt32LE(at) !== MARK) return undefined
  const textBytes = buffer.readUInt32LE(at + LENGTH_AT)
  const number = buffer.readDoubleLE(at + NUMBER_AT)
  if (textBytes > MAX_TEXT_BYTES || !Number.isSafeInteger(number)) return undefined
  const end = at + FRAME_HEAD_BYTES + textBytes
  if (end > buffer.length) return 'short'
  if (buffer.readUInt32LE(at + CHECKSUM_AT) !== checksumOf(buffer, at, { textBytes, seed })) return undefined
  return { number, text: buffer.toString('utf8', at + FRAME_HEAD_BYTES, end), end }
}

/** Of the length, the number and the text. */
function checksumOf(buffer: Buffer, at: number, { textBytes, seed }: { textBytes: number; seed: number }): number {
  const head = crc32(buffer.subarray(at + LENGTH_AT, at + CHECKSUM_AT), seed)
  return crc32(buffer.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + textBytes), head)
}

/** The numbers of all whole frames in a buffer, wherever they lie. Damage between frames hides none. */
export function* scanFrames(buffer: Buffer, seed: number): Generator<number> {
  const mark = Buffer.alloc(4)
  mark.writeUInt32LE(MARK)
  for (let at = buffer.indexOf(mark, FRAMES_AT); at !== -1; at = buffer.indexOf(mark, at + 1)) {
    const frame = frameAt(buffer, at, seed)
    if (frame !== undefined && frame !== 'short') yield frame.number
  }
}
