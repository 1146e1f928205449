// What programs that watch over Farebox ask, over HTTP.

import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInstance } from '#cli/client.ts'
import { openApp } from '#app/open.ts'
import { testConfig } from '../support/farebox.ts'
import { CHAT_PATH, chat, get, post, sendRaw, startPair, type Pair } from './support.ts'

const bodyOf = async (response: Response) => (await response.json()) as { error: Record<string, unknown> }

describe('/ready', () => {
  let pair: Pair
  beforeAll(async () => void (pair = await startPair()))
  afterAll(() => pair.close())

  it('tells everybody that calls are taken, and nothing else', async () => {
    const response = await get(pair.farebox, '/ready')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status: 'ready', name: 'farebox' })
  })

  it('is 503 with one word for why while calls are paused', async () => {
    await pair.farebox.admin.call('pause', { body: { minutes: 5 } })
    const response = await get(pair.farebox, '/ready')
    expect(response.status).toBe(503)
    expect((await bodyOf(response)).error).toMatchObject({ type: 'overloaded_error', details: { reason: 'paused' } })
    expect((await get(pair.farebox, '/health')).status).toBe(200)
    await pair.farebox.admin.call('resume', {})
    expect((await get(pair.farebox, '/ready')).status).toBe(200)
  })

  it.each(['/health', '/ready', '/metrics'])('%s is refused to a foreign Host like everything else', async (path) => {
    const request = `GET ${path} HTTP/1.1\r\nhost: evil.example\r\n\r\n`
    expect((await sendRaw(pair.farebox, request)).status).toBe(403)
  })
})

it('says on a connection from before that Farebox ends, and takes no call there', async () => {
  const pair = await startPair({ env: { FAREBOX_SHUTDOWN_GRACE_MS: '10000' } })
  const key = await pair.farebox.newKey('plenty')
  pair.upstream.script({ type: 'answer', headersAfterMs: 700 })
  const { host, port } = new URL(pair.farebox.url)
  const body = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }] })
  const head = `host: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  const call = `POST ${CHAT_PATH} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`
  const sockets = [0, 1].map(() => connect(Number(port), '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const answers = sockets.map((socket) => text(socket))
  const running = chat(pair.farebox, key)
  await expect.poll(() => pair.upstream.requests.length).toBe(1)
  const stopped = pair.farebox.stop()
  sockets[0]?.write(`GET /ready HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  sockets[1]?.write(call)
  const [ready, called] = await Promise.all(answers)
  expect(ready).toMatch(/^HTTP\/1\.1 503 [^]*"reason":"draining"/)
  expect(called).toMatch(/^HTTP\/1\.1 503 [^]*"type":"overloaded_error"/)
  expect(called).toMatch(/\r\nretry-after: 5\r\n/i)
  expect((await running).status).toBe(200)
  await stopped
  expect(pair.upstream.requests).toHaveLength(1)
  await pair.upstream.close()
  await rm(pair.farebox.dataDir, { recursive: true, force: true })
})

it('says for a while that Farebox will end, and calls are taken until it does', async () => {
  const pair = await startPair({ env: { FAREBOX_SHUTDOWN_NOTICE_MS: '3000' } })
  const key = await pair.farebox.newKey('plenty')
  const stopped = pair.farebox.stop()
  const ready = await get(pair.farebox, '/ready')
  expect(ready.status).toBe(503)
  expect((await bodyOf(ready)).error).toMatchObject({ details: { reason: 'draining' } })
  expect((await get(pair.farebox, '/health')).status).toBe(200)
  const response = await chat(pair.farebox, key)
  await response.text()
  expect(response.status).toBe(200)
  await stopped
  await expect(chat(pair.farebox, key)).rejects.toThrow('fetch failed')
  await pair.upstream.close()
  await rm(pair.farebox.dataDir, { recursive: true, force: true })
})

describe('/metrics', () => {
  it('is not there where it was not asked for, in the same words as any other path', async () => {
    const pair = await startPair()
    const [metrics, nothing] = await Promise.all([get(pair.farebox, '/metrics', 'x'), get(pair.farebox, '/nothing')])
    expect(metrics.status).toBe(404)
    const words = String((await bodyOf(nothing)).error['message'])
    expect((await bodyOf(metrics)).error['message']).toBe(words.replace('/nothing', '/metrics'))
    await expect(stat(join(pair.farebox.dataDir, 'metrics.token'))).rejects.toThrow('ENOENT')
    await pair.close()
  })

  describe('where it was asked for', () => {
    let pair: Pair
    let key: string
    let token: string
    beforeAll(async () => {
      pair = await startPair({ env: { FAREBOX_METRICS: 'true' } })
      key = await pair.farebox.newKey('plenty')
      token = (await readFile(join(pair.farebox.dataDir, 'metrics.token'), 'utf8')).trim()
    })
    afterAll(() => pair.close())

    it('is for its own token alone', async () => {
      const admin = (await readInstance(pair.farebox.dataDir))?.token ?? ''
      const wrong = [undefined, '', 'x', key, admin, `${token}x`, token.slice(1), token.toUpperCase()]
      const statuses = await Promise.all(wrong.map(async (one) => (await get(pair.farebox, '/metrics', one)).status))
      expect(statuses).toEqual(wrong.map(() => 401))
      expect((await get(pair.farebox, '/metrics', token)).status).toBe(200)
      // It opens nothing else.
      expect((await get(pair.farebox, '/v1/balance', token)).status).toBe(401)
      expect((await get(pair.farebox, '/api/status', token)).status).toBe(401)
    })

    it('keeps the token in a file of its owner', async () => {
      const { mode } = await stat(join(pair.farebox.dataDir, 'metrics.token'))
      expect(mode & 0o777).toBe(0o600)
    })

    it('counts calls, requests, tokens, credits and times', async () => {
      await (await chat(pair.farebox, key)).text()
      await (await post(pair.farebox, { model: 'none', messages: [] }, { key })).text()
      await (await get(pair.farebox, '/v1/balance')).text()
      const response = await get(pair.farebox, '/metrics', token)
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
      const text = await response.text()
      expect(valueOf(text, 'farebox_calls_total', 'model="chat"')).toBe(1)
      expect(valueOf(text, 'farebox_tokens_total', 'model="chat",class="input"')).toBe(19)
      expect(valueOf(text, 'farebox_charged_credits_total', 'model="chat"')).toBe(0.000039)
      expect(valueOf(text, 'farebox_call_duration_seconds_count', 'format="chat"')).toBe(1)
      expect(valueOf(text, 'farebox_requests_total', `route="${CHAT_PATH}",status="2xx"`)).toBe(1)
      expect(valueOf(text, 'farebox_requests_total', 'route="/v1/balance",status="4xx"')).toBeGreaterThan(0)
      expect(valueOf(text, 'farebox_open_exchanges')).toBe(0)
      expect(valueOf(text, 'farebox_open_holds')).toBe(0)
      expect(valueOf(text, 'farebox_ready')).toBe(1)
      expect(valueOf(text, 'farebox_ledger_state', 'state="ok"')).toBe(1)
      expect(valueOf(text, 'farebox_target_up', 'provider="upstream",model="real-chat"')).toBe(1)
      expect(valueOf(text, 'farebox_write_batch_entries_count')).toBeGreaterThan(0)
      expect(valueOf(text, 'farebox_database_bytes')).toBeGreaterThanOrEqual(4096)
      expect(valueOf(text, 'farebox_database_log_bytes')).toBeGreaterThan(0)
      expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
    })

    it('is written as the format says, line by line', async () => {
      const text = await (await get(pair.farebox, '/metrics', token)).text()
      const names = new Set([...text.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)].map((match) => match[1]))
      for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
        const [, name = ''] = /^([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\.)*",?)*\})? -?[\d.e+-]+$/.exec(line) ?? []
        expect(names.has(name.replace(/_(bucket|sum|count)$/, '')) || names.has(name), line).toBe(true)
      }
    })

    it('shows what runs while it runs', async () => {
      pair.upstream.script({ type: 'answer', stall: { at: { insideEvent: 2 }, ms: Infinity } })
      const abort = new AbortController()
      const response = await chat(pair.farebox, key, { stream: true }, { signal: abort.signal })
      await response.body?.getReader().read()
      const text = await (await get(pair.farebox, '/metrics', token)).text()
      expect(valueOf(text, 'farebox_open_exchanges')).toBe(1)
      expect(valueOf(text, 'farebox_open_holds')).toBe(1)
      expect(valueOf(text, 'farebox_held_credits')).toBeGreaterThan(0)
      abort.abort()
      const open = async () =>
        valueOf(await (await get(pair.farebox, '/metrics', token)).text(), 'farebox_calls_total', 'client_gone')
      await expect.poll(open).toBe(1)
    })
  })

  describe('with a token of somebody else', () => {
    let folder: string
    beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-test-'))))
    afterAll(() => rm(folder, { recursive: true, force: true }))

    const open = (file: string) => {
      const env = { FAREBOX_METRICS: 'true', FAREBOX_METRICS_TOKEN_FILE: file }
      return openApp(testConfig(join(folder, 'data'), env), () => undefined)
    }

    it.each([
      ['is not there', undefined, 0o600, 'ENOENT'],
      ['everybody may read', 'x'.repeat(40), 0o644, 'everybody may read the token'],
      ['is empty', '', 0o600, 'must be one line of 24 to 512'],
      ['is short', 'secret', 0o600, 'must be one line of 24 to 512'],
      ['has more than a line', `${'x'.repeat(40)}\n${'y'.repeat(40)}`, 0o600, 'must be one line of 24 to 512'],
    ])('does not start with a file that %s', async (_, text, mode, message) => {
      const file = join(folder, 'token')
      await rm(file, { force: true })
      if (text !== undefined) await writeFile(file, text, { mode })
      await expect(open(file)).rejects.toThrow(message)
    })

    it('starts with one that only its group may read', async () => {
      const file = join(folder, 'token')
      await rm(file, { force: true })
      await writeFile(file, `${'x'.repeat(40)}\n`, { mode: 0o640 })
      const app = await open(file)
      await app.close()
    })
  })
})

/** The sum of the samples of a name whose labels contain a text. */
function valueOf(text: string, name: string, labels = ''): number | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)))
  const values = lines.filter((line) => line.includes(labels)).map((line) => Number(line.slice(line.lastIndexOf(' '))))
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
}
