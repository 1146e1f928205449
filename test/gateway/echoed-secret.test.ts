// A provider that repeats Farebox's secret, whatever it answers with: no client, receipt, report or log line has it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, PAIRS, SECRET, startFormats, wordsIn, type Dialect } from './formats.ts'
import { chat, get, type Pair } from './support.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
/** The secret as it was sent, and as it may be written. */
const ECHO = `${SECRET} Bearer ${SECRET} ${base64(`Bearer ${SECRET}`)} ${base64(`:${SECRET}`)} ${encodeURIComponent(SECRET)}`
/** Pieces of the secret and of its base64, at whichever place of a longer text. */
const TRACES = [SECRET, SECRET.slice(4), ...['', '1', '12'].map((before) => base64(before + SECRET).slice(4, -4))]

let pair: Pair
let key = ''

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  key = await pair.farebox.newKey('plenty')
})

beforeEach(() => pair.upstream.forget())

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

function expectNoTrace(text: string): void {
  for (const trace of TRACES) expect(text).not.toContain(trace)
}

async function wholeAnswer(response: Response): Promise<string> {
  const body = await response.text().catch(() => '')
  return `${[...response.headers].flat().join('\n')}\n\n${body}`
}

const headers = { 'openai-version': ECHO, 'openai-processing-ms': SECRET, 'x-echo': SECRET, 'set-cookie': SECRET }

function behaviours(dialect: Dialect): [string, Behaviour][] {
  const errors = [400, 404, 409, 413, 422, 401, 403, 418, 429, 500, 503].flatMap((status): [string, Behaviour][] => {
    const content = { type: 'status', status, headers, body: wordsIn(dialect, status, `You sent ${ECHO}.`) } as const
    return [
      [`${status}`, content],
      [`${status} byte by byte`, { ...content, chunking: 'byte-by-byte' }],
    ]
  })
  const error = { message: `You sent ${ECHO}.`, code: SECRET, type: SECRET, status: SECRET }
  return [
    ...errors,
    ['a page', { type: 'html', text: `<p>${ECHO}</p>`, headers }],
    ['a page with an error', { type: 'html', text: `<p>${ECHO}</p>`, status: 400, headers }],
    ['a redirect', { type: 'redirect', to: `http://127.0.0.1/${SECRET}` }],
    ['an error with status 200', { type: 'error-in-200', error, headers }],
    ['an error at the start of a stream', { type: 'error-in-stream', afterEvents: 0, error, headers }],
    ['an error in a stream', { type: 'error-in-stream', afterEvents: 3, error, chunking: 'byte-by-byte' }],
    ['an answer', { type: 'answer', text: `You are ${ECHO}`, pieces: [`You are ${ECHO}.`], model: SECRET, headers }],
    ['an answer byte by byte', { type: 'answer', pieces: [`You are ${ECHO}.`], chunking: 'byte-by-byte' }],
  ]
}

describe.each(PAIRS)('%s', (_name, format, dialect) => {
  it.each(behaviours(dialect))('shows nothing of the secret in %s', async (_what, behaviour) => {
    pair.upstream.script(behaviour)
    for (const stream of [false, true]) {
      const response = await ask(pair, format, { key, members: { model: dialect, stream } })
      expectNoTrace(await wholeAnswer(response))
      const receipt = await get(pair.farebox, `/v1/receipts/${response.headers.get('x-request-id')}`, key)
      expectNoTrace(await receipt.text())
    }
    expectNoTrace(pair.farebox.log.join('\n'))
  })
})

it('says in place of the secret that there was one, and leaves the rest as it was', async () => {
  const body = { error: { message: `No access with ${SECRET}, sorry.`, type: 'odd', code: 'no' } }
  pair.upstream.script({ type: 'status', status: 400, body })
  const response = await chat(pair.farebox, key, { model: 'chat-completions' })
  expect(await response.json()).toEqual({ error: { ...body.error, message: 'No access with [secret], sorry.' } })
})

it('knows the secret that was replaced as well', async () => {
  const { admin } = pair.farebox
  const id = (await admin.call('listProviders', {})).find(({ name }) => name === 'chat-completions')?.id ?? ''
  const replacement = 'sk-another-upstream-secret-77'
  await chat(pair.farebox, key, { model: 'chat-completions' })
  await admin.call('setProviderSecret', { id, body: { secret: replacement } })
  const body = wordsIn('chat-completions', 400, `Not ${SECRET} but ${replacement}.`)
  pair.upstream.script({ type: 'status', status: 400, body })
  const text = await (await chat(pair.farebox, key, { model: 'chat-completions' })).text()
  expect(text).toContain('Not [secret] but [secret].')
})

it('shows nothing of it in the test of a provider, in its models, in reports and in what is on disk', async () => {
  const { admin, dataDir } = pair.farebox
  for (const { id } of await admin.call('listProviders', {})) {
    const body = wordsIn('chat-completions', 400, ECHO)
    for (const script of [
      { type: 'status', status: 400, body },
      { type: 'redirect', to: `http://127.0.0.1/${SECRET}/models` },
      { type: 'raw', parts: [JSON.stringify({ data: [{ id: SECRET, display_name: ECHO, object: 'model' }] })] },
    ] satisfies Behaviour[]) {
      pair.upstream.script(script)
      expectNoTrace(JSON.stringify(await admin.call('testProvider', { id })))
      const models = await admin.call('listProviderModels', { id }).catch((error: unknown) => String(error))
      expectNoTrace(JSON.stringify(models))
    }
  }
  expectNoTrace(JSON.stringify(await admin.call('usage', { query: {} })))
  expectNoTrace(JSON.stringify(await admin.call('listProviders', {})))
  for (const name of ['farebox.db', 'farebox.db-wal']) {
    expectNoTrace((await readFile(join(dataDir, name))).toString('latin1'))
  }
})
