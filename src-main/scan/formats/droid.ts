import { tokenCount } from '#core/usage.ts'
import { inner, textOf, type LogFormat } from '#scan/log-format.ts'

/**
 * Factory's Droid keeps the sums of a session beside its messages, and writes them again with each call: a session is one call, of when
 * it was last written.
 */
export const DROID_LOGS: LogFormat = {
  tool: 'droid',
  places: ['~/.factory/sessions'],
  isLog: (path) => path.endsWith('.settings.json'),
  records: { type: 'objects', depth: 0 },
  marks: ['"tokenUsage"'],
  open:
    async ({ path, changedAtMs }) =>
    (session) => {
      const used = inner(session, 'tokenUsage')
      const names = ['inputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'outputTokens', 'thinkingTokens']
      const [input, read, written, output = 0, thoughts = 0] = names.map((name) => tokenCount(used[name]))
      // Models that somebody added have a mark of their own before their name.
      const model = textOf(session['model'])?.replace(/^custom:/, '') ?? 'unknown'
      const usage = {
        inputTokens: input,
        cacheReadTokens: read,
        cacheWriteTokens: written,
        outputTokens: output + thoughts,
        reasoningTokens: thoughts,
      }
      // Its folder is named by the whole way to the project, and no name can be told from that.
      return { id: path, atMs: changedAtMs, model, project: '', usage }
    },
}
