// Gateways that are each other's providers. A ring is noticed where the request comes back, whatever kind of request it is, and everything
// that it held is given back; a chain is served. What a client writes into the header touches its own call alone.

import { afterEach, describe, expect, it } from 'vitest'
import { Hops } from '#pipeline/hops.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { ask, DIALECTS, FORMATS, formatOf, type Dialect } from './formats.ts'
import { openTalk, responseIn, UPGRADE_HEADERS } from './socket-support.ts'
import { get, HELLO, post, soon, usageOf } from './support.ts'

type Gateway = Farebox & { readonly key: string }
type Service = { readonly url: string; readonly key?: string }

const opened: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close()
})

async function startGateways(count: number): Promise<Gateway[]> {
  const gateways: Gateway[] = []
  for (let index = 0; index < count; index++) {
    const farebox = await startFarebox()
    opened.push(farebox)
    const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }]
    await farebox.admin.call('apply', { body: { document: { packages } } })
    gateways.push({ ...farebox, key: await farebox.newKey('plenty') })
  }
  return gateways
}

async function startService(): Promise<Upstream> {
  const upstream = await startUpstream()
  opened.push(upstream)
  return upstream
}

/** Has a gateway ask each of these, in this order, for the models that are named like the dialects, and for `embed`. */
async function pointAt({ admin }: Farebox, services: readonly Service[]): Promise<void> {
  const nameOf = (dialect: Dialect, index: number) => `${dialect}-${index}`
  const providers = services.flatMap(({ url, key = 'sk-secret' }, index) =>
    DIALECTS.map((dialect) => ({
      name: nameOf(dialect, index),
      dialect,
      base_url: `${new URL(url).origin}/${dialect === 'gemini' ? 'v1beta' : 'v1'}`,
      network: 'local' as const,
      secret: key,
    })),
  )
  const targetsOf = (dialect: Dialect, model: string) =>
    services.map((_, index) => ({ provider: nameOf(dialect, index), model, priority: index }))
  const models = [
    ...DIALECTS.map((dialect) => chatModel(dialect, { targets: targetsOf(dialect, dialect) })),
    chatModel('embed', {
      kind: 'embedding',
      price: { input: 1, output: 0 },
      max_output_tokens: 1,
      targets: targetsOf('chat-completions', 'embed'),
    }),
  ]
  await admin.call('apply', { body: { document: { providers, models } } })
}

async function ringOf(count: number): Promise<Gateway[]> {
  const gateways = await startGateways(count)
  for (const [index, gateway] of gateways.entries()) {
    const next = gateways[(index + 1) % count]
    if (next !== undefined) await pointAt(gateway, [next])
  }
  return gateways
}

async function expectNothingHeld(gateways: readonly Gateway[]): Promise<void> {
  for (const gateway of gateways) {
    await soon(async () => (await gateway.balance(gateway.key))['held_credits'] === 0)
    expect(await gateway.balance(gateway.key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  }
}

const LOOP = /Request loop: it came back to a gateway that had sent it on/
const MARK = /^farebox;id=[\w-]{30}$/
const marksOf = (value: string | string[] | undefined) => String(value ?? '').split(', ')

describe.each([2, 3])('a ring of %i gateways', (count) => {
  it('is noticed after one round, in every format and for streams, and gives back what was held', async () => {
    const gateways = await ringOf(count)
    const [first] = gateways
    if (first === undefined) throw new Error('there is no gateway')
    let asked = 0
    for (const dialect of DIALECTS) {
      for (const format of FORMATS) {
        for (const stream of [false, true]) {
          const response = await ask({ farebox: first }, format, {
            key: first.key,
            members: { model: dialect, stream },
          })
          const text = await response.text()
          expect([response.status, text], `${format.name} by ${dialect}`).toEqual([400, expect.stringMatching(LOOP)])
          asked += 1
        }
      }
    }
    const embedding = await post(first, { model: 'embed', input: 'Hello' }, { key: first.key, path: '/v1/embeddings' })
    expect([embedding.status, await embedding.text()]).toEqual([400, expect.stringMatching(LOOP)])
    for (const gateway of gateways) expect((await usageOf(gateway)).length).toBeLessThanOrEqual(asked + 1)
    await expectNothingHeld(gateways)
  })
})

describe('a ring of two gateways', () => {
  it('is noticed by a call over a WebSocket, which can go on', async () => {
    const gateways = await ringOf(2)
    const [first] = gateways
    if (first === undefined) throw new Error('there is no gateway')
    const talk = await openTalk(first, first.key, { headers: UPGRADE_HEADERS })
    for (let count = 0; count < 2; count++) {
      talk.send({ type: 'response.create', model: 'responses', input: HELLO })
      const event = await talk.next()
      expect(JSON.stringify(event)).toMatch(LOOP)
    }
    talk.webSocket.close()
    await talk.closed
    await expectNothingHeld(gateways)
  })

  it('is noticed by a request to count tokens', async () => {
    const [first] = await ringOf(2)
    if (first === undefined) throw new Error('there is no gateway')
    const body = { model: 'messages', messages: HELLO }
    const response = await post(first, body, { key: first.key, path: '/v1/messages/count_tokens' })
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(LOOP)])
  })

  it('is left for a provider that is no gateway of the ring', async () => {
    const service = await startService()
    const [first, second] = await startGateways(2)
    if (first === undefined || second === undefined) throw new Error('there are no gateways')
    await pointAt(first, [second, service])
    await pointAt(second, [first])
    for (const dialect of DIALECTS) {
      const members = { model: dialect }
      const response = await ask({ farebox: first }, formatOf('chat'), { key: first.key, members })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    }
    expect(service.requests.length).toBe(DIALECTS.length)
    const { targets } = await first.admin.call('status', {})
    expect(targets.map(({ state }) => state)).toEqual(targets.map(() => 'ok'))
  })
})

describe('a chain of three gateways', () => {
  it('serves calls, streams, WebSockets and embeddings; the service sees three marks and nothing of the gateways', async () => {
    const service = await startService()
    const [first, second, third] = await startGateways(3)
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are no gateways')
    await pointAt(first, [second])
    await pointAt(second, [third])
    await pointAt(third, [service])
    for (const dialect of DIALECTS) {
      for (const stream of [false, true]) {
        const members = { model: dialect, stream }
        for (const format of FORMATS) {
          const response = await ask({ farebox: first }, format, { key: first.key, members })
          expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
        }
      }
    }
    const embedding = await post(first, { model: 'embed', input: 'Hello' }, { key: first.key, path: '/v1/embeddings' })
    expect(embedding.status).toBe(200)
    const talk = await openTalk(first, first.key, { headers: UPGRADE_HEADERS })
    talk.send({ type: 'response.create', model: 'responses', input: HELLO })
    let event = await talk.next()
    while (event.type !== 'response.completed') {
      expect(event.type).not.toBe('error')
      event = await talk.next()
    }
    expect(responseIn(event)).toBeDefined()
    talk.webSocket.close()
    expect(service.requests.length).toBeGreaterThan(30)
    for (const { headers } of service.requests) {
      const marks = marksOf(headers['cdn-loop'])
      expect(marks).toEqual([1, 2, 3].map(() => expect.stringMatching(MARK)))
      expect(new Set(marks).size).toBe(3)
    }
  })
})

describe('the mark of a gateway', () => {
  it('is on every request to a provider, and differs between providers', async () => {
    const [one, other] = [await startService(), await startService()]
    const [gateway] = await startGateways(1)
    if (gateway === undefined) throw new Error('there is no gateway')
    const { key } = gateway
    await pointAt(gateway, [one])
    const call = (path: string, body: object) => post(gateway, body, { key, path }).then((response) => response.text())
    await call('/v1/chat/completions', { model: 'chat-completions', messages: HELLO })
    await call('/v1/chat/completions', { model: 'messages', messages: HELLO, stream: true })
    await call('/v1/messages/count_tokens', { model: 'messages', messages: HELLO })
    await call('/v1/embeddings', { model: 'embed', input: 'Hello' })
    await call('/v1/completions', { model: 'chat-completions', prompt: 'Hello' })
    await call('/v1/images/generations', { model: 'chat-completions', prompt: 'Hello' })
    const before = one.requests.length
    expect(before).toBeGreaterThanOrEqual(4)
    const [provider] = await gateway.admin.call('listProviders', {})
    await gateway.admin.call('testProvider', { id: provider?.id ?? '' }).catch(() => undefined)
    await gateway.admin.call('listProviderModels', { id: provider?.id ?? '' }).catch(() => undefined)
    expect(one.requests.length).toBeGreaterThan(before)
    for (const { headers, path } of one.requests) expect(headers['cdn-loop'], path).toMatch(MARK)
    await pointAt(gateway, [other])
    await call('/v1/chat/completions', { model: 'chat-completions', messages: HELLO })
    const marks = [...one.requests, ...other.requests].map(({ headers }) => headers['cdn-loop'])
    expect(new Set(marks).size).toBeGreaterThan(1)
  })

  it('that a client shows refuses its own call alone, on every path, and what else it writes goes nowhere', async () => {
    const service = await startService()
    const [gateway] = await startGateways(1)
    if (gateway === undefined) throw new Error('there is no gateway')
    await pointAt(gateway, [service])
    const { key } = gateway
    const say = (headers: Readonly<Record<string, string>>, path = '/v1/chat/completions') =>
      post(gateway, { model: 'chat-completions', messages: HELLO }, { key, path, headers })
    expect((await say({})).status).toBe(200)
    const own = String(service.requests.at(-1)?.headers['cdn-loop'])
    const foreign = (index: number) => `farebox;id=${String(index).padStart(30, 'x')}`
    const eight = Array.from({ length: 8 }, (_, index) => foreign(index))
    for (const path of ['/v1/chat/completions', '/v1/v1/chat/completions', '/chat/completions']) {
      for (const value of [own, `cloudflare, ${own}`, own.replace(';', ' ; '), own.replace(/id=(.*)/, 'id="$1"')]) {
        const response = await say({ 'cdn-loop': value }, path)
        expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(LOOP)])
      }
      const many = await say({ 'cdn-loop': eight.join(',') }, path)
      expect([many.status, await many.text()]).toEqual([
        400,
        expect.stringMatching(/Request loop: it went through 8 gate/),
      ])
    }
    const models = await fetch(`${gateway.url}/v1/models`, { headers: { 'cdn-loop': own } })
    expect(models.status).toBe(400)
    const asked = service.requests.length
    const seven = eight.slice(1).join(', ')
    expect((await say({ 'cdn-loop': `cloudflare; loops=99, a b "c, ${seven}, farebox;id=short` })).status).toBe(200)
    expect(marksOf(service.requests.at(-1)?.headers['cdn-loop'])).toEqual([...eight.slice(1), own])
    expect((await say({})).status).toBe(200)
    expect(service.requests.at(-1)?.headers['cdn-loop']).toBe(own)
    expect(service.requests.length).toBe(asked + 2)
    expect((await get(gateway, '/v1/balance', key)).status).toBe(200)
    const socket = await openTalk(gateway, key, { headers: { ...UPGRADE_HEADERS, 'cdn-loop': own } }).catch(
      (error: unknown) => String(error),
    )
    expect(socket).toMatch(/400/)
  })

  it('is known to all gateways that share books, and to no other', () => {
    const [one, same, other] = [
      ['books', 'a'],
      ['books', 'b'],
      ['c', 'd'],
    ].map(([first = '', second = '']) => new Hops(() => [first, second]))
    const mark = one?.newMark()
    expect(one?.refusal(mark)?.message).toMatch(LOOP)
    expect(same?.refusal(mark)?.message).toMatch(LOOP)
    expect(other?.refusal(mark)).toBeUndefined()
    expect(one?.refusal(undefined)).toBeUndefined()
    expect(one?.newMark()).not.toBe(mark)
  })
})
