import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/fake-host.ts'
import { chat, HELLO, post, startPair, type Pair } from './support.ts'

let pair: Pair
let key: string
let nowMs = Date.now()

beforeAll(async () => {
  pair = await startPair({ clock: { nowMs: () => nowMs, monotonicMs: () => performance.now() } })
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())

const admin = () => pair.farebox.admin

describe('a paused gateway', () => {
  it.each([
    ['/v1/chat/completions', { model: 'chat', messages: HELLO }],
    ['/v1/messages', { model: 'chat', max_tokens: 10, messages: HELLO }],
    ['/v1/responses', { model: 'chat', input: 'Hello' }],
    ['/v1/responses/input_tokens', { model: 'chat', input: 'Hello' }],
    ['/v1/embeddings', { model: 'embed', input: 'Hello' }],
    ['/v1/messages/count_tokens', { model: 'chat', messages: HELLO }],
  ])('refuses %s with 503, a time and a sentence, and asks no provider', async (path, body) => {
    await admin().call('pause', { body: { minutes: 60 } })
    const asked = pair.upstream.requests.length
    const answer = await post(pair.farebox, body, { key, path })
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3590)
    expect(await answer.json()).toMatchObject({
      error: {
        type: 'overloaded_error',
        message: expect.stringContaining('paused and takes calls again in 60 minutes'),
      },
    })
    expect(pair.upstream.requests.length).toBe(asked)
  })

  it('still says who may not call at all, what is left, and that it runs', async () => {
    expect((await chat(pair.farebox, 'key_wrong')).status).toBe(401)
    expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, total_requests: 0 })
    expect((await fetch(`${pair.farebox.url}/health`)).status).toBe(200)
  })

  it('says in its status until when', async () => {
    const { paused_until } = await admin().call('pause', { body: {} })
    expect(Date.parse(paused_until ?? '')).toBe(nowMs + 3_600_000)
    expect((await admin().call('status', {})).paused_until).toBe(paused_until)
  })

  it('takes calls when its time is over, without being told', async () => {
    await admin().call('pause', { body: { minutes: 5 } })
    nowMs += 5 * 60_000
    expect((await chat(pair.farebox, key)).status).toBe(200)
    expect(await admin().call('status', {})).not.toHaveProperty('paused_until')
  })

  it('takes calls as soon as it is resumed', async () => {
    await admin().call('pause', { body: {} })
    expect(await admin().call('resume', {})).toEqual({ paused_until: null })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })

  it.each([[{ minutes: 0 }], [{ minutes: 1441 }], [{ minutes: 1.5 }], [{ hours: 1 }]])(
    'is not made by %j',
    async (body) => {
      const answer = await pair.farebox.app.inject({ method: 'POST', path: '/api/pause', body })
      expect(answer.status).toBe(400)
      expect((await chat(pair.farebox, key)).status).toBe(200)
    },
  )
})

describe('farebox pause and resume', () => {
  it('reach the gateway that runs', async () => {
    const world = { dataDir: pair.farebox.dataDir }
    const paused = await run(['pause', '--minutes', '15'], world)
    expect(paused).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^paused until \d{4}-/), store: [] })
    expect((await chat(pair.farebox, key)).status).toBe(503)
    expect((await run(['status'], world)).stdout).toMatch(/paused until +\d{4}-/)
    expect(await run(['resume'], world)).toMatchObject({ exitCode: 0, stdout: 'takes calls\n' })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })

  it('say that nothing runs where nothing does', async () => {
    expect(await run(['pause'])).toMatchObject({ exitCode: 0, stdout: 'stopped\n', store: [] })
    expect(await run(['pause', '--minutes', 'x'])).toMatchObject({ exitCode: 2 })
  })
})

describe('the end of a call', () => {
  it('is told to whoever listens, until they no longer do', async () => {
    let ended = 0
    const stop = pair.farebox.app.onExchangeEnd(() => (ended += 1))
    await (await chat(pair.farebox, key)).text()
    await expect.poll(() => ended).toBe(1)
    stop()
    await (await chat(pair.farebox, key)).text()
    expect(ended).toBe(1)
  })

  it('comes for calls after the machine slept as before', async () => {
    pair.farebox.app.afterSleep()
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})
