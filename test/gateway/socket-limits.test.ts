// Many WebSockets at once, and what ends them: their bounds, time, keys that are blocked, the end of the program, dead providers.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { MAX_SOCKETS_PER_KEY } from '#server/socket/sockets.ts'
import { expectSoundBooks } from './fault-support.ts'
import { startFormats, type FormatOptions } from './formats.ts'
import { errorIn, openTalk, type Talk } from './socket-support.ts'
import { usageOf, type Pair } from './support.ts'

const CREATE = { type: 'response.create', model: 'chat-completions', input: 'Hello', store: false }
const STALLED = { type: 'answer', text: 'word '.repeat(20), stall: { at: { afterEvent: 3 }, ms: Infinity } } as const

let pair: Pair
afterEach(() => pair.close())

async function start(options: FormatOptions = {}): Promise<void> {
  pair = await startFormats({ ...options, env: { FAREBOX_WEBSOCKETS: 'true', ...options.env } })
}

async function openMany(keys: readonly string[], count: number): Promise<Talk[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => openTalk(pair.farebox, keys[index % keys.length])))
}

async function newKeys(count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => pair.farebox.newKey('plenty')))
}

describe('five hundred connections at once', () => {
  it('are each served, charged once, and leave nothing held', async () => {
    await start()
    const keys = await newKeys(5)
    const talks = await openMany(keys, 500)
    const answers = await Promise.all(talks.map((talk) => talk.ask({ ...CREATE, model: 'demo' })))
    for (const answer of answers) expect(answer.at(-1)?.type).toBe('response.completed')
    await Promise.all(talks.map((talk) => talk.close()))
    for (const key of keys) {
      expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, total_requests: 100 })
    }
    await expectSoundBooks(pair)
  }, 60_000)

  it('that are dropped in the middle of their answers leave nothing held', async () => {
    await start()
    const keys = await newKeys(5)
    pair.upstream.script(() => STALLED)
    const talks = await openMany(keys, 500)
    await Promise.all(talks.map((talk) => (talk.send(CREATE), talk.next())))
    for (const talk of talks) talk.webSocket.terminate()
    for (const key of keys) {
      await expect
        .poll(async () => await pair.farebox.balance(key), { timeout: 20_000 })
        .toMatchObject({ held_credits: 0, total_requests: 100 })
    }
    await expect.poll(async () => (await pair.farebox.admin.call('status', {})).open_exchanges).toBe(0)
    await expectSoundBooks(pair)
  }, 60_000)
})

describe('a key', () => {
  it('has so many connections and no more, until one of them is closed', async () => {
    await start()
    const [key = '', other] = await newKeys(2)
    const talks = await openMany([key], MAX_SOCKETS_PER_KEY)
    await expect(openTalk(pair.farebox, key)).rejects.toThrow('refused with 426')
    const another = await openTalk(pair.farebox, other)
    await talks.pop()?.close()
    const again = await openTalk(pair.farebox, key)
    await Promise.all([...talks, another, again].map((talk) => talk.close()))
  })

  it('that is blocked ends its connections at once, those that are idle and those that run', async () => {
    await start()
    const { key, id } = await pair.farebox.admin.call('createKey', { body: { name: 'blocked', package: 'plenty' } })
    const [other] = await newKeys(1)
    pair.upstream.script(STALLED)
    const [idle, busy] = [await openTalk(pair.farebox, key), await openTalk(pair.farebox, key)]
    const bystander = await openTalk(pair.farebox, other)
    busy.send(CREATE)
    await busy.next()
    await pair.farebox.admin.call('suspendKey', { id })
    expect(await idle.next()).toMatchObject({ type: 'error', status: 403 })
    expect(await idle.closed).toMatchObject({ code: 1008 })
    expect((await busy.answer()).at(-1)).toMatchObject({ type: 'response.failed' })
    expect(await busy.closed).toMatchObject({ code: 1008 })
    expect((await bystander.ask({ ...CREATE, model: 'demo' })).at(-1)?.type).toBe('response.completed')
    await bystander.close()
    await expect(openTalk(pair.farebox, key)).rejects.toThrow('refused with 403')
  })
})

it('counts a message that waits for its turn among the bodies, until its connection ends', async () => {
  await start({ env: { FAREBOX_METRICS: 'true' } })
  const [key] = await newKeys(1)
  const token = (await readFile(join(pair.farebox.dataDir, 'metrics.token'), 'utf8')).trim()
  const bodyBytes = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const page = await (await fetch(`${pair.farebox.url}/metrics`, { headers })).text()
    return Number(/^farebox_body_bytes (\d+)/m.exec(page)?.[1])
  }
  pair.upstream.script(STALLED)
  const talk = await openTalk(pair.farebox, key)
  talk.send(CREATE)
  await talk.next()
  const waiting = JSON.stringify({ ...CREATE, input: 'a'.repeat(2 * 1024 * 1024) })
  talk.webSocket.send(waiting)
  await expect
    .poll(async () => [await bodyBytes(), await bodyBytes()].every((bytes) => bytes > waiting.length))
    .toBe(true)
  expect(talk.webSocket.bufferedAmount).toBe(0)
  expect(await bodyBytes()).toBeGreaterThan(waiting.length)
  talk.webSocket.terminate()
  await expect.poll(bodyBytes).toBe(0)
})

describe('the end of the program', () => {
  it('ends connections that are idle, and lets an answer finish that runs', async () => {
    await start({ env: { FAREBOX_SHUTDOWN_GRACE_MS: '5000' } })
    const [key] = await newKeys(1)
    const [idle, busy] = [await openTalk(pair.farebox, key), await openTalk(pair.farebox, key)]
    pair.upstream.script({ type: 'answer', text: 'word '.repeat(5), delayMs: 20 })
    busy.send(CREATE)
    await busy.next()
    const ended = pair.farebox.app.close()
    expect(await idle.closed).toMatchObject({ code: 1001 })
    expect((await busy.answer()).at(-1)?.type).toBe('response.completed')
    expect(await busy.closed).toMatchObject({ code: 1001 })
    await ended
    pair = { ...pair, close: () => pair.upstream.close() }
  })
})

describe('a provider', () => {
  it('that dies in the middle breaks the answer off with an event, and the connection goes on', async () => {
    await start()
    const [key = ''] = await newKeys(1)
    const talk = await openTalk(pair.farebox, key)
    pair.upstream.script({ type: 'answer', text: 'word '.repeat(20), cut: { at: { afterEvent: 3 }, how: 'reset' } })
    expect((await talk.ask(CREATE)).at(-1)).toMatchObject({ type: 'response.failed' })
    pair.upstream.forget()
    expect((await talk.ask(CREATE)).at(-1)?.type).toBe('response.completed')
    await talk.close()
    expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, total_requests: 2 })
  })

  it('that is not there is told in an event of an error', async () => {
    await start()
    const [key = ''] = await newKeys(1)
    const talk = await openTalk(pair.farebox, key)
    await pair.upstream.close()
    const [event] = await talk.ask(CREATE)
    expect(event).toMatchObject({ type: 'error', status: 502, error: { code: '502' } })
    await talk.close()
    expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0 })
    pair = { ...pair, close: () => pair.farebox.close() }
  })
})

/** A clock for durations that is put forward by hand; what is looked at every second is looked at by it. */
function movedClock() {
  let aheadMs = 0
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now() + aheadMs,
    advance: (ms: number) => void (aheadMs += ms),
  }
}

const MINUTE = 60_000

describe('in time', () => {
  const clock = movedClock()
  const open = async (more: Parameters<typeof openTalk>[2] = {}) => {
    await start({ clock })
    const [key] = await newKeys(1)
    return openTalk(pair.farebox, key, more)
  }

  it('a connection that is not used ends', async () => {
    const talk = await open()
    clock.advance(14 * MINUTE)
    expect((await talk.ask({ ...CREATE, model: 'demo' })).at(-1)?.type).toBe('response.completed')
    clock.advance(16 * MINUTE)
    expect(await talk.closed).toMatchObject({ code: 1000 })
  })

  it('a client that answers no ping is sent away', async () => {
    const talk = await open({ autoPong: false })
    clock.advance(31_000)
    await new Promise((resolve) => talk.webSocket.once('ping', resolve))
    clock.advance(31_000)
    expect(await talk.closed).toMatchObject({ code: 1006 })
  })

  it('one that answers pings stays', async () => {
    const talk = await open()
    for (let index = 0; index < 3; index++) {
      const pinged = new Promise((resolve) => talk.webSocket.once('ping', resolve))
      clock.advance(121_000)
      await pinged
      // What comes behind the answer to the ping shows that it has come.
      expect((await talk.ask({ ...CREATE, model: 'demo' })).at(-1)?.type).toBe('response.completed')
    }
    await talk.close()
  })

  it('a message that takes too long to arrive ends the connection', async () => {
    const talk = await open()
    talk.webSocket.send('{"type":', { fin: false })
    await new Promise((resolve) => (talk.webSocket.ping(), talk.webSocket.once('pong', resolve)))
    talk.webSocket.send('x'.repeat(200), { fin: false })
    await new Promise((resolve) => (talk.webSocket.ping(), talk.webSocket.once('pong', resolve)))
    clock.advance(121_000)
    expect(await talk.closed).toMatchObject({ code: 1008 })
  })

  it('an hour is the end of every connection, once its answer has ended', async () => {
    const talk = await open()
    pair.upstream.script({ type: 'answer', text: 'word '.repeat(5), delayMs: 300 })
    talk.send(CREATE)
    await talk.next()
    clock.advance(61 * MINUTE)
    const answer = await talk.answer()
    expect(answer.at(-1)?.type).toMatch(/^response\./)
    const event = await talk.next()
    expect(errorIn(event).code).toBe('websocket_connection_limit_reached')
    expect(await talk.closed).toMatchObject({ code: 1000 })
  })
})

describe('where they are off', () => {
  it.each([
    ['by their setting', { FAREBOX_WEBSOCKETS: 'false' }],
    ['because nothing may be remembered', { FAREBOX_ANSWER_MEMORY_MS: '0' }],
  ])('%s, none is opened', async (_how, env) => {
    await start({ env })
    const [key = ''] = await newKeys(1)
    await expect(openTalk(pair.farebox, key)).rejects.toThrow('refused with 426')
    expect(await usageOf(pair.farebox)).toEqual([])
  })
})
