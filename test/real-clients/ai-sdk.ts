// The AI SDK with nothing set: `openai(model)`, which names the items of its earlier answers instead of sending them. It is no
// program, and stands here for the apps that are made with it.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { execute } from './execute.ts'
import type { Program } from './program.ts'

const LIMIT_MS = 60_000

export const AI_SDK: Program = {
  name: 'ai-sdk',
  // It does not ask for reasoning of a model that it does not know.
  seals: [],
  async run(_installed, { url, key, model, prompt, folder: own }) {
    const startedAtMs = Date.now()
    const folder = join(own, 'work')
    await mkdir(folder, { recursive: true })
    const ended = { stdout: '', timedOut: false }
    try {
      const { text } = await generateText({
        model: createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(model),
        prompt,
        tools: { bash: bashIn(folder) },
        stopWhen: stepCountIs(5),
        abortSignal: AbortSignal.timeout(LIMIT_MS),
      })
      return { ...ended, code: 0, stderr: '', tookMs: Date.now() - startedAtMs, succeeded: true, answer: text }
    } catch (error) {
      return {
        ...ended,
        code: 1,
        stderr: String(error),
        tookMs: Date.now() - startedAtMs,
        succeeded: false,
        answer: '',
      }
    }
  },
}

function bashIn(folder: string) {
  return tool({
    description: 'Runs a command.',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      const { stdout } = await execute({ command: 'sh', args: ['-c', command], env: {}, folder, limitMs: LIMIT_MS })
      return stdout
    },
  })
}
