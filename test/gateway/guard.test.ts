import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN_API, type Endpoint } from '#contract/admin-api.ts'
import { asResponse, chat, expectError, rawText, sendRaw, startPair, type Pair, type RawAnswer } from './support.ts'

let pair: Pair
let key: string
let port: string

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
  port = new URL(pair.farebox.url).port
})

beforeEach(() => pair.upstream.forget())
afterAll(() => pair.close())

const CHAT_BODY = '{"model":"chat","messages":[{"role":"user","content":"Hello"}]}'

/** Lines with the port filled in where they say PORT. */
const filled = (lines: readonly string[]) => lines.map((line) => line.replaceAll('PORT', port))

/** The same request to routes of every kind: public, for keys, for administrators, and none at all. */
async function sendAll(lines: readonly string[], target = (path: string) => path): Promise<RawAnswer[]> {
  const auth = `authorization: Bearer ${key}`
  const json = 'content-type: application/json'
  const requests = [
    rawText(pair.farebox, `GET ${target('/v1/models')} HTTP/1.1`, lines),
    rawText(pair.farebox, `GET ${target('/v1/balance')} HTTP/1.1`, [auth, ...lines]),
    rawText(pair.farebox, `POST ${target('/v1/chat/completions')} HTTP/1.1`, [auth, json, ...lines], CHAT_BODY),
    rawText(pair.farebox, `GET ${target('/health')} HTTP/1.1`, lines),
    rawText(pair.farebox, `GET ${target('/api/status')} HTTP/1.1`, [auth, ...lines]),
    rawText(pair.farebox, `OPTIONS ${target('/v1/chat/completions')} HTTP/1.1`, lines),
    rawText(pair.farebox, `GET ${target('/none')} HTTP/1.1`, lines),
  ]
  const answers = await Promise.all(requests.map((request) => sendRaw(pair.farebox, request)))
  for (const { headers } of answers) expectNoCors(headers)
  return answers
}

function expectNoCors(headers: Headers): void {
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'set-cookie')).toEqual([])
}

/** All refused alike and in the contract's shape: neither the route nor who may use it made a difference. */
async function expectAllRefused(answers: readonly RawAnswer[], status: 400 | 403): Promise<void> {
  const messages = answers.map((answer) => expectError(asResponse(answer), status))
  expect(new Set(await Promise.all(messages)).size).toBe(1)
  expect(pair.upstream.requests).toEqual([])
}

/** What came behind an interim answer. */
function behind({ body }: RawAnswer): RawAnswer {
  const [head = '', ...rest] = body.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((text): [string, string] => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1).trim()]),
  )
  return { status: Number(line.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

describe('a Host that is not ours is refused before any route:', () => {
  it.each([
    'evil.example',
    'evil.example:PORT',
    '0.0.0.0:PORT',
    '[::]:PORT',
    '[::ffff:127.0.0.1]:PORT',
    '[0:0:0:0:0:0:0:1]:PORT',
    '127.evil.com',
    '127.0.0.1.evil.com',
    '127.0.0.1.evil.com:PORT',
    'localhost.evil.com:PORT',
    'localhost:1234.evil.com',
    'localhost:PORT.evil.com',
    '127.0.0.1',
    'localhost',
    '[::1]',
    '127.0.0.1:80',
    '127.0.0.1:PORT0',
    '127.0.0.1:0PORT',
    '127.0.0.1:',
    ':PORT',
    '127.0.0.1:PORT,evil.example',
    '127.0.0.1:PORT evil.example',
    'evil.example@127.0.0.1:PORT',
    'http://127.0.0.1:PORT',
    '127.0.0.1:PORT/',
    '127.0.0.1:PORT#',
    'localhost.:PORT',
    'LOCALHOST.localdomain:PORT',
    '127.1:PORT',
    '127.0.0.2:PORT',
    '2130706433:PORT',
    '0x7f000001:PORT',
    '0177.0.0.1:PORT',
    '::1:PORT',
    'in-process',
    '',
    'a/?x=',
    'x/docs?',
    'a/v1/models?x=',
    '127.0.0.1:PORT/v1/models?x=',
    '127.0.0.1:PORT?x=',
    'null',
    'farebox.local:PORT',
    'host.docker.internal:PORT',
  ])('%j', async (host) => {
    await expectAllRefused(await sendAll(filled([`host: ${host}`])), 403)
  })
})

describe('a page that is not ours is refused, whatever it asks for:', () => {
  it.each([
    ['origin: http://evil.example'],
    ['origin: https://evil.example:PORT'],
    ['origin: https://127.0.0.1:PORT'],
    ['origin: http://127.0.0.1'],
    ['origin: http://127.0.0.1:1234'],
    ['origin: http://localhost:PORT'],
    ['origin: http://localhost:1234.evil.com'],
    ['origin: http://127.0.0.1:PORT.evil.com'],
    ['origin: http://127.0.0.1:PORT/'],
    ['origin: null'],
    ['origin: file://'],
    ['origin: '],
    ['origin: chrome-extension://abcdef'],
    ['origin: http://127.0.0.1:PORT', 'origin: http://evil.example'],
    ['origin: http://127.0.0.1:PORT http://evil.example'],
    ['sec-fetch-site: cross-site'],
    ['sec-fetch-site: same-site'],
    ['sec-fetch-site: Same-Origin'],
    ['sec-fetch-site: '],
    ['sec-fetch-site: same-origin', 'sec-fetch-site: cross-site'],
    ['origin: http://127.0.0.1:PORT', 'sec-fetch-site: cross-site'],
    ['origin: http://evil.example', 'sec-fetch-site: same-origin'],
    ['origin: http://evil.example', 'sec-fetch-site: none'],
  ])('%j %j', async (...lines) => {
    await expectAllRefused(await sendAll(filled(lines)), 403)
  })

  it('by a navigation that is not a GET', async () => {
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', 'sec-fetch-site: none']
    const answer = await sendRaw(
      pair.farebox,
      rawText(pair.farebox, 'POST /v1/chat/completions HTTP/1.1', lines, CHAT_BODY),
    )
    await expectAllRefused([answer], 403)
  })
})

describe('a request that two readers could understand differently is refused:', () => {
  it('two Hosts, in either order and also when both are ours', async () => {
    const own = `host: 127.0.0.1:${port}`
    for (const lines of [
      [own, 'host: evil.example'],
      ['host: evil.example', own],
      [own, own],
      [own, `HOST: localhost:${port}`],
    ]) {
      await expectAllRefused(await sendAll(lines), 400)
    }
  })

  it.each(['http://evil.example', 'http://127.0.0.1:PORT', 'https://127.0.0.1:PORT', '//127.0.0.1:PORT@evil.example'])(
    'a target with a host of its own (%s)',
    async (origin) => {
      const answers = await sendAll([], (path) => origin.replace('PORT', port) + path)
      for (const answer of answers) {
        // What begins with two slashes is a path, and one that nobody serves.
        await expectError(asResponse(answer), origin.startsWith('//') ? 404 : 400)
      }
      expect(pair.upstream.requests).toEqual([])
    },
  )

  it.each(['*', 'v1/models', '127.0.0.1/v1/models', '?x=/v1/models', '#/v1/models', 'models'])(
    'a target that is no path (%s)',
    async (target) => {
      const answer = await sendRaw(pair.farebox, rawText(pair.farebox, `GET ${target} HTTP/1.1`))
      await expectError(asResponse(answer), 400)
      expectNoCors(answer.headers)
    },
  )

  it.each(['/v1/models/%', '/v1/models/%ff', '/%c0%ae%c0%ae/v1/models', '/v1/models/%e0%a4%a'])(
    'a path that is not encoded well (%s)',
    async (path) => {
      const foreign = await sendRaw(pair.farebox, rawText(pair.farebox, `GET ${path} HTTP/1.1`, ['host: evil.example']))
      for (const answer of [foreign, await sendRaw(pair.farebox, rawText(pair.farebox, `GET ${path} HTTP/1.1`))]) {
        expect([400, 403, 404]).toContain(answer.status)
        await expectError(asResponse(answer), answer.status as 400)
      }
    },
  )

  it.each(['200-ok', 'y 100-continue', '100-continue, 100-continue', '100-continued', '""'])(
    'an expectation that is none (%s)',
    async (expectation) => {
      const answers = await sendAll([`expect: ${expectation}`])
      for (const answer of answers) {
        // Node says at once that it may go on where it finds the one that there is within.
        const { status, headers, body } = answer.status === 100 ? behind(answer) : answer
        await expectError(asResponse({ status, headers, body }), 400)
      }
      expect(pair.upstream.requests).toEqual([])
    },
  )

  it.each(['gzip, chunked', 'identity, chunked', 'deflate', 'chunked, identity', 'x'])(
    'a body in another transfer coding (%s)',
    async (coding) => {
      const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', `transfer-encoding: ${coding}`]
      const body = `${CHAT_BODY.length.toString(16)}\r\n${CHAT_BODY}\r\n0\r\n\r\n`
      const head = rawText(pair.farebox, 'POST /v1/chat/completions HTTP/1.1', lines)
      await expectError(asResponse(await sendRaw(pair.farebox, head + body)), 400)
      expect(pair.upstream.requests).toEqual([])
    },
  )

  it('no Host, in both versions of HTTP', async () => {
    for (const version of ['1.0', '1.1']) {
      const answer = await sendRaw(pair.farebox, `GET /v1/models HTTP/${version}\r\nconnection: close\r\n\r\n`)
      await expectError(asResponse(answer), 403)
    }
  })

  it.each(['TRACE', 'CONNECT', 'PROPFIND', 'BREW', 'PRI'])('the method %s', async (method) => {
    const target = method === 'CONNECT' ? `127.0.0.1:${port}` : '/v1/models'
    const answer = await sendRaw(pair.farebox, rawText(pair.farebox, `${method} ${target} HTTP/1.1`))
    expect(answer.status === 0 || (answer.status >= 400 && answer.status < 500), `${answer.status}`).toBe(true)
    expect(answer.body).not.toContain('"object"')
  })

  it('does not take the answer from what was asked before it', async () => {
    pair.upstream.once({ type: 'answer', headersAfterMs: 100 })
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json']
    const request = rawText(pair.farebox, 'POST /v1/chat/completions HTTP/1.1', lines, CHAT_BODY)
    const { status, body } = await sendRaw(
      pair.farebox,
      `${request.replace('connection: close\r\n', '')}NONSENSE\r\n\r\n`,
    )
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ object: 'chat.completion' })
  })

  it('an answer under way is not mixed with one to what follows on its connection', async () => {
    pair.upstream.once({ type: 'answer', delayMs: 10 })
    const lines = [`host: 127.0.0.1:${port}`, `authorization: Bearer ${key}`, 'content-type: application/json']
    const body = CHAT_BODY.replace('{', '{"stream":true,')
    const request = `POST /v1/chat/completions HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      if (text === '') socket.write('NONSENSE\r\n\r\n')
      text += chunk.toString()
    })
    socket.write(request)
    await closed
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(text).not.toContain('not valid HTTP')
  })
})

describe('an upgrade to another protocol', () => {
  it.each(['websocket', 'WebSocket', 'h2c, websocket', 'TLS/1.0', ''])(
    'is refused everywhere (%j)',
    async (protocol) => {
      const lines = [`upgrade: ${protocol}`, 'connection: upgrade', 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==']
      for (const path of ['/', '/app', '/health', '/v1/models', '/api/status', '/api/events', '/none']) {
        const answer = await sendRaw(pair.farebox, rawText(pair.farebox, `GET ${path} HTTP/1.1`, lines))
        await expectError(asResponse(answer), 400)
      }
    },
  )

  it('is passed over where a tool only offers it', async () => {
    const lines = ['upgrade: h2c', 'connection: upgrade, http2-settings', 'http2-settings: AAMAAABkAAQAoAAAAAIAAAAA']
    const answer = await sendRaw(pair.farebox, rawText(pair.farebox, 'GET /v1/models HTTP/1.1', lines))
    expect(answer.status).toBe(200)
  })
})

describe('the page of the dashboard', () => {
  const navigation = ['sec-fetch-mode: navigate', 'sec-fetch-dest: document']
  const ask = async (lines: readonly string[], path = '/') =>
    (await sendRaw(pair.farebox, rawText(pair.farebox, `GET ${path} HTTP/1.1`, filled(lines)))).status

  it('may be opened by a link from elsewhere, and by nothing else', async () => {
    for (const site of ['cross-site', 'same-site', 'none', 'same-origin']) {
      expect([200, 503]).toContain(await ask([`sec-fetch-site: ${site}`, ...navigation]))
    }
    for (const lines of [
      ['sec-fetch-site: cross-site'],
      ['sec-fetch-site: cross-site', 'sec-fetch-mode: navigate', 'sec-fetch-dest: iframe'],
      ['sec-fetch-site: cross-site', 'sec-fetch-mode: no-cors', 'sec-fetch-dest: script'],
      ['sec-fetch-site: cross-site', 'sec-fetch-mode: cors', 'sec-fetch-dest: empty'],
      ['sec-fetch-site: cross-site', ...navigation, 'origin: http://evil.example'],
      ['sec-fetch-site: cross-site', ...navigation, 'host: evil.example:PORT'],
    ]) {
      expect(await ask(lines), lines.join()).toBe(403)
    }
    for (const path of ['/assets/a.js', '/v1/models', '/api/status', '/health', '/none']) {
      expect(await ask(['sec-fetch-site: cross-site', ...navigation], path), path).toBe(403)
    }
  })
})

describe('a request that is meant for us is served', () => {
  it.each([
    [['host: 127.0.0.1:PORT']],
    [['host: localhost:PORT']],
    [['host: LocalHost:PORT']],
    [['host: [::1]:PORT']],
    [['Host:    127.0.0.1:PORT   ']],
    [['host: 127.0.0.1:PORT', 'origin: http://127.0.0.1:PORT']],
    [['host: localhost:PORT', 'origin: http://localhost:PORT', 'sec-fetch-site: same-origin']],
    [['host: 127.0.0.1:PORT', 'sec-fetch-site: none', 'sec-fetch-mode: navigate']],
    [['host: 127.0.0.1:PORT', 'cookie: a=b', 'referer: http://evil.example/']],
  ])('%j', async (lines) => {
    for (const path of ['/v1/models', '/v1/balance']) {
      const request = rawText(pair.farebox, `GET ${path} HTTP/1.1`, [`authorization: Bearer ${key}`, ...filled(lines)])
      const answer = await sendRaw(pair.farebox, request)
      expect(answer.status).toBe(200)
      expectNoCors(answer.headers)
    }
  })
})

describe('an answer', () => {
  it('never allows another origin anything, not even when it is asked to', async () => {
    const lines = [
      'access-control-request-method: POST',
      'access-control-request-headers: authorization',
      'access-control-request-private-network: true',
    ]
    const [first] = await sendAll(lines)
    expect(first?.status).toBe(200)
    pair.upstream.forget()
    pair.upstream.script({ type: 'answer', headers: { 'access-control-allow-origin': '*' } })
    for (const members of [{}, { stream: true }, { stream: 1 }, { model: 'none' }]) {
      const response = await chat(pair.farebox, key, members)
      expectNoCors(response.headers)
      await response.text()
    }
  })
})

describe('the admin API', () => {
  it.each(Object.entries<Endpoint>(ADMIN_API).filter(([, { access }]) => access !== 'public'))(
    'refuses %s to everybody without its token',
    async (_action, endpoint) => {
      const { method, path } = endpoint
      const url = pair.farebox.url + path.replace('{id}', 'chat')
      const wrong: Record<string, string>[] = [
        {},
        { authorization: `Bearer ${key}` },
        { 'x-api-key': key },
        { authorization: 'Bearer ' },
        { authorization: `Bearer ${'A'.repeat(43)}` },
        { authorization: 'Basic YWRtaW46YWRtaW4=' },
        { cookie: `token=${key}` },
        { host: 'in-process' },
      ]
      for (const headers of wrong) {
        const body = method === 'GET' ? {} : { body: '{}', headers: { ...headers, 'content-type': 'application/json' } }
        await expectError(await fetch(url, { method, headers, ...body }), 401)
      }
      const query = method === 'GET' ? `?token=${key}` : ''
      await expectError(await fetch(url + query, { method }), 401)
    },
  )

  it('says what is not there, and refuses what is, however it is written', async () => {
    const ask = (path: string) => fetch(pair.farebox.url + path, { headers: { authorization: `Bearer ${key}` } })
    for (const path of ['/api/', '/api/none', '/api/keys/a/b/c', '/api//status'])
      await expectError(await ask(path), 404)
    for (const path of ['/api/../api/status', '/api/status/']) await expectError(await ask(path), 401)
  })

  it('has changed nothing by all this', async () => {
    expect(await pair.farebox.admin.call('status', {})).toMatchObject({ keys: 1, models: 2, packages: 1, providers: 1 })
    expect(pair.farebox.log).toEqual([])
  })
})
