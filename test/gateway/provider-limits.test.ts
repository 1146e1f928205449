// What Farebox may ask of a provider, and how it is seen to be: limits over all keys, and the health of targets.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderCreate } from '#contract/providers.ts'
import { farebox as command } from '../support/process.ts'
import { startFarebox } from '../support/farebox.ts'
import { ask, formatOf } from './formats.ts'
import { soon, usageOf } from './support.ts'
import { addModel, expectQuiet, newKey, startTargets, type Targets } from './targets-support.ts'

const CHAT = formatOf('chat')
const ONE = '1 chat-completions'

let targets: Targets
let model = ''

async function start(limits: NonNullable<ProviderCreate['limits']> = {}, env = {}): Promise<void> {
  targets = await startTargets({ limits, env })
  model = await addModel(targets, ['chat-completions'])
}

afterEach(async () => {
  await expectQuiet(targets)
  await targets.close()
})

async function call(signal?: AbortSignal, wanted = model): Promise<Response> {
  const { key } = await newKey(targets)
  return ask(targets, CHAT, { key, members: { model: wanted }, ...(signal === undefined ? {} : { signal }) })
}

const statusOf = () => targets.farebox.admin.call('status', {})
const openIs = (count: number) => soon(async () => (await statusOf()).open_exchanges === count)

describe('one request at a time', () => {
  beforeEach(() => start({ concurrent_requests: 1 }))

  it('is what the provider gets, and five that come together are all served in order', async () => {
    // The first answer leaves time enough for the others to come.
    targets.upstreams[0].once({ type: 'answer', headersAfterMs: 1500 })
    targets.upstreams[0].script({ type: 'answer', headersAfterMs: 40 })
    const order: number[] = []
    const calls: Promise<void>[] = []
    for (let index = 0; index < 5; index++) {
      const answered = call().then(async (response) => {
        expect(response.status).toBe(200)
        await response.text()
        order.push(index)
      })
      calls.push(answered)
      await openIs(index + 1)
    }
    await Promise.all(calls)
    expect(order).toEqual([0, 1, 2, 3, 4])
    const { requests } = targets.upstreams[0]
    expect(requests).toHaveLength(5)
    const gaps = requests.slice(1).map((one, index) => one.receivedAtMs - (requests[index]?.receivedAtMs ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(39)
  })

  it('lets a client that leaves the queue go, and serves those behind it', async () => {
    targets.upstreams[0].once({ type: 'answer', headersAfterMs: 1500 })
    const first = call()
    await openIs(1)
    const leaving = new AbortController()
    const second = call(leaving.signal)
    second.catch(() => undefined)
    await openIs(2)
    const third = call()
    await openIs(3)
    leaving.abort()
    await expect(second).rejects.toThrow()
    await openIs(2)
    for (const response of await Promise.all([first, third])) expect(response.status).toBe(200)
    expect(targets.upstreams[0].requests).toHaveLength(2)
    const outcomes = (await usageOf(targets.farebox)).map(({ outcome, status }) => `${outcome} ${status}`)
    expect(outcomes.toSorted()).toEqual(['answered 200', 'answered 200', 'client_gone 499'])
  })

  it('lets a request whose key is revoked leave the queue at once', async () => {
    targets.upstreams[0].once({ type: 'answer', headersAfterMs: 400 })
    const first = call()
    await openIs(1)
    const { key, name } = await newKey(targets)
    const second = ask(targets, CHAT, { key, members: { model } })
    await openIs(2)
    await targets.farebox.admin.call('revokeKey', { id: name })
    const refused = await second
    expect(refused.status).toBe(403)
    await refused.text()
    expect((await statusOf()).open_exchanges).toBe(1)
    expect((await first).status).toBe(200)
    expect(targets.upstreams[0].requests).toHaveLength(1)
  })

  it('is left to those who wait: others go where there is room', async () => {
    targets.upstreams[0].once({ type: 'answer', headersAfterMs: 1500 })
    const both = await addModel(targets, ['chat-completions', 'messages'])
    const first = call(undefined, both)
    await soon(() => targets.upstreams[0].requests.length === 1)
    const others = await Promise.all([call(undefined, both), call(undefined, both), call(undefined, both)])
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(targets.upstreams[1].requests).toHaveLength(3)
    expect((await first).status).toBe(200)
  })

  it('is shown by the status', async () => {
    targets.upstreams[0].once({ type: 'answer', headersAfterMs: 200 })
    const first = call()
    await soon(() => targets.upstreams[0].requests.length === 1)
    const use = (await statusOf()).provider_use.find(({ provider }) => provider === ONE)
    expect(use).toEqual({
      provider: ONE,
      concurrent_requests: 1,
      concurrent_requests_limit: 1,
      credits_today: 0,
      credits_per_day_limit: null,
    })
    await (await first).text()
  })
})

describe('a wait for a turn', () => {
  it('that takes too long is refused with the limit that was hit', async () => {
    await start({ concurrent_requests: 1 }, { FAREBOX_RATE_LIMIT_WAIT_MS: '100' })
    targets.upstreams[0].script({ type: 'answer', headersAfterMs: 600 })
    const first = call()
    await openIs(1)
    const refused = await call()
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-farebox-attempts')]).toEqual([
      503,
      '1',
      null,
    ])
    expect(await refused.json()).toMatchObject({
      error: { type: 'overloaded_error', limit: { name: 'concurrent_requests', scope: 'provider' } },
    })
    expect((await first).status).toBe(200)
  })
})

describe('requests per minute', () => {
  it('are refused beyond the limit, at once and with the time that is left', async () => {
    await start({ requests_per_minute: 2 })
    for (let count = 0; count < 2; count++) expect((await call()).status).toBe(200)
    const refused = await call()
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(await refused.json()).toMatchObject({
      error: { limit: { name: 'requests_per_minute', scope: 'provider', reset_at: expect.any(String) } },
    })
    const [newest] = await usageOf(targets.farebox)
    expect(newest).toMatchObject({ outcome: 'failed', status: 503, charge_credits: 0 })
    expect(targets.upstreams[0].requests).toHaveLength(2)
  })
})

describe('credits per day', () => {
  it('are refused beyond the limit, also after a start on the same data', async () => {
    // Two ordinary answers cost 78 micro-credits. What is left then does not pay for the input of a third.
    await start({ credits_per_day: 0.0002 })
    for (let count = 0; count < 2; count++) expect((await call()).status).toBe(200)
    const limit = { error: { limit: { name: 'credits_per_day', scope: 'provider' } } }
    const refused = await call()
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject(limit)
    await targets.farebox.stop()
    const again = await startFarebox({ dataDir: targets.farebox.dataDir })
    targets = { ...targets, farebox: again, close: closing({ ...targets, farebox: again }) }
    const use = (await statusOf()).provider_use.find(({ provider }) => provider === ONE)
    expect(use).toMatchObject({ credits_today: 0.000078, credits_per_day_limit: 0.0002 })
    const refusedAgain = await call()
    expect(refusedAgain.status).toBe(503)
    expect(await refusedAgain.json()).toMatchObject(limit)
    expect(targets.upstreams[0].requests).toHaveLength(2)
  })

  function closing({ farebox, upstreams }: Omit<Targets, 'close'>) {
    return async () => {
      await farebox.close()
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    }
  }
})

describe('the health of targets', () => {
  beforeEach(() => start())

  it('is shown by the admin API and by farebox status, and mends itself', async () => {
    const both = await addModel(targets, ['chat-completions', 'messages'])
    targets.upstreams[0].script({ type: 'status', status: 503 })
    for (let count = 0; count < 5; count++) {
      const response = await call(undefined, both)
      expect(response.status).toBe(200)
      await response.text()
    }
    // Three were tried there; the others were not sent to a target that is left out.
    expect(targets.upstreams[0].requests).toHaveLength(3)
    const shown = (await statusOf()).targets.find(({ failures }) => failures > 0)
    expect(shown).toMatchObject({
      provider: ONE,
      state: 'open',
      failures: 3,
      last_failure: { reason: 'status', status: 503 },
    })
    const untilMs = Date.parse(shown?.left_out_until ?? '') - Date.now()
    expect(untilMs).toBeGreaterThan(1000)
    expect(untilMs).toBeLessThanOrEqual(5000)
    const { stdout } = await command(['status'], { dataDir: targets.farebox.dataDir })
    expect(stdout).toMatch(new RegExp(`target ${ONE}/gpt-4\\.1-\\d+ +open until .*: status 503`))
    targets.upstreams[0].forget()
    // A model of this target alone is not refused for its past, and its answer ends the matter.
    const same = [{ provider: ONE, model: shown?.model ?? '', priority: 0 }]
    const alone = { id: 'alone', kind: 'chat', context_window: 1000, max_output_tokens: 100 } as const
    await targets.farebox.admin.call('addModel', {
      body: { ...alone, price: { input: 1, output: 2 }, targets: same },
    })
    expect((await call(undefined, 'alone')).status).toBe(200)
    expect((await statusOf()).targets.filter(({ state }) => state !== 'ok')).toEqual([])
  })

  it('is no matter of what a provider has against requests, whatever its words', async () => {
    targets.upstreams[0].script({ type: 'html', status: 400 })
    for (let count = 0; count < 5; count++) expect((await call()).status).toBe(502)
    expect((await statusOf()).targets.filter(({ failures }) => failures > 0)).toEqual([])
  })

  it('is no secret of providers that want patience: they are asked when they said', async () => {
    const both = await addModel(targets, ['chat-completions', 'messages'])
    const waitSeconds = 4
    targets.upstreams[0].once({ type: 'status', status: 429, retryAfter: waitSeconds })
    const startedMs = performance.now()
    expect((await call(undefined, both)).headers.get('x-farebox-attempts')).toBe('failed;status=429, answered')
    expect((await call(undefined, both)).headers.get('x-farebox-attempts')).toBe('answered')
    expect(targets.upstreams[0].requests).toHaveLength(1)
    expect(
      (await statusOf()).targets.find(({ provider, state }) => provider === ONE && state === 'cooling'),
    ).toBeDefined()
    const asks = async () => {
      expect((await call(undefined, both)).status).toBe(200)
      return targets.upstreams[0].requests.length
    }
    await expect.poll(asks, { interval: 250 }).toBe(2)
    expect(performance.now() - startedMs).toBeGreaterThan(waitSeconds * 1000)
  })
})
