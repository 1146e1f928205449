import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour, Chunking, StreamShape, UsagePlace } from '../support/upstream-behaviour.ts'
import { expectedBytes } from '../support/upstream-reply.ts'
import { HELLO, ORDINARY_CHARGE, post, startPair, usageOf, type Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  // One attempt each: what is passed back is looked at here, and a provider that asks for patience would get it.
  pair = await startPair({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

const TEXT = 'Grüße 😀 naïve 漢字 — fin'
const CHUNKINGS: readonly Chunking[] = [
  'per-event',
  'whole',
  'byte-by-byte',
  'inside-characters',
  { offsets: [3, 200, 201] },
]

type Passed = { readonly sent: Buffer; readonly got: Buffer; readonly response: Response }

/** What a provider sends and what the client gets of it. */
async function passBack(behaviour: Behaviour, members: object = {}): Promise<Passed> {
  pair.upstream.script(behaviour)
  const response = await post(pair.farebox, { model: 'chat', messages: HELLO, ...members }, { key })
  const got = Buffer.from(await response.arrayBuffer())
  const body = pair.upstream.requests[0]?.body ?? {}
  return { sent: expectedBytes(behaviour, body), got, response }
}

async function lastCharge(): Promise<number | undefined> {
  return (await usageOf(pair.farebox))[0]?.charge_credits
}

const METERED = { stream: true, stream_options: { include_usage: true } }

describe('a whole answer', () => {
  it.each(CHUNKINGS)('is passed back byte for byte, however it comes (%j)', async (chunking) => {
    const { sent, got, response } = await passBack({ type: 'answer', text: TEXT, chunking })
    expect(got.toString()).toBe(sent.toString())
    expect(got.equals(sent)).toBe(true)
    expect(response.headers.get('content-length')).toBe(String(sent.length))
    expect(await lastCharge()).toBe(ORDINARY_CHARGE)
  })

  it('may come without a length', async () => {
    const { sent, got } = await passBack({ type: 'answer', text: TEXT, withoutLength: true })
    expect(got.equals(sent)).toBe(true)
  })
})

const SHAPES: Readonly<Record<string, StreamShape>> = {
  'ordinary lines': {},
  'lines that end with CR LF': { lineEnd: '\r\n' },
  'lines that end with CR': { lineEnd: '\r' },
  'comments between the events': { comment: ': keep-alive ❤' },
  'comments and CR LF': { comment: ': OPENROUTER PROCESSING', lineEnd: '\r\n' },
}

describe.each(Object.entries(SHAPES))('a stream with %s', (_name, shape) => {
  it.each(CHUNKINGS)('is passed back byte for byte to who asked for usage (%j)', async (chunking) => {
    const { sent, got } = await passBack({ type: 'answer', text: TEXT, ...shape, chunking }, METERED)
    expect(got.toString()).toBe(sent.toString())
    expect(got.equals(sent)).toBe(true)
    expect(await lastCharge()).toBe(ORDINARY_CHARGE)
  })

  it.each(CHUNKINGS)('is passed back without the usage that only Farebox asked for (%j)', async (chunking) => {
    const { sent, got } = await passBack({ type: 'answer', text: TEXT, ...shape, chunking }, { stream: true })
    expect(sent.toString()).toContain('"usage":null')
    expect(got.toString()).toBe(withoutUsage(sent.toString()))
    expect(await lastCharge()).toBe(ORDINARY_CHARGE)
  })
})

/** The same stream as a provider sends it to who did not ask: no closing chunk, no empty member. */
function withoutUsage(stream: string): string {
  const events = stream.split(/(?<=\r\n\r\n|\n\n|\r\r(?!\n))/)
  return events
    .filter((event) => !event.includes('"choices":[],"usage":{'))
    .map((event) => event.replace(/,"usage":null\}(?=[\r\n]+$)/, '}'))
    .join('')
}

describe('usage in a stream', () => {
  it.each<UsagePlace>(['own-chunk', 'finish-chunk', 'every-chunk'])(
    'is read where the provider puts it: %s',
    async (usageAt) => {
      const { sent, got } = await passBack({ type: 'answer', text: TEXT, usageAt }, METERED)
      expect(got.equals(sent)).toBe(true)
      const [record] = await usageOf(pair.farebox)
      const chunks = sent.toString().match(/^data: \{/gm)?.length ?? 0
      expect(record).toMatchObject({
        usage_source: 'reported',
        input_tokens: 19,
        output_tokens: usageAt === 'every-chunk' ? chunks : 10,
      })
    },
  )

  it.each<UsagePlace>(['finish-chunk', 'every-chunk'])(
    'is taken out of the chunks that hold an answer: %s',
    async (usageAt) => {
      const { sent, got } = await passBack({ type: 'answer', text: TEXT, usageAt }, { stream: true })
      expect(sent.toString()).toContain('"usage":{')
      expect(got.toString()).toBe(sent.toString().replace(/,"usage":(null|\{.*\})\}\n\n/g, '}\n\n'))
      expect((await usageOf(pair.farebox))[0]).toMatchObject({ usage_source: 'reported', input_tokens: 19 })
    },
  )

  it('is taken out with the spaces that a provider writes', async () => {
    const chunk = (usage: string) => `data: {"choices": [{"index": 0, "delta": {"content": "x"}}]${usage}}\n\n`
    const finish = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    const parts = [chunk(', "usage": null'), chunk(', "usage": {"prompt_tokens": 1}'), finish, 'data: [DONE]\n\n']
    const { got } = await passBack({ type: 'raw', parts }, { stream: true })
    expect(got.toString()).toBe([chunk(''), chunk(''), ...parts.slice(2)].join(''))
  })

  it('is counted once when the provider repeats it', async () => {
    const { sent, got } = await passBack({ type: 'answer', usageTimes: 3 }, { stream: true })
    expect(got.toString()).toBe(withoutUsage(sent.toString()))
    expect(await lastCharge()).toBe(ORDINARY_CHARGE)
  })

  it('is taken out where it stands, and not a member of the same name inside a choice', async () => {
    const chunk = (usage: string) => `data: {"choices":[{"index":0,"delta":{"content":"x"},"usage":null}]${usage}}\n\n`
    const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    const parts = [chunk(',"usage":null'), finish, 'data: [DONE]\n\n']
    const { got } = await passBack({ type: 'raw', parts }, { stream: true })
    expect(got.toString()).toBe([chunk(''), ...parts.slice(1)].join(''))
  })

  it('is not looked for in what the model says', async () => {
    const text = 'say ,"usage":null} and data: [DONE] and "usage":{"prompt_tokens":1}'
    const { sent, got } = await passBack({ type: 'answer', pieces: [text] }, { stream: true })
    expect(got.toString()).toBe(withoutUsage(sent.toString()))
    expect(got.toString()).toContain(JSON.stringify(text))
    expect(await lastCharge()).toBe(ORDINARY_CHARGE)
  })
})

describe('the headers of an answer', () => {
  const THEIRS = {
    'x-request-id': 'theirs',
    'set-cookie': 'a=b',
    server: 'theirs',
    'x-powered-by': 'theirs',
    'openai-organization': 'our-account',
    'openai-processing-ms': '12',
    'openai-version': '2020-10-01',
    'x-ratelimit-remaining-requests': '1',
    'retry-after': '5',
    'access-control-allow-origin': '*',
    'strict-transport-security': 'max-age=1',
    'alt-svc': 'h3=":443"',
    'content-disposition': 'attachment',
    'x-farebox-adjusted': 'theirs',
    location: 'http://127.0.0.1:9/',
    link: '<x>; rel=preload',
  }
  const OWN = ['connection', 'content-type', 'date', 'keep-alive', 'openai-processing-ms', 'openai-version']

  it.each([
    ['whole', {}, ['content-length']],
    ['streamed', { stream: true }, ['cache-control', 'transfer-encoding', 'x-accel-buffering']],
  ])('are our own (%s)', async (_how, members, more) => {
    const { response } = await passBack({ type: 'answer', headers: THEIRS }, { max_tokens: 5, ...members })
    expect(response.status).toBe(200)
    expect([...response.headers.keys()]).toEqual([...OWN, ...more, 'x-farebox-attempts', 'x-request-id'].toSorted())
    expect(response.headers.get('x-request-id')).not.toBe('theirs')
  })

  it.each([
    [400, []],
    [401, []],
    // Our own, made from theirs: in seconds, and only where trying again may help.
    [429, ['retry-after']],
    [500, ['retry-after']],
  ])('are our own when the provider answers %i', async (status, more) => {
    const { response } = await passBack({ type: 'status', status, headers: THEIRS })
    const names = [...response.headers.keys()].filter((name) => name in THEIRS)
    expect(names.toSorted()).toEqual([...more, 'x-request-id'])
    expect(response.headers.get('x-request-id')).not.toBe('theirs')
  })
})
