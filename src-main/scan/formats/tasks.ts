// Cline in VS Code, and what was made of it: a folder for each task, with one document of all that was shown. What a request used is written
// into the line that announced it, as text.

import { dirname, join } from 'node:path'
import { tokenCount, type TokenUsage } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { folderName, inner, objectIn, textOf, timeOf, type LogFormat, type LogReader } from '#scan/log-format.ts'
import { readObjects } from '#scan/objects.ts'

const MARK = 'api_req_started'

/** Of VS Code on each system, and where it is used over the network. */
const EDITORS = [
  ['$XDG_CONFIG_HOME/Code/User', '~/.config/Code/User'],
  ['~/Library/Application Support/Code/User'],
  ['$APPDATA/Code/User'],
  ['~/.vscode-server/data/User'],
] as const

const EXTENSIONS = [
  { tool: 'cline', extension: 'saoudrizwan.claude-dev' },
  { tool: 'roo-code', extension: 'rooveterinaryinc.roo-cline' },
  { tool: 'kilo', extension: 'kilocode.kilo-code' },
] as const

export const TASK_LOGS: readonly LogFormat[] = EXTENSIONS.flatMap(({ tool, extension }) =>
  EDITORS.map((editor) => ({
    tool,
    places: editor.map((folder) => `${folder}/globalStorage/${extension}/tasks`),
    isLog: (path) => /^[^/]+\/ui_messages\.json$/.test(path),
    mayHold: (path) => !path.includes('/'),
    records: { type: 'objects', depth: 1 },
    marks: [MARK],
    open: async ({ path }) => readerOf(await modelsOf(path)),
  })),
)

type ModelFrom = { readonly atMs: number; readonly model: string }

function readerOf(models: readonly ModelFrom[]): LogReader {
  return (shown) => {
    const said = objectIn(shown['text'])
    if (shown['say'] !== MARK || said['tokensIn'] === undefined) return undefined
    const atMs = timeOf(shown['ts'])
    const request = textOf(said['request']) ?? ''
    const model =
      textOf(inner(shown, 'modelInfo')['modelId']) ??
      models.findLast((one) => one.atMs <= atMs)?.model ??
      lastOf(request, /<model>([^<]{1,200})<\/model>/g)
    const folder = lastOf(request, /Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)/g)
    return { id: undefined, atMs, model: model ?? 'unknown', project: folderName(folder) ?? '', usage: usageOf(said) }
  }
}

/** Those that name the format count what came from the cache as input as well, and earlier ones do not: then there may be less of it. */
function usageOf(said: JsonObject): TokenUsage {
  const [input = 0, output = 0, read = 0, written = 0] = ['tokensIn', 'tokensOut', 'cacheReads', 'cacheWrites'].map(
    (name) => tokenCount(said[name]),
  )
  const isWhole = said['apiProtocol'] !== undefined && input >= read + written
  return {
    inputTokens: isWhole ? input - read - written : input,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: output,
    reasoningTokens: undefined,
  }
}

/** Cline keeps which model a task used from when on in a file beside it. */
async function modelsOf(path: string): Promise<readonly ModelFrom[]> {
  const models: ModelFrom[] = []
  const options = { marks: ['"model_id"'], onLong: () => undefined, depth: 2 }
  try {
    for await (const used of readObjects(join(dirname(path), 'task_metadata.json'), options)) {
      const model = textOf(used['model_id'])
      if (model !== undefined) models.push({ atMs: timeOf(used['ts']), model })
    }
  } catch {
    // Others have no such file, or name the model elsewhere.
  }
  return models
}

function lastOf(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1]
}
