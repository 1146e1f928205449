// The lines of a file, one at a time. Nothing of a line is kept behind the next one, and a line beyond the bound is passed over: what is
// in memory does not grow with the file.

import { createReadStream } from 'node:fs'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** No record with numbers in it comes near this; what is longer is a picture or a document. */
export const MAX_RECORD_BYTES = 8 * 1_048_576
export const CHUNK_BYTES = 1_048_576
const NEWLINE = 0x0a

export type RecordOptions = {
  /** Records without any of these texts are passed over. */
  readonly marks: readonly string[]
  /** Told of each record that is too long. */
  readonly onLong: () => void
}

/** Yields the object of each marked line. A line that is none is passed over: the last one of a file may be half written. */
export async function* readLines(path: string, { marks, onLong }: RecordOptions): AsyncGenerator<JsonObject> {
  for await (const line of rawLines(path, onLong)) {
    const value = markedObject(line, marks)
    if (value !== undefined) yield value
  }
}

/** undefined where it has none of the marks, or is no object. */
export function markedObject(bytes: Buffer, marks: readonly string[]): JsonObject | undefined {
  if (!marks.some((mark) => bytes.includes(mark))) return undefined
  const value = parsed(bytes)
  return isRecord(value) ? value : undefined
}

async function* rawLines(path: string, onLong: () => void): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end)
      if (length + part.length > MAX_RECORD_BYTES) onLong()
      else yield rest.length === 0 ? part : Buffer.concat([...rest, part])
      rest = []
      length = 0
      start = end + 1
    }
    const left = chunk.subarray(start)
    length += left.length
    // Beyond the bound nothing is kept but how long it is.
    if (length > MAX_RECORD_BYTES) rest = []
    else if (left.length > 0) rest.push(left)
  }
  if (length > MAX_RECORD_BYTES) onLong()
  else if (length > 0) yield Buffer.concat(rest)
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    // It is half a line, or no JSON at all.
    return undefined
  }
}
