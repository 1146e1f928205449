// A server that answers outside calls what takes long to read: the processor time that the main thread takes at most between two turns of
// its event loop stays short, calls are answered meanwhile, and the process ends when it is asked to.

import { readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { closeServers, serveHttp } from '../support/small-servers.ts'

const METER = pathToFileURL(join(import.meta.dirname, '..', 'support', 'loop-cpu.mjs')).href
const MAX_MS = 250
/** For an answer or a refusal, on a busy machine. */
const LIMIT_MS = 60_000
const MIB = 1024 * 1024

let farebox: FareboxProcess
let port: number
let file: string
let csv: string
/** `says`: what comes of asking for the list of models, where the attack is in it. */
let answer: { readonly status?: number; readonly type?: string; readonly body: string; readonly says?: string }

beforeAll(async () => {
  const folder = await temporaryFolder()
  file = join(folder, 'most')
  csv = join(folder, 'report.csv')
  answer = { body: '{"data":[{"id":"a"}]}' }
  // An error that speaks of secrets is compared with those of others where a request without one is refused otherwise.
  const server = await serveHttp(({ headers }) => ({
    status: answer.status === 400 && headers.authorization === undefined ? 401 : (answer.status ?? 200),
    headers: { 'content-type': answer.type ?? 'application/json' },
    text: answer.body,
  }))
  port = server.port
  farebox = await startProcess({
    dataDir: join(folder, 'data'),
    env: { NODE_OPTIONS: `--import=${METER}`, LOOP_CPU_FILE: file },
  })
  await farebox.admin.call('addProvider', {
    body: {
      name: 'hostile',
      preset: 'openai',
      base_url: `http://127.0.0.1:${port}/v1`,
      secret: 'sk-of-this-provider-0000',
    },
  })
  await farebox.admin.call('setBillSecret', { id: 'hostile', body: { secret: 'sk-admin-of-this-provider' } })
  // What the first question of each kind loads is not measured.
  for (const ask of Object.values(ASKS)) await ask()
  answer = { body: `{"data":[${'{"id":"a"},'.repeat(40_000)}{"id":"b"}]}` }
  for (const ask of Object.values(ASKS)) await ask()
  expect(await call()).toBe(200)
}, 300_000)
afterAll(async () => {
  await endProcesses()
  await closeServers()
})

const settled = (work: Promise<unknown>) => work.then(JSON.stringify, (error: Error) => error.message)

const ASKS = {
  list: () => settled(farebox.admin.call('listProviderModels', { id: 'hostile' })),
  test: () => settled(farebox.admin.call('testProvider', { id: 'hostile', query: {} })),
  discover: () =>
    settled(
      farebox.admin.call('discover', {
        body: { ports: { ollama: port, 'lm-studio': port, 'llama-cpp': port, vllm: port } },
      }),
    ),
  bill: () => settled(farebox.admin.call('checkBill', { body: { provider: 'hostile', days: 1 } })),
}

async function call(): Promise<number> {
  return (await postChat({ url: farebox.url, key: farebox.firstKey ?? '' }, { model: 'demo-chat' })).status
}

/** The most that one turn took while this was done, with calls beside it. */
async function mostMs(work: () => Promise<unknown>): Promise<number> {
  rmSync(file, { force: true })
  await sleep(100)
  let isDone = false
  const worked = work().finally(() => (isDone = true))
  while (!isDone) {
    expect((await fetch(`${farebox.url}/health`)).status).toBe(200)
    await Promise.race([worked, sleep(500)])
  }
  expect(await call()).toBe(200)
  await sleep(100)
  return Number(readFileSync(file, 'utf8'))
}

const marks = (bytes: number) => `a${'\u0316\u0301'.repeat(bytes / 4)}`
const listOf = (entry: string) => `{"object":"list","data":[${entry}],"models":[${entry}],"has_more":false}`
const named = (name: string) =>
  listOf(`{"id":"m","name":${JSON.stringify(name)},"display_name":${JSON.stringify(name)},"owned_by":"vllm"}`)
const members = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`

const ATTACKS: Readonly<Record<string, typeof answer>> = {
  'a name of 0.2 MB of alternating marks': { body: named(marks(MIB / 5)), says: '"id":"m"' },
  'a name of 1.8 MB of alternating marks': { body: named(marks(1.8 * MIB)), says: '"id":"m"' },
  'two thousand names of alternating marks': {
    body: listOf(Array.from({ length: 2000 }, (_, at) => `{"id":"m${at}","name":"${marks(1000)}"}`).join(',')),
    says: '"id":"m1999"',
  },
  'an error with a long word': {
    status: 400,
    body: `{"error":{"message":"unauthorized api key ${'a'.repeat(60_000)}"}}`,
  },
  'an error of words with digits': { status: 500, body: `unauthorized ${'a:'.repeat(2 * MIB)}` },
  'a page of fields without an end': { type: 'text/html', body: `<html>${'<input type '.repeat(20_000)}` },
  'a refusal of fields without an end': {
    status: 401,
    type: 'text/html',
    body: `<html>${'<input type '.repeat(400_000)}`,
  },
  'five million empty objects': { body: `{"object":"list","has_more":false,"data":[${'{},'.repeat(5_000_000)}{}]}` },
  'many members of other names': { body: listOf(members(550_000)), says: 'too large' },
  'many members of other names within the limit': { body: listOf(members(75_000)) },
  'a list that is nested deeply': { body: `{"data":${'['.repeat(2 * MIB)}` },
  'one long text': { body: named('é'.repeat(1.9 * MIB)) },
  'a long text of escapes of a secret': { body: named('%2d&#45;\\u002d'.repeat(MIB / 4)) },
}

it.each(Object.keys(ATTACKS))('%s holds up no call', { timeout: 600_000 }, async (name) => {
  answer = ATTACKS[name] ?? expect.fail('there is no such attack')
  let listed = ''
  const most: Record<string, number> = {}
  for (const [kind, ask] of Object.entries(ASKS)) {
    most[kind] = await mostMs(async () => {
      const said = (await ask()) ?? ''
      if (kind === 'list') listed = said
    })
  }
  expect(Object.entries(most).filter(([, ms]) => ms > MAX_MS)).toEqual([])
  expect(listed).toContain(answer.says ?? '')
})

it.each([
  ['a column of spaces before a bracket', `start_time,${' '.repeat(20_000)}(\n`],
  ['a column of brackets', `a,${'('.repeat(2 * MIB)}\n`],
  ['twenty long lines before the columns', `${`a,${'b '.repeat(MIB)}\n`.repeat(20)}`],
  ['a quote that is never closed', `a,"${'""'.repeat(4 * MIB)}`],
  ['ten million empty fields', `a${','.repeat(999)}\n`.repeat(10_000)],
  ['five million empty objects', `{"data":[${'{},'.repeat(5_000_000)}{}]}`],
])('a file of a report with %s holds up neither calls nor reports', { timeout: 600_000 }, async (_, text) => {
  await writeFile(csv, text)
  const check = () => settled(farebox.admin.call('checkBill', { body: { provider: 'hostile', file: csv } }))
  const startedMs = performance.now()
  expect(await mostMs(check)).toBeLessThan(MAX_MS)
  expect(performance.now() - startedMs).toBeLessThan(LIMIT_MS)
})

it('ends when it is asked to, also while a long answer is read', { timeout: 120_000 }, async () => {
  answer = ATTACKS['many members of other names'] ?? expect.fail('there is no such attack')
  const asked = settled(farebox.admin.call('listProviderModels', { id: 'hostile' }))
  await sleep(100)
  expect(await farebox.stop()).toEqual({ code: 0, signal: null })
  await asked
})
