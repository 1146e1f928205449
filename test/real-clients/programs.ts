// How each program is set up and called, and what its output says about the answer it got.
import { join } from 'node:path'
import {
  call,
  folderWith,
  isObject,
  lastObject,
  objectsOf,
  SEALING,
  textsOf,
  wholeObject,
  type Program,
  type Task,
} from './program.ts'

const RETRIES = 2
const FEW_RETRIES = `request_max_retries = ${RETRIES}
stream_max_retries = ${RETRIES}
`

export const CLAUDE: Program = {
  name: 'claude',
  seals: SEALING,
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
    seals: SEALING,
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
    // It does not ask for a seal on behalf of a model that it does not know.
    seals: [],
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

/** Another base URL is enough for it. Of its thoughts and their seals it keeps only what sealed a call. */
export const GEMINI: Program = {
  name: 'gemini-cli',
  seals: ['alone', 'gemini'],
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
