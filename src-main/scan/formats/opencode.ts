import { tokenCount } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { folderName, inner, objectIn, textOf, timeOf, type LogFormat, type LoggedCall } from '#scan/log-format.ts'

/** Sessions beyond this are of no known folder: their names are kept while their messages are read. */
const MAX_SESSIONS = 100_000

/** Version 1.2 brought the files of earlier ones into its database. */
export const OPENCODE_LOGS: readonly LogFormat[] = [
  databaseOf('opencode', ['$XDG_DATA_HOME/opencode', '~/.local/share/opencode'], /^opencode(-\w+)?\.db$/),
]

/** Kilo's command line was made of opencode. */
export const KILO_LOGS = databaseOf('kilo', ['$XDG_DATA_HOME/kilo', '~/.local/share/kilo'], /^kilo(-\w+)?\.db$/)

function databaseOf(tool: string, places: readonly string[], name: RegExp): LogFormat {
  return {
    tool,
    places,
    isLog: (path) => name.test(path),
    mayHold: () => false,
    records: { type: 'rows', tables: ['session', 'session_v2', 'message', 'session_message'] },
    marks: [],
    async open() {
      const folders = new Map<string, string>()
      return ({ table, row }) => {
        const columns = inner({ row }, 'row')
        if (table === 'message' || table === 'session_message') return callOf(columns, folders)
        const [id, folder] = [textOf(columns['id']), folderName(textOf(columns['directory']))]
        if (id !== undefined && folder !== undefined && folders.size < MAX_SESSIONS) folders.set(id, folder)
        return undefined
      }
    },
  }
}

/** What came from the cache is no part of the input, and reasoning none of the output: it bills both at the price of the output. */
function callOf(row: JsonObject, folders: ReadonlyMap<string, string>): LoggedCall | undefined {
  const message = objectIn(row['data'])
  const tokens = inner(message, 'tokens')
  const model = textOf(message['modelID']) ?? textOf(inner(message, 'model')['id'])
  if ((message['role'] ?? row['type']) !== 'assistant' || model === undefined) return undefined
  const cache = inner(tokens, 'cache')
  const [output = 0, reasoning = 0] = ['output', 'reasoning'].map((name) => tokenCount(tokens[name]))
  const [input = 0, read = 0, write = 0] = [tokens['input'], cache['read'], cache['write']].map(tokenCount)
  // A message that was stopped, or failed, has counts of 0.
  if (input + read + write + output + reasoning === 0) return undefined
  const path = inner(message, 'path')
  const folder = folderName(textOf(path['root'])) ?? folderName(textOf(path['cwd']))
  return {
    id: textOf(row['id']),
    atMs: timeOf(inner(message, 'time')['created']),
    model,
    project: folders.get(textOf(row['session_id']) ?? '') ?? folder ?? '',
    usage: {
      inputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: write,
      outputTokens: output + reasoning,
      reasoningTokens: reasoning,
    },
  }
}
