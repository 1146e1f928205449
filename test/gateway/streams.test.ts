// Live events and test requests, over real connections.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LIVE_LIMITS } from '#server/gateway/live.ts'
import type { Farebox } from '../support/farebox.ts'
import { chat, eventData, HELLO, ORDINARY_CHARGE, soon, startPair, usageOf, type Pair } from './support.ts'

let pair: Pair
let farebox: Farebox
const open: AbortController[] = []

beforeEach(async () => {
  pair = await startPair()
  farebox = pair.farebox
})

afterEach(async () => {
  for (const one of open.splice(0)) one.abort()
  await pair.close()
})

function token(): string {
  const instance = JSON.parse(readFileSync(join(farebox.dataDir, 'instance.json'), 'utf8')) as { token: string }
  return `Bearer ${instance.token}`
}

type Events = { readonly status: number; text(): string; readonly ended: Promise<void>; leave(): void }

async function listen(headers: Readonly<Record<string, string>> = {}): Promise<Events> {
  const leaving = new AbortController()
  open.push(leaving)
  const response = await fetch(`${farebox.url}/api/events`, {
    headers: { authorization: token(), ...headers },
    signal: leaving.signal,
  })
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  // A stream that is cut ends like one that is over.
  const ended = read().catch(() => undefined)
  return { status: response.status, text: () => text, ended, leave: () => leaving.abort() }
}

/** The ids of the calls that were told of, in their order. */
function idsIn(text: string): string[] {
  return Array.from(text.matchAll(/^event: usage\nid: (\S+)$/gm), ([, id]) => id ?? '')
}

describe('events', () => {
  it('tell of a call once it is recorded, as lists show it, and of the state of the gateway', async () => {
    const events = await listen()
    await soon(() => events.text().includes('event: status'))
    expect(JSON.parse(eventData(events.text())[0] ?? '')).toEqual({
      ledger: 'ok',
      open_exchanges: 0,
      held_credits: 0,
      waiting: 0,
    })
    const key = await farebox.newKey('plenty')
    await (await chat(farebox, key)).text()
    const recordedMs = performance.now()
    await soon(() => events.text().includes('event: usage'))
    expect(performance.now() - recordedMs).toBeLessThan(1000)
    const [call] = await usageOf(farebox)
    const usage = /event: usage\nid: (\S+)\ndata: (.*)\n\n/.exec(events.text())
    expect(usage?.[1]).toBe(call?.id)
    expect(JSON.parse(usage?.[2] ?? '')).toEqual(call)
  })

  it('say what was missed to a reader who comes back, in the order in which calls ended', async () => {
    const key = await farebox.newKey('plenty')
    await (await chat(farebox, key)).text()
    const [known] = await usageOf(farebox)
    pair.upstream.once({ type: 'answer', stall: { at: { insideEvent: 2 }, ms: 300 } })
    const slow = chat(farebox, key, { stream: true })
    await (await slow).body?.getReader().read()
    await (await chat(farebox, key)).text()
    await soon(async () => (await usageOf(farebox)).length === 3)
    const [second, first] = (await usageOf(farebox)).slice(0, 2)
    const events = await listen({ 'last-event-id': known?.id ?? '' })
    await soon(() => idsIn(events.text()).length === 2)
    expect(idsIn(events.text())).toEqual([second?.id, first?.id])
  })

  it('tell a reader to read anew where nobody knows what it missed', async () => {
    const events = await listen({ 'last-event-id': 'something else' })
    await soon(() => events.text().includes('event: missed'))
    expect(idsIn(events.text())).toEqual([])
  })

  it('go to so many readers at once, and to the next when one has left', async () => {
    const readers = await Promise.all(Array.from({ length: LIVE_LIMITS.streams }, () => listen()))
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200))
    expect((await listen()).status).toBe(503)
    readers[0]?.leave()
    await soon(async () => (await listen()).status === 200)
  })

  it('end when the gateway does, which does not wait for them', async () => {
    const events = await listen()
    const startedMs = performance.now()
    await farebox.stop()
    await events.ended
    expect(performance.now() - startedMs).toBeLessThan(4000)
    pair = await startPair()
    farebox = pair.farebox
  })

  it.each(['/api/events', '/api/try'])('are not for everybody: %s', async (path) => {
    const method = path === '/api/try' ? 'POST' : 'GET'
    const ask = (headers: Record<string, string>) => fetch(farebox.url + path, { method, headers })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: `Bearer ${await farebox.newKey('plenty')}` })).status).toBe(401)
    expect((await ask({ authorization: token(), origin: 'https://elsewhere.example' })).status).toBe(403)
  })
})

describe('a test request', () => {
  function tryIt(body: object | string): Promise<Response> {
    return fetch(`${farebox.url}/api/try`, {
      method: 'POST',
      headers: { authorization: token(), 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  const request = { model: 'chat', messages: HELLO }

  it('is answered, charged and recorded like a call of its key', async () => {
    const { id } = await farebox.admin.call('createKey', { body: { name: 'mine', package: 'plenty' } })
    const response = await tryIt({ key: 'mine', endpoint: 'chat', request })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-farebox-attempts')).toContain('answered')
    expect(await response.json()).toMatchObject({ object: 'chat.completion' })
    const [call] = await usageOf(farebox)
    expect(call).toMatchObject({
      key: 'mine',
      charge_credits: ORDINARY_CHARGE,
      id: response.headers.get('x-request-id'),
    })
    const stream = await tryIt({ key: id, endpoint: 'messages', request: { ...request, max_tokens: 5, stream: true } })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    expect(await stream.text()).toContain('message_stop')
    expect((await farebox.admin.call('showKey', { id })).balance.total_requests).toBe(2)
  })

  it.each(['suspended', 'revoked'] as const)('gets what a client would get with a key that is %s', async (status) => {
    await farebox.admin.call('createKey', { body: { name: 'mine', package: 'plenty' } })
    await farebox.admin.call(status === 'revoked' ? 'revokeKey' : 'suspendKey', { id: 'mine' })
    const response = await tryIt({ key: 'mine', endpoint: 'chat', request })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain(`This key is ${status}.`)
  })

  it('is refused for a key that is not there, another endpoint, a request that is none, and what is no JSON', async () => {
    await farebox.admin.call('createKey', { body: { name: 'mine', package: 'plenty' } })
    expect((await tryIt({ key: 'nobody', endpoint: 'chat', request })).status).toBe(404)
    expect((await tryIt({ key: 'mine', endpoint: 'images', request })).status).toBe(400)
    expect((await tryIt({ key: 'mine', endpoint: 'chat', request: [] })).status).toBe(400)
    expect((await tryIt({ key: 'mine', endpoint: 'chat', request: {} })).status).toBe(400)
    expect((await tryIt({ key: 'mine', endpoint: 'chat', request, more: 1 })).status).toBe(400)
    expect((await tryIt('{"key":')).status).toBe(400)
    expect((await tryIt({ key: 'mine', endpoint: 'chat', request: { ...request, model: 'none' } })).status).toBe(404)
    expect(await usageOf(farebox)).toEqual([])
  })
})
