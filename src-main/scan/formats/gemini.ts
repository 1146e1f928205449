import { tokenCount, type TokenUsage } from '#core/usage.ts'
import { readGeminiUsage } from '#dialect/gemini/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { folderAbove, folderName, inner, textOf, timeOf, type LogFormat } from '#scan/log-format.ts'

/** Of the folder of each project. */
const mayHold = (path: string) => /^[^/]+(\/chats)?$/.test(path)

/** A turn is written again whenever it grows, under its id. The folder of a project has its name, or in older versions a hash of it. */
export const GEMINI_LOGS: LogFormat = {
  tool: 'gemini-cli',
  places: ['$GEMINI_CLI_HOME/.gemini/tmp', '~/.gemini/tmp'],
  isLog: (path) => /\/chats\/session-[^/]*\.jsonl$/.test(path),
  mayHold,
  marks: ['"tokens"'],
  open:
    async ({ path }) =>
    (line) => {
      const model = textOf(line['model'])
      if (line['type'] !== 'gemini' || model === undefined) return undefined
      const usage = usageOf(inner(line, 'tokens'))
      const project = folderAbove(path, 2)
      return { id: textOf(line['id']), atMs: timeOf(line['timestamp']), model, project, usage }
    },
}

/** Earlier versions write one document for each session, with the same turns in a list. */
export const GEMINI_DOCUMENTS: LogFormat = {
  ...GEMINI_LOGS,
  isLog: (path) => /\/chats\/session-[^/]*\.json$/.test(path),
  records: { type: 'objects', depth: 2 },
}

/** What came from the cache is part of the input; thoughts are no part of the output, and what tools were told none of the input. */
function usageOf(tokens: JsonObject): TokenUsage {
  const [input = 0, cached = 0, tool = 0] = ['input', 'cached', 'tool'].map((name) => tokenCount(tokens[name]))
  const [output = 0, thoughts = 0] = ['output', 'thoughts'].map((name) => tokenCount(tokens[name]))
  return {
    inputTokens: Math.max(input - cached, 0) + tool,
    cacheReadTokens: cached,
    cacheWriteTokens: undefined,
    outputTokens: output + thoughts,
    reasoningTokens: thoughts,
  }
}

/** Qwen Code was made of Gemini CLI, and writes what the API of Gemini says. */
export const QWEN_LOGS: LogFormat = {
  tool: 'qwen-code',
  places: ['$QWEN_HOME/projects', '~/.qwen/projects'],
  isLog: (path) => /\/chats\/[^/]*\.jsonl$/.test(path),
  mayHold,
  marks: ['"usageMetadata"'],
  open:
    async ({ path }) =>
    (line) => {
      const usage = readGeminiUsage(line['usageMetadata'])
      const model = textOf(line['model'])
      if (line['type'] !== 'assistant' || usage === undefined || model === undefined) return undefined
      const project = folderName(textOf(line['cwd'])) ?? folderAbove(path, 2)
      return { id: textOf(line['uuid']), atMs: timeOf(line['timestamp']), model, project, usage }
    },
}
