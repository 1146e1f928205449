import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DiscoveryBody } from '#contract/discovery.ts'
import { postChat } from '../support/chat.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { llamaCpp, lmStudio, lockedLmStudio, ollama, vllm, type OllamaModel } from '../support/local-servers.ts'
import { closeServers, freePort, serveHttp } from '../support/small-servers.ts'
import { model, provider, refusal, refused } from './support.ts'

let farebox: Farebox
let closed: number

beforeEach(async () => {
  farebox = await startFarebox()
  closed = await freePort()
})

afterEach(async () => {
  await farebox.close()
  await closeServers()
})

type Ports = NonNullable<DiscoveryBody['ports']>

/** Looks at these ports, and at a closed one for the servers that have none. */
function discover(ports: Ports, add?: DiscoveryBody['add']) {
  const all = { ollama: closed, 'lm-studio': closed, 'llama-cpp': closed, vllm: closed, ...ports }
  return farebox.admin.call('discover', { body: add === undefined ? { ports: all } : { ports: all, add } })
}

/** The search has 300 ms, which a busy machine may miss, so what is there is looked for until it is found. */
async function discoverSurely(ports: Ports, add?: DiscoveryBody['add']) {
  await expect
    .poll(async () => {
      const { servers } = await discover(ports)
      return servers.filter(({ id, state }) => ports[id] !== undefined && state !== 'not-found').length
    })
    .toBe(Object.keys(ports).length)
  return discover(ports, add)
}

async function startOllama(models: readonly OllamaModel[]): Promise<number> {
  return (await serveHttp(ollama(models))).port
}

const modelIds = async () => (await farebox.admin.call('listModels', {})).map(({ id }) => id)

describe('discovery', () => {
  it('shows what is there and changes nothing unless it is told to', async () => {
    const port = await startOllama([{ name: 'llama3.1:8b', contextLength: 131_072 }])
    const { servers, added } = await discoverSurely({ ollama: port })
    expect(servers.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'ollama found',
      'lm-studio not-found',
      'llama-cpp not-found',
      'vllm not-found',
    ])
    expect(servers[0]).toMatchObject({
      name: 'Ollama',
      base_url: `http://127.0.0.1:${port}/v1`,
      version: '0.12.6',
      provider: null,
      models: [{ name: 'llama3.1:8b', kind: 'chat', context_window: 131_072, model: null }],
    })
    expect(added).toEqual({ providers: [], models: [] })
    expect(await farebox.admin.call('listProviders', {})).toEqual([])
    expect(await modelIds()).toEqual([])
  })

  it('makes a provider and enabled models at a price of 0', async () => {
    const embedding = { name: 'embed', contextLength: 2048, capabilities: ['embedding'] }
    const port = await startOllama([{ name: 'llama3.1:8b', contextLength: 131_072 }, embedding, { name: 'silent' }])
    const { servers, added } = await discoverSurely({ ollama: port }, ['ollama'])
    expect(added).toEqual({ providers: ['ollama'], models: ['llama3.1:8b', 'embed', 'silent'] })
    expect(servers[0]?.models.map((found) => found.model)).toEqual(['llama3.1:8b', 'embed', 'silent'])
    expect(await farebox.admin.call('listProviders', {})).toMatchObject([
      {
        name: 'ollama',
        preset: 'ollama',
        dialect: 'chat-completions',
        base_url: `http://127.0.0.1:${port}/v1`,
        network: 'local',
        has_secret: false,
      },
    ])
    const price = { version: 1, input: 0, output: 0, cache_read: 0, cache_write: 0 }
    expect(await farebox.admin.call('listModels', {})).toMatchObject([
      { id: 'llama3.1:8b', kind: 'chat', context_window: 131_072, max_output_tokens: 131_072, enabled: true, price },
      { id: 'embed', kind: 'embedding', context_window: 2048, enabled: true, price },
      { id: 'silent', context_window: 4096, enabled: true, price },
    ])
  })

  it('adds only what is new the second time', async () => {
    const models: OllamaModel[] = [{ name: 'a', contextLength: 1000 }]
    const port = await startOllama(models)
    await discoverSurely({ ollama: port }, 'all')
    const before = await farebox.admin.call('listModels', {})
    expect((await discoverSurely({ ollama: port }, 'all')).added).toEqual({ providers: [], models: [] })
    expect(await farebox.admin.call('listModels', {})).toEqual(before)
    models.push({ name: 'b', contextLength: 2000 })
    expect((await discoverSurely({ ollama: port }, 'all')).added).toEqual({ providers: [], models: ['b'] })
    expect((await farebox.admin.call('listProviders', {})).length).toBe(1)
  })

  it('leaves a model alone that was disabled, priced or renamed here', async () => {
    const port = await startOllama([{ name: 'a', contextLength: 1000 }])
    await discoverSurely({ ollama: port }, 'all')
    await farebox.admin.call('removeModel', { id: 'a' })
    const mine = model('mine', { targets: [{ provider: 'ollama', model: 'a' }], enabled: false })
    await farebox.admin.call('addModel', { body: mine })
    expect((await discoverSurely({ ollama: port }, 'all')).added).toEqual({ providers: [], models: [] })
    expect(await farebox.admin.call('listModels', {})).toMatchObject([
      { id: 'mine', enabled: false, price: { input: 1 } },
    ])
  })

  it.each(['localhost', '127.0.0.1', '[::1]'])('uses a provider at %s again, by its own name', async (host) => {
    const port = await startOllama([{ name: 'a' }])
    const body = provider('my ollama', { base_url: `http://${host}:${port}/v1` })
    await farebox.admin.call('addProvider', { body })
    const { servers, added } = await discoverSurely({ ollama: port }, 'all')
    expect(servers[0]?.provider).toBe('my ollama')
    expect(added).toEqual({ providers: [], models: ['a'] })
    expect(await farebox.admin.call('listModels', {})).toMatchObject([
      { targets: [{ provider: 'my ollama', model: 'a' }] },
    ])
  })

  it('does not take a provider elsewhere for it, and finds another name', async () => {
    const port = await startOllama([{ name: 'a' }])
    const other = provider('ollama', { base_url: `http://127.0.0.1:${port}/api` })
    await farebox.admin.call('addProvider', { body: other })
    expect((await discoverSurely({ ollama: port }, 'all')).added.providers).toEqual([`ollama-${port}`])
  })

  it('puts the server in front of names that are taken', async () => {
    const [first, second] = [
      await startOllama([{ name: 'a' }, { name: 'b' }]),
      await serveHttp(lmStudio([{ id: 'a' }])),
    ]
    await farebox.admin.call('addProvider', { body: provider('main') })
    await farebox.admin.call('addModel', { body: model('b') })
    const { added } = await discoverSurely({ ollama: first, 'lm-studio': second.port }, 'all')
    expect(added).toEqual({ providers: ['ollama', 'lm-studio'], models: ['a', 'ollama/b', 'lm-studio/a'] })
  })

  it('makes names of files and of texts that no client could send', async () => {
    const file = await serveHttp(({ path }) => {
      const data = [{ id: '/models/Qwen 3 8B.gguf', owned_by: 'llamacpp' }]
      return path === '/v1/models' ? { json: { object: 'list', data } } : { status: 404 }
    })
    const port = await startOllama([{ name: 'naïve modèle' }, { name: 'x'.repeat(201) }, { name: 'bell\u0007' }])
    const { added } = await discoverSurely({ ollama: port, 'llama-cpp': file.port }, 'all')
    expect(added.models).toEqual(['na-ve-mod-le', 'Qwen-3-8B'])
    expect(await farebox.admin.call('listModels', {})).toMatchObject([
      { targets: [{ model: 'naïve modèle' }] },
      { targets: [{ model: '/models/Qwen 3 8B.gguf' }] },
    ])
  })

  it('finds all four at once', async () => {
    const ports = {
      ollama: await startOllama([{ name: 'a' }]),
      'lm-studio': (await serveHttp(lmStudio([{ id: 'b', type: 'llm' }]))).port,
      'llama-cpp': (await serveHttp(llamaCpp({ nCtx: 8192 }))).port,
      vllm: (await serveHttp(vllm())).port,
    }
    const { added } = await discoverSurely(ports, 'all')
    expect(added.providers).toEqual(['ollama', 'lm-studio', 'llama-cpp', 'vllm'])
    expect(added.models).toEqual(['a', 'b', 'qwen3-8b', 'Qwen/Qwen3-8B', 'sql-lora'])
  })

  it('never finds itself', async () => {
    const own = Number(new URL(farebox.url).port)
    const ports = { ollama: own, 'lm-studio': own, 'llama-cpp': own, vllm: own }
    const { servers } = await discover(ports, 'all')
    expect(servers.every(({ state }) => state === 'not-found')).toBe(true)
  })

  it('never finds another Farebox', async () => {
    const other = await startFarebox()
    try {
      const port = Number(new URL(other.url).port)
      const { servers } = await discover({ ollama: port, 'lm-studio': port, 'llama-cpp': port, vllm: port })
      expect(servers.map(({ state }) => state)).toEqual(['not-found', 'not-found', 'not-found', 'not-found'])
    } finally {
      await other.close()
    }
  })
})

describe('discovery refuses', () => {
  it('to add a server that is not there, and then adds none of the others', async () => {
    const port = await startOllama([{ name: 'a' }])
    await discoverSurely({ ollama: port })
    expect(await refusal(discover({ ollama: port }, ['ollama', 'vllm']))).toEqual({ ...refused.notFound, param: 'add' })
    expect(await modelIds()).toEqual([])
  })

  it('to add one that wants a secret, and passes it over where all are added', async () => {
    const { port } = await serveHttp(lockedLmStudio())
    expect((await discoverSurely({ 'lm-studio': port }, 'all')).added).toEqual({ providers: [], models: [] })
    expect(await refusal(discover({ 'lm-studio': port }, ['lm-studio']))).toEqual(refused.conflict('add'))
  })

  it('and adds the models of one that wants a secret once a provider has it', async () => {
    const { port } = await serveHttp(llamaCpp({ nCtx: 1, isLocked: true }))
    await discoverSurely({ 'llama-cpp': port }, 'all')
    const body = provider('mine', { base_url: `http://127.0.0.1:${port}/v1`, secret: 'sk' })
    await farebox.admin.call('addProvider', { body })
    expect((await discoverSurely({ 'llama-cpp': port }, 'all')).added.models).toEqual(['qwen3-8b'])
  })

  it.each<[string, unknown]>([
    ['add', { add: 'some' }],
    ['add.0', { add: ['ollama2'] }],
    ['ports.ollama', { ports: { ollama: 0 } }],
    ['ports.ollama', { ports: { ollama: 65_536 } }],
    ['ports.host', { ports: { host: 80 } }],
    ['url', { url: 'http://169.254.169.254' }],
  ])('a body with a wrong %s', async (_param, body) => {
    const response = await farebox.app.inject({ method: 'POST', path: '/api/discovery', body })
    expect(response.status).toBe(400)
  })
})

it('makes models that can be called, for nothing', async () => {
  const known = ollama([{ name: 'llama', contextLength: 8192 }])
  const { port } = await serveHttp((asked) => {
    if (asked.path !== '/v1/chat/completions') return known(asked)
    const message = { role: 'assistant', content: 'hello' }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }
    return { json: { id: 'x', object: 'chat.completion', created: 1, model: 'llama', choices, usage } }
  })
  await discoverSurely({ ollama: port }, 'all')
  await farebox.admin.call('addPackage', { body: { name: 'one', type: 'topup', credits: 1 } })
  const key = await farebox.newKey('one')
  const response = await postChat({ url: farebox.url, key }, { model: 'llama' })
  expect(response.status).toBe(200)
  await response.text()
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0, total_requests: 1 })
})
