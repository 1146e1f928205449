// The rows of tables in a SQLite database, read page by page without SQLite. A page that is damaged costs its own rows.

import type { JsonObject } from '#dialect/turn.ts'
import { MAX_RECORD_BYTES } from '#scan/lines.ts'
import { SqlitePages } from '#scan/sqlite-pages.ts'
import { columnsOf } from '#scan/sqlite-schema.ts'

const SCHEMA_PAGE = 1
const SCHEMA_COLUMNS = ['type', 'name', 'tbl_name', 'rootpage', 'sql'] as const
/** A page of a tree begins behind the header of the database where it is the first of all. */
const FIRST_PAGE_START = 100
const LEAF = 0x0d
const INTERIOR = 0x05
/** A tree of SQLite is a few levels high; a damaged one may go round. */
const MAX_HEIGHT = 24

export type RowOptions = {
  /** In the order in which they are read; those that are not there are passed over. */
  readonly tables: readonly string[]
  /** Told of each row that is too long. */
  readonly onLong: () => void
  /** A column that is handed over as bytes; blobs of others are left out. */
  readonly blobsOf?: string
}

/** Throws where it is no database, and at the end where pages could not be read; rows are `{ table, row }`, with the row's columns by name. */
export function* readRows(path: string, { tables, onLong, blobsOf }: RowOptions): Generator<JsonObject> {
  const pages = new SqlitePages(path)
  try {
    const walk = new Walk(pages, onLong, blobsOf)
    const roots = new Map<string, { readonly page: number; readonly columns: readonly string[] }>()
    for (const { type, name, rootpage, sql } of walk.rows(SCHEMA_PAGE, SCHEMA_COLUMNS)) {
      if (type !== 'table' || typeof name !== 'string' || typeof sql !== 'string') continue
      roots.set(name, { page: Number(rootpage), columns: columnsOf(sql) })
    }
    for (const table of tables) {
      const found = roots.get(table)
      if (found === undefined) continue
      for (const row of walk.rows(found.page, found.columns)) yield { table, row }
    }
    if (walk.isDamaged) throw new Error('some pages of the database cannot be read')
  } finally {
    pages.close()
  }
}

type Cell = { readonly payload: Buffer; readonly length: number; readonly overflow: number | undefined }

class Walk {
  isDamaged = false
  readonly #pages: SqlitePages
  readonly #onLong: () => void
  readonly #blobsOf: string | undefined
  readonly #seen: Uint8Array

  constructor(pages: SqlitePages, onLong: () => void, blobsOf: string | undefined) {
    this.#pages = pages
    this.#onLong = onLong
    this.#blobsOf = blobsOf
    this.#seen = new Uint8Array(Math.ceil((pages.pageCount + 1) / 8))
  }

  *rows(page: number, columns: readonly string[], height = 0): Generator<JsonObject> {
    const content = this.#openPage(page, height)
    if (content === undefined) return
    const start = page === SCHEMA_PAGE ? FIRST_PAGE_START : 0
    const isLeaf = content[start] === LEAF
    const cells = content.readUInt16BE(start + 3)
    for (let index = 0; index < cells; index++) {
      try {
        const at = content.readUInt16BE(start + (isLeaf ? 8 : 12) + index * 2)
        if (!isLeaf) yield* this.rows(content.readUInt32BE(at), columns, height + 1)
        else {
          const row = this.#rowAt(content, at, columns)
          if (row !== undefined) yield row
        }
      } catch {
        // What a damaged cell points to is nowhere, or says nothing.
        this.isDamaged = true
      }
    }
    if (!isLeaf) yield* this.rows(content.readUInt32BE(start + 8), columns, height + 1)
  }

  /** undefined, and said, where it is no page of a table, or one that was there already. */
  #openPage(page: number, height: number): Buffer | undefined {
    try {
      const content = this.#pages.read(page)
      const type = content[page === SCHEMA_PAGE ? FIRST_PAGE_START : 0]
      const [at, bit] = [page >> 3, 1 << (page & 7)]
      const isNew = ((this.#seen[at] ?? 0) & bit) === 0
      this.#seen[at] = (this.#seen[at] ?? 0) | bit
      if (isNew && height < MAX_HEIGHT && (type === LEAF || type === INTERIOR)) return content
    } catch {
      // It is behind the end of the file.
    }
    this.isDamaged = true
    return undefined
  }

  #rowAt(content: Buffer, at: number, columns: readonly string[]): JsonObject | undefined {
    const cell = cellAt(content, at, this.#pages.usableBytes)
    if (cell.length <= MAX_RECORD_BYTES) return rowOf(this.#wholeOf(cell), columns, this.#blobsOf)
    this.#onLong()
    return undefined
  }

  #wholeOf({ payload, length, overflow }: Cell): Buffer {
    if (overflow === undefined) return payload
    const parts = [payload]
    let have = payload.length
    let next = overflow
    while (have < length) {
      const page = this.#pages.read(next)
      const part = page.subarray(4, Math.min(this.#pages.usableBytes, 4 + length - have))
      parts.push(part)
      have += part.length
      next = page.readUInt32BE(0)
    }
    return Buffer.concat(parts)
  }
}

/** How much of a row lies in its own page is a rule of the format, section 1.6. */
function cellAt(content: Buffer, at: number, usable: number): Cell {
  const [length, afterLength] = varintAt(content, at)
  const [, start] = varintAt(content, afterLength)
  const most = usable - 35
  if (length <= most) return { payload: content.subarray(start, start + length), length, overflow: undefined }
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((length - least) % (usable - 4))
  const local = fitting <= most ? fitting : least
  return {
    payload: content.subarray(start, start + local),
    length,
    overflow: content.readUInt32BE(start + local),
  }
}

/** Blobs are left out but for those of one column; a row that is older than a column has no value of it. */
function rowOf(record: Buffer, columns: readonly string[], blobsOf: string | undefined): JsonObject {
  const row: Record<string, unknown> = {}
  const [headerBytes, first] = varintAt(record, 0)
  let body = headerBytes
  let at = first
  for (const column of columns) {
    if (at >= headerBytes) break
    const [type, next] = varintAt(record, at)
    const bytes = bytesOf(type)
    if (body + bytes > record.length) throw new RangeError('a value behind the end of its row')
    const value = record.subarray(body, body + bytes)
    row[column] = column === blobsOf && type >= 12 ? value : valueOf(value, type)
    body += bytes
    at = next
  }
  return row
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0] as const

function bytesOf(type: number): number {
  return type >= 12 ? Math.floor((type - 12) / 2) : (INTEGER_BYTES[type] ?? 0)
}

function valueOf(bytes: Buffer, type: number): unknown {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return bytes.readDoubleBE(0)
  if (type === 6) return Number(bytes.readBigInt64BE(0))
  if (type >= 1 && type <= 5) return bytes.readIntBE(0, bytes.length)
  return type >= 13 && type % 2 === 1 ? bytes.toString('utf8') : undefined
}

/** The number and where it ends. Beyond 2^53 it is not exact: only row numbers may be that large, and they are not used. */
function varintAt(bytes: Buffer, start: number): [value: number, end: number] {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(start + index)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, start + index + 1]
  }
  return [value * 256 + bytes.readUInt8(start + 8), start + 9]
}
