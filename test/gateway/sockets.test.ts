// Responses over a WebSocket: each message is a call like any other, whoever serves it, and the conversation is remembered for as long as
// the connection is open.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { DIALECTS, MODELS, startFormats } from './formats.ts'
import { eventData, post, soon, usageOf, type Pair } from './support.ts'
import { errorIn, openTalk, responseIn, type SocketEvent } from './socket-support.ts'

let pair: Pair
let key: string
let name = ''
let calls = 0

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_WEBSOCKETS: 'true' } })
})

afterAll(() => pair.close())
beforeEach(async () => {
  pair.upstream.forget()
  name = `talking ${++calls}`
  key = (await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })).key
})

/** As whom calls over HTTP are made here. */
const open = () => openTalk(pair.farebox, key, { headers: { 'user-agent': 'node' } })
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const lastBody = () => pair.upstream.requests.at(-1)?.body as Record<string, unknown>
const held = async () => (await pair.farebox.balance(key))['held_credits']

/** A record without what no two calls have in common. */
function alike(usage: UsageView | undefined) {
  return { ...usage, id: '', created_at: '', duration_ms: 0, first_byte_ms: 0 }
}

/** Without what no two answers have in common. */
function plain(events: readonly SocketEvent[]): unknown {
  const text = JSON.stringify(events)
  return JSON.parse(
    text
      .replaceAll(/\b(resp|msg|rs|fc|call)_[0-9a-zA-Z_]+/g, '$1_x')
      .replaceAll(/"(created_at|completed_at)":\d+/g, '"$1":0')
      .replaceAll(/"previous_response_id":(null|"[^"]*")/g, '"previous_response_id":null'),
  ) as unknown
}

describe('a connection', () => {
  it.each(['/v1/responses/', '/v1/v1/responses', '/responses/', '/v1/v1/responses/?a=b', '//v1//responses'])(
    'is opened at %s, where a call over HTTP is served',
    async (path) => {
      const talk = await openTalk(pair.farebox, key, { path })
      expect((await talk.ask({ model: 'demo', input: 'Hello' })).at(-1)?.type).toBe('response.completed')
      await talk.close()
    },
  )
})

describe.each(MODELS)('a message for %s', (model) => {
  it('is answered with the events of the same call over HTTP, charged and recorded as that', async () => {
    const talk = await open()
    const members = { model, input: [user('Hello')], store: false, stream: true }
    const events = await talk.ask(members)
    const response = await post(pair.farebox, members, { key, path: '/v1/responses' })
    const told = eventData(await response.text())
    const streamed = told.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as SocketEvent)
    expect(plain(events)).toEqual(plain(streamed))
    expect(events.at(-1)?.type).toBe('response.completed')
    await soon(async () => (await usageOf(pair.farebox, name)).length === 2)
    const [overHttp, overSocket] = await usageOf(pair.farebox, name)
    expect(alike(overSocket)).toEqual(alike(overHttp))
    expect(await held()).toBe(0)
    await talk.close()
  })

  it('goes on from the answer before it, which nobody stored', async () => {
    const talk = await open()
    const first = responseIn((await talk.ask({ model, input: [user('one')], store: false })).at(-1))
    const second = responseIn(
      (await talk.ask({ model, input: [user('two')], store: false, previous_response_id: first.id })).at(-1),
    )
    expect(second.status).toBe('completed')
    if (model !== 'demo') {
      const text = JSON.stringify(lastBody())
      expect(text.indexOf('one')).toBeGreaterThan(-1)
      expect(text.indexOf('two')).toBeGreaterThan(text.indexOf('one'))
      expect(text).not.toContain(first.id)
    }
    await talk.close()
  })

  it('goes on from a warm-up, which asks nobody and costs nothing', async () => {
    const talk = await open()
    const warm = await talk.ask({
      model,
      input: [user('begin')],
      store: false,
      generate: false,
      instructions: 'Be brief.',
    })
    expect(warm.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.completed'])
    expect(pair.upstream.requests).toEqual([])
    const { id } = responseIn(warm.at(-1))
    const answer = await talk.ask({ model, input: [user('go')], store: false, previous_response_id: id })
    expect(answer.at(-1)?.type).toBe('response.completed')
    if (model !== 'demo') expect(JSON.stringify(lastBody())).toMatch(/begin.*go/s)
    await talk.close()
  })
})

describe('a message', () => {
  it('goes on from any answer of its connection, and has the whole conversation before that', async () => {
    const talk = await open()
    const ask = async (text: string, previous?: string) => {
      const from = previous === undefined ? {} : { previous_response_id: previous }
      const events = await talk.ask({ model: 'messages', input: [user(text)], store: false, ...from })
      return responseIn(events.at(-1)).id
    }
    const first = await ask('one')
    const second = await ask('two', first)
    await ask('three', second)
    expect(JSON.stringify(lastBody())).toMatch(/one.*two.*three/s)
    await ask('four', first)
    expect(JSON.stringify(lastBody())).toMatch(/one.*four/s)
    expect(JSON.stringify(lastBody())).not.toContain('two')
    await talk.close()
  })

  it('reaches a provider of the format as the body of a POST', async () => {
    const talk = await open()
    await talk.ask({ model: 'responses', input: [user('Hello')], store: false, generate: true })
    const body = lastBody()
    expect(body).toMatchObject({ stream: true, store: false })
    expect(body).not.toHaveProperty('type')
    expect(body).not.toHaveProperty('generate')
    expect(pair.upstream.requests.at(-1)?.headers).not.toHaveProperty('openai-beta')
    await talk.close()
  })

  it('cannot name what another connection was answered', async () => {
    const one = await open()
    const other = await open()
    const { id } = responseIn((await one.ask({ model: 'messages', input: [user('secret')], store: false })).at(-1))
    const asked = { model: 'messages', input: [user('and?')], store: false, previous_response_id: id }
    const [event] = await other.ask(asked)
    expect(event).toMatchObject({ type: 'error', status: 400 })
    expect(errorIn(event)).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
    await one.close()
    const again = await open()
    expect(errorIn((await again.ask(asked))[0]).code).toBe('previous_response_not_found')
    await Promise.all([other.close(), again.close()])
  })

  it('is kept for HTTP as well where its client lets it be stored', async () => {
    const talk = await open()
    const { id } = responseIn((await talk.ask({ model: 'messages', input: [user('stored')] })).at(-1))
    await talk.close()
    const asked = { model: 'messages', input: 'go on', previous_response_id: id }
    expect((await post(pair.farebox, asked, { key, path: '/v1/responses' })).status).toBe(200)
    expect(JSON.stringify(lastBody())).toContain('stored')
  })

  it('that is wrong is told so, and the connection goes on', async () => {
    const talk = await open()
    const [event] = await talk.ask({ model: 'nothing', input: 'Hello' })
    expect(event).toMatchObject({ type: 'error', status: 404, headers: { 'x-request-id': expect.any(String) } })
    expect(errorIn(event).code).toBe('404')
    expect((await talk.ask({ model: 'chat-completions', input: 'Hello' })).at(-1)?.type).toBe('response.completed')
    await talk.close()
  })

  it('waits for its turn behind the one that runs', async () => {
    const talk = await open()
    talk.send({ type: 'response.create', model: 'chat-completions', input: 'first', store: false })
    talk.send({ type: 'response.create', model: 'messages', input: 'second', store: false })
    const first = responseIn((await talk.answer()).at(-1))
    const second = responseIn((await talk.answer()).at(-1))
    expect([first['model'], second['model']]).toEqual(['chat-completions', 'messages'])
    await talk.close()
  })

  it('of a megabyte and more is served as well, and remembered', async () => {
    const talk = await open()
    const long = 'word '.repeat(230_000)
    const input = [user(long)]
    const asked = { model: 'messages', input, store: false, max_output_tokens: 10 }
    const events = await talk.ask(asked)
    expect(errorIn(events.at(-1))).toEqual({})
    await talk.close()
  })

  it('that a provider refuses is told in an event', async () => {
    pair.upstream.script({ type: 'status', status: 400, body: { error: { message: 'No such thing.', type: 'x' } } })
    const talk = await open()
    const [event] = await talk.ask({ model: 'chat-completions', input: 'Hello', store: false })
    expect(event).toMatchObject({ type: 'error', status: 400 })
    expect(errorIn(event).message).toContain('No such thing')
    expect(await held()).toBe(0)
    await talk.close()
  })
})

describe.each(DIALECTS)('a client of %s that leaves in the middle', (model) => {
  it('leaves no hold and one record', async () => {
    pair.upstream.script({ type: 'answer', text: 'word '.repeat(20), stall: { at: { afterEvent: 3 }, ms: Infinity } })
    const talk = await open()
    talk.send({ type: 'response.create', model, input: 'Hello', store: false })
    await talk.next()
    talk.webSocket.terminate()
    await soon(async () => (await usageOf(pair.farebox, name)).length === 1)
    expect((await usageOf(pair.farebox, name))[0]).toMatchObject({ outcome: 'client_gone' })
    expect(await held()).toBe(0)
  })
})
