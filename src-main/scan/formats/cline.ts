import { basename, dirname, join } from 'node:path'
import { tokenCount } from '#core/usage.ts'
import { folderName, inner, textOf, timeOf, type LogFile, type LogFormat } from '#scan/log-format.ts'
import { readObjects } from '#scan/objects.ts'

const ENDING = '.messages.json'

/** Cline's command line: one document of the messages of a session, and one that says where the session was. */
export const CLINE_LOGS: LogFormat = {
  tool: 'cline',
  places: ['$CLINE_DATA_DIR/sessions', '~/.cline/data/sessions'],
  isLog: (path) => path.endsWith(ENDING),
  records: { type: 'objects', depth: 2 },
  marks: ['"metrics"'],
  async open(file) {
    const session = await sessionOf(file)
    return (message) => {
      const metrics = inner(message, 'metrics')
      const names = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens']
      const [input = 0, read = 0, written = 0, output = 0] = names.map((name) => tokenCount(metrics[name]))
      if (message['role'] !== 'assistant') return undefined
      return {
        id: textOf(message['id']),
        atMs: timeOf(message['ts']),
        model: textOf(inner(message, 'modelInfo')['id']) ?? session.model,
        project: session.project,
        usage: {
          // What came from the cache and went there is part of the input.
          inputTokens: Math.max(input - read - written, 0),
          cacheReadTokens: read,
          cacheWriteTokens: written,
          outputTokens: output,
          reasoningTokens: undefined,
        },
      }
    }
  },
}

async function sessionOf({ path }: LogFile): Promise<{ readonly model: string; readonly project: string }> {
  const manifest = join(dirname(path), `${basename(path, ENDING)}.json`)
  try {
    for await (const one of readObjects(manifest, { marks: ['"model"'], onLong: () => undefined, depth: 0 })) {
      const project = folderName(textOf(one['workspace_root']) ?? textOf(one['cwd'])) ?? ''
      return { model: textOf(one['model']) ?? 'unknown', project }
    }
  } catch {
    // It is not there any more.
  }
  return { model: 'unknown', project: '' }
}
