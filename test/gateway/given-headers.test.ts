// Headers that an administrator gives a provider: they go with everything that is sent there, nothing else changes them, and what is
// secret in them is kept, bound to an origin, and taken out of answers as the provider's secret is.

import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderCreate, ProviderEdit } from '#contract/providers.ts'
import { postChat } from '../support/chat.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { plainList } from '../support/upstream-models.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { refusal, refused } from '../catalog/support.ts'

const SECRET = 'sk-upstream-secret-0123456789'
const GIVEN = 'cf-access-secret-value-9876543210'
const OTHER = 'another-header-value-5555555555'

let farebox: Farebox
let upstream: Upstream
let elsewhere: Upstream
let key: string
let names = 0

beforeAll(async () => {
  upstream = await startUpstream()
  elsewhere = await startUpstream()
  farebox = await startFarebox({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  await call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 1000 } })
  key = await farebox.newKey('plenty')
})
beforeEach(() => {
  upstream.forget()
  elsewhere.forget()
})
afterAll(async () => {
  await farebox.close()
  await upstream.close()
  await elsewhere.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)

async function add(more: Partial<ProviderCreate>) {
  const body = { name: `p-${++names}`, dialect: 'chat-completions' as const, base_url: upstream.url, ...more }
  return call('addProvider', { body })
}
const edit = (id: string, body: ProviderEdit) => call('editProvider', { id, body })

/** Calls a model at a provider, and gives back the headers that arrived there. */
async function sent(provider: string, headers: Record<string, string> = {}, at = upstream) {
  const id = `model-${provider}-${++names}`
  await call('addModel', { body: chatModel(id, { targets: [{ provider, model: 'm' }] }) })
  const response = await fetch(`${farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: id, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return { status: response.status, headers: at.requests.at(-1)?.headers ?? {} }
}

const BOTH = { headers: { 'X-Portkey-Provider': 'openai' }, header_secrets: { 'CF-Access-Client-Secret': GIVEN } }
const ARRIVED = { 'x-portkey-provider': 'openai', 'cf-access-client-secret': GIVEN }

describe('headers of a provider', () => {
  it('go with every call, beside its secret, and no client changes them', async () => {
    const { name, ...shown } = await add({ ...BOTH, secret: SECRET })
    expect(shown).toMatchObject({
      headers: { 'x-portkey-provider': 'openai' },
      header_secrets: ['cf-access-client-secret'],
      has_secret: true,
      secret_state: 'stored',
    })
    const arrived = await sent(name, { 'x-portkey-provider': 'theirs', 'cf-access-client-secret': 'theirs' })
    expect(arrived).toMatchObject({ status: 200, headers: { ...ARRIVED, authorization: `Bearer ${SECRET}` } })
  })

  it('are in front of headers that clients of the same dialect may hand on', async () => {
    const { name } = await add({ headers: { 'openai-beta': 'ours' } })
    expect((await sent(name, { 'openai-beta': 'theirs' })).headers['openai-beta']).toBe('ours')
  })

  it('may be all that proves whose request it is', async () => {
    const { name, ...shown } = await add({ header_secrets: { 'x-token': GIVEN } })
    expect(shown).toMatchObject({ has_secret: false, secret_state: 'stored' })
    const { headers } = await sent(name)
    expect(headers['x-token']).toBe(GIVEN)
    expect(headers).not.toHaveProperty('authorization')
  })

  it('go with the test of the provider and with the question for its models', async () => {
    upstream.script(plainList('gpt-a'))
    const { id } = await add({ ...BOTH, secret: SECRET })
    await call('testProvider', { id })
    await call('listProviderModels', { id })
    expect(upstream.requests.length).toBeGreaterThan(1)
    for (const { headers } of upstream.requests) expect(headers).toMatchObject(ARRIVED)
  })

  it('survive a restart', async () => {
    const { name } = await add({ ...BOTH, secret: SECRET })
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect((await sent(name)).headers).toMatchObject({ ...ARRIVED, authorization: `Bearer ${SECRET}` })
  })
})

describe('a change', () => {
  it('of plain headers replaces all of them and leaves the secret ones', async () => {
    const { id, name } = await add(BOTH)
    expect(await edit(id, { headers: { 'x-other': 'v' } })).toMatchObject({
      headers: { 'x-other': 'v' },
      header_secrets: ['cf-access-client-secret'],
    })
    const { headers } = await sent(name)
    expect(headers).toMatchObject({ 'x-other': 'v', 'cf-access-client-secret': GIVEN })
    expect(headers).not.toHaveProperty('x-portkey-provider')
  })

  it('of secret ones changes those that are named, and leaves the secret alone', async () => {
    const { id, name } = await add({ secret: SECRET, header_secrets: { 'x-one': GIVEN, 'x-two': GIVEN } })
    const changed = await edit(id, {
      header_secrets: { 'X-Two': OTHER, 'x-three': OTHER, 'x-one': null, 'x-none': null },
    })
    expect(changed).toMatchObject({ header_secrets: ['x-three', 'x-two'], has_secret: true, secret_state: 'stored' })
    const { headers } = await sent(name)
    expect(headers).toMatchObject({ 'x-two': OTHER, 'x-three': OTHER, authorization: `Bearer ${SECRET}` })
    expect(headers).not.toHaveProperty('x-one')
  })

  it('of the secret leaves the secret headers alone', async () => {
    const { id, name } = await add({ secret: SECRET, header_secrets: { 'x-one': GIVEN } })
    await call('setProviderSecret', { id, body: { secret: 'sk-new' } })
    expect((await sent(name)).headers).toMatchObject({ 'x-one': GIVEN, authorization: 'Bearer sk-new' })
  })

  it('of the origin forgets all that is secret, and sends nothing of it to the new one', async () => {
    const { id, name } = await add({ ...BOTH, secret: SECRET })
    const moved = await edit(id, { base_url: elsewhere.url })
    expect(moved).toMatchObject({
      headers: { 'x-portkey-provider': 'openai' },
      header_secrets: [],
      has_secret: false,
      secret_state: 'none',
    })
    const { headers } = await sent(name, {}, elsewhere)
    expect(headers).toMatchObject({ 'x-portkey-provider': 'openai' })
    expect(JSON.stringify(headers)).not.toContain(GIVEN)
    expect(JSON.stringify(headers)).not.toContain(SECRET)
    // Back at the old one nothing is there any more either.
    expect(await edit(id, { base_url: upstream.url })).toMatchObject({ header_secrets: [], secret_state: 'none' })
    expect(JSON.stringify((await sent(name)).headers)).not.toContain(GIVEN)
  })

  it('of the origin can give new values along with it', async () => {
    const { id, name } = await add({ ...BOTH, secret: SECRET })
    const moved = await edit(id, { base_url: elsewhere.url, header_secrets: { 'x-new': OTHER } })
    expect(moved).toMatchObject({ header_secrets: ['x-new'], has_secret: false, secret_state: 'stored' })
    const { headers } = await sent(name, {}, elsewhere)
    expect(headers['x-new']).toBe(OTHER)
    expect(JSON.stringify(headers)).not.toContain(GIVEN)
  })

  it('by farebox.yaml is made once, and the same again changes nothing', async () => {
    const provider = { name: 'filed', dialect: 'chat-completions' as const, base_url: upstream.url, ...BOTH }
    const apply = async (more: Partial<ProviderCreate> = {}) => {
      const document = { providers: [{ ...provider, secret: SECRET, ...more }] }
      return (await call('apply', { body: { document } })).changes[0]
    }
    expect(await apply()).toMatchObject({ action: 'create' })
    expect(await apply()).toMatchObject({ action: 'none' })
    expect(await apply({ headers: { 'x-portkey-provider': 'azure' } })).toMatchObject({ fields: ['headers'] })
    expect(await apply({ header_secrets: { 'cf-access-client-secret': OTHER } })).toMatchObject({ action: 'update' })
    expect((await sent('filed')).headers).toMatchObject({ 'cf-access-client-secret': OTHER })
    const { secret: _secret, ...without } = { ...provider, secret: undefined }
    const document = { providers: [{ ...without, header_secrets: {} }] }
    await call('apply', { body: { document } })
    const { headers } = await sent('filed')
    expect(headers).toMatchObject({ 'x-portkey-provider': 'openai', authorization: `Bearer ${SECRET}` })
    expect(headers).not.toHaveProperty('cf-access-client-secret')
  })
})

describe('a header is refused', () => {
  it.each([
    'authorization',
    'X-Api-Key',
    'api-key',
    'x-goog-api-key',
    'Host',
    'content-length',
    'content-type',
    'transfer-encoding',
    'connection',
    'keep-alive',
    'te',
    'trailer',
    'upgrade',
    'expect',
    'accept-encoding',
    'user-agent',
    'proxy-authorization',
    'proxy-connection',
    'sec-fetch-mode',
    '',
    'two words',
    'x-a\r\nx-b',
    'x:a',
    ':authority',
    'x_under',
    '-x',
    'ä',
    '__proto__',
    'x'.repeat(65),
  ])('for its name: %j', async (name) => {
    const given = JSON.parse(`{${JSON.stringify(name)}:"v"}`) as Record<string, string>
    expect(await refusal(add({ headers: given }))).toEqual(refused.invalid('headers'))
    expect(await refusal(add({ header_secrets: given }))).toEqual(refused.invalid('header_secrets'))
  })

  it.each(['', ' v', 'v ', 'a\r\nx-b: c', 'a\nb', 'a\u0000', 'tab\there', 'ä', '\u{1f4a1}', 'v'.repeat(4001)])(
    'for its value: %j',
    async (value) => {
      expect(await refusal(add({ headers: { 'x-a': value } }))).toMatchObject({ status: 400 })
      const { id } = await add({})
      const wrong = edit(id, { header_secrets: { 'x-a': value } })
      expect(await refusal(wrong)).toMatchObject({ status: 400 })
      await wrong.catch((error: unknown) => {
        if (value.length > 3) expect(String(error)).not.toContain(value.trim())
      })
    },
  )

  it('where it is given twice, in any spelling and either way', async () => {
    expect(await refusal(add({ headers: { 'x-a': '1', 'X-A': '2' } }))).toEqual(refused.invalid('headers'))
    expect(await refusal(add({ headers: { 'x-a': '1' }, header_secrets: { 'X-A': '2' } }))).toEqual(
      refused.invalid('headers'),
    )
    const { id } = await add({ header_secrets: { 'x-a': GIVEN } })
    expect(await refusal(edit(id, { headers: { 'x-a': 'v' } }))).toEqual(refused.invalid('headers'))
  })

  it('where there are too many of them together', async () => {
    const many = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, 'value']))
    const { id } = await add({ headers: many(10, 'x-a'), header_secrets: many(6, 'x-b') })
    expect(await refusal(edit(id, { header_secrets: { 'x-c': 'value' } }))).toEqual(refused.invalid('headers'))
    expect(await refusal(add({ headers: many(17, 'x-a') }))).toMatchObject({ status: 400 })
  })

  it('at the demo provider, which calls nobody', async () => {
    const body = { name: 'demo', dialect: 'demo' as const, headers: { 'x-a': 'v' } }
    expect(await refusal(call('addProvider', { body }))).toEqual(refused.invalid('headers'))
  })
})

describe('the secret value of a header', () => {
  it('is taken out of what the provider says', async () => {
    const { id, name } = await add({ secret: SECRET, header_secrets: { 'x-one': GIVEN, 'x-two': OTHER } })
    await sent(name)
    const model = `echo-${name}`
    await call('addModel', { body: chatModel(model, { targets: [{ provider: name, model: 'm' }] }) })
    const error = { message: `You sent ${GIVEN} and ${OTHER} and ${SECRET}.`, type: 'odd', code: 'no' }
    upstream.script({ type: 'status', status: 400, body: { error } })
    const response = await postChat({ url: farebox.url, key }, { model })
    expect(await response.text()).toContain('You sent [secret] and [secret] and [secret].')
    expect(JSON.stringify(await call('testProvider', { id }))).not.toContain(GIVEN)
  })

  it('is in no list, no audit log, no log line, and no file but the vault', async () => {
    const { id } = await add({ header_secrets: { 'x-one': GIVEN } })
    await edit(id, { header_secrets: { 'x-one': OTHER } })
    const seen = JSON.stringify([
      await call('listProviders', {}),
      await call('listAudit', { query: {} }),
      await call('status', {}),
      await call('usage', { query: {} }),
      farebox.log,
    ])
    expect(seen).toContain('x-one')
    const files = (await readdir(farebox.dataDir)).filter((name) => !name.includes('lock'))
    const bytes = await Promise.all(
      files.map((name) => readFile(join(farebox.dataDir, name), 'latin1').catch(() => '')),
    )
    for (const secret of [GIVEN, OTHER, SECRET]) expect([seen, ...bytes].join('\n')).not.toContain(secret)
  })
})
