import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { isRefusal, refuse } from '#core/refusal.ts'
import { readRequest } from '#pipeline/endpoints.ts'
import { Relay } from '#pipeline/relay.ts'
import { eventData } from '../gateway/support.ts'
import { FORMATS, PAIRS, type Dialect, type Format } from '../gateway/formats.ts'
import { expectedBytes } from '../support/upstream-reply.ts'
import { FakeClient, FakeTransport, modelOf, providerOf } from './support.ts'

const QUIET_LOOKS = 15
const SSE = { 'content-type': 'text/event-stream' }
const WORDS = { type: 'answer', pieces: ['one ', 'two ', 'three ', 'four'] } as const

/** How each format shows that its stream is alive. */
const ALIVE: Record<Format['name'], RegExp> = {
  chat: /^: ?\S.*\n\n$/,
  messages: /^event: ping\ndata: \{"type": ?"ping"\}\n\n$/,
  responses: /^event: keepalive\ndata: \{"type":"keepalive","sequence_number":\d+\}\n\n$/,
  gemini: /^\n\n$/,
}

/** A relay of a stream, with both of its ends in the test's hands. */
function relayOf(format: Format, dialect: Dialect, members: object = {}) {
  const text = JSON.stringify({ ...format.body, model: dialect, stream: true, ...members })
  const request = readRequest(format.name, text, Buffer.byteLength(text))
  if (isRefusal(request)) throw new Error(request.message)
  const provider = providerOf(dialect)
  const [target] = modelOf(dialect).targets
  if (target === undefined) throw new Error('a model without a target')
  const prepared = request.prepare({ provider, target, exchangeId: '0'.repeat(32), nowMs: 0 })
  if (isRefusal(prepared)) throw new Error(prepared.message)
  const transport = new FakeTransport()
  const client = new FakeClient()
  const relay = new Relay({
    transport,
    providerName: provider.name,
    request: { provider, path: prepared.path, body: prepared.body(100), headers: {} },
    isStream: true,
    reader: prepared.newReader(),
    readError: prepared.readError,
    client,
    begin: () => client.begin(200, {}),
    guard: undefined,
    beginDrain: undefined,
    monotonicMs: () => 0,
  })
  relay.start()
  return { relay, client, upstream: transport.last, path: prepared.path }
}

type Relayed = ReturnType<typeof relayOf>

/** The bytes of a provider's stream, event by event. */
function eventsOf(path: string): string[] {
  const bytes = expectedBytes(WORDS, { stream: true, stream_options: { include_usage: true } }, `/v1${path}`)
  return bytes.toString('utf8').split(/(?<=\n\n|\r\n\r\n)/)
}

function look(relay: Relay, times: number): void {
  for (let i = 0; i < times; i += 1) relay.look()
}

/** Lets the provider begin and go on until the client has something to read. */
function untilBegun({ upstream, client, path }: Relayed): string[] {
  upstream.head(200, SSE)
  const events = eventsOf(path)
  while (!client.hasBegun) upstream.data(events.shift() ?? '')
  return events
}

describe.each(PAIRS)('a quiet stream of %s', (_name, format, dialect) => {
  it('shows that it is alive after every 15 looks without news', () => {
    const relayed = relayOf(format, dialect)
    const { relay, client } = relayed
    untilBegun(relayed)
    const before = client.writes.length
    look(relay, QUIET_LOOKS - 1)
    expect(client.writes).toHaveLength(before)
    look(relay, 1)
    expect(client.writes).toHaveLength(before + 1)
    expect(client.writes.at(-1)).toMatch(ALIVE[format.name])
    look(relay, QUIET_LOOKS - 1)
    expect(client.writes).toHaveLength(before + 1)
    look(relay, 1)
    expect(client.writes.at(-1)).toMatch(ALIVE[format.name])
  })

  it('starts to wait again with every event that its client gets', () => {
    const relayed = relayOf(format, dialect)
    const { relay, client, upstream } = relayed
    const events = untilBegun(relayed)
    look(relay, QUIET_LOOKS - 1)
    let before = client.writes.length
    while (client.writes.length === before) upstream.data(events.shift() ?? '')
    before = client.writes.length
    look(relay, QUIET_LOOKS - 1)
    expect(client.writes).toHaveLength(before)
  })

  it('says nothing before the provider has answered, nor when it answered with an error', () => {
    const { relay, client, upstream } = relayOf(format, dialect)
    look(relay, 100)
    upstream.head(429, { 'content-type': 'application/json' })
    look(relay, 100)
    expect([client.writes, relay.hasBegun]).toEqual([[], false])
  })

  it('says nothing while its client does not read, and again when it does', () => {
    const relayed = relayOf(format, dialect)
    const { relay, client, upstream } = relayed
    const events = untilBegun(relayed)
    client.reads = false
    const before = client.writes.length
    while (!upstream.isPaused) upstream.data(events.shift() ?? '')
    expect(client.writes).toHaveLength(before + 1)
    look(relay, 100)
    expect(client.writes).toHaveLength(before + 1)
    client.drain()
    expect(upstream.isPaused).toBe(false)
    look(relay, QUIET_LOOKS)
    expect(client.writes.at(-1)).toMatch(ALIVE[format.name])
  })

  it('stops with the provider for as long as the client does not take what shows that it is alive', () => {
    const relayed = relayOf(format, dialect)
    const { relay, client, upstream } = relayed
    untilBegun(relayed)
    client.reads = false
    look(relay, QUIET_LOOKS)
    expect(upstream.isPaused).toBe(true)
    const { length } = client.writes
    look(relay, 100)
    expect(client.writes).toHaveLength(length)
  })

  it('says nothing any more when it has ended, was stopped, or lost its client', async () => {
    const ends: ((relayed: Relayed) => void)[] = [
      ({ upstream, path }) => eventsOf(path).forEach((event) => upstream.data(event)),
      ({ relay }) => relay.stop(refuse('key_not_usable', 'Blocked.')),
      ({ client }) => client.leave(),
      ({ upstream }) => upstream.fail(new UpstreamFailure('closed', 'It broke.')),
    ]
    for (const end of ends) {
      const relayed = relayOf(format, dialect)
      relayed.upstream.head(200, SSE)
      end(relayed)
      relayed.upstream.end()
      await relayed.relay.ended
      const { length } = relayed.client.writes
      look(relayed.relay, 100)
      expect(relayed.client.writes).toHaveLength(length)
    }
  })

  it('is never broken open: events stay whole wherever the silence falls', () => {
    const { path } = relayOf(format, dialect)
    const bytes = eventsOf(path).join('')
    fc.assert(
      fc.property(fc.nat({ max: bytes.length }), fc.nat({ max: 40 }), (at, further) => {
        const { relay, client, upstream } = relayOf(format, dialect)
        upstream.head(200, SSE)
        for (const piece of [bytes.slice(0, at), bytes.slice(at, at + further), bytes.slice(at + further)]) {
          if (piece !== '') upstream.data(piece)
          look(relay, QUIET_LOOKS)
        }
        const text = client.text
        for (const data of eventData(text)) if (data !== '[DONE]') JSON.parse(data)
        // Google's SDK for Python reads line by line, and takes whatever is neither empty nor data for a broken answer.
        if (format.name === 'gemini') for (const line of text.split(/\r?\n/)) expect(line).toMatch(/^(data: \{.*\})?$/)
        else for (const event of text.split(/(?<=\n\n)/)) expect(event).toMatch(/^(: |event: |data: )[^]*\n\n$/)
        if (format.name === 'chat') expect(text.match(/data: /g)?.length).toBe(eventData(text).length)
      }),
      { numRuns: 60 },
    )
  })
})

/** Streams of Gemini have no last event: they are over with the message, which comes when the client has taken what came before. */
const ENDED = PAIRS.filter(([, , dialect]) => dialect !== 'gemini')

describe.each(ENDED)('the end of a stream of %s', (_name, format, dialect) => {
  it('lets go of a provider that was held back by the last bytes, whether the client takes them or not', async () => {
    const relayed = relayOf(format, dialect)
    const { relay, client, upstream } = relayed
    const events = untilBegun(relayed)
    client.reads = false
    upstream.data(events.join(''))
    expect(upstream.isPaused).toBe(false)
    upstream.end()
    expect(await relay.ended).toEqual({ type: 'complete' })
  })
})

describe('a provider that thinks before its first event', () => {
  it.each(PAIRS.filter(([, format]) => format.name === 'messages'))(
    'can still fail as a whole in a stream of %s, however long it takes',
    async (_name, format, dialect) => {
      const { relay, client, upstream } = relayOf(format, dialect)
      upstream.head(200, SSE)
      look(relay, 100)
      expect([client.writes, client.status, relay.hasBegun]).toEqual([[], undefined, false])
      upstream.fail(new UpstreamFailure('closed', 'It broke.'))
      expect(await relay.ended).toMatchObject({ type: 'failed' })
      expect(relay.hasBegun).toBe(false)
    },
  )

  it.each(PAIRS.filter(([, format, dialect]) => format.name === 'responses' && dialect !== 'responses'))(
    'is told of to a client of %s in whole characters, once',
    (_name, format, dialect) => {
      const instructions = 'Grüße, 世界 \u{1F600}'
      const { relay, client, upstream } = relayOf(format, dialect, { instructions })
      upstream.head(200, SSE)
      look(relay, 2 * QUIET_LOOKS)
      const events = eventData(client.text).map((data) => JSON.parse(data) as Record<string, never>)
      expect(events.map((event) => event['type'])).toEqual([
        'response.created',
        'response.in_progress',
        'keepalive',
        'keepalive',
      ])
      expect(events[0]).toMatchObject({ response: { instructions } })
      expect(events.map((event) => event['sequence_number'])).toEqual([0, 1, 2, 3])
    },
  )
})

it('has formats in its table', () => {
  expect(FORMATS.map(({ name }) => name)).toEqual(Object.keys(ALIVE))
})

describe('the words of a provider that says that it failed', () => {
  const JSON_TYPE = { 'content-type': 'application/json' }
  const JUDGED = JSON.stringify({ error: { message: 'image input is not supported' } })
  const [format] = FORMATS
  if (format === undefined) throw new Error('there is no format')

  it('are waited for, and read', async () => {
    const { relay, upstream } = relayOf(format, format.dialect)
    upstream.head(500, JSON_TYPE)
    look(relay, 2)
    upstream.data(JUDGED)
    upstream.end()
    expect(await relay.ended).toMatchObject({ type: 'refused', status: 400, words: 'image input is not supported' })
  })

  it('are not waited for any longer than a few looks, and what it said was its status', async () => {
    const { relay, upstream } = relayOf(format, format.dialect)
    upstream.head(500, JSON_TYPE)
    upstream.data(JUDGED.slice(0, 10))
    look(relay, 3)
    expect(await relay.ended).toMatchObject({ type: 'failed', failure: { kind: 'status', status: 500 } })
    expect(upstream.isAborted).toBe(true)
  })

  it('are not what a broken connection is about', async () => {
    const { relay, upstream } = relayOf(format, format.dialect)
    upstream.head(500, JSON_TYPE)
    upstream.data(JUDGED.slice(0, 10))
    upstream.fail(new UpstreamFailure('closed', 'It broke.'))
    expect(await relay.ended).toMatchObject({ type: 'failed', failure: { kind: 'status', status: 500 } })
  })

  it('are not waited for where they are about our account, or about when to come back', async () => {
    for (const status of [401, 402, 403, 407, 408, 429]) {
      const { relay, upstream } = relayOf(format, format.dialect)
      upstream.head(status, { ...JSON_TYPE, 'retry-after': '1' })
      expect(await relay.ended).toMatchObject({ type: 'failed', failure: { status } })
    }
  })

  it('are waited for where too many were asked and nobody says when to come back: the account may have nothing left', async () => {
    const spent = relayOf(format, format.dialect)
    spent.upstream.head(429, JSON_TYPE)
    spent.upstream.data(JSON.stringify({ error: { message: 'x', type: 'insufficient_quota' } }))
    spent.upstream.end()
    expect(await spent.relay.ended).toMatchObject({
      type: 'failed',
      failure: { status: 429, code: 'insufficient_quota' },
    })
    const silent = relayOf(format, format.dialect)
    silent.upstream.head(429, JSON_TYPE)
    look(silent.relay, 3)
    expect(await silent.relay.ended).toMatchObject({ type: 'failed', failure: { status: 429, code: undefined } })
  })

  it('leave the silence of a judgement to its own limit', () => {
    const { relay, upstream } = relayOf(format, format.dialect)
    upstream.head(400, JSON_TYPE)
    look(relay, 100)
    expect(upstream.isAborted).toBe(false)
  })
})
