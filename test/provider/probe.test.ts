import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Provider } from '#core/entities.ts'
import type { ProviderProblem } from '#core/provider-problems.ts'
import type { Resolve } from '#provider/guarded-connector.ts'
import { probeProvider, type ProbeOptions } from '#provider/probe.ts'
import { testProvider } from '../support/provider.ts'
import {
  closeServers,
  freePort,
  serveHttp,
  serveTcp,
  type Answering,
  type Asked,
  type Reply,
} from '../support/small-servers.ts'
import { closeConnections, openConnections, NO_TOKENS } from './support.ts'

const SECRET = 'sk-probe-secret-1234'

afterEach(closeServers)
afterEach(closeConnections)

type Setting = Partial<Provider> & { readonly path?: string; readonly model?: string }

/** Tests a provider whose server answers like this. The secret must never be in what is said. */
async function probe(answering: Answering, setting: Setting = {}) {
  const server = await serveHttp(answering)
  return {
    ...(await probeAt(`http://127.0.0.1:${server.port}`, setting)),
    server,
    origin: `http://127.0.0.1:${server.port}`,
  }
}

async function probeAt(
  origin: string,
  { path = '/v1', model, ...setting }: Setting = {},
  options: Partial<ProbeOptions> = {},
) {
  const provider = testProvider({ hasSecret: true, ...setting, baseUrl: origin + path })
  const secrets = { get: async () => SECRET, known: () => [SECRET] }
  const tools = { secrets, connections: openConnections(), newTokens: NO_TOKENS, userAgent: 'farebox/test', model }
  const result = await probeProvider(provider, { ...tools, ...options })
  expect(JSON.stringify(result)).not.toContain(SECRET)
  // Whatever is wrong comes with something to do, and whatever is not comes without.
  expect(result.advice === null).toBe(result.ok)
  expect(result.problem === null).toBe(result.ok)
  return result
}

const NOT_FOUND: Reply = { status: 404, text: 'not found' }
const HTML: Reply = {
  text: '<!DOCTYPE html><title>Welcome</title>',
  headers: { 'content-type': 'text/html; charset=utf-8' },
}

const OPENAI_LIST = { object: 'list', data: [{ id: 'gpt', object: 'model', owned_by: 'x' }] }
const MESSAGES_LIST = {
  data: [{ type: 'model', id: 'claude', display_name: 'C' }],
  has_more: false,
  first_id: 'claude',
}
const GEMINI_LIST = { models: [{ name: 'models/gemini', supportedGenerationMethods: ['generateContent'] }] }

const openaiError = (code: string | null = null) => ({ error: { message: 'No.', type: 'invalid_request_error', code } })
const messagesError = { type: 'error', error: { type: 'authentication_error', message: 'No.' } }
const geminiError = { error: { code: 403, message: 'No.', status: 'PERMISSION_DENIED' } }
const GEMINI_BAD_KEY = {
  error: {
    code: 400,
    message: 'No.',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  },
}

/** A provider with a list behind a secret and one endpoint. */
type Shape = {
  readonly list: unknown
  readonly endpoint: string
  readonly base?: string
  readonly header?: string
  readonly secret?: string
  readonly error?: unknown
}

function provider({
  list,
  endpoint,
  base = '/v1',
  header = 'authorization',
  secret = SECRET,
  error = openaiError(),
}: Shape): Answering {
  return ({ method, path, headers }) => {
    const isThere = path === `${base}/models` || path === base + endpoint
    if (!isThere) return { status: 404, json: error }
    const wanted = header === 'authorization' ? `Bearer ${secret}` : secret
    if (headers[header] !== wanted) return { status: 401, json: error }
    return method === 'GET' ? { json: list } : { status: 400, json: error }
  }
}

const OPENAI: Shape = { list: OPENAI_LIST, endpoint: '/chat/completions' }
const ANTHROPIC: Shape = { list: MESSAGES_LIST, endpoint: '/messages', header: 'x-api-key', error: messagesError }
const GOOGLE: Shape = {
  list: GEMINI_LIST,
  endpoint: '/x',
  base: '/v1beta',
  header: 'x-goog-api-key',
  error: geminiError,
}

describe('a provider that works', () => {
  it.each<[string, Shape, Setting]>([
    ['chat completions', OPENAI, {}],
    ['messages', ANTHROPIC, { dialect: 'messages' }],
    ['responses', { ...OPENAI, endpoint: '/responses' }, { dialect: 'responses' }],
    ['Gemini', GOOGLE, { dialect: 'gemini', path: '/v1beta' }],
    ['another header for its secret', { ...OPENAI, header: 'api-key' }, { secretHeader: 'api-key' }],
    ['a bare list of models', { ...OPENAI, list: [{ id: 'a', object: 'model' }] }, {}],
    ['a list of no models', { ...OPENAI, list: { object: 'list', data: [] } }, {}],
    [
      'messages beside a list in the form of chat completions',
      { ...ANTHROPIC, list: OPENAI_LIST },
      { dialect: 'messages' },
    ],
  ])('%s', async (_what, shape, setting) => {
    expect(await probe(provider(shape), setting)).toMatchObject({
      ok: true,
      message: 'It answers and accepts the secret.',
    })
  })

  it('is asked one question where that is enough, and says who asks', async () => {
    const { server } = await probe(provider(ANTHROPIC), { dialect: 'messages' })
    const [first] = server.asked
    expect(first).toMatchObject({ method: 'GET', path: '/v1/models' })
    expect(first?.headers).toMatchObject({ 'user-agent': 'farebox/test', 'anthropic-version': '2023-06-01' })
    // The second one is without the secret: a list that is open to everybody would say nothing about it.
    expect(server.asked.slice(1).map(({ headers }) => headers['x-api-key'])).toEqual([undefined])
  })

  it('needs no secret', async () => {
    const { server, ...result } = await probe(() => ({ json: OPENAI_LIST }), { hasSecret: false })
    expect(result).toMatchObject({ ok: true, message: 'It answers, and wants no secret.' })
    expect(server.asked).toHaveLength(1)
  })

  it('has an open list and checks the secret where it is used', async () => {
    const answering: Answering = ({ method }) =>
      method === 'GET' ? { json: OPENAI_LIST } : { status: 400, json: openaiError() }
    const { server, ...result } = await probe(answering)
    expect(result).toMatchObject({ ok: true, message: 'It answers and accepts the secret.' })
    const [question] = server.asked.filter(({ method }) => method === 'POST')
    expect(question).toMatchObject({ path: '/v1/chat/completions', text: '{}' })
  })
})

describe('the secret', () => {
  it('is not there any more', async () => {
    const options = {
      secrets: { get: async () => undefined, known: () => [] },
      connections: openConnections(),
      newTokens: NO_TOKENS,
      userAgent: 'x',
    }
    const result = await probeProvider(testProvider({ hasSecret: true }), options)
    expect(result).toMatchObject({ ok: false, problem: 'secret_gone' })
  })

  it.each<[string, ProviderProblem, Answering, Setting]>([
    ['is missing', 'secret_missing', provider(OPENAI), { hasSecret: false }],
    ['is wrong', 'secret_refused', provider({ ...OPENAI, secret: 'another' }), {}],
    ['is wrong for messages', 'secret_refused', provider({ ...ANTHROPIC, secret: 'another' }), { dialect: 'messages' }],
    [
      'is wrong for Gemini, which says 400',
      'secret_refused',
      () => ({ status: 400, json: GEMINI_BAD_KEY }),
      { dialect: 'gemini' },
    ],
    ['is refused by a text', 'secret_refused', () => ({ status: 403, text: 'Forbidden' }), {}],
    [
      'is refused where the list is open',
      'secret_refused',
      ({ method }) => (method === 'GET' ? { json: OPENAI_LIST } : { status: 401, json: openaiError() }),
      {},
    ],
    [
      'is refused although none is needed',
      'secret_refused',
      ({ headers }) =>
        headers.authorization === undefined ? { json: OPENAI_LIST } : { status: 401, json: openaiError() },
      {},
    ],
    ['is in the wrong header', 'secret_header', provider({ ...OPENAI, header: 'api-key' }), {}],
  ])('%s', async (_what, problem, answering, setting) => {
    expect(await probe(answering, setting)).toMatchObject({ ok: false, problem })
  })

  it('is in the wrong header, and the right one is named', async () => {
    const result = await probe(provider({ ...OPENAI, header: 'api-key' }))
    expect(result.message).toContain('in the header api-key, and not in authorization')
    expect(result.advice).toContain("'secret_header: api-key'")
  })

  it('cannot be sent at all', async () => {
    const options = { secrets: { get: async () => 'two\nlines', known: () => [] } }
    expect(await probeAt('http://127.0.0.1:1', {}, options)).toMatchObject({ problem: 'secret_malformed' })
  })
})

describe('the base URL', () => {
  it.each<[string, Shape, Setting, string]>([
    ['lacks /v1', OPENAI, { path: '' }, '/v1'],
    ['lacks /api/v1', { ...OPENAI, base: '/api/v1' }, { path: '' }, '/api/v1'],
    ['has /v1 twice', OPENAI, { path: '/v1/v1' }, '/v1'],
    ['is that of an endpoint', OPENAI, { path: '/v1/chat/completions' }, '/v1'],
    ['is that of the list', OPENAI, { path: '/v1/models' }, '/v1'],
    ['is that of an endpoint without a version', OPENAI, { path: '/chat/completions' }, '/v1'],
    ['is that of messages', ANTHROPIC, { dialect: 'messages', path: '/v1/messages' }, '/v1'],
    ['lacks the version of messages', ANTHROPIC, { dialect: 'messages', path: '' }, '/v1'],
    ['lacks the version of Gemini', GOOGLE, { dialect: 'gemini', path: '' }, '/v1beta'],
    [
      'is right but for the version, behind a secret that is wrong too',
      { ...OPENAI, secret: 'other' },
      { path: '' },
      '/v1',
    ],
  ])('%s', async (_what, shape, setting, suggested) => {
    const { origin, ...result } = await probe(provider(shape), setting)
    expect(result).toMatchObject({ ok: false, problem: 'base_url' })
    expect(result.advice).toContain(`'base_url: ${origin}${suggested}'`)
  })

  it('leads nowhere, and nothing is suggested that does not answer', async () => {
    const result = await probe(() => NOT_FOUND, { path: '/somewhere' })
    expect(result).toMatchObject({ ok: false, problem: 'base_url' })
    expect(result.advice).not.toContain('base_url:')
  })

  it('is that of a server which answers 200 to everything', async () => {
    const known = provider({ ...OPENAI, secret: SECRET })
    const answering: Answering = (asked) =>
      asked.path.startsWith('/v1/') ? known(asked) : { json: { error: 'Unexpected endpoint or method.' } }
    const { advice, origin, problem } = await probe(answering, { path: '' })
    expect(problem).toBe('base_url')
    expect(advice).toContain(`${origin}/v1'`)
  })

  it('is that of a website with an API elsewhere', async () => {
    const known = provider({ ...OPENAI, base: '/api/v1' })
    const { advice, origin } = await probe((asked) => (asked.path.startsWith('/api/') ? known(asked) : HTML), {
      path: '',
    })
    expect(advice).toContain(`${origin}/api/v1'`)
  })
})

describe('the dialect', () => {
  it.each<[string, Answering, Setting, string]>([
    ['messages at a provider of chat completions', provider(OPENAI), { dialect: 'messages' }, 'chat-completions'],
    [
      'messages at one of chat completions that takes its header',
      provider({ ...OPENAI, header: 'x-api-key' }),
      { dialect: 'messages' },
      'chat-completions',
    ],
    ['chat completions at a provider of messages', provider(ANTHROPIC), {}, 'messages'],
    [
      'chat completions at one of messages that takes the secret',
      provider({ ...ANTHROPIC, header: 'authorization' }),
      {},
      'messages',
    ],
    ['chat completions at Gemini', provider({ ...GOOGLE, base: '/v1' }), {}, 'gemini'],
    ['Gemini at a provider of chat completions', provider(OPENAI), { dialect: 'gemini' }, 'chat-completions'],
    ['Gemini at a provider of messages', provider(ANTHROPIC), { dialect: 'gemini' }, 'messages'],
    ['messages at Gemini', provider({ ...GOOGLE, base: '/v1' }), { dialect: 'messages' }, 'gemini'],
    ['responses where there are only chat completions', provider(OPENAI), { dialect: 'responses' }, 'chat-completions'],
    ['an error of messages that is not about the secret', () => ({ status: 400, json: messagesError }), {}, 'messages'],
    [
      'a list of messages without an endpoint',
      ({ method }) => (method === 'GET' ? { json: MESSAGES_LIST } : NOT_FOUND),
      { hasSecret: false },
      'messages',
    ],
    [
      'chat completions without a secret at a provider of messages',
      provider(ANTHROPIC),
      { hasSecret: false },
      'messages',
    ],
  ])('%s', async (_what, answering, setting, named) => {
    const result = await probe(answering, setting)
    expect(result).toMatchObject({ ok: false, problem: 'wrong_dialect' })
    expect(result.advice).toContain(`'dialect: ${named}'`)
  })

  it("is chat completions at Google's address for them, whose errors are Google's", async () => {
    const json = [{ error: { code: 401, message: 'No.', status: 'UNAUTHENTICATED' } }]
    expect(await probe(() => ({ status: 401, json }), { path: '/v1beta/openai' })).toMatchObject({
      problem: 'secret_refused',
    })
  })
})

describe('what answers', () => {
  const login: Reply = { ...HTML, text: '<html><form><input name=u><input class="x" type="password"></form></html>' }

  it.each<[string, ProviderProblem, Answering]>([
    ['is a website', 'html_page', () => HTML],
    ['is the login page of a network', 'login_page', () => login],
    ['is the login page of a proxy, with 403', 'login_page', () => ({ ...login, status: 403 })],
    ['is a network that wants a login', 'login_page', () => ({ status: 511, text: '' })],
    ['is a proxy that wants a login', 'login_page', () => ({ status: 407, text: '' })],
    ['is text', 'not_json', () => ({ text: 'pong' })],
    ['is cut JSON', 'not_json', () => ({ text: '{"object":"list","data":[' })],
    ['is empty', 'not_json', () => ({ status: 204, text: '' })],
    [
      'is JSON of something else',
      'unknown_answer',
      ({ method }) => (method === 'GET' ? { json: { hello: 1 } } : NOT_FOUND),
    ],
    [
      'is a list of something else',
      'unknown_answer',
      ({ method }) => (method === 'GET' ? { json: { data: [1, null] } } : NOT_FOUND),
    ],
    ['has no credit', 'no_credit', () => ({ status: 402, json: openaiError() })],
    ['is asked too often', 'rate_limited', () => ({ status: 429, json: openaiError() })],
    ['has an error', 'provider_error', () => ({ status: 500, text: 'oops' })],
    ['is overloaded', 'provider_error', () => ({ status: 529, json: messagesError })],
    [
      'loads its model',
      'provider_error',
      () => ({ status: 503, json: { error: { code: 503, message: 'Loading model' } } }),
    ],
    ['refuses for another reason', 'request_refused', () => ({ status: 418, text: '' })],
  ])('%s', async (_what, problem, answering) => {
    expect(await probe(answering, { hasSecret: true })).toMatchObject({ ok: false, problem })
  })

  it('redirects, and only the origin and the path of the target are shown', async () => {
    const location = 'https://user:pass@login.example/v1/models?session=s3cr3t#x'
    const { server, ...result } = await probe(() => ({ status: 302, headers: { location } }))
    expect(result).toMatchObject({ ok: false, problem: 'redirect' })
    expect(result.message).toContain('to https://login.example (302)')
    expect(result.advice).toContain("'base_url: https://login.example/v1'")
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|pass/)
    expect(server.asked).toHaveLength(1)
  })

  it.each([
    ['without a target', {}],
    ['to nonsense', { location: 'http://[' }],
    ['to a script', { location: 'javascript:1' }],
  ])('redirects %s', async (_what, headers) => {
    const result = await probe(() => ({ status: 307, headers }))
    expect(result).toMatchObject({ ok: false, problem: 'redirect' })
    expect(result.advice).not.toContain('base_url:')
  })
})

describe('a provider without a list of models', () => {
  const answering =
    (answer: Reply): Answering =>
    ({ method, text }) => {
      if (method === 'GET') return NOT_FOUND
      return text === '{}' ? { status: 400, json: openaiError() } : answer
    }

  it('is not asked for anything that may cost something', async () => {
    const { server, ...result } = await probe(answering({ json: {} }))
    expect(result).toMatchObject({ ok: false, problem: 'no_model_list' })
    expect(result.advice).toContain('--model')
    expect(server.asked.filter(({ text }) => text !== '' && text !== '{}')).toEqual([])
  })

  it.each<[string, Setting, Asked['path'], object]>([
    [
      'chat completions',
      { outputCapField: 'max_completion_tokens' },
      '/v1/chat/completions',
      { model: 'm', max_completion_tokens: 16 },
    ],
    ['messages', { dialect: 'messages' }, '/v1/messages', { model: 'm', max_tokens: 16 }],
    ['responses', { dialect: 'responses' }, '/v1/responses', { model: 'm', max_output_tokens: 16, store: false }],
    ['Gemini', { dialect: 'gemini' }, '/v1/models/m:generateContent', { generationConfig: { maxOutputTokens: 16 } }],
  ])('is asked for a few tokens of a model that is named: %s', async (_what, setting, path, body) => {
    const { server, ...result } = await probe(answering({ json: { id: 'x' } }), { ...setting, model: 'm' })
    expect(result).toMatchObject({ ok: true })
    const last = server.asked.at(-1)
    expect(last).toMatchObject({ method: 'POST', path })
    expect(JSON.parse(last?.text ?? '')).toMatchObject(body)
  })

  it.each<[ProviderProblem, Reply]>([
    ['model_unknown', { status: 404, json: openaiError() }],
    ['model_unknown', { status: 400, json: openaiError('model_not_found') }],
    ['secret_refused', { status: 401, json: openaiError() }],
    ['rate_limited', { status: 429, json: openaiError() }],
    ['redirect', { status: 308, headers: { location: '/' } }],
    ['not_json', { text: 'hi' }],
    ['html_page', HTML],
    ['unknown_answer', { json: { error: 'x' } }],
  ])('tells %s of the model that is named', async (problem, answer) => {
    expect(await probe(answering(answer), { model: 'm' })).toMatchObject({ ok: false, problem })
  })

  it('is asked for the model as well where its list is forbidden', async () => {
    const forbidden: Answering = ({ method }) =>
      method === 'GET' ? { status: 403, json: openaiError() } : { json: { id: 'x' } }
    expect(await probe(forbidden, { model: 'm' })).toMatchObject({ ok: true })
    expect(await probe(forbidden)).toMatchObject({ ok: false, problem: 'secret_refused' })
  })
})

describe('a provider whose list of models is fine', () => {
  const answering =
    (answer: Reply): Answering =>
    ({ method, text }) => {
      if (method === 'GET') return { json: OPENAI_LIST }
      return text === '{}' ? { status: 400, json: openaiError() } : answer
    }

  it('works, and is asked for nothing that costs', async () => {
    const { server, ok } = await probe(answering({ status: 500, json: openaiError() }))
    expect(ok).toBe(true)
    expect(server.asked.filter(({ text }) => text !== '' && text !== '{}')).toEqual([])
  })

  it.each<[ProviderProblem, Reply]>([
    ['provider_error', { status: 500, json: openaiError() }],
    ['rate_limited', { status: 429, json: openaiError() }],
    ['model_unknown', { status: 404, json: openaiError('model_not_found') }],
    ['secret_refused', { status: 401, json: openaiError() }],
  ])('tells %s of the model that is named', async (problem, answer) => {
    expect(await probe(answering(answer), { model: 'm' })).toMatchObject({ ok: false, problem })
  })

  it('works where the model that is named answers, which is asked once', async () => {
    const { server, ...result } = await probe(answering({ json: { id: 'x' } }), { model: 'm' })
    expect(result).toMatchObject({ ok: true, message: expect.stringContaining('so does the model') as unknown })
    expect(server.asked.filter(({ text }) => text.includes('Say hi.'))).toHaveLength(1)
  })
})

describe('the connection', () => {
  const resolving = (resolve: Resolve) => ({ connections: openConnections({ resolve }) })
  const failing = (code: string) =>
    resolving((_host, _options, callback) => callback(Object.assign(new Error(`getaddrinfo ${code}`), { code }), []))

  it.each<[ProviderProblem, string]>([
    ['name_not_found', 'ENOTFOUND'],
    ['name_server', 'EAI_AGAIN'],
    ['unreachable', 'EHOSTUNREACH'],
    ['unreachable', 'ENETUNREACH'],
    ['connection_failed', 'EMFILE'],
  ])('%s: %s', async (problem, code) => {
    const result = await probeAt('http://api.example.test:8080', {}, failing(code))
    expect(result).toMatchObject({ ok: false, problem })
    expect(result.message).toContain('api.example.test')
  })

  it('is refused, and asks whether a local server runs', async () => {
    const port = await freePort()
    const result = await probeAt(`http://127.0.0.1:${port}`)
    expect(result).toMatchObject({
      ok: false,
      problem: 'connection_refused',
      message: `Nothing listens at 127.0.0.1:${port}.`,
    })
    expect(result.advice).toMatch(/running/)
  })

  it('is refused elsewhere, and asks about the address', async () => {
    const port = await freePort()
    const toLoopback: Resolve = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
    const result = await probeAt(`http://api.example.test:${port}`, {}, resolving(toLoopback))
    expect(result).toMatchObject({ problem: 'connection_refused' })
    expect(result.advice).not.toMatch(/running/)
  })

  it('is made, and then no answer comes', async () => {
    const { port } = await serveHttp(() => undefined)
    expect(await probeAt(`http://127.0.0.1:${port}`, {}, { timeLimitMs: 300 })).toMatchObject({
      problem: 'answer_timeout',
    })
  })

  it('is made, and the answer stops in the middle', async () => {
    const port = await serveTcp((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'))
    expect(await probeAt(`http://127.0.0.1:${port}`, {}, { timeLimitMs: 300 })).toMatchObject({
      problem: 'answer_timeout',
    })
  })

  it.each<[ProviderProblem, string, (socket: Socket) => void]>([
    ['connection_closed', 'at once', (socket) => void socket.destroy()],
    ['connection_closed', 'with a reset', (socket) => void socket.resetAndDestroy()],
    [
      'connection_closed',
      'in the middle',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
    ],
    ['not_http', 'by another protocol', (socket) => void socket.end('SSH-2.0-OpenSSH_9\r\n')],
    ['not_http', 'with endless headers', (socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)],
  ])('ends %s (%s)', async (problem, _how, onConnection) => {
    const port = await serveTcp(onConnection)
    expect(await probeAt(`http://127.0.0.1:${port}`)).toMatchObject({ ok: false, problem })
  })

  it('does not read an answer without end', async () => {
    const port = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[')
      const send = () => void (socket.writable && socket.write(' '.repeat(1_048_576), send))
      send()
    })
    expect(await probeAt(`http://127.0.0.1:${port}`)).toMatchObject({ problem: 'not_json' })
  })
})

describe('a gateway that answers 400 to a wrong secret', () => {
  /** LiteLLM without a database: it knows its own secret, and of any other it says that there is nothing to look it up in. */
  function litellm(secret: string, without: Reply): Answering {
    const noDatabase = { error: { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' } }
    return ({ headers: { authorization } }) => {
      if (authorization === undefined) return without
      return authorization === `Bearer ${secret}` ? { json: OPENAI_LIST } : { status: 400, json: noDatabase }
    }
  }

  it.each<[string, Reply]>([
    ['401 to none', { status: 401, json: openaiError() }],
    ['500 to none', { status: 500, json: openaiError() }],
    ['400 to none', { status: 400, json: openaiError() }],
  ])('by its words, with %s', async (_without, without) => {
    const result = await probe(litellm('sk-another', without))
    expect(result).toMatchObject({ ok: false, problem: 'secret_refused', message: 'It refuses the secret (400).' })
  })

  it('accepts the right one', async () => {
    expect(await probe(litellm(SECRET, { status: 401, json: openaiError() }))).toMatchObject({ ok: true })
  })

  it('in words that nobody knows, which it says of any other secret too', async () => {
    let calls = 0
    const result = await probe(({ headers: { authorization } }) => {
      calls += 1
      if (authorization === undefined) return { status: 401, json: openaiError() }
      const message = `Invalid virtual key ${authorization.slice(-4)} in request req_${calls}.`
      return { status: 400, json: { error: { message } } }
    })
    expect(result).toMatchObject({ problem: 'secret_refused' })
  })
})

describe('a secret that is right is not called wrong', () => {
  const message = 'Set an api key for the provider with the header x-portkey-provider.'

  it.each<[string, Answering]>([
    [
      'where something else is missing, which is said of every secret and of none',
      () => ({ status: 400, json: { error: { message } } }),
    ],
    [
      'where another one is refused in other words',
      ({ headers: { authorization } }) => {
        if (authorization === undefined) return { status: 401, json: openaiError() }
        if (authorization !== `Bearer ${SECRET}`)
          return { status: 400, json: { error: { message: 'Unknown api key.' } } }
        return { status: 400, json: { error: { message } } }
      },
    ],
    [
      'where another one is refused with another status',
      ({ headers: { authorization } }) => {
        if (authorization !== `Bearer ${SECRET}`) return { status: 401, json: openaiError() }
        return { status: 400, json: { error: { message: 'No connected db.' } } }
      },
    ],
    ['where nothing is said of secrets', () => ({ status: 400, json: { error: { message: 'Bad request.' } } })],
  ])('%s', async (_why, answering) => {
    const result = await probe(answering)
    expect(result).toMatchObject({ ok: false, problem: 'request_refused' })
  })
})
