import { readMessagesUsage } from '#dialect/messages/usage.ts'
import { folderAbove, folderName, inner, textOf, timeOf, type LogFormat } from '#scan/log-format.ts'

/** What Claude Code calls a line that no model wrote. */
const NO_MODEL = '<synthetic>'

/**
 * A line for each block of an answer, each with the usage of the whole answer as it was known then, and all of them again where a
 * conversation is continued in another file.
 */
export const CLAUDE_CODE_LOGS: LogFormat = {
  tool: 'claude-code',
  places: ['$CLAUDE_CONFIG_DIR/projects', '~/.claude/projects'],
  isLog: (path) => path.endsWith('.jsonl'),
  marks: ['"usage"'],
  open:
    async ({ path }) =>
    (line) => {
      const message = inner(line, 'message')
      const usage = readMessagesUsage(message['usage'])
      const model = textOf(message['model'])
      if (line['type'] !== 'assistant' || usage === undefined || model === undefined || model === NO_MODEL)
        return undefined
      const project = folderName(textOf(line['cwd'])) ?? folderAbove(path, 1)
      // Some lines name the request alone.
      const id = textOf(message['id']) ?? textOf(line['requestId'])
      return { id, atMs: timeOf(line['timestamp']), model, project, usage }
    },
}
