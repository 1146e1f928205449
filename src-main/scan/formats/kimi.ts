import { tokenCount } from '#core/usage.ts'
import { folderAbove, inner, textOf, timeOf, type LogFormat } from '#scan/log-format.ts'

/** A name of the environment in the place of a model's. */
const NO_MODEL = /^__.*__$/

/** Each call is written once as its turn's; what is written of the whole session is left out. The folder is that of sessions of a project. */
export const KIMI_LOGS: LogFormat = {
  tool: 'kimi',
  places: ['$KIMI_CODE_HOME/sessions', '~/.kimi-code/sessions'],
  isLog: (path) => path.endsWith('/wire.jsonl'),
  marks: ['"usage.record"', '"llm.request"'],
  async open({ path }) {
    let asked = 'unknown'
    return (line) => {
      const named = textOf(line['model'])?.replace(/^kimi-code\//, '')
      const model = named === undefined || NO_MODEL.test(named) ? asked : named
      if (line['type'] === 'llm.request') asked = model
      if (line['type'] !== 'usage.record' || line['usageScope'] !== 'turn') return undefined
      const used = inner(line, 'usage')
      const usage = {
        inputTokens: tokenCount(used['inputOther']),
        cacheReadTokens: tokenCount(used['inputCacheRead']),
        cacheWriteTokens: tokenCount(used['inputCacheCreation']),
        outputTokens: tokenCount(used['output']),
        reasoningTokens: undefined,
      }
      return { id: undefined, atMs: timeOf(line['time']), model, project: folderAbove(path, 4), usage }
    }
  },
}
