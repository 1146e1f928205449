// What a provider gets while it fails or refuses Farebox, through the whole gateway, and what clients are told meanwhile.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import {
  ask,
  expectFormatError,
  FORMATS,
  PAIRS,
  refusingStatus,
  startFormats,
  typeOfRefusing,
  wordsIn,
} from './formats.ts'
import { soon, type Pair } from './support.ts'

let pair: Pair
let key = ''

beforeEach(async () => {
  pair = await startFormats({
    env: { FAREBOX_UPSTREAM_TRIALS_PER_SECOND: '2', FAREBOX_UPSTREAM_RETRY_DELAY_MS: '100' },
  })
  key = await pair.farebox.newKey('plenty')
})

afterEach(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const [CHAT] = FORMATS
const send = (model = 'chat-completions', members: object = {}) => {
  if (CHAT === undefined) throw new Error('there is no format')
  return ask(pair, CHAT, { key, members: { model, ...members } })
}

/** The most requests that the provider got in any second, among those after the first ones. */
function mostInASecond(after: number): number {
  const times = pair.upstream.requests.slice(after).map(({ receivedAtMs }) => receivedAtMs)
  // Requests are spaced where they are sent; on a busy machine one may be on its way for longer than the next.
  return Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + 900).length))
}

/** Clients that ask again at once, as programs with many retries do. */
async function hammer({ clients, forMs }: { clients: number; forMs: number }): Promise<Response[]> {
  const endsAtMs = Date.now() + forMs
  const answers: Response[] = []
  const client = async () => {
    do {
      const response = await send()
      await response.clone().text()
      answers.push(response)
      await sleep(20)
    } while (Date.now() < endsAtMs)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return answers
}

describe('a lone provider that is dead', () => {
  it.each<[string, Behaviour]>([
    ['and resets connections', { type: 'answer', cut: { at: 'before-headers', how: 'reset' } }],
    ['and answers 500', { type: 'status', status: 500 }],
    ['and answers 503', { type: 'status', status: 503 }],
    ['and says no JSON', { type: 'html' }],
  ])('%s gets two calls a second, and the other calls an answer from its state', async (_how, behaviour) => {
    pair.upstream.script(behaviour)
    const [first] = await hammer({ clients: 1, forMs: 1 })
    expect([502, 503]).toContain(first?.status)
    // Its own attempts come no faster either.
    expect(pair.upstream.requests.length).toBeLessThanOrEqual(3)
    expect(mostInASecond(0)).toBeLessThanOrEqual(2)
    const before = pair.upstream.requests.length
    await hammer({ clients: 3, forMs: 300 })
    const told = await hammer({ clients: 10, forMs: 2500 })
    expect(mostInASecond(before + 3)).toBeLessThanOrEqual(2)
    const fromState = told.filter(({ status, headers }) => status === 503 && headers.get('x-farebox-attempts') === null)
    expect(fromState.length).toBeGreaterThan(told.length / 2)
    for (const { headers } of fromState) expect(headers.get('retry-after')).toMatch(/^([1-9]|10)$/)
    // It comes back: a trial finds out, and from then on nothing is held back.
    pair.upstream.script({ type: 'answer' })
    await soon(async () => (await send()).ok)
    const asked = pair.upstream.requests.length
    const after = await Promise.all(Array.from({ length: 30 }, () => send()))
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200))
    expect(pair.upstream.requests.length - asked).toBe(30)
  })

  it('that answers some calls gets them all', async () => {
    let count = 0
    pair.upstream.script(() => (count++ % 8 === 0 ? { type: 'answer' } : { type: 'status', status: 500 }))
    const told = await hammer({ clients: 5, forMs: 1500 })
    expect(told.filter(({ headers }) => headers.get('x-farebox-attempts') === null)).toEqual([])
    expect(told.some(({ ok }) => ok)).toBe(true)
  })

  it('that asks for patience is told from its state with the rest of the time', async () => {
    pair.upstream.script({ type: 'status', status: 429, retryAfter: 30 })
    const told = await hammer({ clients: 4, forMs: 1500 })
    expect(mostInASecond(4)).toBeLessThanOrEqual(2)
    for (const { status, headers } of told) {
      expect(status).toBe(429)
      expect(Number(headers.get('retry-after'))).toSatisfy((seconds: number) => seconds >= 27 && seconds <= 30)
    }
  })
})

describe.each(PAIRS)('a provider that refuses Farebox: %s', (_name, format, dialect) => {
  it('is asked once for a burst of calls, which are told not to ask again', async () => {
    pair.upstream.script({ type: 'status', status: 401, body: wordsIn(dialect, 401, 'Wrong key sk-upstream.') })
    const status = refusingStatus(format.name)
    for (let count = 0; count < 10; count++) {
      const response = await ask(pair, format, { key, members: { model: dialect, stream: count % 2 === 0 } })
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(response.headers.get('retry-after')).toBeNull()
      expect(await expectFormatError(response, format.name, status, typeOfRefusing(format.name))).toContain('(401)')
    }
    expect(pair.upstream.requests).toHaveLength(1)
  })
})

describe('the memory of a refusal', () => {
  beforeEach(async () => {
    pair.upstream.once({ type: 'status', status: 402 })
    expect((await send()).status).toBe(424)
    expect((await send()).status).toBe(424)
    expect(pair.upstream.requests).toHaveLength(1)
  })

  const id = 'chat-completions'

  it.each<[string, () => Promise<unknown>]>([
    ['a new secret', () => pair.farebox.admin.call('setProviderSecret', { id, body: { secret: 'sk-better' } })],
    ['a change', () => pair.farebox.admin.call('editProvider', { id, body: { quirks: {} } })],
    ['a test', () => pair.farebox.admin.call('testProvider', { id })],
    [
      'a document with another secret',
      () => {
        const base = { name: id, dialect: 'chat-completions' as const, base_url: pair.upstream.url }
        return pair.farebox.admin.call('apply', {
          body: { document: { providers: [{ ...base, secret: 'sk-better' }] } },
        })
      },
    ],
  ])('is over with %s', async (_what, change) => {
    await change()
    expect((await send()).status).toBe(200)
  })

  it('is over after five seconds', async () => {
    await sleep(5100)
    expect((await send()).status).toBe(200)
  })

  it('is of this provider alone', async () => {
    expect((await send('messages')).status).toBe(200)
  })
})
