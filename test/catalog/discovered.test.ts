import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DiscoveryBody, DiscoveryView } from '#contract/discovery.ts'
import { postChat } from '../support/chat.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import {
  llamaCpp,
  llamaCppRouter,
  lmStudio,
  lockedLmStudio,
  ollama,
  vllm,
  type OllamaModel,
  type RoutedModel,
} from '../support/local-servers.ts'
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

function stateOf({ servers }: Awaited<ReturnType<typeof discover>>, wanted: string): string[] {
  return servers.filter(({ id }) => id === wanted).map(({ state }) => state)
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
    expect(added).toEqual({ providers: [], models: [], contexts: [] })
    expect(await farebox.admin.call('listProviders', {})).toEqual([])
    expect(await modelIds()).toEqual([])
  })

  it('makes a provider and enabled models at a price of 0', async () => {
    const embedding = { name: 'embed', contextLength: 2048, capabilities: ['embedding'] }
    const port = await startOllama([{ name: 'llama3.1:8b', contextLength: 131_072 }, embedding, { name: 'silent' }])
    const { servers, added } = await discoverSurely({ ollama: port }, ['ollama'])
    expect(added).toEqual({ providers: ['ollama'], models: ['llama3.1:8b', 'embed', 'silent'], contexts: [] })
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
    expect((await discoverSurely({ ollama: port }, 'all')).added).toEqual({ providers: [], models: [], contexts: [] })
    expect(await farebox.admin.call('listModels', {})).toEqual(before)
    models.push({ name: 'b', contextLength: 2000 })
    expect((await discoverSurely({ ollama: port }, 'all')).added).toEqual({
      providers: [],
      models: ['b'],
      contexts: [],
    })
    expect((await farebox.admin.call('listProviders', {})).length).toBe(1)
  })

  it('leaves a model alone that was disabled, priced or renamed here', async () => {
    const port = await startOllama([{ name: 'a', contextLength: 1000 }])
    await discoverSurely({ ollama: port }, 'all')
    await farebox.admin.call('removeModel', { id: 'a' })
    const mine = model('mine', { targets: [{ provider: 'ollama', model: 'a' }], enabled: false })
    await farebox.admin.call('addModel', { body: mine })
    expect((await discoverSurely({ ollama: port }, 'all')).added).toEqual({ providers: [], models: [], contexts: [] })
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
    expect(added).toEqual({ providers: [], models: ['a'], contexts: [] })
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
    expect(added).toEqual({
      providers: ['ollama', 'lm-studio'],
      models: ['a', 'ollama/b', 'lm-studio/a'],
      contexts: [],
    })
  })

  it('tells two servers of one kind apart, and the models that both have', async () => {
    const servers = [await serveHttp(llamaCpp({ nCtx: 1 })), await serveHttp(llamaCpp({ nCtx: 2 }))]
    const [first = 0, second = 0] = servers.map(({ port }) => port)
    const ports = { 'llama-cpp': [first, second] }
    await expect.poll(async () => stateOf(await discover(ports), 'llama-cpp')).toEqual(['found', 'found'])
    const { servers: shown, added } = await discover(ports, ['llama-cpp'])
    expect(added).toEqual({
      providers: ['llama-cpp', `llama-cpp-${second}`],
      models: ['qwen3-8b', 'llama-cpp/qwen3-8b'],
      contexts: [],
    })
    expect(shown.filter(({ id }) => id === 'llama-cpp')).toMatchObject([
      { base_url: `http://127.0.0.1:${first}/v1`, provider: 'llama-cpp', models: [{ model: 'qwen3-8b' }] },
      { provider: `llama-cpp-${second}`, models: [{ model: 'llama-cpp/qwen3-8b' }] },
    ])
  })

  it('names a third model of one name by its provider', async () => {
    const ports = [await serveHttp(llamaCpp({ nCtx: 1 })), await serveHttp(llamaCpp({ nCtx: 2 }))].map(
      ({ port }) => port,
    )
    await farebox.admin.call('addProvider', { body: provider('main') })
    await farebox.admin.call('addModel', { body: model('qwen3-8b') })
    await expect.poll(async () => stateOf(await discover({ 'llama-cpp': ports }), 'llama-cpp')).toHaveLength(2)
    const { added } = await discover({ 'llama-cpp': ports }, 'all')
    expect(added.models).toEqual(['llama-cpp/qwen3-8b', `llama-cpp-${ports[1]}/qwen3-8b`])
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

describe('a context window that nobody told', () => {
  const listModels = () => farebox.admin.call('listModels', {})

  /** A router with one model that is loaded later, and the search for it, with or without adding. */
  async function router() {
    const models: RoutedModel[] = [{ id: 'm', args: ['llama-server'] }]
    const { port } = await serveHttp(llamaCppRouter(models))
    return {
      load: (nCtx: number) => void models.splice(0, 1, { id: 'm', args: ['llama-server'], meta: { n_ctx: nCtx } }),
      discover: (add?: 'all') => discoverSurely({ 'llama-cpp': port }, add),
    }
  }
  const found = ({ servers }: DiscoveryView) => servers.flatMap(({ models }) => models)

  it('is assumed, and gives way to what the server tells once it has loaded the model', async () => {
    const server = await router()
    await server.discover('all')
    const assumed = { context_window: 4096, context_window_guessed: true, max_output_tokens: 4096 }
    expect(await listModels()).toMatchObject([{ id: 'm', ...assumed }])
    expect((await server.discover('all')).added.contexts).toEqual([])
    server.load(32_768)
    expect(found(await server.discover())).toMatchObject([{ context_window: 32_768, model: 'm', tells_context: true }])
    expect(await listModels()).toMatchObject([assumed])
    const { added, servers } = await server.discover('all')
    expect(added).toEqual({ providers: [], models: [], contexts: ['m'] })
    expect(found({ added, servers })).toMatchObject([{ tells_context: false }])
    const [learnt] = await listModels()
    expect(learnt).toMatchObject({ context_window: 32_768, max_output_tokens: 32_768 })
    expect(learnt).not.toHaveProperty('context_window_guessed')
    // What was told is not assumed: another size later is for an administrator to take over.
    server.load(1024)
    expect((await server.discover('all')).added.contexts).toEqual([])
  })

  it('is not asked for any more once an administrator said it, and a smaller output stays', async () => {
    const server = await router()
    await server.discover('all')
    await farebox.admin.call('editModel', { id: 'm', body: { max_output_tokens: 100 } })
    server.load(50)
    await server.discover('all')
    expect(await listModels()).toMatchObject([{ context_window: 50, max_output_tokens: 50 }])
    const other = await router()
    await other.discover('all')
    const id = 'llama-cpp/m'
    const edited = await farebox.admin.call('editModel', { id, body: { context_window: 4096 } })
    expect(edited).not.toHaveProperty('context_window_guessed')
    other.load(8192)
    expect((await other.discover('all')).added.contexts).toEqual([])
  })

  it('is taken over from the list of the provider as well', async () => {
    const server = await router()
    await server.discover('all')
    server.load(8192)
    const body = { models: ['m'] }
    expect(await farebox.admin.call('addProviderModels', { id: 'llama-cpp', body })).toMatchObject({
      added: [],
      skipped: [],
      contexts: [{ id: 'm', context_window: 8192 }],
    })
    const again = await farebox.admin.call('addProviderModels', { id: 'llama-cpp', body })
    expect(again).toMatchObject({ skipped: [{ model: 'm' }] })
    expect(again).not.toHaveProperty('contexts')
  })

  it('survives a restart, and is an assumption no more where a file says the same', async () => {
    const server = await router()
    await server.discover('all')
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    const [before] = await listModels()
    expect(before).toMatchObject({ context_window_guessed: true })
    const targets = [{ provider: 'llama-cpp', model: 'm' }]
    const document = { models: [{ id: 'm', context_window: 4096, max_output_tokens: 4096, targets }] }
    const applied = await farebox.admin.call('apply', { body: { document } })
    expect(applied.changes).toMatchObject([{ action: 'update', fields: ['context_window_guessed'] }])
    expect((await listModels())[0]).not.toHaveProperty('context_window_guessed')
    const again = await farebox.admin.call('apply', { body: { document } })
    expect(again.changes).toMatchObject([{ action: 'none' }])
  })
})

describe('what a model is for', () => {
  it('is what an administrator says where no server says it', async () => {
    const embedding = { name: 'told', capabilities: ['embedding'] }
    const port = await startOllama([{ name: 'e5' }, { name: 'embedder' }, embedding])
    const ports = { ollama: port, 'lm-studio': closed, 'llama-cpp': closed, vllm: closed }
    const { servers } = await discoverSurely({ ollama: port })
    expect(servers[0]?.models.map(({ kind, kind_source }) => [kind, kind_source])).toEqual([
      ['chat', 'name'],
      ['embedding', 'name'],
      ['embedding', 'provider'],
    ])
    await farebox.admin.call('discover', { body: { ports, add: 'all', kind: 'chat' } })
    const kinds = (await farebox.admin.call('listModels', {})).map(({ kind }) => kind)
    expect(kinds).toEqual(['chat', 'chat', 'embedding'])
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
    expect((await discoverSurely({ 'lm-studio': port }, 'all')).added).toEqual({
      providers: [],
      models: [],
      contexts: [],
    })
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
