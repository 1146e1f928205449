import { tokenCount } from '#core/usage.ts'
import { folderName, inner, textOf, timeOf, type LogFormat } from '#scan/log-format.ts'

/** What each model used is written when a session ends, and again, larger, when it was gone on with. */
export const COPILOT_LOGS: LogFormat = {
  tool: 'copilot-cli',
  places: ['$COPILOT_HOME/session-state', '~/.copilot/session-state'],
  isLog: (path) => path.endsWith('.jsonl'),
  mayHold: (path) => !path.includes('/'),
  marks: ['"session.start"', '"session.resume"', '"session.shutdown"'],
  async open() {
    let project = ''
    return (line) => {
      const data = inner(line, 'data')
      project = folderName(textOf(inner(data, 'context')['cwd'])) ?? project
      if (line['type'] !== 'session.shutdown') return undefined
      const models = inner(data, 'modelMetrics')
      return Object.keys(models).map((model) => {
        const used = inner(inner(models, model), 'usage')
        const names = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens']
        const [input = 0, read = 0, written = 0, output] = names.map((name) => tokenCount(used[name]))
        const usage = {
          inputTokens: Math.max(input - read - written, 0),
          cacheReadTokens: read,
          cacheWriteTokens: written,
          outputTokens: output,
          reasoningTokens: undefined,
        }
        return { id: undefined, atMs: timeOf(line['timestamp']), model, project, usage }
      })
    }
  },
}
