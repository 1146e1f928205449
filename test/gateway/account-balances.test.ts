// Providers that are asked what is left on their accounts: only when somebody wants it, with the right secret, and seldom where they
// do not answer.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canary, findInFolder } from '../support/canary.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { manualClock } from './support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BEGIN = '2026-10-01T10:01:00.000Z'

type Asked = { readonly path: string; readonly authorization: string | undefined }
type Answering = (request: IncomingMessage, response: ServerResponse) => void

let clock = manualClock(BEGIN)
let asked: Asked[] = []
let answer: Answering = (_request, response) => response.end('{}')
let server: Server
let farebox: Farebox
let secret = ''
let admin = ''

beforeEach(async () => {
  clock = manualClock(BEGIN)
  asked = []
  secret = canary()
  admin = canary()
  server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  farebox = await startFarebox({ clock })
})

afterEach(async () => {
  await farebox.close()
  server.closeAllConnections()
  server.close()
})

async function addProvider(preset: string, more: object = { secret }): Promise<void> {
  const { port } = server.address() as AddressInfo
  const base = { name: preset, preset, network: 'local' as const, base_url: `http://127.0.0.1:${port}/v1` }
  await farebox.admin.call('addProvider', { body: { ...base, dialect: 'chat-completions', ...more } })
}

const says =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answering =>
  (_request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
const yuan = (total: string) => ({ is_available: true, balance_infos: [{ currency: 'CNY', total_balance: total }] })
const askNow = (body: object = {}) => farebox.admin.call('askAccountBalances', { body })
const list = () => farebox.admin.call('listAccountBalances', {})

describe('a provider with a balance', () => {
  it('that warns of what is left is heard', async () => {
    await addProvider('deepseek')
    answer = says({ ...yuan('0.01'), is_available: false })
    const warned = [
      { balances: [{ amount: '0.01' }], problem: 'It says that what is left does not suffice for calls.' },
    ]
    expect(await askNow()).toMatchObject(warned)
    clock.advance(HOUR)
    answer = says(yuan('20'))
    expect(await askNow()).toMatchObject([{ balances: [{ amount: '20' }], problem: null }])
  })

  it('is asked by nobody until somebody wants to know', async () => {
    await addProvider('deepseek')
    await addProvider('openai')
    expect(await list()).toEqual([
      { provider: 'deepseek', secret: null, balances: [], said_at: null, problem: null, ask_again_at: null },
    ])
    expect(asked).toEqual([])
    answer = says(yuan('110.50'))
    expect(await askNow()).toMatchObject([
      { provider: 'deepseek', balances: [{ currency: 'CNY', amount: '110.5', days_left: null }], said_at: BEGIN },
    ])
    expect(asked).toEqual([{ path: '/user/balance', authorization: `Bearer ${secret}` }])
    expect(await findInFolder(farebox.dataDir, { secret })).toEqual([])
  })

  it('is asked once a minute at most, and says how long it lasts, also after a restart', async () => {
    await addProvider('deepseek')
    answer = says(yuan('110'))
    await askNow()
    await askNow()
    expect(asked).toHaveLength(1)
    clock.advance(24 * HOUR)
    answer = says(yuan('100'))
    await askNow({ provider: 'deepseek' })
    await farebox.stop()
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir })
    expect(await list()).toMatchObject([{ balances: [{ amount: '100', days_left: 10 }], problem: null }])
    expect(asked).toHaveLength(2)
  })

  it('has one for each of its secrets', async () => {
    await addProvider('moonshot')
    await farebox.admin.call('addProviderSecret', { id: 'moonshot', body: { label: 'second', secret: 'sk-second' } })
    answer = (request, response) => {
      const left = request.headers.authorization === 'Bearer sk-second' ? 2 : 1
      says({ data: { available_balance: left } })(request, response)
    }
    expect(await askNow()).toMatchObject([
      { secret: 'first', balances: [{ currency: 'USD', amount: '1' }] },
      { secret: 'second', balances: [{ currency: 'USD', amount: '2' }] },
    ])
  })

  it('that tells administrators alone is asked with their secret, and not with that of calls', async () => {
    await addProvider('openrouter')
    answer = says({ data: { total_credits: 10, total_usage: 2.5 } })
    expect(await askNow()).toMatchObject([
      { balances: [], problem: expect.stringContaining('farebox bills secret add') },
    ])
    expect(asked).toEqual([])
    await farebox.admin.call('setBillSecret', { id: 'openrouter', body: { secret: admin } })
    clock.advance(2 * MINUTE)
    expect(await askNow()).toMatchObject([{ balances: [{ currency: 'USD', amount: '7.5' }], problem: null }])
    expect(asked).toEqual([{ path: '/api/v1/credits', authorization: `Bearer ${admin}` }])
    expect(await farebox.admin.call('listBillSecrets', {})).toMatchObject([{ has_secret: true, has_reports: true }])
  })

  it('takes its numbers along when it is removed', async () => {
    await addProvider('deepseek')
    answer = says(yuan('1'))
    await askNow()
    await farebox.admin.call('removeProvider', { id: 'deepseek' })
    expect(await list()).toEqual([])
    await addProvider('deepseek')
    expect(await list()).toMatchObject([{ balances: [], said_at: null }])
  })
})

describe('a provider that does not answer', () => {
  it.each<[string, Answering, RegExp]>([
    ['refuses the secret', says('no', 401), /refuses the secret.*\(401\)/],
    ['knows no such thing', says('no', 404), /404/],
    ['has a fault', says('oops', 500), /answers 500/],
    ['answers a page', says('<html>'), /no JSON/],
    ['answers half', says('{"balance_infos":[{"currency":"CNY"'), /no JSON/],
    ['answers something else', says({ balance: 5 }), /nothing that is a balance/],
    ['answers megabytes', says(' '.repeat(2_000_000) + JSON.stringify(yuan('1'))), /no JSON/],
    ['breaks off', (request) => request.socket.destroy(), /could not be reached/],
  ])('because it %s says why, and what it said before stands', async (_, wrong, reason) => {
    await addProvider('deepseek')
    answer = says(yuan('5'))
    await askNow()
    clock.advance(2 * MINUTE)
    answer = wrong
    expect(await askNow()).toMatchObject([
      { balances: [{ amount: '5' }], said_at: BEGIN, problem: expect.stringMatching(reason) },
    ])
  })

  it('gets the secret at no other address', async () => {
    const elsewhere: string[] = []
    const other = createServer((request, response) => {
      elsewhere.push(request.url ?? '')
      response.end('{}')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    await addProvider('deepseek')
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/user/balance`
    for (const status of [301, 302, 303, 307, 308]) {
      answer = says('', status, { location })
      clock.advance(2 * MINUTE)
      expect(await askNow()).toMatchObject([{ problem: expect.stringContaining('not followed') }])
    }
    expect(elsewhere).toEqual([])
    other.close()
  })

  it('is left alone for as long as it wants to be', async () => {
    await addProvider('deepseek')
    answer = says('slow down', 429, { 'retry-after': '3600' })
    await askNow()
    answer = says(yuan('5'))
    clock.advance(59 * MINUTE)
    await askNow()
    expect(asked).toHaveLength(1)
    clock.advance(2 * MINUTE)
    expect(await askNow()).toMatchObject([{ balances: [{ amount: '5' }], problem: null }])
  })

  it('may say until when as a date, and is left alone over a restart', async () => {
    await addProvider('deepseek')
    answer = says('slow down', 429, { 'retry-after': new Date(clock.nowMs() + 2 * HOUR).toUTCString() })
    await askNow()
    await farebox.stop()
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir })
    clock.advance(HOUR)
    expect(await askNow()).toMatchObject([{ problem: 'It answers 429.' }])
    expect(asked).toHaveLength(1)
    clock.advance(HOUR + MINUTE)
    await askNow()
    expect(asked).toHaveLength(2)
  })
})
