// How each program is set up and called, and what its output says about the answer it got.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NO_NETWORK } from './alone.ts'
import type { Installed, ProgramName } from './install.ts'
import { execute, type Ended } from './execute.ts'

export type Task = {
  readonly prompt: string
  /** The gateway's address, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly model: string
  /** An empty folder: the program's home and its working folder are made in it. */
  readonly folder: string
  readonly limitMs?: number
}

export type Outcome = Ended & {
  /** What the program gives out as the model's answer. */
  readonly answer: string
  /** The program says that it did what it was asked. */
  readonly succeeded: boolean
}

export type Program = {
  readonly name: string
  run(installed: Installed, task: Task): Promise<Outcome>
}

type Setup = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const RETRIES = 2
const FEW_RETRIES = `request_max_retries = ${RETRIES}
stream_max_retries = ${RETRIES}
`
const LIMIT_MS = 60_000

export const CLAUDE: Program = {
  name: 'claude',
  async run(installed, task) {
    const args = ['-p', task.prompt, '--output-format', 'json', '--dangerously-skip-permissions']
    const env = {
      ANTHROPIC_BASE_URL: task.url,
      ANTHROPIC_AUTH_TOKEN: task.key,
      ANTHROPIC_MODEL: task.model,
      ANTHROPIC_SMALL_FAST_MODEL: task.model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: task.model,
      CLAUDE_CODE_MAX_RETRIES: String(RETRIES),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // It refuses to skip its permissions as root unless it is told that it is in a sandbox.
      IS_SANDBOX: '1',
    }
    const ended = await call(installed, 'claude', task, { args, env })
    const result = lastObject(ended.stdout)
    const succeeded = ended.code === 0 && result?.is_error === false
    return { ...ended, succeeded, answer: typeof result?.result === 'string' ? result.result : '' }
  },
}

export const CODEX: Program = codex('codex', [])

/** Codex as it is delivered: it asks up to thirty times for one question. */
export const CODEX_UNTOLD: Program = codex('codex-untold', [], '')

/** Codex with its built-in provider, which speaks over a WebSocket. */
export const CODEX_BUILT_IN: Program = codex('codex-built-in', ['-c', 'model_provider="openai"'])

function codex(name: string, extra: readonly string[], retries = FEW_RETRIES): Program {
  return {
    name,
    async run(installed, task) {
      await folderWith(join(task.folder, 'home', '.codex'), 'config.toml', codexConfig(task, retries))
      const base = ['-c', `openai_base_url="${task.url}/v1"`]
      const args = ['exec', '--skip-git-repo-check', '--json', ...base, ...extra, task.prompt]
      const env = { CODEX_HOME: join(task.folder, 'home', '.codex'), GATEWAY_KEY: task.key, CODEX_API_KEY: task.key }
      const ended = await call(installed, 'codex', task, { args, env })
      const events = objectsOf(ended.stdout)
      const said = events.flatMap(({ type, item }) => (type === 'item.completed' && isObject(item) ? [item] : []))
      const succeeded = ended.code === 0 && events.some(({ type }) => type === 'turn.completed')
      const messages = said.filter(({ type }) => type === 'agent_message')
      // What it said before a call of a tool, or before it had to ask again, is not its answer.
      return { ...ended, succeeded, answer: textsOf(messages.slice(-1)) }
    },
  }
}

function codexConfig({ url, model }: Task, retries: string): string {
  return `model = "${model}"
model_provider = "gateway"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.gateway]
name = "gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
${retries}stream_idle_timeout_ms = 20000
`
}

/** opencode in each of the three formats that it speaks. */
export const OPENCODES: readonly Program[] = [
  opencode('opencode-chat', '@ai-sdk/openai-compatible'),
  opencode('opencode-messages', '@ai-sdk/anthropic'),
  opencode('opencode-responses', '@ai-sdk/openai'),
]

function opencode(name: string, npm: string): Program {
  return {
    name,
    async run(installed, task) {
      const { folder, url, key, model } = task
      const options = { baseURL: `${url}/v1`, apiKey: key }
      const provider = { gateway: { npm, name: 'gateway', options, models: { [model]: { name: model } } } }
      await folderWith(folder, 'opencode.json', JSON.stringify({ provider, share: 'disabled', autoupdate: false }))
      const chosen = ['--model', `gateway/${model}`, '--format', 'json']
      // A title of its own spares the request that would invent one.
      const args = ['run', ...chosen, '--title', 'test', task.prompt]
      const env = {
        OPENCODE_CONFIG: join(folder, 'opencode.json'),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
      }
      const ended = await call(installed, 'opencode', task, { args, env })
      const events = objectsOf(ended.stdout)
      const texts = events.flatMap(({ type, part }) => (type === 'text' && isObject(part) ? [part] : []))
      const succeeded = ended.code === 0 && !events.some(({ type }) => type === 'error')
      return { ...ended, succeeded, answer: textsOf(texts) }
    },
  }
}

/** Gemini CLI, with which another base URL is enough. */
export const GEMINI: Program = {
  name: 'gemini-cli',
  async run(installed, task) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }
    await folderWith(join(task.folder, 'home', '.gemini'), 'settings.json', JSON.stringify(settings))
    const args = ['--prompt', task.prompt, '--model', task.model, '--output-format', 'json', '--yolo', '--skip-trust']
    const env = { GOOGLE_GEMINI_BASE_URL: task.url, GEMINI_API_KEY: task.key }
    const ended = await call(installed, 'gemini', task, { args, env })
    const result = wholeObject(ended.stdout)
    const succeeded = ended.code === 0 && result?.error === undefined
    return { ...ended, succeeded, answer: typeof result?.response === 'string' ? result.response : '' }
  },
}

/** Runs a program in an empty home, with nothing of this process's own settings. */
async function call(installed: Installed, name: ProgramName, task: Task, { args, env }: Setup): Promise<Ended> {
  const home = join(task.folder, 'home')
  const work = join(task.folder, 'work')
  const temporary = join(task.folder, 'tmp')
  for (const folder of [home, work, temporary]) await mkdir(folder, { recursive: true })
  const path = [process.execPath.replace(/[^/]+$/, ''), process.env.PATH ?? ''].join(':')
  const surroundings = { PATH: path, HOME: home, TMPDIR: temporary, SHELL: '/bin/sh', TERM: 'dumb', ...NO_NETWORK }
  return execute({
    command: installed.command(name),
    args,
    env: { ...surroundings, ...env },
    folder: work,
    limitMs: task.limitMs ?? LIMIT_MS,
  })
}

async function folderWith(folder: string, file: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, file), text)
}

type JsonObject = Readonly<Record<string, unknown>>

/** The lines that are JSON objects; programs print other lines between them. */
function objectsOf(output: string): JsonObject[] {
  return output.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return isObject(value) ? [value] : []
    } catch {
      return []
    }
  })
}

/** An object that takes the rest of the output, from the first line that begins with a brace. */
function wholeObject(output: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(output.slice(output.search(/^\{/m)))
    return isObject(value) ? value : undefined
  } catch {
    // It ended before it could say how.
    return undefined
  }
}

function lastObject(output: string): JsonObject | undefined {
  return objectsOf(output).at(-1)
}

function textsOf(objects: readonly JsonObject[]): string {
  return objects.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
