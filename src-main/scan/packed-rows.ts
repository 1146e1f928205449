// Documents of JSON that a tool packed (Zstandard) into a column of its database. A document is never in memory as a whole: it is unpacked
// piece by piece, and of it only the marked objects that are its own members are kept.

import { createZstdDecompress } from 'node:zlib'
import type { JsonObject } from '#dialect/turn.ts'
import type { RecordOptions } from '#scan/lines.ts'
import { inner } from '#scan/log-format.ts'
import { objectsIn } from '#scan/objects.ts'

const ZSTD_MARK = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** A few kilobytes can be packed from gigabytes of nothing. */
const MAX_UNPACKED_BYTES = 256 * 1_048_576
/** No document has near as many members with numbers. */
const MAX_PARTS = 100
const MEMBERS_DEPTH = 1

/**
 * Takes rows as `readRows` yields them, with `column` as bytes, and has a list of objects in its place. Throws at the end where some could
 * not be unpacked.
 */
export async function* unpackedRows(
  rows: Iterable<JsonObject>,
  column: string,
  options: RecordOptions,
): AsyncGenerator<JsonObject> {
  let isDamaged = false
  for (const record of rows) {
    const row = inner(record, 'row')
    const packed = row[column]
    if (!Buffer.isBuffer(packed)) continue
    const parts: JsonObject[] = []
    try {
      for await (const part of objectsIn(piecesOf(packed), { ...options, depth: MEMBERS_DEPTH }))
        if (parts.length < MAX_PARTS) parts.push(part)
    } catch {
      isDamaged = true
      continue
    }
    yield { ...record, row: { ...row, [column]: parts } }
  }
  if (isDamaged) throw new Error('some rows of the database cannot be unpacked')
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  if (!bytes.subarray(0, ZSTD_MARK.length).equals(ZSTD_MARK)) {
    yield bytes
    return
  }
  const unpacking = createZstdDecompress()
  unpacking.end(bytes)
  let length = 0
  for await (const piece of unpacking as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > MAX_UNPACKED_BYTES) throw new RangeError('a document that is too large')
    yield piece
  }
}
