// One call, one price: the first call after a start whose tokens Farebox has to count costs what the next one costs, though the
// tables that it counts with are not loaded yet.

import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** Words that no estimate from their size gets right. */
const PIECES = Array.from({ length: 120 }, (_, index) => `naïve Zähler zählen ${index} `)
const WORDS = `Erzähl mir etwas über das Meer, bitte: ${'Seegang und Gezeiten; '.repeat(40)}`
const SLOW_START = new URL('../fixtures/counting/slow-start.mjs', import.meta.url)
/** How many calls go at once right after a start. */
const CROWD = 50

const WAYS: readonly (readonly [string, boolean, Behaviour])[] = [
  ['streams that break off', true, { type: 'answer', pieces: PIECES, omit: ['finish', 'done'], usage: null }],
  ['streams without counts', true, { type: 'answer', pieces: PIECES, usage: null }],
  ['whole answers without counts', false, { type: 'answer', pieces: PIECES, usage: null }],
]

const FORMATS = ['chat', 'messages', 'responses'] as const
const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' } as const

let upstream: Upstream
let dataDir: string
let key = ''

beforeEach(async () => {
  key = ''
  upstream = await startUpstream()
  dataDir = join(await temporaryFolder(), 'data')
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

async function call({ url }: FareboxProcess, format: keyof typeof PATHS, isStream: boolean): Promise<void> {
  const said = [{ role: 'user', content: WORDS }]
  const body = {
    model: 'chat',
    stream: isStream,
    ...(format === 'responses' ? { input: said } : { messages: said }),
    ...(format === 'messages' ? { max_tokens: 1000 } : {}),
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await (await fetch(url + PATHS[format], { method: 'POST', headers, body: JSON.stringify(body) })).text()
}

/** Waits until the tables are loaded, which a count does. */
async function untilLoaded({ url }: FareboxProcess): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: WORDS }] })
  await (await fetch(`${url}/v1/messages/count_tokens`, { method: 'POST', headers, body })).text()
}

/** The records of so many calls, newest first. */
async function records({ admin }: FareboxProcess, count: number): Promise<UsageView[]> {
  const query = { limit: '1000' }
  await expect.poll(async () => (await admin.call('usage', { query })).usage.length, { timeout: 20_000 }).toBe(count)
  return (await admin.call('usage', { query })).usage
}

async function started(): Promise<FareboxProcess> {
  const program = await startProcess({ dataDir, env: { NODE_OPTIONS: `--import ${SLOW_START.href}` } })
  if (key === '') {
    await setUpUpstream(program, upstream.url)
    ;({ key } = await program.admin.call('createKey', { body: { name: 'mine', package: 'plenty' } }))
  }
  return program
}

it('charges the first call that has to be counted after a start what it charges the next', async () => {
  let count = 0
  for (const [name, isStream, behaviour] of WAYS) {
    upstream.script(behaviour)
    const format = FORMATS[count % FORMATS.length] ?? 'chat'
    const program = await started()
    await call(program, format, isStream)
    await untilLoaded(program)
    await call(program, format, isStream)
    count += 2
    const [second, first] = await records(program, count)
    expect([name, second?.usage_source]).toEqual([name, 'estimated'])
    expect([name, first?.input_tokens, first?.output_tokens]).toEqual([
      name,
      second?.input_tokens,
      second?.output_tokens,
    ])
    expect(first?.charge_credits).toBe(second?.charge_credits)
    await program.stop()
  }
}, 120_000)

it('charges a crowd right after a start what it charges one later', async () => {
  upstream.script({ type: 'answer', pieces: PIECES, omit: ['finish', 'done'], usage: null })
  const program = await started()
  const crowd = Array.from({ length: CROWD }, (_, index) => call(program, FORMATS[index % 3] ?? 'chat', true))
  await Promise.all(crowd)
  await untilLoaded(program)
  await call(program, 'chat', true)
  const all = await records(program, CROWD + 1)
  expect(new Set(all.map(({ charge_credits }) => charge_credits)).size).toBe(1)
}, 120_000)
