import { tokenCount } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { isRecord } from '#dialect/request-body.ts'
import { folderName, inner, textOf, timeOf, type LogFormat, type LoggedCall } from '#scan/log-format.ts'

const COUNTS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const

/**
 * Zed keeps a conversation as one packed document, with the sums of it: a conversation is one call of the day when it was last used, of the
 * model that it has now. Of the document only the sums and the model are kept while it is unpacked.
 */
export const ZED_LOGS: readonly LogFormat[] = [
  ['$XDG_DATA_HOME/zed/threads', '~/.local/share/zed/threads'],
  ['~/Library/Application Support/Zed/threads'],
  ['$LOCALAPPDATA/Zed/threads'],
].map((places) => ({
  tool: 'zed',
  places,
  isLog: (path) => path === 'threads.db',
  mayHold: () => false,
  records: { type: 'rows', tables: ['threads'], packed: 'data' },
  marks: ['_tokens"', '"provider"'],
  open: async () => (record) => threadOf(inner(record, 'row')),
}))

function threadOf(row: JsonObject): LoggedCall | undefined {
  const parts = Array.isArray(row['data']) ? row['data'].filter(isRecord) : []
  // Sums of 0 are not written.
  const used = parts.find((part) => COUNTS.some((name) => typeof part[name] === 'number'))
  const model = parts.find(({ provider, model: name }) => typeof provider === 'string' && typeof name === 'string')
  if (used === undefined || model === undefined) return undefined
  const [input, read, written, output] = COUNTS.map((name) => tokenCount(used[name]))
  return {
    id: textOf(row['id']),
    atMs: timeOf(row['updated_at']),
    model: textOf(model['model']) ?? 'unknown',
    project: folderName(textOf(row['folder_paths'])?.split('\n')[0]) ?? '',
    usage: {
      inputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      outputTokens: output,
      reasoningTokens: undefined,
    },
  }
}
