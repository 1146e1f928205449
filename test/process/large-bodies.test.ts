// What a large body costs everybody else: the processor time that the main thread takes at most between two turns of its event loop, so
// that nothing depends on what else the machine does.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const METER = pathToFileURL(join(import.meta.dirname, '..', 'support', 'loop-cpu.mjs')).href
const MIB = 1024 * 1024
/** A little less than a call's body may be. */
const LENGTH = 31 * MIB
const MAX_MS = 100
/** The text of a whole large body is written anew for a provider of another dialect, at once. */
const MAX_TRANSLATED_MS = 250

let upstream: Upstream
let farebox: FareboxProcess
let key: string
let file: string

beforeAll(async () => {
  const folder = await temporaryFolder()
  file = join(folder, 'most')
  upstream = await startUpstream()
  farebox = await startProcess({
    dataDir: join(folder, 'data'),
    env: { NODE_OPTIONS: `--import=${METER}`, LOOP_CPU_FILE: file },
  })
  await setUpUpstream(farebox, upstream.url)
  key = (await farebox.admin.call('createKey', { body: { name: 'large', package: 'plenty' } })).key
  // What the first call loads is no body's fault.
  for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) await post(path, hello('x'))
}, 120_000)
afterAll(async () => {
  await endProcesses()
  await upstream.close()
})

async function post(path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const answer = await fetch(farebox.url + path, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  return answer.status
}

/** The most that one turn took while a body was served. */
async function mostMs(path: string, body: string): Promise<{ status: number; ms: number }> {
  rmSync(file, { force: true })
  await sleep(100)
  const status = await post(path, body)
  await sleep(100)
  return { status, ms: Number(readFileSync(file, 'utf8')) }
}

const fill = (piece: string) => piece.repeat(Math.floor((LENGTH - 200) / Buffer.byteLength(piece)))
const hello = (content: string) => `{"model":"chat","max_tokens":5,"messages":[{"role":"user","content":"${content}"}]}`
const inList = (item: string, count: number) => `{"model":"chat","messages":[${`${item},`.repeat(count)}${item}]}`
const named = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',')

const TEXTS: readonly (readonly [what: string, content: () => string])[] = [
  ['one text', () => fill('hello world. ')],
  ['one text of characters of two bytes', () => fill('hällo wörld. ')],
  ['escaped zeroes', () => fill('\\u0000')],
  ['escaped quotes', () => fill('\\"')],
]

const SHAPES: readonly (readonly [what: string, path: string, body: () => string, status: number])[] = [
  ['empty objects', '/v1/chat/completions', () => `{"model":"chat","messages":[${fill('{},')}{}]}`, 413],
  ['as many empty objects as may be', '/v1/chat/completions', () => inList('{}', 99_000), 400],
  ['as many messages as may be', '/v1/chat/completions', () => inList('{"role":"user","content":"x"}', 19_000), 200],
  ['as many names as may be', '/v1/chat/completions', () => `{"model":"chat","x":{${named(49_000)}}}`, 400],
  ['as many outermost members as may be', '/v1/chat/completions', () => `{"model":"chat",${named(990)}}`, 400],
  ['token ids', '/v1/embeddings', () => `{"model":"embed","input":[${'12345,'.repeat(299_999)}1]}`, 200],
  ['white space', '/v1/chat/completions', () => `{"model":"chat"${fill(' ')}}`, 400],
  ['what is no JSON', '/v1/responses', () => fill('x'), 400],
  ['one number', '/v1/messages', () => `{"model":"chat","a":${fill('1')}}`, 400],
  ['one name', '/v1/chat/completions', () => `{"${fill('a')}":1}`, 400],
  ['brackets', '/v1/messages/count_tokens', () => fill('['), 400],
]

describe('the turns of the event loop are short', { timeout: 120_000 }, () => {
  it.each(SHAPES)('for a body of %s', async (_, path, body, status) => {
    const seen = await mostMs(path, body())
    expect(seen.status).toBe(status)
    expect(seen.ms).toBeLessThan(MAX_MS)
  })

  it.each(TEXTS)('for a body of %s that is passed on', async (_, content) => {
    const seen = await mostMs('/v1/chat/completions', hello(content()))
    expect(seen.status).toBe(200)
    expect(seen.ms).toBeLessThan(MAX_MS)
  })

  it.each(TEXTS)('for a body of %s that is translated', async (_, content) => {
    const seen = await mostMs('/v1/messages', hello(content()))
    expect(seen.status).toBe(200)
    expect(seen.ms).toBeLessThan(MAX_TRANSLATED_MS)
  })
})
