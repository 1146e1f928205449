// The logs of each tool that keeps them in a database, in one document or in lines of its own kind: what they say, at its price, and
// nothing of what was said.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cardPrices } from '#catalog/card-prices.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { scan, type Scan } from '#scan/scan.ts'
import { writeLog } from './logs.ts'

const NOW = Date.now()
const HOUR_AGO = NOW - 3_600_000
const AT = new Date(HOUR_AGO).toISOString()
const MODEL = 'claude-opus-4-6'
const SECRET = 'A secret sentence of the conversation.'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'farebox-scan-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function scanned(env: Readonly<Record<string, string>> = {}): Promise<Scan> {
  return scan({ home, env, nowMs: NOW, days: 30, priceOfModel: cardPrices().priceOfModel })
}

function document(path: string, value: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), JSON.stringify(value, null, 2))
}

function database(path: string, sql: string): Database.Database {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  const opened = new Database(join(home, path))
  opened.pragma('journal_mode = WAL')
  opened.exec(sql)
  return opened
}

/** What a call of 100 new, 20 cached, 3 written and 50 put out tokens makes of a row. */
const ROW = {
  day: expect.any(String),
  model: MODEL,
  project: 'shop',
  calls: 1,
  input_tokens: 100,
  cache_read_tokens: 20,
  cache_write_tokens: 3,
  output_tokens: 50,
  cost_micro: Math.ceil(100 * 5 + 20 * 0.5 + 3 * 6.25 + 50 * 25),
}

async function expectRow(tool: string, row: object = ROW, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const found = await scanned(env)
  expect(found).toMatchObject({ rows: [{ ...row, tool }], files: { [tool]: 1 }, skipped: { lines: 0, files: 0 } })
  expect(JSON.stringify(found)).not.toMatch(/secret|ada/)
}

describe.each([
  { tool: 'opencode', file: '.local/share/opencode/opencode.db' },
  { tool: 'kilo', file: '.local/share/kilo/kilo.db' },
])('$tool', ({ tool, file }) => {
  const tokens = { input: 100, output: 40, reasoning: 10, cache: { read: 20, write: 3 } }
  const answer = { role: 'assistant', modelID: MODEL, tokens, time: { created: HOUR_AGO }, error: SECRET }

  it('has a row for each message in its database, which it may have open', async () => {
    const tables = `CREATE TABLE session (id text PRIMARY KEY, directory text NOT NULL);
      CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer, data text NOT NULL);
      CREATE TABLE part (id text PRIMARY KEY, data text)`
    const opened = database(file, tables)
    const message = opened.prepare('INSERT INTO message VALUES (?, ?, ?, ?)')
    opened.prepare('INSERT INTO session VALUES (?, ?)').run('s', '/home/ada/shop')
    message.run('m1', 's', HOUR_AGO, JSON.stringify(answer))
    message.run('m2', 's', HOUR_AGO, JSON.stringify({ role: 'user', text: SECRET }))
    message.run('m3', 's', HOUR_AGO, '{"role":"assistant","modelID":')
    message.run('m4', 's', HOUR_AGO, JSON.stringify({ ...answer, tokens: { input: -1, output: 'many' } }))
    opened.prepare('INSERT INTO part VALUES (?, ?)').run('p', SECRET)
    await expectRow(tool)
    opened.close()
    await expectRow(tool)
  })

  it('has them in the table and the shape of its second version, once', async () => {
    const opened = database(
      file,
      `CREATE TABLE session_v2 (id text PRIMARY KEY, directory text);
       CREATE TABLE message (id text PRIMARY KEY, session_id text, data text);
       CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, data text)`,
    )
    const { modelID: id, role: _role, ...rest } = answer
    const data = JSON.stringify({ ...rest, model: { id, providerID: 'anthropic' } })
    opened.prepare('INSERT INTO session_v2 VALUES (?, ?)').run('s', 'C:\\work\\shop')
    opened.prepare('INSERT INTO session_message VALUES (?, ?, ?, ?)').run('m1', 's', 'assistant', data)
    opened.prepare('INSERT INTO session_message VALUES (?, ?, ?, ?)').run('m2', 's', 'user', data)
    opened.prepare('INSERT INTO message VALUES (?, ?, ?)').run('m1', 's', JSON.stringify(answer))
    opened.close()
    await expectRow(tool)
    expect(readdirSync(dirname(join(home, file)))).toHaveLength(1)
  })
})

it('Goose has one call for each session, of when it was last used', async () => {
  const opened = database(
    'data/goose/sessions/sessions.db',
    `CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
     input_tokens INTEGER, output_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, model_config_json TEXT)`,
  )
  const config = JSON.stringify({ model_name: MODEL, context_limit: 200_000 })
  const add = opened.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const updated = AT.slice(0, 19).replace('T', ' ')
  add.run('1', SECRET, '/home/ada/shop', '2020-01-01 00:00:00', updated, 1, 2, 100, 50, config)
  add.run('2', SECRET, '/home/ada/shop', '2020-01-01 00:00:00', '2020-01-01 00:00:00', 1, 2, 100, 50, config)
  add.run('3', SECRET, '/home/ada/shop', updated, updated, null, null, null, null, null)
  const row = { ...ROW, cache_read_tokens: 0, cache_write_tokens: 0, cost_micro: 100 * 5 + 50 * 25 }
  await expectRow('goose', row, { XDG_DATA_HOME: join(home, 'data') })
  opened.close()
})

describe('a task of Cline and of what was made of it', () => {
  const said = { tokensIn: 100, tokensOut: 50, cacheReads: 20, cacheWrites: 3, cost: 9 }
  const shown = (text: JsonObject, more: JsonObject = {}) => [
    { ts: HOUR_AGO - 1, type: 'say', say: 'text', text: SECRET },
    { ts: HOUR_AGO, type: 'say', say: 'api_req_started', text: JSON.stringify(text), ...more },
    { ts: HOUR_AGO, type: 'say', say: 'api_req_started', text: JSON.stringify({ request: SECRET }) },
    { ts: HOUR_AGO, type: 'say', say: 'text', text: JSON.stringify(said) },
  ]
  const request = `${SECRET} <environment_details># Current Workspace Directory (/home/ada/shop) Files`

  it('has its requests with the model beside them, or in a file of its own, or in the request', async () => {
    const cline = 'globalStorage/saoudrizwan.claude-dev/tasks/1'
    document(
      `.config/Code/User/${cline}/ui_messages.json`,
      shown({ ...said, request }, { modelInfo: { modelId: MODEL } }),
    )
    await expectRow('cline')
    rmSync(join(home, '.config'), { recursive: true })
    const folder = `Library/Application Support/Code/User/${cline}`
    document(`${folder}/ui_messages.json`, shown({ ...said, request }))
    const used = (ts: number, id: string) => ({ ts, model_id: id, model_provider_id: 'anthropic', mode: 'act' })
    document(`${folder}/task_metadata.json`, {
      files_in_context: [{ path: SECRET }],
      model_usage: [used(1, 'older'), used(HOUR_AGO - 1, MODEL), used(NOW, 'newer')],
    })
    await expectRow('cline')
  })

  it.each([
    ['roo-code', 'rooveterinaryinc.roo-cline'],
    ['kilo', 'kilocode.kilo-code'],
  ])('is of %s, whose input has what came from the cache as well', async (tool, extension) => {
    const text = { ...said, tokensIn: 123, apiProtocol: 'anthropic', request: `${request}<model>${MODEL}</model>` }
    document(`editor/Code/User/globalStorage/${extension}/tasks/1/ui_messages.json`, shown(text))
    await expectRow(tool, ROW, { APPDATA: join(home, 'editor') })
    await expectRow(tool, ROW, { XDG_CONFIG_HOME: join(home, 'editor') })
  })
})

it("Cline's command line has its messages in one document, and the session's folder in another", async () => {
  const metrics = { inputTokens: 123, outputTokens: 50, cacheReadTokens: 20, cacheWriteTokens: 3, cost: 9 }
  document('.cline/data/sessions/s/s.messages.json', {
    sessionId: 's',
    messages: [
      { id: 'u', role: 'user', ts: HOUR_AGO, content: [{ type: 'text', text: SECRET }] },
      { id: 'a', role: 'assistant', ts: HOUR_AGO, content: [{ text: SECRET }], modelInfo: { id: MODEL }, metrics },
    ],
  })
  document('.cline/data/sessions/s/s.json', { model: 'another', workspace_root: '/home/ada/shop' })
  await expectRow('cline')
})

describe('Copilot CLI', () => {
  const path = '.copilot/session-state/one/events.jsonl'
  const usage = { inputTokens: 123, outputTokens: 50, cacheReadTokens: 20, cacheWriteTokens: 3 }
  const start = { type: 'session.start', timestamp: AT, data: { context: { cwd: '/home/ada/shop' } } }
  const said = { type: 'user.message', timestamp: AT, data: { content: SECRET } }
  const ended = (times: number) => {
    const sums = Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, count * times]))
    const modelMetrics = { [MODEL]: { requests: { count: times }, usage: sums } }
    return { type: 'session.shutdown', timestamp: AT, data: { modelMetrics } }
  }

  it('has a line for each call, and the sums of the session besides', async () => {
    const call = { type: 'session.usage_record', id: 'a', timestamp: AT, data: { usage: { ...usage, model: MODEL } } }
    writeLog(home, path, [start, said, call, call, ended(1)])
    await expectRow('copilot-cli')
  })

  it('had what each model used up to then when a session ended, also one that was gone on with', async () => {
    writeLog(home, path, [start, said, ended(1)])
    await expectRow('copilot-cli')
    writeLog(home, path, [start, said, ended(1), ended(3), ended(1)])
    const three = Object.fromEntries(
      ['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens'].map((name) => [
        name,
        Number(ROW[name as keyof typeof ROW]) * 4,
      ]),
    )
    await expectRow('copilot-cli', { calls: 3, ...three })
  })
})

it('Gemini CLI had one document for each session', async () => {
  const tokens = { input: 100, cached: 20, output: 30, thoughts: 17, tool: 3, total: 150 }
  const turn = { id: 'a', timestamp: AT, type: 'gemini', content: SECRET, model: 'gemini-3.1-pro-preview', tokens }
  const messages = [{ id: 'u', timestamp: AT, type: 'user', content: SECRET }, turn]
  document('.gemini/tmp/shop/chats/session-2027-a.json', { sessionId: 's', messages })
  await expectRow('gemini-cli', { project: 'shop', input_tokens: 83, cache_read_tokens: 20, output_tokens: 47 })
})

it('Droid has the sums of a session, of when they were written', async () => {
  const tokenUsage = {
    inputTokens: 100,
    outputTokens: 40,
    cacheCreationTokens: 3,
    cacheReadTokens: 20,
    thinkingTokens: 10,
  }
  const path = '.factory/sessions/-home-ada-shop/s.settings.json'
  document(path, { model: `custom:${MODEL}`, tokenUsage })
  utimesSync(join(home, path), new Date(HOUR_AGO), new Date(HOUR_AGO))
  await expectRow('droid', { ...ROW, project: '' })
})

it('Kimi Code has a line for each call, and its model in the line or in that of the request before', async () => {
  const usage = { inputOther: 100, output: 50, inputCacheRead: 20, inputCacheCreation: 3 }
  const record = { type: 'usage.record', time: HOUR_AGO, usage, usageScope: 'turn' }
  writeLog(home, '.kimi-code/sessions/shop/s/agents/main/wire.jsonl', [
    { type: 'llm.request', model: `kimi-code/${MODEL}`, messages: SECRET },
    { ...record, model: '__kimi_env_model__' },
    { ...record, usageScope: 'session' },
    { type: 'step.end', usage },
  ])
  await expectRow('kimi')
})

describe('Grok Build', () => {
  const used = { inputTokens: 123, outputTokens: 50, cachedReadTokens: 20, cacheCreationTokens: 3, reasoningTokens: 10 }
  const turn = (eventId: string, usage: JsonObject = { ...used, modelCalls: 1, modelUsage: { [MODEL]: used } }) => ({
    timestamp: Math.floor(HOUR_AGO / 1000),
    method: '_x.ai/session/update',
    params: { update: { sessionUpdate: 'turn_completed', stop_reason: 'end_turn', usage }, _meta: { eventId } },
  })
  const said = { timestamp: 1, params: { update: { sessionUpdate: 'agent_message_chunk', content: SECRET } } }
  const session = '.grok/sessions/%2Fhome%2Fada%2Fshop'

  it('has what each model used in a turn, and a turn once that a session has again', async () => {
    writeLog(home, `${session}/one/updates.jsonl`, [said, turn('a'), turn('a')])
    await expectRow('grok')
    writeLog(home, `${session}/two/updates.jsonl`, [turn('a'), said])
    expect((await scanned()).rows).toMatchObject([{ ...ROW, tool: 'grok' }])
    writeLog(home, `${session}/two/updates.jsonl`, [turn('a'), turn('b', used), 'no json', { params: [] }])
    expect((await scanned()).rows).toMatchObject([{ model: MODEL }, { model: 'unknown', input_tokens: 100 }])
  })

  it('has what an agent used in the turn that waited for it, and the folder beside the log', async () => {
    const other = join(home, 'grok')
    writeLog(home, 'grok/sessions/cut-4f2a/one/updates.jsonl', [turn('a')])
    writeLog(home, 'grok/sessions/cut-4f2a/below/updates.jsonl', [turn('b')])
    document('grok/sessions/cut-4f2a/one/summary.json', { info: { cwd: '/home/ada/shop' }, session_summary: SECRET })
    document('grok/sessions/cut-4f2a/below/summary.json', { info: { cwd: '/x' }, session_kind: 'subagent' })
    expect((await scanned({ GROK_HOME: other })).rows).toMatchObject([{ ...ROW, tool: 'grok' }])
  })
})

it('Continue has a line for each call, with what it counted itself', async () => {
  const line = { eventName: 'tokensGenerated', schema: '0.2.0', timestamp: AT, model: MODEL, provider: 'anthropic' }
  writeLog(home, '.continue/dev_data/0.2.0/tokensGenerated.jsonl', [
    { ...line, promptTokens: 100, generatedTokens: 50 },
    { ...line, promptTokens: 100, generatedTokens: 50, timestamp: undefined },
  ])
  writeLog(home, '.continue/dev_data/0.2.0/chatInteraction.jsonl', [{ prompt: SECRET, generatedTokens: 9 }])
  const row = { ...ROW, project: '', cache_read_tokens: 0, cache_write_tokens: 0, cost_micro: 100 * 5 + 50 * 25 }
  await expectRow('continue', row)
})

describe('Zed', () => {
  const used = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 20, cache_creation_input_tokens: 3 }
  const thread = {
    title: SECRET,
    messages: [{ Agent: { content: [{ Text: SECRET }], provider: SECRET, input_tokens: 9 } }],
    updated_at: AT,
    cumulative_token_usage: used,
    request_token_usage: { 'a-b': { ...used, input_tokens: 7 } },
    model: { provider: 'anthropic', model: MODEL },
    version: '0.3.0',
  }
  const path = '.local/share/zed/threads/threads.db'

  function threads(rows: readonly (readonly [string, string, Buffer | null])[]): void {
    const opened = database(
      path,
      'CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB, folder_paths TEXT)',
    )
    const add = opened.prepare('INSERT INTO threads VALUES (?, ?, ?, ?, ?, ?)')
    for (const [id, type, data] of rows) add.run(id, SECRET, AT, type, data, '/home/ada/shop\n/home/ada/z')
    opened.close()
  }

  it('has the sums of a conversation, packed or not', async () => {
    const text = Buffer.from(JSON.stringify(thread))
    threads([['1', 'zstd', zstdCompressSync(text)]])
    await expectRow('zed')
    rmSync(join(home, path))
    const unused = Buffer.from(JSON.stringify({ ...thread, cumulative_token_usage: {} }))
    threads([
      ['1', 'json', text],
      ['2', 'json', unused],
      ['3', 'json', null],
    ])
    await expectRow('zed')
  })

  it('reads a conversation of any length in little memory, and goes on behind one that is broken or unpacks to too much', async () => {
    const long = Buffer.from(JSON.stringify({ ...thread, messages: Array.from({ length: 200_000 }, () => SECRET) }))
    const broken = zstdCompressSync(long).subarray(0, -40)
    const nothing = zstdCompressSync(Buffer.alloc(300 * 1_048_576, ' '))
    threads([
      ['1', 'zstd', broken],
      ['2', 'zstd', nothing],
      ['3', 'zstd', zstdCompressSync(long)],
    ])
    expect(nothing.length).toBeLessThan(100_000)
    const found = await scanned()
    expect(found).toMatchObject({ rows: [{ ...ROW, tool: 'zed' }], skipped: { lines: 0, files: 1 } })
  })
})

it('names those that are used here and keep no counts', async () => {
  expect((await scanned()).uncounted).toEqual([])
  mkdirSync(join(home, '.local/share/crush'), { recursive: true })
  writeFileSync(join(home, '.aider.conf.yml'), '')
  expect((await scanned()).uncounted).toEqual(['aider', 'crush'])
  expect((await scanned({ XDG_DATA_HOME: join(home, 'elsewhere') })).uncounted).toEqual(['aider'])
})
