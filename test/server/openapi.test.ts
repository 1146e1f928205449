// The OpenAPI document against the server that serves it: valid, with every route and nothing else, and true of live answers.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request } from 'node:http'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_API, endpointOf } from '#contract/admin-api.ts'
import { ADMIN_STREAMS } from '#contract/admin-routes.ts'
import { countOf, ENDPOINTS } from '#dialect/dialects.ts'
import { GATEWAY_API, type GatewayEndpoint } from '#contract/gateway-api.ts'
import { check } from '#contract/validate.ts'
import { readInstance } from '#cli/client.ts'
import type { OpenApiDocument, Operation } from '#server/reference/openapi.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'

/** The pages of the dashboard. */
/** Pages, and a sign of life. */
const NO_ENDPOINTS = ['/', '/app', '/app/*', '/assets/:name', '/api/hello']

let farebox: Farebox
let document: OpenApiDocument
let key: string
let token: string
const routes: string[] = []

beforeAll(async () => {
  const note = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((one) => `${one} ${url}`)))
  }
  subscribe('fastify.initialization', note)
  farebox = await startFarebox()
  unsubscribe('fastify.initialization', note)
  key = (await farebox.app.setUpDemo()) ?? ''
  token = (await readInstance(farebox.dataDir))?.token ?? ''
  // Nobody listens there.
  const gone = { name: 'gone', dialect: 'chat-completions' as const, base_url: 'http://127.0.0.1:1/v1', secret: 'sk-1' }
  await farebox.admin.call('addProvider', { body: gone })
  document = (await (await fetch(`${farebox.url}/docs/openapi.json`)).json()) as OpenApiDocument
})

afterAll(async () => {
  await farebox.close()
})

const operations = (): (readonly [place: string, operation: Operation])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  )

describe('the OpenAPI document', () => {
  it('is JSON, and nothing but JSON', async () => {
    const { headers } = await fetch(`${farebox.url}/docs/openapi.json`)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each(['POST', 'PUT', 'DELETE'])('is only to be read: %s is refused', async (method) => {
    expect((await fetch(`${farebox.url}/docs/openapi.json`, { method })).status).toBe(404)
  })

  it('is for nobody who asks by another name', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'rebound.example' }
      const asked = request(`${farebox.url}/docs/openapi.json`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      asked.once('error', reject).end()
    })
    expect(status).toBe(403)
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>)
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  it('has every route of the server and nothing else', () => {
    const served = routes
      .filter((route) => !NO_ENDPOINTS.includes(route.split(' ')[1] ?? ''))
      // A HEAD is answered as the GET of its path is, which the document has.
      .filter((route) => !routes.includes(route.replace(/^HEAD /, 'GET ')) || !route.startsWith('HEAD '))
      // An OPTIONS only says which methods there are.
      .filter((route) => !route.startsWith('OPTIONS '))
      .map((route) => route.replace('/*', '/{model}').replace(/:(\w+)/, '{$1}'))
      // One route for everything that may be asked of a model.
      .flatMap((route) => GEMINI_CALLS.get(route) ?? [route])
    const admin = Object.values({ ...ADMIN_API, ...ADMIN_STREAMS }).map(({ method, path }) => `${method} ${path}`)
    expect(routes).toContain('GET /v1/balance')
    expect(served).toEqual(expect.arrayContaining(admin))
    expect(
      operations()
        .map(([place]) => place)
        .toSorted(),
    ).toEqual(served.toSorted())
  })

  it('says who may ask, and what they have to show', () => {
    const headers = [{ key: [] }, { key_header: [] }]
    // A cookie alone is sent by any page on this machine, and proves nothing.
    const admin = [{ session_cookie: [], session_header: [] }, { command_line: [] }]
    const scraper = [[{ metrics_token: [] }]]
    const signedIn = { holder: [admin], member: [admin], administrator: [admin] }
    for (const [place, operation] of operations()) {
      const isGoogles = / \/v1(beta|\/models)(\/|$)/.test(place)
      const keys = isGoogles ? [...headers, { google_key_header: [] }] : headers
      const expected = { key: [keys], scraper, ...signedIn, public: [[], [{}, ...keys]] }
      expect(expected[operation['x-farebox-access']], place).toContainEqual(operation.security)
      if (operation['x-farebox-access'] !== 'public') expect(operation.responses, place).toHaveProperty('401')
    }
    const used = operations().flatMap(([, { security }]) => security.flatMap((one) => Object.keys(one)))
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted())
  })

  it('has an operation id, a group and a sentence for everything', () => {
    const all = operations().map(([, operation]) => operation)
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length)
    const groups = document.tags.map(({ name }) => name)
    expect(all.filter(({ tags: [group] }) => !groups.includes(group))).toEqual([])
    expect(all.filter(({ summary }) => !/^[A-Z].*\.$/.test(summary))).toEqual([])
    const used = new Set(all.map(({ tags: [group] }) => group))
    expect(groups.filter((group) => !used.has(group))).toEqual([])
  })

  it('says what calls, changes and reports are refused with beside the rest', () => {
    const statuses = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {})
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/embeddings', '/api/try']) {
      expect(statuses(path, 'post'), path).toEqual(expect.arrayContaining(['402', '424', '429', '502', '503', '504']))
    }
    expect(statuses('/v1/messages/count_tokens', 'post')).toContain('503')
    // Members and holders of keys may change so much in a minute, and ask for so many reports at once.
    expect(statuses('/api/keys', 'post')).toContain('429')
    expect(statuses('/api/packages', 'post')).not.toContain('429')
    for (const path of ['/api/usage', '/api/usage-report', '/api/overview', '/api/ledger']) {
      expect(statuses(path, 'get'), path).toEqual(expect.arrayContaining(['429', '503']))
    }
  })

  it('refers only to schemas that are there, and has none that nobody refers to', () => {
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1] ?? '',
    )
    expect([...new Set(referred)].toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
  })

  it('has an example for every body, and each is one that would be taken', () => {
    const endpoints = { ...ADMIN_API, tryIt: endpointOf(ADMIN_STREAMS.tryIt) }
    const admin = Object.entries(endpoints).map(([name, { body, example }]) => [name, body, example] as const)
    const gateway = Object.entries<GatewayEndpoint>(GATEWAY_API).map(
      ([name, { body, example }]) => [name, body, example] as const,
    )
    for (const [name, body, example] of [...admin, ...gateway]) {
      expect(example === undefined, name).toBe(body === undefined)
      if (body !== undefined) expect(check(body, example), name).toMatchObject({ type: 'valid' })
    }
  })
})

/** What may be asked of a model in its path, by the route for all of it. */
const METHODS = ENDPOINTS.flatMap(([, format]) => [format, countOf(format)]).flatMap(
  (endpoint) => endpoint?.methods?.names ?? [],
)
const GEMINI_CALLS = new Map(
  ['/v1beta', '/v1'].map((version) => [
    version === '/v1' ? 'POST /v1/models/{model}' : 'POST /v1beta/{model}',
    METHODS.map((method) => `POST ${version}/models/{model}:${method}`),
  ]),
)

type Live = {
  readonly method?: string
  readonly path: string
  readonly place: string
  readonly body?: object
  readonly as?: 'nobody'
}

const HELLO = [{ role: 'user', content: 'Hello' }]
const LIVE: readonly Live[] = [
  { path: '/api/status', place: '/api/status' },
  { path: '/api/providers', place: '/api/providers' },
  { path: '/api/presets', place: '/api/presets' },
  { path: '/api/models', place: '/api/models' },
  { path: '/api/packages', place: '/api/packages' },
  { path: '/api/keys', place: '/api/keys' },
  { path: '/api/keys/first', place: '/api/keys/{id}' },
  { path: '/api/keys/nobody', place: '/api/keys/{id}' },
  { path: '/api/keys', place: '/api/keys', as: 'nobody' },
  { path: '/api/usage?limit=5', place: '/api/usage' },
  { path: '/api/usage?limit=x', place: '/api/usage' },
  { path: '/api/ledger/verify', place: '/api/ledger/verify' },
  { path: '/api/price-card', place: '/api/price-card' },
  { method: 'POST', path: '/api/demo', place: '/api/demo' },
  { method: 'POST', path: '/api/keys', place: '/api/keys', body: { name: 'second', package: 'starter' } },
  { method: 'POST', path: '/api/keys', place: '/api/keys', body: { name: 'second', package: 'starter' } },
  { method: 'PATCH', path: '/api/models/demo-chat', place: '/api/models/{id}', body: { display_name: 'Demo' } },
  { path: '/api/session', place: '/api/session' },
  { path: '/api/lan/certificate', place: '/api/lan/certificate' },
  { path: '/api/providers/gone/models', place: '/api/providers/{id}/models' },
  {
    method: 'POST',
    path: '/api/providers/gone/models',
    place: '/api/providers/{id}/models',
    body: { models: ['any'] },
  },
  { method: 'PATCH', path: '/api/providers/demo', place: '/api/providers/{id}', body: { limits: {} } },
  { path: '/v1/models', place: '/v1/models' },
  { path: '/models', place: '/models', as: 'nobody' },
  { path: '/v1/models/demo-chat', place: '/v1/models/{model}' },
  { path: '/v1/models/none', place: '/v1/models/{model}' },
  { path: '/v1/balance?model=demo-chat', place: '/v1/balance' },
  { path: '/v1/balance', place: '/v1/balance', as: 'nobody' },
  { path: '/v1/usage?session=none', place: '/v1/usage' },
  { path: '/v1/usage', place: '/v1/usage' },
  { path: '/v1/receipts/none', place: '/v1/receipts/{id}' },
  { path: '/v1/responses', place: '/v1/responses' },
  { path: '/health', place: '/health' },
  { path: '/ready', place: '/ready', as: 'nobody' },
  { path: '/metrics', place: '/metrics', as: 'nobody' },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    place: '/v1/chat/completions',
    body: { model: 'demo-chat', messages: HELLO },
  },
  { method: 'POST', path: '/chat/completions', place: '/chat/completions', body: { model: 'none', messages: HELLO } },
  {
    method: 'POST',
    path: '/v1/messages',
    place: '/v1/messages',
    body: { model: 'demo-chat', max_tokens: 9, messages: HELLO },
  },
  { method: 'POST', path: '/v1/messages', place: '/v1/messages', body: { model: 'demo-chat', messages: HELLO } },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    place: '/v1/messages/count_tokens',
    body: { model: 'demo-chat', messages: HELLO },
  },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    place: '/v1/responses/input_tokens',
    body: { model: 'demo-chat', input: 'Hello' },
  },
  { method: 'POST', path: '/v1/responses', place: '/v1/responses', body: { model: 'demo-chat', input: 'Hello' } },
  {
    method: 'POST',
    path: '/v1/embeddings',
    place: '/v1/embeddings',
    body: { model: 'demo-embedding', input: 'Hello' },
  },
]

const TRIED = [
  { endpoint: 'chat', request: { model: 'demo-chat', messages: HELLO } },
  { endpoint: 'messages', request: { model: 'demo-chat', max_tokens: 9, messages: HELLO } },
  { endpoint: 'responses', request: { model: 'demo-chat', input: 'Hello' } },
]

describe('live answers', () => {
  it.each(LIVE.map((live) => [titleOf(live), live] as const))('are as the document says: %s', async (_title, live) => {
    const { response, text } = await ask(live)
    expectDocumented(live, response, text)
  })

  it('are so for a receipt', async () => {
    const chat = {
      method: 'POST',
      path: '/v1/chat/completions',
      place: '',
      body: { model: 'demo-chat', messages: HELLO },
    }
    const { response } = await ask(chat)
    const receipt = { path: `/v1/receipts/${response.headers.get('x-request-id')}`, place: '/v1/receipts/{id}' }
    const answered = await ask(receipt)
    expect(answered.response.status).toBe(200)
    expectDocumented(receipt, answered.response, answered.text)
  })

  it('are so for a test request while nothing is taken, in the words of its format', async () => {
    await farebox.admin.call('pause', { body: { minutes: 1 } })
    try {
      for (const request of TRIED) {
        const tried = { method: 'POST', path: '/api/try', place: '/api/try', body: { key: 'first', ...request } }
        const { response, text } = await ask(tried)
        expect(response.status, text).toBe(503)
        expectDocumented(tried, response, text)
      }
    } finally {
      await farebox.admin.call('resume', {})
    }
  })

  it('would be found out if they were not', async () => {
    const { response } = await ask({ path: '/health', place: '/health' })
    expect(() => expectDocumented({ path: '', place: '/health' }, response, '{"status":"fine"}')).toThrow('/health')
  })
})

function titleOf({ method = 'GET', path, body = {}, as }: Live): string {
  return [method, path, ...Object.keys(body), ...(as === undefined ? [] : [`as ${as}`])].join(' ')
}

async function ask({ method = 'GET', path, body, as }: Live): Promise<{ response: Response; text: string }> {
  const credential = as === 'nobody' ? undefined : path.startsWith('/api/') ? token : key
  const response = await fetch(farebox.url + path, {
    method,
    headers: {
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { response, text: await response.text() }
}

/** The status is one that the document has, and the body fits the schema that it has for this status. */
function expectDocumented({ method = 'GET', place }: Live, response: Response, text: string): void {
  const name = `${method} ${place} ${response.status}`
  const answer = document.paths[place]?.[method.toLowerCase()]?.responses[String(response.status)]
  const schema = answer?.content?.['application/json']?.schema
  if (schema === undefined) return expect.fail(`${name} is not documented`)
  // References lead to the components of the document, so they have to be in the same one.
  const validator = Schema.Compile({ ...schema, components: document.components })
  expect(validator.Check(JSON.parse(text)), `${name} ${text}`).toBe(true)
}
