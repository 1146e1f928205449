// Where failover ends: everything fails, the budget is used up, the client goes, its key is revoked or Farebox ends while nothing
// is on its way.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { chatModel } from '../support/farebox.ts'
import { ask, expectFormatError, formatOf, type Dialect } from './formats.ts'
import { soon } from './support.ts'
import { addModel, ALL, expectQuiet, expectSettled, newKey, startTargets, type Targets } from './targets-support.ts'

const CHAT = formatOf('chat')
const SLOW_ENOUGH_MS = 800

let targets: Targets

beforeAll(async () => {
  targets = await startTargets({ env: { FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '200' } })
})

afterEach(() => {
  for (const upstream of targets.upstreams) upstream.forget()
})

afterAll(async () => {
  await expectQuiet(targets)
  await targets.close()
})

const status = (code: number, retryAfter?: number): Behaviour => {
  return { type: 'status', status: code, ...(retryAfter === undefined ? {} : { retryAfter }) }
}
const SILENT: Behaviour = { type: 'answer', headersAfterMs: Infinity }

describe('where every target fails, the client is told of the failure that says most', () => {
  type Row = readonly [name: string, first: Behaviour, second: Behaviour, seen: number, retryAfter: string | null]

  it.each<Row>([
    ['the last one', status(503, 60), status(503, 40), 503, '40'],
    ['a time-out', SILENT, SILENT, 504, null],
    ['a page', SILENT, { type: 'html' }, 502, null],
    ['being busy, not a secret that another one refuses', status(429, 30), status(401), 429, '30'],
    ['being busy, not a model that another one does not know', status(503, 30), status(404), 503, '30'],
    ['being busy, not a redirect', status(429, 30), { type: 'redirect', to: '/elsewhere' }, 429, '30'],
    ['being busy, where the secret is refused first', status(401), status(429, 30), 429, '30'],
    ['a model that none knows', status(404), status(404), 404, null],
    ['an unknown model, where the secret is refused first', status(401), status(404), 404, null],
  ])('%s', async (_name, first, second, seen, retryAfter) => {
    for (const name of ['chat', 'messages', 'responses'] as const) {
      const { key, name: keyName } = await newKey(targets)
      // Two translations, so that a provider's own body is not what is looked at.
      const model = await addModel(targets, ['gemini', 'gemini'])
      targets.upstreams[0].script(first)
      targets.upstreams[1].script(second)
      const response = await ask(targets, formatOf(name), { key, members: { model } })
      expect(response.headers.get('retry-after')).toBe(retryAfter)
      await expectFormatError(response, name, seen)
      const outcome = seen === 404 ? 'refused' : 'failed'
      const told = [outcomeOf(first), outcomeOf(second)].map(
        ([how, code], index) => [`${index + 1} gemini`, how, code] as const,
      )
      await expectSettled(targets, { key: keyName, outcome, status: seen, charge: 0, attempts: told })
    }
  })

  function outcomeOf(fault: Behaviour): readonly [string, number | null] {
    if (fault.type === 'status') return [fault.status === 404 ? 'refused' : 'failed', fault.status]
    if (fault.type === 'redirect') return ['failed', 307]
    return ['failed', fault.type === 'html' ? 200 : null]
  }
})

describe('a target that fails once', () => {
  it.each(['chat', 'messages', 'responses'] as const)('is asked again for a client of %s', async (name) => {
    const { key, name: keyName } = await newKey(targets)
    const model = await addModel(targets, ['chat-completions'])
    targets.upstreams[0].once(status(500))
    targets.upstreams[0].once({ type: 'answer', cut: { at: 'before-headers', how: 'reset' } })
    const response = await ask(targets, formatOf(name), { key, members: { model } })
    expect([response.status, response.headers.get('x-farebox-attempts')]).toEqual([
      200,
      'failed;status=500, failed, answered',
    ])
    await response.text()
    const at = '1 chat-completions'
    await expectSettled(targets, {
      key: keyName,
      outcome: 'answered',
      status: 200,
      charge: ALL,
      attempts: [
        [at, 'failed', 500],
        [at, 'failed', null],
        [at, 'complete', 200],
      ],
    })
  })

  it('is asked again although another one does not know the model', async () => {
    const { key } = await newKey(targets)
    const model = await addModel(targets, ['chat-completions', 'chat-completions'])
    targets.upstreams[0].once(status(500))
    targets.upstreams[1].script(status(404))
    const response = await ask(targets, CHAT, { key, members: { model } })
    expect([response.status, response.headers.get('x-farebox-attempts')]).toEqual([
      200,
      'failed;status=500, refused;status=404, answered',
    ])
    await response.text()
  })

  it('is given the time that it asks for, in seconds or as a date', async () => {
    for (const retryAfter of [1, new Date(Date.now() + 1900).toUTCString()]) {
      const { key } = await newKey(targets)
      const model = await addModel(targets, ['chat-completions'])
      targets.upstreams[0].once({ type: 'status', status: 503, retryAfter })
      const startedMs = performance.now()
      const response = await ask(targets, CHAT, { key, members: { model } })
      await response.text()
      expect(response.status).toBe(200)
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990)
    }
  })
})

/** A call at a target that asks for three seconds of patience, of which the first attempt is over. */
async function callThatWaits(at: Targets, signal?: AbortSignal) {
  const { key, name } = await newKey(at)
  const model = await addModel(at, ['chat-completions'])
  at.upstreams[0].script(status(503, 3))
  const response = ask(at, CHAT, { key, members: { model }, ...(signal === undefined ? {} : { signal }) })
  // Whoever leaves on purpose is not surprised.
  response.catch(() => undefined)
  await soon(() => at.upstreams[0].requests.length === 1)
  await soon(() => at.upstreams[0].requests[0]?.completed)
  await new Promise((resolve) => setTimeout(resolve, 50))
  return { response, name, startedMs: performance.now() }
}

const FIRST = ['1 chat-completions', 'failed', 503] as const

describe('while a request waits to be tried again', () => {
  it('its client may leave: it ends at once', async () => {
    const leaving = new AbortController()
    const { response, name, startedMs } = await callThatWaits(targets, leaving.signal)
    leaving.abort()
    await expect(response).rejects.toThrow()
    const settled = { key: name, outcome: 'client_gone', status: 499, charge: 0, attempts: [FIRST] }
    await expectSettled(targets, settled)
    expect(performance.now() - startedMs).toBeLessThan(SLOW_ENOUGH_MS)
    expect(targets.upstreams[0].requests).toHaveLength(1)
  })

  it('its key may be revoked: it ends at once', async () => {
    const { response, name, startedMs } = await callThatWaits(targets)
    await targets.farebox.admin.call('revokeKey', { id: name })
    await expectFormatError(await response, 'chat', 403)
    expect(performance.now() - startedMs).toBeLessThan(SLOW_ENOUGH_MS)
    await expectSettled(targets, { key: name, outcome: 'failed', status: 403, charge: 0, attempts: [FIRST] })
    expect(targets.upstreams[0].requests).toHaveLength(1)
  })
})

describe('Farebox ends', () => {
  it('while a request waits to be tried again, and does not wait for it', async () => {
    const own = await startTargets({ env: { FAREBOX_SHUTDOWN_GRACE_MS: '100' } })
    const { response, startedMs } = await callThatWaits(own)
    const closing = own.close()
    const answer = await response
    expect(answer.status).toBe(503)
    expect(await answer.text()).toMatch(/shutting down/)
    await closing
    expect(performance.now() - startedMs).toBeLessThan(2000)
  })

  it('while a request waits for its turn at a provider, and does not wait for it', async () => {
    const own = await startTargets({
      env: { FAREBOX_SHUTDOWN_GRACE_MS: '100' },
      limits: { concurrent_requests: 1 },
    })
    const model = await addModel(own, ['chat-completions'])
    own.upstreams[0].script(SILENT)
    const startedMs = performance.now()
    const calls = Array.from({ length: 2 }, async () => {
      const response = await ask(own, CHAT, { key: (await newKey(own)).key, members: { model } })
      return `${response.status} ${await response.text()}`
    })
    await soon(async () => (await own.farebox.admin.call('status', {})).open_exchanges === 2)
    const closing = own.close()
    for (const answer of await Promise.all(calls)) expect(answer).toMatch(/^503 .*shutting down/)
    await closing
    expect(performance.now() - startedMs).toBeLessThan(5000)
  })
})

describe('the budget of attempts', () => {
  async function withBudget(attempts: number, dialects: readonly Dialect[], members: object = {}) {
    const own = await startTargets({ env: { FAREBOX_UPSTREAM_ATTEMPTS: String(attempts) } })
    const model = await addModel(own, dialects)
    const { key, name } = await newKey(own)
    return { own, name, call: () => ask(own, CHAT, { key, members: { model, ...members } }) }
  }

  it('of one allows one', async () => {
    const { own, name, call } = await withBudget(1, ['chat-completions', 'chat-completions'])
    own.upstreams[0].script(status(500))
    const response = await call()
    expect([response.status, response.headers.get('x-farebox-attempts')]).toEqual([502, 'failed;status=500'])
    await response.text()
    expect(own.upstreams[1].requests).toEqual([])
    const attempts = [['1 chat-completions', 'failed', 500]] as const
    await expectSettled(own, { key: name, outcome: 'failed', status: 502, charge: 0, attempts })
    await expectQuiet(own)
    await own.close()
  })

  it('is shared by all targets and their repetitions', async () => {
    const { own, call } = await withBudget(4, ['chat-completions', 'messages'])
    for (const upstream of own.upstreams) upstream.script(status(500))
    const response = await call()
    expect(response.headers.get('x-farebox-attempts')?.split(', ')).toHaveLength(4)
    await response.text()
    expect(own.upstreams[0].requests.length + own.upstreams[1].requests.length).toBe(4)
    await own.close()
  })

  it('is shared with requests that leave out what a target does not take', async () => {
    const members = { temperature: 1, top_p: 1, presence_penalty: 1 }
    const { own, name, call } = await withBudget(2, ['chat-completions', 'chat-completions'], members)
    // Only a translated request is adapted, so the client speaks another format than its targets.
    own.upstreams[0].script(({ body }) => {
      const refused = ['temperature', 'top_p'].find((member) => member in body)
      if (refused === undefined) return { type: 'answer' }
      return { type: 'status', status: 400, error: { message: `Unsupported parameter: '${refused}'` } }
    })
    const { key } = await newKey(own)
    const model = await addModel(own, ['chat-completions'])
    const response = await ask(own, formatOf('messages'), { key, members: { model, temperature: 1, top_p: 0.5 } })
    expect([response.status, response.headers.get('x-farebox-attempts')]).toEqual([
      400,
      'refused;status=400, refused;status=400',
    ])
    await response.text()
    expect(own.upstreams[0].requests).toHaveLength(2)
    // What was learnt holds for the next request, which needs no more than its own attempts.
    expect((await ask(own, formatOf('messages'), { key, members: { model, temperature: 1 } })).status).toBe(200)
    expect((await call()).status).toBe(400)
    await expectSettled(own, {
      key: name,
      outcome: 'refused',
      status: 400,
      charge: 0,
      attempts: [['1 chat-completions', 'refused', 400]],
    })
    await own.close()
  })
})

describe('a target that cannot be asked this', () => {
  it('is passed over: the one that can is asked', async () => {
    const embeddings = { kind: 'embedding', price: { input: 1, output: 0 }, max_output_tokens: 1 } as const
    const pair = [
      { provider: '1 messages', model: 'e', priority: 0 },
      { provider: '2 chat-completions', model: 'e', priority: 1 },
    ]
    const body = chatModel('embed', { ...embeddings, targets: pair })
    await targets.farebox.admin.call('addModel', { body })
    const { key } = await newKey(targets)
    const response = await fetch(`${targets.farebox.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'embed', input: 'Hello' }),
    })
    expect([response.status, response.headers.get('x-farebox-attempts')]).toEqual([200, 'answered'])
    await response.text()
    expect(targets.upstreams[0].requests).toEqual([])
  })
})
