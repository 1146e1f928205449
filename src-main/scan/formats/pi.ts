import { tokenCount } from '#core/usage.ts'
import { folderAbove, folderName, inner, textOf, timeOf, type LogFormat } from '#scan/log-format.ts'

/** The first line says where the session was; reasoning is part of the output. A fork has the lines of its parent as they are. */
export const PI_LOGS: LogFormat = {
  tool: 'pi',
  places: ['$PI_CODING_AGENT_DIR/sessions', '~/.pi/agent/sessions'],
  isLog: (path) => path.endsWith('.jsonl'),
  marks: ['"usage"', '"cwd"'],
  async open({ path }) {
    let project = folderAbove(path, 1)
    return (line) => {
      project = folderName(textOf(line['cwd'])) ?? project
      const message = inner(line, 'message')
      const model = textOf(message['model'])
      const counts = inner(message, 'usage')
      if (message['role'] !== 'assistant' || model === undefined) return undefined
      const usage = {
        inputTokens: tokenCount(counts['input']),
        cacheReadTokens: tokenCount(counts['cacheRead']),
        cacheWriteTokens: tokenCount(counts['cacheWrite']),
        outputTokens: tokenCount(counts['output']),
        reasoningTokens: undefined,
      }
      const response = textOf(message['responseId'])
      // Some servers call each of their answers the same.
      const id = response === undefined ? undefined : `${response} ${String(line['timestamp'])}`
      return { id, atMs: timeOf(line['timestamp']), model, project, usage }
    }
  },
}
