// What a log file is made of, by its format: one record at a time.

import type { JsonObject } from '#dialect/turn.ts'
import { readLines } from '#scan/lines.ts'
import type { LogFormat } from '#scan/log-format.ts'
import { readObjects } from '#scan/objects.ts'
import { unpackedRows } from '#scan/packed-rows.ts'
import { readRows } from '#scan/sqlite-rows.ts'

type Options = { readonly format: Pick<LogFormat, 'records' | 'marks'>; readonly onLong: () => void }

/** Throws where the file cannot be read, a database also at its end, where parts of it could not. */
export async function* readRecords(path: string, { format, onLong }: Options): AsyncGenerator<JsonObject> {
  const { records = { type: 'lines' }, marks } = format
  switch (records.type) {
    case 'lines':
      yield* readLines(path, { marks, onLong })
      return
    case 'objects':
      yield* readObjects(path, { marks, onLong, depth: records.depth })
      return
    case 'rows': {
      const { tables, packed } = records
      if (packed === undefined) yield* readRows(path, { tables, onLong })
      else yield* unpackedRows(readRows(path, { tables, onLong, blobsOf: packed }), packed, { marks, onLong })
    }
  }
}
