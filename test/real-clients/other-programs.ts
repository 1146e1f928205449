// Qwen Code, Cline and Copilot CLI, in each of the formats that they speak to a provider of somebody's own.
import { join } from 'node:path'
import { call, folderWith, isObject, objectsOf, type Program, type Task } from './program.ts'
import type { Route } from './routes.ts'

/** The variables of a kind of provider: the address, the key and the model. */
type Variables = (task: Task) => Readonly<Record<string, string>>

export const QWENS: readonly Program[] = [
  qwen('qwen-chat', 'openai', [], ({ url, key, model }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    OPENAI_MODEL: model,
  })),
  qwen('qwen-messages', 'anthropic', ['alone', 'messages', 'responses'], ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: model,
  })),
  qwen('qwen-gemini', 'gemini', ['alone', 'messages', 'gemini'], ({ url, key, model }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GEMINI_MODEL: model,
  })),
]

function qwen(name: string, kind: string, seals: readonly Route[], variables: Variables): Program {
  return {
    name,
    seals,
    async run(installed, task) {
      const settings = {
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
        memory: { enableManagedAutoMemory: false },
      }
      await folderWith(join(task.folder, 'home', '.qwen'), 'settings.json', JSON.stringify(settings))
      const args = ['-p', task.prompt, '--auth-type', kind, '--output-format', 'stream-json', '--yolo']
      const ended = await call(installed, 'qwen', task, { args, env: variables(task) })
      const result = objectsOf(ended.stdout).find(({ type }) => type === 'result')
      const succeeded = ended.code === 0 && result?.is_error === false
      return { ...ended, succeeded, answer: typeof result?.result === 'string' ? result.result : '' }
    },
  }
}

export const CLINE: Program = {
  name: 'cline',
  seals: [],
  async run(installed, task) {
    const { url, key, model } = task
    const provider = 'openai-compatible'
    const settings = { provider, apiKey: key, model, baseUrl: `${url}/v1` }
    const updatedAt = new Date(0).toISOString()
    const providers = { [provider]: { settings, updatedAt, tokenSource: 'manual' } }
    const written = JSON.stringify({ version: 1, lastUsedProvider: provider, providers })
    await folderWith(join(task.folder, 'home', '.cline', 'data', 'settings'), 'providers.json', written)
    const args = ['--json', '--auto-approve', 'true', task.prompt]
    const ended = await call(installed, 'cline', task, { args, env: {} })
    const result = objectsOf(ended.stdout).findLast(({ type }) => type === 'run_result')
    const succeeded = ended.code === 0 && result?.finishReason === 'completed'
    return { ...ended, succeeded, answer: typeof result?.text === 'string' ? result.text : '' }
  },
}

export const COPILOTS: readonly Program[] = [
  copilot('copilot-chat', [], { COPILOT_PROVIDER_TYPE: 'openai' }),
  copilot('copilot-responses', ['alone', 'messages'], {
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_WIRE_API: 'responses',
  }),
  copilot('copilot-messages', ['alone', 'messages'], { COPILOT_PROVIDER_TYPE: 'anthropic' }),
]

function copilot(name: string, seals: readonly Route[], kind: Readonly<Record<string, string>>): Program {
  return {
    name,
    seals,
    async run(installed, task) {
      const isMessages = kind.COPILOT_PROVIDER_TYPE === 'anthropic'
      const env = {
        ...kind,
        COPILOT_PROVIDER_BASE_URL: isMessages ? task.url : `${task.url}/v1`,
        COPILOT_PROVIDER_API_KEY: task.key,
        COPILOT_MODEL: task.model,
      }
      const args = ['-p', task.prompt, '--allow-all', '--no-auto-update', '--output-format', 'json']
      const ended = await call(installed, 'copilot', task, { args, env })
      const said = objectsOf(ended.stdout).flatMap(({ type, data }) =>
        type === 'assistant.message' && isObject(data) ? [data.content] : [],
      )
      const answer = said.at(-1)
      return { ...ended, succeeded: ended.code === 0, answer: typeof answer === 'string' ? answer : '' }
    },
  }
}
