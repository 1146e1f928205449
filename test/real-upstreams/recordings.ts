// Makes the recordings of test/fixtures/recorded: asks a server itself, in its own dialects, and keeps what it sends.

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileName, RECORDED, toPieces, writeRecording, type Recording } from '../support/recording.ts'
import { body, FORMATS, PATHS, type Wish, type AskedFormat } from './asking.ts'
import { ASKING, OWN_DIALECT } from './cells.ts'
import type { Dialect, Lab } from './lab.ts'
import { print } from './results.ts'

/** What a server is asked in each of its dialects, whole and streamed. */
const WISHES = {
  ...ASKING,
  'tools-forced': { model: 'caller', tools: 'forced' },
  length: { model: 'plain', cap: 4 },
} as const satisfies Readonly<Record<string, Omit<Wish, 'stream'>>>
export type RecordedCase = keyof typeof WISHES | 'embeddings'
export const RECORDED_CASES = [...Object.keys(WISHES), 'embeddings'] as readonly RecordedCase[]

export async function record(lab: Lab, dialects: readonly Dialect[], cases: readonly RecordedCase[]): Promise<void> {
  const folder = join(RECORDED, lab.server.name.toLowerCase().replace(/[^a-z0-9.]+/g, '-'))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const save = async (asked: Asked) => {
    const recording = await recordingOf(lab, asked)
    await writeFile(join(folder, fileName(recording)), writeRecording(recording))
  }
  for (const name of cases) {
    if (name === 'embeddings') {
      const embedded = { model: 'embedder', input: ['The sun.', 'Snow'] }
      await save({ format: name, name: 'text', body: embedded, stream: false })
      continue
    }
    for (const format of FORMATS.filter((one) => dialects.includes(OWN_DIALECT[one]))) {
      for (const stream of [false, true]) {
        await save({ format, name, body: body(format, { ...WISHES[name], stream }), stream })
      }
    }
  }
  print(`recorded ${lab.server.name} in ${folder}`)
}

type Asked = {
  readonly format: AskedFormat | 'embeddings'
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

async function recordingOf({ tap, server }: Lab, { format, name, body: sent, stream }: Asked): Promise<Recording> {
  const path = format === 'embeddings' ? '/v1/embeddings' : PATHS[format]
  tap.take()
  const response = await fetch(tap.origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${server.secret}`,
      'anthropic-version': '2023-06-01',
      // Bytes that are compressed are nothing that anybody could read.
      'accept-encoding': 'identity',
    },
    body: JSON.stringify(sent),
  })
  await response.arrayBuffer()
  const [exchange] = tap.take()
  if (exchange === undefined) throw new Error(`nothing was heard of ${path}`)
  await exchange.ended
  return {
    composed: false,
    replaced: false,
    server: server.name,
    package: server.package,
    dialect: format === 'embeddings' ? format : OWN_DIALECT[format],
    case: name,
    stream,
    request: { path, body: sent },
    status: exchange.status,
    content_type: exchange.contentType,
    pieces: toPieces(exchange.chunks),
  }
}
