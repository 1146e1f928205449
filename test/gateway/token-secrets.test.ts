// Providers whose secrets get tokens: a client of Entra and a service account of Google. What the provider is shown, what a refusal
// comes to, and that neither the secret nor a token is ever told to anybody.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderCreate } from '#contract/providers.ts'
import { refusal, refused } from '../catalog/support.ts'
import { findInBytes, findInFolder } from '../support/canary.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint.ts'
import { plainList } from '../support/upstream-models.ts'
import { startUpstream, type Script, type Upstream } from '../support/upstream.ts'
import { ask, FORMATS, wordsIn } from './formats.ts'
import { chat, get } from './support.ts'

let upstream: Upstream
let endpoint: TokenEndpoint
let farebox: Farebox
let key: string
let names = 0

beforeAll(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  await farebox.admin.call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 1000 } })
  key = await farebox.newKey('plenty')
})
beforeEach(async () => {
  upstream.forget()
  endpoint = await startTokenEndpoint()
})
afterEach(() => endpoint.close())
afterAll(async () => {
  await farebox.close()
  await upstream.close()
})

/** A provider and a model of its name. */
async function add(more: Partial<ProviderCreate> = {}): Promise<string> {
  const name = `p-${++names}`
  const place = { dialect: 'chat-completions' as const, base_url: upstream.url, secret_header: 'api-key' as const }
  await farebox.admin.call('addProvider', { body: { name, ...place, secret: endpoint.entraClient, ...more } })
  await farebox.admin.call('addModel', { body: chatModel(name, { targets: [{ provider: name, model: 'm' }] }) })
  return name
}

const shown = () => upstream.requests.map(({ headers }) => headers.authorization)
const idOf = async (name: string) =>
  (await farebox.admin.call('listProviders', {})).find((provider) => provider.name === name)?.id ?? ''

describe.each([
  ['a client of Entra', () => endpoint.entraClient],
  ['a service account of Google', () => endpoint.serviceAccount],
])('%s', (_who, secretOf) => {
  it('is never shown to the provider: a bearer token is, in the same header whatever the dialect has', async () => {
    const model = await add({ secret: secretOf() })
    for (const format of FORMATS) expect((await ask({ farebox }, format, { key, members: { model } })).status).toBe(200)
    expect(shown()).toEqual(Array(FORMATS.length).fill(`Bearer ${endpoint.tokens[0]}`))
    expect(upstream.requests.filter(({ headers }) => 'api-key' in headers)).toEqual([])
    expect(endpoint.grants).toHaveLength(1)
  })

  it('gets one token for a hundred calls at once', async () => {
    const model = await add({ secret: secretOf() })
    const answers = await Promise.all(Array.from({ length: 100 }, () => chat(farebox, key, { model })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(answers.map((answer) => answer.text()))
    expect(endpoint.grants).toHaveLength(1)
  })

  it('is kept whole, and shown to nobody again', async () => {
    const name = await add({ secret: secretOf() })
    const view = (await farebox.admin.call('listProviders', {})).find((provider) => provider.name === name)
    expect(view).toMatchObject({ has_secret: true, secret_state: 'stored' })
    expect(findInBytes(Buffer.from(JSON.stringify(view)), endpoint.canaries)).toEqual([])
  })

  it('serves the test of the provider and its list of models as well', async () => {
    const name = await add({ secret: secretOf() })
    const list = plainList('m-1')
    upstream.script((request) => {
      const isOurs = endpoint.tokens.some((token) => request.headers.authorization === `Bearer ${token}`)
      if (!isOurs) return { type: 'status', status: 401 }
      return typeof list === 'function' ? list(request) : list
    })
    const id = await idOf(name)
    expect(await farebox.admin.call('testProvider', { id })).toMatchObject({ ok: true })
    const { models } = await farebox.admin.call('listProviderModels', { id })
    expect(models.map(({ id }) => id)).toEqual(['m-1'])
  })

  it('is told to be refused like any secret: to clients, in the status and by the test', async () => {
    const model = await add({ secret: secretOf() })
    const body = '{"error":"invalid_grant","error_description":"who knows"}'
    endpoint.script({ type: 'answer', status: 400, body })
    const response = await chat(farebox, key, { model })
    expect(response.status).toBe(424)
    expect(await response.text()).toContain(`'${model}' refuses Farebox's secret (invalid_grant)`)
    expect(upstream.requests).toEqual([])
    const { targets } = await farebox.admin.call('status', {})
    expect(targets.find(({ provider }) => provider === model)).toMatchObject({
      last_failure: { reason: 'secret', status: 401 },
    })
    const tested = await farebox.admin.call('testProvider', { id: await idOf(model) })
    expect(tested).toMatchObject({ ok: false, problem: 'secret_refused' })
  })
})

describe('a token', () => {
  it('that the provider refuses is not shown again', async () => {
    const model = await add()
    const isFirst: Script = ({ headers }) =>
      headers.authorization === `Bearer ${endpoint.tokens[0]}` ? { type: 'status', status: 401 } : { type: 'answer' }
    upstream.script(isFirst)
    expect((await chat(farebox, key, { model })).status).toBe(424)
    // What a provider refuses is told from memory for some seconds; a test of it ends that.
    await farebox.admin.call('testProvider', { id: await idOf(model) })
    expect((await chat(farebox, key, { model })).status).toBe(200)
    expect(shown().at(-1)).toBe(`Bearer ${endpoint.tokens.at(-1)}`)
  })

  it('is taken out of what the provider says, as its secret is, also when it is an old one', async () => {
    endpoint.script({ type: 'grant', seconds: 0.001 })
    const model = await add()
    await (await chat(farebox, key, { model })).text()
    upstream.script(() => {
      const echo = `Not ${endpoint.tokens.join(' nor ')}, ${endpoint.canaries['the client secret']}.`
      return { type: 'status', status: 400, body: wordsIn('chat-completions', 400, echo) }
    })
    const text = await (await chat(farebox, key, { model })).text()
    expect(text).toContain('Not [secret] nor [secret], [secret].')
    expect(endpoint.tokens).toHaveLength(2)
  })

  it('is got anew with a new secret', async () => {
    const model = await add()
    await (await chat(farebox, key, { model })).text()
    const other = await startTokenEndpoint()
    await farebox.admin.call('setProviderSecret', { id: model, body: { secret: other.entraClient } })
    await (await chat(farebox, key, { model })).text()
    expect(shown()).toEqual([`Bearer ${endpoint.tokens[0]}`, `Bearer ${other.tokens[0]}`])
    await other.close()
  })
})

describe('a token endpoint', () => {
  it.each([
    ['answers with an error', { type: 'answer', status: 500, body: 'oops' }, 502],
    ['answers with garbage', { type: 'answer', status: 200, body: '\u0000{"access' }, 502],
    ['redirects', { type: 'answer', status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } }, 502],
    ['is busy', { type: 'answer', status: 429, body: '' }, 429],
  ] as const)('that %s fails calls as a provider that does', async (_what, behaviour, status) => {
    const model = await add()
    endpoint.script(behaviour)
    const response = await chat(farebox, key, { model })
    expect(response.status).toBe(status)
    await response.text()
    expect(upstream.requests).toEqual([])
  })

  it('that is not there says so in the test of the provider', async () => {
    const gone = await startTokenEndpoint()
    await gone.close()
    const name = await add({ secret: gone.entraClient })
    const tested = await farebox.admin.call('testProvider', { id: await idOf(name) })
    expect(tested).toMatchObject({ ok: false, problem: 'no_token', message: expect.stringMatching(/ECONNREFUSED/) })
    expect((await chat(farebox, key, { model: name })).status).toBe(502)
  })

  it('is left alone when the client goes before it has answered', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>()
    const model = await add()
    endpoint.script({ type: 'late', until })
    const leaving = new AbortController()
    const answer = chat(farebox, key, { model }, { signal: leaving.signal }).catch(() => 'gone')
    await expect.poll(() => endpoint.grants.length).toBe(1)
    leaving.abort()
    expect(await answer).toBe('gone')
    await expect.poll(async () => (await farebox.balance(key))['held_credits']).toBe(0)
    resolve()
    expect((await chat(farebox, key, { model })).status).toBe(200)
    expect(upstream.requests).toHaveLength(1)
    expect(endpoint.grants).toHaveLength(1)
  })
})

describe('a secret of parts that is given', () => {
  const member = (text: string, name: string, value?: unknown) =>
    JSON.stringify({ ...(JSON.parse(text) as object), [name]: value })
  const flawed: [string, () => string, RegExp][] = [
    ['half of it', () => endpoint.serviceAccount.slice(0, -20), /not a whole JSON object/],
    ['credentials of a user', () => member(endpoint.serviceAccount, 'type', 'authorized_user'), /'type' must be/],
    ['no e-mail address', () => member(endpoint.serviceAccount, 'client_email'), /no 'client_email'/],
    ['no key', () => member(endpoint.serviceAccount, 'private_key', ''), /no 'private_key'/],
    ['a key that is none', () => member(endpoint.serviceAccount, 'private_key', 'MIIE'), /no RSA key in PEM/],
    [
      'an address with a query',
      () => member(endpoint.serviceAccount, 'token_uri', 'https://a.example/?b'),
      /'token_uri'/,
    ],
    ['no tenant', () => member(endpoint.entraClient, 'tenant_id'), /no 'tenant_id'/],
    ['a tenant that is a path', () => member(endpoint.entraClient, 'tenant_id', '../x'), /neither an id nor a domain/],
    ['no client', () => member(endpoint.entraClient, 'client_id', 7), /no 'client_id'/],
    ['no secret', () => member(endpoint.entraClient, 'client_secret', null), /no 'client_secret'/],
    ['an authority elsewhere', () => member(endpoint.entraClient, 'authority', 'ftp://a.example'), /'authority'/],
  ]

  it.each(flawed)('is refused with %s, and nothing of it is repeated', async (_what, text, says) => {
    const name = await add()
    const body = { secret: text() }
    const given = farebox.admin.call('setProviderSecret', { id: name, body })
    expect(await refusal(given)).toEqual(refused.invalid('secret'))
    const message = await given.then(String, String)
    expect(message).toMatch(says)
    expect(findInBytes(Buffer.from(message), endpoint.canaries)).toEqual([])
    expect((await chat(farebox, key, { model: name })).status).toBe(200)
  })

  it('is refused where the token endpoint is on this machine and the provider is not', async () => {
    const place = { base_url: 'https://api.example', network: 'public' as const }
    expect(await refusal(add(place))).toMatchObject(refused.invalid('secret'))
  })

  it('is refused by a dialect that signs', async () => {
    expect(await refusal(add({ dialect: 'bedrock-converse' }))).toMatchObject(refused.invalid('secret'))
  })
})

it('leaves no trace of secrets and tokens in logs, receipts, reports and on the disk', async () => {
  const canaries: Record<string, string> = {}
  for (const secret of [endpoint.entraClient, endpoint.serviceAccount]) {
    const model = await add({ secret })
    upstream.script(({ headers }) => ({ type: 'answer', text: `You said ${headers.authorization}.` }))
    const responses = await Promise.all([chat(farebox, key, { model }), chat(farebox, key, { model, stream: true })])
    endpoint.script({ type: 'answer', status: 400, body: `{"error":"${endpoint.canaries['the client secret']}"}` })
    responses.push(await chat(farebox, key, { model: await add({ secret }) }))
    endpoint.script({ type: 'grant' })
    Object.assign(
      canaries,
      endpoint.canaries,
      Object.fromEntries(endpoint.tokens.map((token) => [token.slice(5), token.slice(5)])),
    )
    for (const response of responses) {
      const receipt = await get(farebox, `/v1/receipts/${response.headers.get('x-request-id')}`, key)
      const told = [...response.headers].flat().join('\n') + (await response.text()) + (await receipt.text())
      expect(findInBytes(Buffer.from(told), canaries)).toEqual([])
    }
  }
  const { admin } = farebox
  const told = [farebox.log, await admin.call('usage', { query: {} }), await admin.call('listAudit', { query: {} })]
  expect(findInBytes(Buffer.from(JSON.stringify(told)), canaries)).toEqual([])
  expect(await findInFolder(farebox.dataDir, canaries)).toEqual([])
})
