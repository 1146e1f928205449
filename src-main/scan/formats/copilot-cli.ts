import { tokenCount, type TokenUsage } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { folderName, inner, textOf, timeOf, type LogFormat, type LogReader } from '#scan/log-format.ts'

/** Version 1.0 writes what each call used; earlier ones what the session used of each model up to now, when it ends. */
export const COPILOT_LOGS: LogFormat = {
  tool: 'copilot-cli',
  places: ['$COPILOT_HOME/session-state', '~/.copilot/session-state'],
  isLog: (path) => path.endsWith('.jsonl'),
  mayHold: (path) => !path.includes('/'),
  marks: ['"session.start"', '"session.resume"', '"session.usage_record"', '"session.shutdown"'],
  open: async () => readerOf(),
}

type ModelSums = { readonly input: number; readonly read: number; readonly written: number; readonly output: number }

const NONE: ModelSums = { input: 0, read: 0, written: 0, output: 0 }

function readerOf(): LogReader {
  let project = ''
  let hasCalls = false
  const before = new Map<string, ModelSums>()
  return (line) => {
    const data = inner(line, 'data')
    const atMs = timeOf(line['timestamp'])
    project = folderName(textOf(inner(data, 'context')['cwd'])) ?? project
    if (line['type'] === 'session.usage_record') {
      hasCalls = true
      const used = inner(data, 'usage')
      const model = textOf(used['model']) ?? 'unknown'
      return { id: textOf(line['id']), atMs, model, project, usage: usageOf(sumsOf(used)) }
    }
    if (line['type'] !== 'session.shutdown' || hasCalls) return undefined
    const models = inner(data, 'modelMetrics')
    return Object.keys(models).map((model) => {
      const total = sumsOf(inner(inner(models, model), 'usage'))
      const usage = usageOf(grown(before.get(model) ?? NONE, total))
      before.set(model, total)
      return { id: undefined, atMs, model, project, usage }
    })
  }
}

function sumsOf(used: JsonObject): ModelSums {
  const names = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens']
  const [input = 0, read = 0, written = 0, output = 0] = names.map((name) => tokenCount(used[name]))
  return { input, read, written, output }
}

/** A sum that became less began anew. */
function grown(before: ModelSums, total: ModelSums): ModelSums {
  const growth = {
    input: total.input - before.input,
    read: total.read - before.read,
    written: total.written - before.written,
    output: total.output - before.output,
  }
  return Math.min(growth.input, growth.read, growth.written, growth.output) < 0 ? total : growth
}

/** What came from the cache and went there is part of the input. */
function usageOf({ input, read, written, output }: ModelSums): TokenUsage {
  return {
    inputTokens: Math.max(input - read - written, 0),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: output,
    reasoningTokens: undefined,
  }
}
