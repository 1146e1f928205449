// `npm run record -- PROVIDER --model MODEL --secret-env NAME`: what a provider sends to the owner of an account, as recordings that
// tests replay. PROVIDER is a preset; `--base-url` and `--dialect` win over it. Ten short calls are made and billed. Nothing of
// the account is kept: texts, ids and seals are replaced by others of the same shape before anything is written.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fillFromPreset } from '#catalog/presets.ts'
import { readQuirks } from '#catalog/quirks.ts'
import { isRefusal } from '#core/refusal.ts'
import { dialectOf } from '#dialect/dialects.ts'
import { presentSecret } from '#provider/authentication.ts'
import { sendOk, type ProviderName } from '../matrix/pair.ts'
import { replaceTexts } from '../support/placeholders.ts'
import { testProvider } from '../support/provider.ts'
import { fileName, RECORDED, toPieces, writeRecording, type Recording, type TimedBytes } from '../support/recording.ts'
import { body, type Wish } from './asking.ts'

const CASES: Readonly<Record<string, Omit<Wish, 'model' | 'stream'>>> = {
  text: { cap: 64 },
  'tools-forced': { tools: 'forced' },
  reasoning: { reasoning: true },
  schema: { schema: true },
  length: { cap: 16 },
}
const USAGE = 'npm run record -- PROVIDER --model MODEL [--secret-env NAME] [--base-url URL] [--dialect DIALECT]'

type Target = {
  readonly name: string
  readonly dialect: Exclude<ProviderName, 'bedrock-converse'>
  readonly baseUrl: string
  readonly model: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly quirks: ReturnType<typeof readQuirks>
}

const target = readTarget()
const folder = join(RECORDED, `${target.name}-${new Date().toISOString().slice(0, 10)}`)
await mkdir(folder, { recursive: true })
for (const [name, wish] of Object.entries(CASES)) {
  for (const stream of [false, true]) {
    const recording = await recordingOf(target, { name, wish: { ...wish, model: target.model, stream } })
    const text = writeRecording(recording)
    if (target.secret !== '' && text.includes(target.secret)) throw new Error('the answer repeats the secret')
    await writeFile(join(folder, fileName(recording)), text)
    process.stdout.write(`${fileName(recording)}: status ${recording.status}, ${recording.pieces.length} pieces\n`)
  }
}
process.stdout.write(`recorded in ${folder}; read the files before you hand them on\n`)

function readTarget(): Target {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      model: { type: 'string' },
      'secret-env': { type: 'string' },
      'base-url': { type: 'string' },
      dialect: { type: 'string' },
    },
  })
  const [preset] = positionals
  const { model, 'secret-env': variable, 'base-url': baseUrl, dialect } = values
  if (preset === undefined || model === undefined) throw new Error(USAGE)
  const filled = fillFromPreset({
    name: preset,
    preset,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(dialect === undefined ? {} : { dialect: dialect as ProviderName }),
  })
  if (isRefusal(filled)) throw new Error(filled.message)
  const { dialect: spoken, base_url: url, secret_header: header } = filled
  if (spoken === undefined || spoken === 'demo' || url === undefined) throw new Error(`${preset} has no place to ask`)
  if (spoken === 'bedrock-converse') throw new Error(`${preset} streams in binary frames, which are not recorded`)
  const secret = variable === undefined ? '' : (process.env[variable] ?? '')
  if (variable !== undefined && secret === '') throw new Error(`the variable ${variable} is empty`)
  const provider = testProvider({ dialect: spoken, secretHeader: header })
  const shown = secret === '' ? {} : presentSecret(provider, secret)
  const headers = { 'content-type': 'application/json', ...dialectOf(provider).headers, ...shown }
  return { name: preset, dialect: spoken, baseUrl: url, model, secret, headers, quirks: readQuirks(filled.quirks) }
}

type Asked = { readonly name: string; readonly wish: Wish }

async function recordingOf(to: Target, { name, wish }: Asked): Promise<Recording> {
  // The messages format has a word for every wish, and Farebox writes it in each dialect.
  const client = to.dialect === 'responses' ? 'responses' : to.dialect === 'chat-completions' ? 'chat' : 'messages'
  const pair = { client, provider: to.dialect, name: to.name } as const
  const sent = sendOk(pair, body(client, wish), { model: to.model, quirks: to.quirks })
  const startedAtMs = performance.now()
  const response = await fetch(to.baseUrl + sent.prepared.path, {
    method: 'POST',
    headers: to.headers,
    body: sent.body,
  })
  const chunks: TimedBytes[] = []
  for await (const bytes of response.body ?? []) {
    chunks.push({ ms: Math.round(performance.now() - startedAtMs), bytes: Buffer.from(bytes as Uint8Array) })
  }
  return {
    composed: false,
    replaced: true,
    server: `${to.name} ${to.model}`,
    package: 'none',
    dialect: to.dialect,
    case: name,
    stream: wish.stream,
    request: { path: sent.prepared.path, body: JSON.parse(sent.body) },
    status: response.status,
    content_type: response.headers.get('content-type') ?? '',
    pieces: toPieces(replaced(chunks)),
  }
}

/** The same pieces, cut at the same bytes. */
function replaced(chunks: readonly TimedBytes[]): TimedBytes[] {
  const body = Buffer.from(replaceTexts(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString('utf8')))
  let start = 0
  return chunks.map(({ ms, bytes }) => {
    start += bytes.length
    return { ms, bytes: body.subarray(start - bytes.length, start) }
  })
}
