import { afterEach, describe, expect, it } from 'vitest'
import { LOCAL_SERVER_IDS, LOCAL_SERVERS, type LocalServerId } from '#core/local-servers.ts'
import { discoverServers } from '#provider/discovery.ts'
import {
  llamaCpp,
  llamaCppRouter,
  lmStudio,
  lockedLmStudio,
  newerLmStudio,
  ollama,
  vllm,
} from '../support/local-servers.ts'
import { closeServers, freePort, serveHttp, serveTcp, type Answering } from '../support/small-servers.ts'
import { closeConnections, openConnections } from './support.ts'

/** Long enough for a busy machine; that the real limit holds is a test of its own. */
const PATIENT_MS = 5000

afterEach(closeServers)
afterEach(closeConnections)

/** What is found where one server answers like this and the places of the others are empty. */
async function find(id: LocalServerId, answering: Answering) {
  const server = await serveHttp(answering)
  return { ...(await findAt(id, server.port)), asked: server.asked }
}

async function findAt(id: LocalServerId, port: number, timeLimitMs = PATIENT_MS) {
  const closed = await freePort()
  const ports = { ...Object.fromEntries(LOCAL_SERVER_IDS.map((other) => [other, closed])), [id]: port }
  const servers = await discoverServers({ connections: openConnections(), ports, timeLimitMs })
  expect(servers.map((server) => server.id)).toEqual([...LOCAL_SERVER_IDS])
  const others = servers.filter((server) => server.id !== id)
  expect(others.map(({ state }) => state)).toEqual(['not-found', 'not-found', 'not-found'])
  const { state, version, models } = servers.find((server) => server.id === id) ?? expect.fail('it is not there')
  return { state, version, models }
}

describe('Ollama', () => {
  it('is known by its version and its list, with what each model says about itself', async () => {
    const found = await find(
      'ollama',
      ollama([
        { name: 'llama3.1:8b', contextLength: 131_072, capabilities: ['completion', 'tools'] },
        { name: 'nomic-embed-text:latest', contextLength: 2048, capabilities: ['embedding'] },
        { name: 'small', contextLength: 131_072, parameters: 'temperature 0.7\nnum_ctx                        8192' },
        { name: 'silent' },
      ]),
    )
    expect(found).toMatchObject({ state: 'found', version: '0.12.6' })
    expect(found.models).toEqual([
      { name: 'llama3.1:8b', kind: 'chat', isKindGuessed: false, contextWindow: 131_072 },
      { name: 'nomic-embed-text:latest', kind: 'embedding', isKindGuessed: false, contextWindow: 2048 },
      { name: 'small', kind: 'chat', isKindGuessed: true, contextWindow: 8192 },
      { name: 'silent', kind: 'chat', isKindGuessed: true, contextWindow: undefined },
    ])
  })

  it('leaves out models that run elsewhere, because they are not free', async () => {
    const found = await find(
      'ollama',
      ollama([{ name: 'big:cloud', remoteHost: 'https://ollama.com:443' }, { name: 'own' }]),
    )
    expect(found.models.map(({ name }) => name)).toEqual(['own'])
  })

  it('has no models where none is installed', async () => {
    expect(await find('ollama', ollama([]))).toMatchObject({ state: 'found', models: [] })
  })

  it('keeps the models whose size cannot be learnt', async () => {
    const usual = ollama([{ name: 'a', contextLength: 1000 }])
    const found = await find('ollama', (asked) =>
      asked.path === '/api/show' ? { status: 500, text: 'no' } : usual(asked),
    )
    expect(found.models).toEqual([{ name: 'a', kind: 'chat', isKindGuessed: true, contextWindow: undefined }])
  })
})

describe('LM Studio', () => {
  const chat = { id: 'qwen3-8b', object: 'model', type: 'llm', state: 'loaded', max_context_length: 40_960 }

  it('is known by its own list, and what is loaded counts before what could be', async () => {
    const embedding = { ...chat, id: 'nomic', type: 'embeddings', state: 'not-loaded', max_context_length: 2048 }
    const found = await find('lm-studio', lmStudio([{ ...chat, loaded_context_length: 4096 }, embedding]))
    expect(found).toMatchObject({ state: 'found' })
    expect(found.models).toEqual([
      { name: 'qwen3-8b', kind: 'chat', isKindGuessed: false, contextWindow: 4096 },
      { name: 'nomic', kind: 'embedding', isKindGuessed: false, contextWindow: 2048 },
    ])
  })

  it('is known by its newer list as well', async () => {
    const loaded = [{ id: 'qwen3-8b', config: { context_length: 8192 } }]
    const model = { type: 'llm', key: 'qwen3-8b', max_context_length: 40_960, loaded_instances: loaded }
    const other = { type: 'embedding', key: 'nomic', max_context_length: 2048, loaded_instances: [] }
    expect((await find('lm-studio', newerLmStudio([model, other]))).models).toEqual([
      { name: 'qwen3-8b', kind: 'chat', isKindGuessed: false, contextWindow: 8192 },
      { name: 'nomic', kind: 'embedding', isKindGuessed: false, contextWindow: 2048 },
    ])
  })

  it('is there and wants a key when it says so', async () => {
    expect(await find('lm-studio', lockedLmStudio())).toMatchObject({ state: 'needs-key', models: [] })
  })

  it('is not anybody who says 401', async () => {
    const json = { error: { type: 'authentication_error', code: 401, message: 'no' } }
    expect(await find('lm-studio', () => ({ status: 401, json }))).toMatchObject({ state: 'not-found' })
    expect(await find('lm-studio', () => ({ status: 401, text: 'no' }))).toMatchObject({ state: 'not-found' })
  })
})

describe('llama.cpp', () => {
  it('is known by its properties, whose context is what one request may use', async () => {
    const found = await find('llama-cpp', llamaCpp({ nCtx: 8192 }))
    expect(found).toMatchObject({ state: 'found', version: 'b5002-2c3f8b85' })
    expect(found.models).toEqual([{ name: 'qwen3-8b.gguf', kind: 'chat', isKindGuessed: true, contextWindow: 8192 }])
  })

  it('says with each model what is served of it, where it does', async () => {
    const found = await find('llama-cpp', llamaCpp({ nCtx: 8192, meta: { n_ctx: 16_384, n_ctx_train: 131_072 } }))
    expect(found.models.map(({ contextWindow }) => contextWindow)).toEqual([16_384])
  })

  it.each([
    [400, 'embedding', false],
    [501, 'chat', false],
    [404, 'chat', true],
    [503, 'chat', true],
    [200, 'chat', true],
  ] as const)('is asked for embeddings of nothing, and %s says what it is for', async (status, kind, isKindGuessed) => {
    const found = await find('llama-cpp', llamaCpp({ nCtx: 8192, embeddings: status }))
    expect(found.models).toMatchObject([{ name: 'qwen3-8b.gguf', kind, isKindGuessed }])
    expect(found.asked.filter(({ method }) => method !== 'GET')).toMatchObject([
      { method: 'POST', path: '/v1/embeddings', text: '{}' },
    ])
  })

  it('as a router says of each model what it is started with, and is asked nothing that loads one', async () => {
    const found = await find('llama-cpp', llamaCppRouter())
    expect(found.models).toEqual([
      { name: 'loaded', kind: 'chat', isKindGuessed: false, contextWindow: 3072 },
      { name: 'sized', kind: 'chat', isKindGuessed: false, contextWindow: 8192 },
      { name: 'shared', kind: 'chat', isKindGuessed: false, contextWindow: 2048 },
      { name: 'vectors', kind: 'embedding', isKindGuessed: false, contextWindow: undefined },
      { name: 'embed-by-name', kind: 'embedding', isKindGuessed: true, contextWindow: undefined },
    ])
    expect(found.asked.every(({ method }) => method === 'GET')).toBe(true)
  })

  it('wants a key where its properties are locked, and shows its model all the same', async () => {
    const found = await find('llama-cpp', llamaCpp({ nCtx: 8192, isLocked: true }))
    expect(found).toMatchObject({ state: 'needs-key', models: [{ contextWindow: 131_072 }] })
  })
})

describe('several places of one kind', () => {
  it('are all looked at, and llama.cpp has two', async () => {
    expect(LOCAL_SERVERS['llama-cpp'].ports).toEqual([8080, 9931])
    const [first, second] = [await serveHttp(llamaCpp({ nCtx: 1 })), await serveHttp(llamaCpp({ nCtx: 2 }))]
    const closed = await freePort()
    const place = (ports: readonly number[]) =>
      discoverServers({
        connections: openConnections(),
        ports: { ollama: closed, 'lm-studio': closed, vllm: closed, 'llama-cpp': ports },
        timeLimitMs: PATIENT_MS,
      })
    const portsFound = async (ports: readonly number[]) =>
      (await place(ports)).filter(({ id }) => id === 'llama-cpp').map(({ port, state }) => `${port} ${state}`)
    expect(await portsFound([first.port, second.port])).toEqual([`${first.port} found`, `${second.port} found`])
    // One that is there says enough, whichever place it is at; the same place is looked at once.
    expect(await portsFound([closed, second.port, second.port])).toEqual([`${second.port} found`])
    const other = await freePort()
    expect(await portsFound([closed, other])).toEqual([`${closed} not-found`])
  })
})

describe('vLLM', () => {
  it('is known by the owner of its models, and an adapter has the size of its model', async () => {
    const found = await find('vllm', vllm())
    expect(found).toMatchObject({ state: 'found', version: '0.11.0' })
    expect(found.models).toEqual([
      { name: 'Qwen/Qwen3-8B', kind: 'chat', isKindGuessed: true, contextWindow: 40_960 },
      { name: 'sql-lora', kind: 'chat', isKindGuessed: true, contextWindow: 40_960 },
    ])
  })

  it('is there and wants a key when it says so', async () => {
    expect(await find('vllm', vllm({ isLocked: true }))).toMatchObject({ state: 'needs-key', version: '0.11.0' })
  })
})

/** What may listen on those ports besides. Each is looked at as each of the four servers. */
const OTHERS: readonly (readonly [what: string, answering: Answering])[] = [
  ['a web page at every path', () => ({ text: '<!doctype html><p>hi', headers: { 'content-type': 'text/html' } })],
  ['an empty object at every path', () => ({ json: {} })],
  ['null at every path', () => ({ text: 'null', headers: { 'content-type': 'application/json' } })],
  ['an empty list at every path', () => ({ json: [] })],
  ['an error at every path', () => ({ status: 500, json: { error: 'x' } })],
  ['somebody else with a version and a list of models', ({ path }) => otherGateway(path)],
  [
    'lists whose members are of wrong types',
    () => ({ json: { version: 7, models: 'many', data: { id: 1 }, object: 'list' } }),
  ],
  ['a redirect to the real one', () => ({ status: 302, headers: { location: '/api/version' } })],
  ['broken JSON', () => ({ text: '{"version":"1"' })],
]

function otherGateway(path: string) {
  if (path === '/version') return { json: { version: '1.0' } }
  if (path === '/health') return { json: { status: 'ok' } }
  if (path === '/v1/models')
    return { json: { object: 'list', data: [{ id: 'gpt', object: 'model', owned_by: 'openai' }] } }
  return { status: 404, json: { detail: 'Not Found' } }
}

describe('something else on the port', () => {
  it.each(OTHERS)('%s is not found', async (_what, answering) => {
    for (const id of LOCAL_SERVER_IDS) expect(await find(id, answering), id).toMatchObject({ state: 'not-found' })
  })

  it('is not one of the other local servers', async () => {
    const all = { ollama: ollama([]), 'lm-studio': lmStudio([]), 'llama-cpp': llamaCpp({ nCtx: 1 }), vllm: vllm() }
    for (const [real, answering] of Object.entries(all)) {
      for (const id of LOCAL_SERVER_IDS.filter((other) => other !== real)) {
        expect(await find(id, answering), `${real} as ${id}`).toMatchObject({ state: 'not-found' })
      }
    }
  })

  it('is not Farebox, whatever it passes on', async () => {
    const real = vllm()
    const gateway: Answering = (asked) =>
      asked.path === '/health' ? { json: { status: 'ok', name: 'farebox', version: '0.1.0' } } : real(asked)
    expect(await find('vllm', gateway)).toMatchObject({ state: 'not-found' })
  })

  it('is not even asked on the own port', async () => {
    const server = await serveHttp(ollama([]))
    const ports = { ollama: server.port, 'lm-studio': server.port, 'llama-cpp': server.port, vllm: server.port }
    const servers = await discoverServers({
      connections: openConnections({ isOwn: (_address, port) => port === server.port }),
      ports,
    })
    expect(servers.map(({ state }) => state)).toEqual(['not-found', 'not-found', 'not-found', 'not-found'])
    expect(server.asked).toEqual([])
  })

  it('is given up when it sends without end', async () => {
    const port = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"version":"')
      const send = () => void (socket.writable && socket.write('x'.repeat(65_536), send))
      send()
    })
    expect(await findAt('ollama', port)).toMatchObject({ state: 'not-found' })
  })

  it('is given up after 300 ms when it takes the connection and says nothing, all at once', async () => {
    let [open, most] = [0, 0]
    const port = await serveTcp((socket) => {
      most = Math.max(most, ++open)
      socket.once('close', () => open--)
    })
    const startedAt = performance.now()
    const ports = { ollama: port, 'lm-studio': port, 'llama-cpp': port, vllm: port }
    const servers = await discoverServers({ connections: openConnections(), ports })
    const tookMs = performance.now() - startedAt
    expect(servers.every(({ state }) => state === 'not-found')).toBe(true)
    // Two questions of each of the four, and who it is.
    expect(most).toBe(12)
    expect(tookMs).toBeGreaterThan(250)
    // Far from what any other limit would be, and far enough for a busy machine.
    expect(tookMs).toBeLessThan(5000)
  })
})

it('sends no secret and nothing that could cost anything', async () => {
  const { asked } = await find('ollama', ollama([{ name: 'a' }]))
  expect(asked.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'GET /api/tags',
    'GET /api/version',
    'GET /health',
    'POST /api/show',
  ])
  for (const { headers } of asked) expect(Object.keys(headers)).not.toContain('authorization')
})
