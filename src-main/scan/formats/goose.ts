import { tokenCount } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { folderName, inner, objectIn, textOf, timeOf, type LogFormat, type LoggedCall } from '#scan/log-format.ts'

/**
 * It keeps the sums of a session and not what each call used: a session is one call of the day when it was last used, of the model that it
 * has now. What came from a cache is in the input and not told apart.
 */
export const GOOSE_LOGS: readonly LogFormat[] = [
  ['$GOOSE_PATH_ROOT/data/sessions', '$XDG_DATA_HOME/goose/sessions', '~/.local/share/goose/sessions'],
  ['~/Library/Application Support/Block/goose/sessions'],
  ['$APPDATA/Block/goose/data/sessions'],
].map((places) => ({
  tool: 'goose',
  places,
  isLog: (path) => path === 'sessions.db',
  mayHold: () => false,
  records: { type: 'rows', tables: ['sessions'] },
  marks: [],
  open:
    async () =>
    ({ row }) =>
      sessionOf(inner({ row }, 'row')),
}))

function sessionOf(row: JsonObject): LoggedCall | undefined {
  const model = textOf(objectIn(row['model_config_json'])['model_name'])
  const [input, output] = ['input_tokens', 'output_tokens'].map((name) =>
    tokenCount(row[`accumulated_${name}`] ?? row[name]),
  )
  if (model === undefined) return undefined
  return {
    id: textOf(row['id']),
    atMs: utcOf(row['updated_at'] ?? row['created_at']),
    model,
    project: folderName(textOf(row['working_dir'])) ?? '',
    usage: {
      inputTokens: input,
      cacheReadTokens: undefined,
      cacheWriteTokens: undefined,
      outputTokens: output,
      reasoningTokens: undefined,
    },
  }
}

/** SQLite writes the time of Greenwich without saying so. */
function utcOf(time: unknown): number {
  const isPlain = typeof time === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(time)
  return timeOf(isPlain ? `${time.replace(' ', 'T')}Z` : time)
}
