// What a real server sent for one request, byte for byte and with its timing, as a file of test/fixtures/recorded. Pieces are as
// they came from the connection: text where they are whole UTF-8 by themselves, else base64.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export const RECORDED = join(import.meta.dirname, '..', 'fixtures', 'recorded')

export const RECORDED_DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini', 'embeddings'] as const
export type RecordedDialect = (typeof RECORDED_DIALECTS)[number]

/** Milliseconds since the request was sent, and the piece. */
type Piece = readonly [ms: number, text: string] | readonly [ms: number, piece: { readonly base64: string }]

export type Recording = {
  /** False for what a server sent; answers that were written by hand say true. */
  readonly composed: boolean
  /** True where texts and ids were replaced by others of the same length. */
  readonly replaced: boolean
  /** The server with its version. */
  readonly server: string
  /** The package that has it, with its version. */
  readonly package: string
  readonly dialect: RecordedDialect
  /** What was asked for, in a word: text, tools, reasoning, overflow ... */
  readonly case: string
  readonly stream: boolean
  readonly request: { readonly path: string; readonly body: unknown }
  readonly status: number
  /** The only header that means anything for reading an answer. */
  readonly content_type: string
  readonly pieces: readonly Piece[]
}

export type TimedBytes = { readonly ms: number; readonly bytes: Buffer }

export function toPieces(chunks: readonly TimedBytes[]): Piece[] {
  return chunks.map(({ ms, bytes }) => {
    const text = bytes.toString('utf8')
    return Buffer.from(text).equals(bytes) ? [ms, text] : [ms, { base64: bytes.toString('base64') }]
  })
}

export function bytesOf({ pieces }: Recording): Buffer[] {
  return pieces.map(([, piece]) =>
    typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece.base64, 'base64'),
  )
}

export function textOf(recording: Recording): string {
  return Buffer.concat(bytesOf(recording)).toString('utf8')
}

/** The file of a recording, below the folder of its server. */
export function fileName({ dialect, case: name, stream }: Pick<Recording, 'dialect' | 'case' | 'stream'>): string {
  return `${dialect}-${name}${stream ? '-stream' : ''}.json`
}

/** As text that is read and reviewed: one line for each piece. */
export function writeRecording({ pieces, ...rest }: Recording): string {
  const head = JSON.stringify(rest, null, 2).slice(0, -2)
  const lines = pieces.map((piece) => `    ${JSON.stringify(piece)}`).join(',\n')
  return `${head},\n  "pieces": [\n${lines}\n  ]\n}\n`
}

/** All recordings, by their file below test/fixtures/recorded. */
export function readRecordings(): ReadonlyMap<string, Recording> {
  const files = readdirSync(RECORDED, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  return new Map(
    files.map((file) => [
      relative(RECORDED, file).replaceAll('\\', '/'),
      JSON.parse(readFileSync(file, 'utf8')) as Recording,
    ]),
  )
}
