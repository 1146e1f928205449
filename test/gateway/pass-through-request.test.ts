import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { countedBound } from './input-bound.ts'
import { CHAT_PATH, expectError, HELLO, post, rawText, sendRaw, startPair, type Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPair()
  const { admin } = pair.farebox
  const same = [{ provider: 'upstream', model: 'same' }]
  await admin.call('addModel', { body: chatModel('same', { targets: same, max_output_tokens: 1000 }) })
  await admin.call('addModel', { body: chatModel('narrow', { context_window: 300 }) })
  const provider = { name: 'newer', dialect: 'chat-completions', output_cap_field: 'max_completion_tokens' } as const
  await admin.call('addProvider', { body: { ...provider, base_url: `${pair.upstream.url}/` } })
  await admin.call('addModel', { body: chatModel('newer', { targets: [{ provider: 'newer', model: 'newer' }] }) })
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

/** What reaches the provider of a text, and the header that names what was changed. */
async function passOn(text: string, path = CHAT_PATH, owner = key): Promise<{ text: string; adjusted: string | null }> {
  const response = await post(pair.farebox, text, { key: owner, path })
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
  expect(pair.upstream.requests).toHaveLength(1)
  return { text: pair.upstream.requests[0]?.text ?? '', adjusted: response.headers.get('x-farebox-adjusted') }
}

/** Everything that a careless rewrite would lose: spaces, order, escapes, large and odd numbers, unknown members. */
const ODD = [
  '\r\n\t{ "zeta" :{"b":[ 1.0,1e2,-0 , 12345678901234567890, 0.1000000000000000055 ], "a":null} ,',
  String.raw` "messages":[ {"content":"caf\u00e9 \ud83d\ude00 😀 \/ \" \\","role":"user", "name" : "\u0000\u2028"} ]`,
  ',"model"\t:  "MODEL"  , "metadata":{"model":"chat","max_tokens":1,"stream_options":{}},"seed":12345678901234567890,',
  String.raw`"mod\u0065l_hint":"model","max_tokens": 10 ,"emoji 😀":"\"model\":\"chat\"","stop":["}","{","]"]}  `,
  '\n ',
].join('')

describe('a request', () => {
  it('reaches the provider byte for byte when its model has the same name there', async () => {
    const text = ODD.replace('MODEL', 'same')
    expect(await passOn(text)).toEqual({ text, adjusted: null })
  })

  it('reaches the provider with nothing changed but the name of the model', async () => {
    expect((await passOn(ODD.replace('MODEL', 'chat'))).text).toBe(ODD.replace('MODEL', 'real-chat'))
    expect(pair.upstream.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
  })

  it('gives its model in any way that JSON allows', async () => {
    const text = String.raw`{"mod\u0065l":"ch\u0061t","max_tokens":10,"messages":[{"role":"user","content":"x"}]}`
    expect((await passOn(text)).text).toBe(text.replace(String.raw`"ch\u0061t"`, '"real-chat"'))
  })

  it('for embeddings reaches the provider with nothing changed but the name of the model', async () => {
    const text = '{ "user" : 12345678901234567890,"input":["\\u00e9", "😀"] ,\n"model":"embed","x":[1.0] } '
    const { text: passed } = await passOn(text, '/v1/embeddings')
    expect(passed).toBe(text.replace('"embed"', '"real-embed"'))
    expect(pair.upstream.requests[0]).toMatchObject({ method: 'POST', path: '/v1/embeddings' })
  })
})

const START = '{"model":"same","messages":[{"role":"user","content":"Hello"}]'

describe('a stream', () => {
  it('asks the provider for usage and changes nothing else', async () => {
    const text = `${START},"max_tokens":10,"stream" : true } `
    const asked = `${START},"max_tokens":10,"stream" : true ,"stream_options":{"include_usage":true}} `
    expect((await passOn(text)).text).toBe(asked)
  })

  it.each([
    ['{ "include_usage" : true, "x" : 1.0 }', '{ "include_usage" : true, "x" : 1.0 }'],
    ['{"include_usage": false}', '{"include_usage":true}'],
    ['{ }', '{"include_usage":true}'],
    ['null', '{"include_usage":true}'],
    ['{"include_obfuscation":false,"include_usage":null}', '{"include_obfuscation":false,"include_usage":true}'],
  ])('with stream_options %s is passed on with %s', async (sent, passed) => {
    const text = (options: string) => `${START},"stream_options":${options} ,"max_tokens":10,"stream":true}`
    expect((await passOn(text(sent))).text).toBe(text(passed))
  })

  it('is what a whole answer is not: its options are left alone', async () => {
    const text = `${START},"stream":false,"max_tokens":10,"stream_options":{"include_usage":false}}`
    expect((await passOn(text)).text).toBe(text)
  })
})

describe('the output cap', () => {
  it.each(['max_tokens', 'max_completion_tokens'])(
    'is left as it is up to the maximum of the model (%s)',
    async (name) => {
      const text = `${START}, "${name}" : 1000 }`
      expect(await passOn(text)).toEqual({ text, adjusted: null })
    },
  )

  it.each([
    ['max_tokens', '1001'],
    ['max_tokens', '1.5e3'],
    ['max_tokens', '2147483647'],
    ['max_tokens', '9007199254740991'],
    ['max_completion_tokens', '5000'],
  ])('is lowered in its place to the maximum of the model (%s: %s)', async (name, value) => {
    const text = (cap: string) => `${START}, "${name}" :${cap},"stop":null}`
    expect(await passOn(text(value))).toEqual({ text: text('1000'), adjusted: `${name}=1000` })
  })

  it('is set to the maximum of the model when it is left out or null', async () => {
    const set = { text: `${START},"max_tokens":1000}`, adjusted: 'max_tokens=1000' }
    expect(await passOn(`${START}}`)).toEqual(set)
    pair.upstream.forget()
    expect(await passOn(`${START},"max_tokens":null}`)).toEqual(set)
  })

  it('is set under the name that the provider takes', async () => {
    const text = START.replace('same', 'newer')
    const { text: passed } = await passOn(`${text}}`)
    expect(passed).toBe(`${text},"max_completion_tokens":1000}`)
    expect(pair.upstream.requests[0]?.path).toBe('/v1/chat/completions')
  })

  it('is set to what the context window leaves', async () => {
    const text = START.replace('same', 'narrow')
    const left = 300 - Math.ceil((text.length + 1) / 3)
    expect(left).toBeLessThan(1000)
    const passed = `${text.replace('narrow', 'real-narrow')},"max_tokens":${left}}`
    expect(await passOn(`${text}}`)).toEqual({ text: passed, adjusted: `max_tokens=${left}` })
  })

  it.each([1, 3])('is set to what the balance affords for %i answers', async (choices) => {
    const poor = { name: `poor-${choices}`, type: 'topup', credits: 0.001 } as const
    await pair.farebox.admin.call('addPackage', { body: poor })
    const text = `${START},"n":${choices}`
    // 1,000 micro-credits, less the input at 1 each, at 2 for each token of each answer.
    const affordable = Math.floor(Math.floor((1000 - (await countedBound(`${text}}`))) / 2) / choices)
    expect(await passOn(`${text}}`, CHAT_PATH, await pair.farebox.newKey(poor.name))).toEqual({
      text: `${text},"max_tokens":${affordable}}`,
      adjusted: `max_tokens=${affordable}`,
    })
  })

  it('is lowered to what the balance affords also when the client gave it', async () => {
    await pair.farebox.admin.call('addPackage', { body: { name: 'poorer', type: 'topup', credits: 0.001 } })
    const text = `${START},"max_tokens":900}`
    const affordable = Math.floor((1000 - (await countedBound(text))) / 2)
    expect(await passOn(text, CHAT_PATH, await pair.farebox.newKey('poorer'))).toEqual({
      text: text.replace('900', String(affordable)),
      adjusted: `max_tokens=${affordable}`,
    })
  })

  it('is never lowered to nothing: a call that its balance does not pay for is refused', async () => {
    await pair.farebox.admin.call('addPackage', { body: { name: 'poorest', type: 'topup', credits: 0.00003 } })
    const key = await pair.farebox.newKey('poorest')
    const response = await post(pair.farebox, `${START},"max_tokens":900}`, { key })
    expect(await expectError(response, 402)).toMatch(
      /^The 0\.00003 credits left do not pay for this call\. 0 of 0\.00003 used/,
    )
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(pair.upstream.requests).toEqual([])
  })
})

describe('the headers of a request', () => {
  const OWN_NAMES = [
    'accept',
    'accept-encoding',
    'authorization',
    'cdn-loop',
    'connection',
    'content-length',
    'content-type',
    'host',
  ]

  it('stay here but for those on a list; the provider gets its own secret', async () => {
    const body = JSON.stringify({ model: 'chat', messages: HELLO })
    const lines = [
      `authorization: Bearer ${key}`,
      `x-api-key: ${key}`,
      'content-type: application/json; charset=utf-8; x=1',
      'accept-encoding: gzip, br',
      'cookie: session=secret',
      'user-agent: someone/1.0',
      'x-anything: 1',
      'x-forwarded-for: 10.0.0.1',
      'forwarded: for=10.0.0.1',
      'referer: http://example.com/',
      'te: trailers',
      'openai-organization: org-1',
      'openai-beta: assistants=v2',
      'idempotency-key: 1',
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'proxy-authorization: Basic c2VjcmV0',
      'x-stainless-lang: js',
      'connection: x-anything',
    ]
    const answer = await sendRaw(pair.farebox, rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines, body))
    expect(answer.status).toBe(200)
    const [request] = pair.upstream.requests
    const names = request?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    expect(names?.toSorted()).toEqual([...OWN_NAMES, 'openai-beta', 'user-agent'])
    expect(request?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-upstream-secret',
      'content-type': 'application/json',
      host: new URL(pair.upstream.url).host,
      'openai-beta': 'assistants=v2',
      'user-agent': expect.stringMatching(/^farebox\//),
    })
    expect(JSON.stringify(request?.rawHeaders)).not.toContain(key)
  })

  it('are the same few for a provider without a secret, which gets none', async () => {
    const body = JSON.stringify({ model: 'newer', messages: HELLO })
    expect((await post(pair.farebox, body, { key })).status).toBe(200)
    expect(Object.keys(pair.upstream.requests[0]?.headers ?? {}).toSorted()).toEqual(
      [...OWN_NAMES, 'user-agent'].filter((name) => name !== 'authorization'),
    )
  })
})
