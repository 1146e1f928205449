// Content is never stored: whatever goes through Farebox, no file of its folder and no line that it prints holds any of it.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { canary, findInBytes, findInFolder, type Canaries } from '../support/canary.ts'
import { CANARY_DIALECTS, FORMAT_MARK, sendFormatCanaries } from '../support/canary-formats.ts'
import { MARK, sendCanaries, WRONG_KEY, type Keys } from '../support/canary-calls.ts'
import { chatModel } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** A key's name is no content: it is stored, so a search that works finds it. */
const KEY_NAME = canary()

let upstream: Upstream
let folder: string

beforeEach(async () => {
  upstream = await startUpstream()
  folder = await temporaryFolder()
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

function start(more: Readonly<Record<string, string>> = {}): Promise<FareboxProcess> {
  const limits = { FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '300', FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' }
  // The provider fails many times in a row, and is to be asked each time, at once.
  const env = { ...limits, FAREBOX_UPSTREAM_TRIALS_PER_SECOND: '0', FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1', ...more }
  return startProcess({ dataDir: join(folder, 'data'), env })
}

async function setUp({ admin }: FareboxProcess): Promise<Keys> {
  const secret = MARK.providerSecret
  const limits = { requests_per_minute: 1 }
  const origin = upstream.url.replace(/\/v1$/, '')
  const providers = CANARY_DIALECTS.map((dialect) => ({
    name: dialect,
    dialect,
    base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstream.url,
    secret,
  }))
  const models = CANARY_DIALECTS.map((dialect) =>
    chatModel(dialect, { max_output_tokens: 8000, targets: [{ provider: dialect, model: `real-${dialect}` }] }),
  )
  const document = {
    providers: [
      { name: 'upstream', dialect: 'chat-completions' as const, base_url: upstream.url, secret },
      ...providers,
    ],
    models: [chatModel('chat'), chatModel('embed', { kind: 'embedding' }), ...models],
    packages: [
      { name: 'plenty', type: 'topup' as const, credits: 1000 },
      { name: 'empty', type: 'topup' as const, credits: 0 },
      { name: 'rationed', type: 'topup' as const, credits: 1000, limits },
    ],
  }
  await admin.call('apply', { body: { document } })
  const newKey = async (name: string, packageName: string) =>
    (await admin.call('createKey', { body: { name, package: packageName } })).key
  return {
    good: await newKey(KEY_NAME, 'plenty'),
    empty: await newKey('empty', 'empty'),
    rationed: await newKey('rationed', 'rationed'),
    suspended: await newKey('suspended', 'plenty'),
  }
}

/** All markers, and the keys without the last characters, which are stored as a hint. */
function everything(keys: Keys): Canaries {
  const secret = (key: string) => key.slice('key_'.length, -4)
  const clientKeys = Object.entries(keys).map(([name, key]) => [`the key ${name}`, secret(key)])
  return { ...MARK, ...FORMAT_MARK, ...Object.fromEntries(clientKeys), 'the wrong key': secret(WRONG_KEY) }
}

function printed(program: FareboxProcess): Buffer {
  return Buffer.from(program.stdout() + program.stderr())
}

it(
  'leaves no content behind, neither when it is stopped nor when it is killed before its log is written back',
  { timeout: 90_000 },
  async () => {
    const stopped = await start()
    const keys = await setUp(stopped)
    const canaries = everything(keys)
    const seen = await sendCanaries(stopped, upstream, keys)

    // What is searched for did go through: the provider got it, and the client got what the provider said.
    const asked = upstream.requests.map(({ text }) => text).join('\n')
    const { system, prompt, toolResult, user, metadata, embeddingInput, answer, reasoning, providerError } = MARK
    for (const text of [system, prompt, toolResult, user, metadata, embeddingInput]) expect(asked).toContain(text)
    for (const text of [answer, reasoning, providerError]) expect(seen).toContain(text)
    const outcomes = (await stopped.admin.call('usage', {})).usage.map(({ outcome }) => outcome)
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'refused', 'failed', 'cut', 'client_gone']))

    // A backup is searched like everything else in the folder.
    await stopped.admin.call('backUp', { body: { file: join(folder, 'backup.db') } })
    expect(await stopped.stop()).toEqual({ code: 0, signal: null })
    expect(await findInFolder(folder, canaries)).toEqual([])
    expect(await findInFolder(folder, { 'the name of a key': KEY_NAME })).toContainEqual(
      expect.stringMatching(/backup/),
    )
    expect(findInBytes(printed(stopped), canaries)).toEqual([])
    // None of it made Farebox itself stumble, which it would say here.
    expect(stopped.stderr()).toBe('')

    const killed = await start()
    upstream.forget()
    await sendCanaries(killed, upstream, keys)
    killed.kill('SIGKILL')
    await killed.exited
    expect((await stat(join(folder, 'data', 'farebox.db-wal'))).size).toBeGreaterThan(0)
    expect(await findInFolder(folder, canaries)).toEqual([])
    expect(findInBytes(printed(killed), canaries)).toEqual([])
    expect(await findInFolder(folder, { 'the name of a key': KEY_NAME })).toContainEqual(expect.stringMatching(/raw/))
  },
)

it('leaves no content of any format behind, from providers of any dialect', { timeout: 90_000 }, async () => {
  const killed = await start()
  const keys = await setUp(killed)
  const canaries = everything(keys)
  const { seen, asked } = await sendFormatCanaries({ url: killed.url, key: keys.good, upstream })

  // What is searched for did go through, in every format and from every dialect.
  const { instructions, text, thinking, callName, callArguments, callResult, customInput, schema, betaHeader } =
    FORMAT_MARK
  const sent = [instructions, text, thinking, callName, callArguments, callResult, customInput, schema, betaHeader]
  for (const marker of sent) expect(asked).toContain(marker)
  for (const media of [FORMAT_MARK.picture, FORMAT_MARK.document]) {
    expect(findInBytes(Buffer.from(asked), { media })).toContainEqual(expect.stringMatching(/base64/))
  }
  const { said, thought, called, calledWith, theirError } = FORMAT_MARK
  for (const marker of [said, thought, called, calledWith, theirError]) expect(seen).toContain(marker)
  const records = (await killed.admin.call('usage', { query: { limit: '1000' } })).usage
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(['answered', 'refused', 'failed', 'cut']))
  for (const model of CANARY_DIALECTS) {
    for (const endpoint of ['chat', 'messages', 'responses']) {
      expect(records).toContainEqual(expect.objectContaining({ model, endpoint, outcome: 'answered', stream: true }))
    }
  }

  // Before the database has written its log back, and afterwards.
  killed.kill('SIGKILL')
  await killed.exited
  expect(await findInFolder(folder, canaries)).toEqual([])
  expect(findInBytes(printed(killed), canaries)).toEqual([])
  expect(killed.stderr()).toBe('')
  const stopped = await start()
  expect(await stopped.stop()).toEqual({ code: 0, signal: null })
  expect(await findInFolder(folder, canaries)).toEqual([])
  expect(findInBytes(printed(stopped), canaries)).toEqual([])
})

it('writes no content into events and figures, although every request is one', { timeout: 120_000 }, async () => {
  const everyEvent = { FAREBOX_LOG: 'json', FAREBOX_LOG_LEVEL: 'info', FAREBOX_LOG_REQUESTS: 'true' }
  const program = await start({ ...everyEvent, FAREBOX_METRICS: 'true' })
  const keys = await setUp(program)
  const canaries = everything(keys)
  const seen = await sendCanaries(program, upstream, keys)
  const formats = await sendFormatCanaries({ url: program.url, key: keys.good, upstream })
  expect(seen).toContain(MARK.answer)
  expect(formats.seen).toContain(FORMAT_MARK.said)

  const token = (await readFile(join(folder, 'data', 'metrics.token'), 'utf8')).trim()
  const headers = { authorization: `Bearer ${token}` }
  const figures = await (await fetch(`${program.url}/metrics`, { headers })).text()
  expect(await program.stop()).toEqual({ code: 0, signal: null })
  const events = program
    .stderr()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly event: string; readonly level: string })
  // What is searched was really written: a line for each request, and a sample for each way to end.
  expect(events.filter(({ event }) => event === 'request').length).toBeGreaterThan(upstream.requests.length)
  expect(events.filter(({ level }) => level !== 'info')).toEqual([])
  for (const outcome of ['answered', 'refused', 'failed', 'cut', 'client_gone']) {
    expect(figures).toContain(`outcome="${outcome}"`)
  }
  expect(findInBytes(printed(program), canaries)).toEqual([])
  expect(findInBytes(Buffer.from(figures), canaries)).toEqual([])
  // The token opens figures; it is not written where they are.
  expect(findInBytes(Buffer.concat([printed(program), Buffer.from(figures)]), { token })).toEqual([])
})

it('finds a key name in the database, before and after it is written back from its log', async () => {
  const program = await start()
  await setUp(program)
  const canaries = { 'the name of a key': KEY_NAME }
  expect(await findInFolder(folder, canaries)).toContainEqual(expect.stringMatching(/farebox\.db-wal: .*\(raw\)$/))
  await program.stop()
  expect(await findInFolder(folder, canaries)).toContainEqual(expect.stringMatching(/farebox\.db: .*\(raw\)$/))
})

it.each([
  ['raw', (text: string) => `before ${text} after`],
  ['JSON-escaped', (text: string) => text.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ['UTF-16', (text: string) => Buffer.from(text, 'utf16le')],
  ['hex', (text: string) => Buffer.from(`..${text}..`).toString('hex')],
  ['upper-case hex', (text: string) => Buffer.from(text).toString('hex').toUpperCase()],
  ['base64 at 0', (text: string) => Buffer.from(`${text}?`).toString('base64')],
  ['base64 at 1', (text: string) => Buffer.from(`?${text}?`).toString('base64')],
  ['base64 at 2', (text: string) => Buffer.from(`??${text}?`).toString('base64')],
  ['base64url at 1', (text: string) => Buffer.from(`?????????????${text}??`).toString('base64url')],
])('recognizes a marker that is written down as %s', (form, write) => {
  const text = canary()
  expect(findInBytes(Buffer.from(write(text)), { marker: text })).toContain(`marker (${form})`)
})
