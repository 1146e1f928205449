// Every way out of a call, for streams and whole answers, passed through and translated: each leaves exactly one settlement,
// one usage record and nothing held.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { CLIENT_DIALECTS } from '#dialect/dialects.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { TranslatedStream, TranslatedWhole } from '#dialect/translated-answer.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, ROUTES, startHouse, type House, type Route } from './house.ts'
import { ORDINARY_CHARGE, soon, usageOf } from './support.ts'

const PIECES = ['one ', 'two ', 'three ', 'four ', 'five']
const ENV = { FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '300', FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' }

let house: House
let name = ''
let key = ''

beforeAll(async () => {
  house = await startHouse({ env: ENV })
})

beforeEach(async () => {
  house.upstream.forget()
  ;({ key, name } = await newKey(house))
})

afterAll(async () => {
  await house.close()
})

type Charge = 'nothing' | 'what was delivered' | 'all'

type Expected = {
  readonly outcome: string
  /** The recorded status. */
  readonly status: number
  readonly charge: Charge
}

/** Waits until the call is over and looks at everything that it left. */
async function expectOneSettlement(expected: Expected): Promise<void> {
  await expect.poll(async () => (await house.farebox.admin.call('status', {})).open_exchanges).toBe(0)
  const records = await usageOf(house.farebox, name)
  expect(records).toHaveLength(1)
  const [record] = records
  const { outcome, status, charge } = expected
  expect(record).toMatchObject({ outcome, status })
  const paid = record?.charge_credits ?? -1
  if (charge === 'nothing') expect(paid).toBe(0)
  else if (charge === 'all') expect(paid).toBe(ORDINARY_CHARGE)
  else expect(paid).toBeGreaterThan(0)
  // Not asked of the gateway: the key may be one that was revoked.
  const { balance } = await house.farebox.admin.call('showKey', { id: name })
  expect(balance).toMatchObject({ held_credits: 0, used_credits: paid, total_requests: 1 })
  expect(settlementsOf(record?.id ?? '')).toEqual(['hold', paid === 0 ? 'release' : 'settle'])
}

/** The kinds of the entries of one call, as they are on disk. */
function settlementsOf(id: string): string[] {
  const db = new Database(join(house.farebox.dataDir, 'farebox.db'), { readonly: true })
  const rows = db.prepare('SELECT kind FROM ledger_entry WHERE exchange_id = ? ORDER BY seq').all(id)
  db.close()
  return rows.map((row) => (row as { kind: string }).kind)
}

type Exit = readonly [name: string, behaviour: Behaviour, whole: Expected, stream: Expected]

const failed = (status: number): Expected => ({ outcome: 'failed', status, charge: 'nothing' })
const refused = (status: number): Expected => ({ outcome: 'refused', status, charge: 'nothing' })
const ANSWERED: Expected = { outcome: 'answered', status: 200, charge: 'all' }
const CUT: Expected = { outcome: 'cut', status: 200, charge: 'what was delivered' }

const PROVIDER_EXITS: readonly Exit[] = [
  ['the provider answers', { type: 'answer' }, ANSWERED, ANSWERED],
  ['it refuses with 400', { type: 'status', status: 400 }, refused(400), refused(400)],
  ['it refuses with 422', { type: 'status', status: 422 }, refused(422), refused(422)],
  ['it is too busy', { type: 'status', status: 429 }, failed(429), failed(429)],
  ['it fails with 500', { type: 'status', status: 500 }, failed(502), failed(502)],
  ['it fails with 503', { type: 'status', status: 503 }, failed(503), failed(503)],
  ['it sends no headers in time', { type: 'answer', headersAfterMs: Infinity }, failed(504), failed(504)],
  [
    'it breaks before its headers',
    { type: 'answer', cut: { at: 'before-headers', how: 'reset' } },
    failed(502),
    failed(502),
  ],
  [
    'it breaks in the middle',
    { type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 5 }, how: 'reset' } },
    failed(502),
    CUT,
  ],
  [
    'it goes silent in the middle',
    { type: 'answer', pieces: PIECES, stall: { at: { insideEvent: 5 }, ms: Infinity } },
    failed(504),
    CUT,
  ],
  ['it sends no JSON', { type: 'raw', parts: ['data: {"never": \n\n'] }, failed(502), failed(502)],
  ['it sends a web page', { type: 'html' }, failed(502), failed(502)],
]

/** `insideEvent` means nothing for a whole answer, which is cut in its middle instead. */
function wholeOf(behaviour: Behaviour): Behaviour {
  const position = { byte: 60 }
  if ('cut' in behaviour && typeof behaviour.cut?.at === 'object') {
    return { ...behaviour, cut: { ...behaviour.cut, at: position } }
  }
  if ('stall' in behaviour && behaviour.stall !== undefined) {
    return { ...behaviour, stall: { ...behaviour.stall, at: position } }
  }
  return behaviour
}

describe.each(ROUTES)('%s from %s', (...route) => {
  it.each(PROVIDER_EXITS)('a whole answer where %s', async (_name, behaviour, whole) => {
    house.upstream.script(wholeOf(behaviour))
    await (await ask(house, route, { key })).text()
    await expectOneSettlement(whole)
  })

  it.each(PROVIDER_EXITS)('a stream where %s', async (_name, behaviour, _whole, stream) => {
    house.upstream.script(behaviour)
    await (await ask(house, route, { key, members: { stream: true } })).text()
    await expectOneSettlement(stream)
  })

  it.each([{}, { stream: true }])('%o where the provider does not take our secret', async (members) => {
    house.upstream.script({ type: 'status', status: 401 })
    await (await ask(house, route, { key, members })).text()
    await expectOneSettlement(failed(route[0] === 'responses' ? 400 : 424))
  })

  it.each([{}, { stream: true }])('%o where the provider cannot be reached', async (members) => {
    await house.upstream.refuse()
    await (await ask(house, route, { key, members })).text()
    await house.upstream.accept()
    await expectOneSettlement(failed(502))
  })

  it.each([
    ['before the headers', { type: 'answer', headersAfterMs: Infinity }, {}, 499],
    ['after the headers', { type: 'answer', stall: { at: { byte: 30 }, ms: Infinity } }, {}, 499],
    ['before the headers', { type: 'answer', headersAfterMs: Infinity }, { stream: true }, 499],
    ['after the headers', { type: 'answer', stall: { at: { byte: 30 }, ms: Infinity } }, { stream: true }, 499],
  ] as const)('a client that leaves %s: %#', async (_when, behaviour, members, status) => {
    house.upstream.script(behaviour)
    const leaving = new AbortController()
    const call = ask(house, route, { key, members, signal: leaving.signal })
    await soon(() => house.upstream.requests.length)
    leaving.abort()
    await expect(call).rejects.toThrow('aborted')
    await expectOneSettlement({ outcome: 'client_gone', status, charge: 'nothing' })
  })

  it('a client that leaves in the middle of a stream', async () => {
    house.upstream.script({ type: 'answer', pieces: PIECES, stall: { at: { insideEvent: 5 }, ms: Infinity } })
    const leaving = new AbortController()
    const response = await ask(house, route, { key, members: { stream: true }, signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await expectOneSettlement({ outcome: 'client_gone', status: 200, charge: 'what was delivered' })
  })

  it.each([{}, { stream: true }])('%o: a client that leaves after the last byte', async (members) => {
    const leaving = new AbortController()
    const response = await ask(house, route, { key, members, signal: leaving.signal })
    await response.text()
    leaving.abort()
    await expectOneSettlement(ANSWERED)
  })

  it.each([{}, { stream: true }])('%o: a key that is revoked meanwhile', async (members) => {
    house.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const call = ask(house, route, { key, members })
    await soon(() => house.upstream.requests.length)
    await house.farebox.admin.call('revokeKey', { id: name })
    await (await call).text()
    await expectOneSettlement(failed(403))
  })
})

const READERS = [PassAnswer, PassStream, TranslatedStream, TranslatedWhole]

describe('a mistake of ours', () => {
  afterEach(() => void vi.restoreAllMocks())

  describe.each(['push', 'end', 'final'] as const)('in the reader, at %s', (step) => {
    it.each(ROUTES.flatMap((route) => [[...route, {}] as const, [...route, { stream: true }] as const]))(
      '%s from %s %o',
      async (format, dialect, members) => {
        for (const reader of READERS) {
          vi.spyOn(reader.prototype as Pick<PassStream, 'push' | 'end' | 'final'>, step).mockImplementation(() => {
            throw new RangeError('a mistake')
          })
        }
        const route: Route = [format, dialect]
        const response = await ask(house, route, { key, members })
        // Where the beginning of an answer is sent already, only a broken connection tells.
        await response.text().catch(() => '')
        const hasBegun = 'stream' in members && step !== 'push'
        await expectOneSettlement(hasBegun ? CUT : failed(500))
        if (!hasBegun) expect(response.status).toBe(500)
      },
    )
  })

  it('in counting what was delivered', async () => {
    vi.spyOn(GeneratedText.prototype, 'text').mockImplementation(() => {
      throw new RangeError('a mistake')
    })
    house.upstream.script({ type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 5 }, how: 'reset' } })
    await (await ask(house, ['chat', 'chat-completions'], { key, members: { stream: true } })).text()
    await expectOneSettlement(CUT)
  })

  it('before the provider was asked', async () => {
    vi.spyOn(CLIENT_DIALECTS.chat, 'editRequest').mockImplementation(() => {
      throw new RangeError('a mistake')
    })
    const response = await ask(house, ['chat', 'chat-completions'], { key })
    expect(response.status).toBe(500)
    await response.text()
    await expectOneSettlement(failed(500))
    expect(house.upstream.requests).toEqual([])
  })
})

it.each([{}, { stream: true }])('the end of the program, for every route: %o', async (members) => {
  const ending = await startHouse({ env: { FAREBOX_SHUTDOWN_GRACE_MS: '50' } })
  ending.upstream.script({ type: 'answer', pieces: PIECES, stall: { at: { byte: 30 }, ms: Infinity } })
  const { key: last } = await newKey(ending)
  const calls = ROUTES.map((route) => ask(ending, route, { key: last, members }))
  await soon(() => ending.upstream.requests.length === ROUTES.length)
  await ending.farebox.stop()
  for (const call of calls) await (await call).text()
  const again = await startHouse({ dataDir: ending.farebox.dataDir, env: ENV })
  const records = (await again.farebox.admin.call('usage', {})).usage
  expect(records.map(({ outcome }) => outcome)).toEqual(ROUTES.map(() => 'failed'))
  await expectSoundBooks(again)
  await again.close()
  await ending.upstream.close()
})
