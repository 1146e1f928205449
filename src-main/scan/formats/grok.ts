import { dirname, join } from 'node:path'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { tokenCount, type TokenUsage } from '#core/usage.ts'
import { folderAbove, folderName, inner, textOf, timeOf, type LogFormat, type LoggedCall } from '#scan/log-format.ts'
import { readObjects } from '#scan/objects.ts'

/**
 * Grok Build writes each turn that has ended with what all its calls used, by the model. A session that goes on has the turns of before once
 * more. What an agent below it used is in the turn that waited for it, so that its own session is left out.
 */
export const GROK_LOGS: LogFormat = {
  tool: 'grok',
  places: ['$GROK_HOME/sessions', '~/.grok/sessions'],
  isLog: (path) => /^[^/]+\/[^/]+\/updates\.jsonl$/.test(path),
  mayHold: (path) => path.split('/').length <= 2,
  marks: ['"turn_completed"'],
  async open({ path }) {
    const session = await sessionOf(path)
    if (session.kind?.startsWith('subagent') === true) return () => undefined
    const project = folderName(session.folder ?? decoded(folderAbove(path, 2))) ?? ''
    return (line) => callsOf(line, project)
  },
}

type Session = { readonly kind: string | undefined; readonly folder: string | undefined }

/** What lies beside the log says whose session it is. */
async function sessionOf(path: string): Promise<Session> {
  const options = { marks: ['"info"', '"session_kind"'], onLong: () => undefined, depth: 0 }
  try {
    for await (const session of readObjects(join(dirname(path), 'summary.json'), options))
      return { kind: textOf(session['session_kind']), folder: textOf(inner(session, 'info')['cwd']) }
  } catch {
    // It is not there yet.
  }
  return { kind: undefined, folder: undefined }
}

/** Folders of sessions are named by the whole way to the project, as it stands in an address. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function callsOf(line: JsonObject, project: string): LoggedCall[] {
  const params = inner(line, 'params')
  const update = inner(params, 'update')
  if (update['sessionUpdate'] !== 'turn_completed') return []
  const used = inner(update, 'usage')
  const turn = textOf(inner(params, '_meta')['eventId']) ?? textOf(update['prompt_id'])
  const byModel = Object.entries(inner(used, 'modelUsage')).filter((entry): entry is [string, JsonObject] =>
    isRecord(entry[1]),
  )
  const parts = byModel.length > 0 ? byModel : [['unknown', used] as const]
  return parts.map(([model, part]) => ({
    id: turn === undefined ? undefined : `${turn} ${model}`,
    atMs: secondsOrTime(line['timestamp']),
    model,
    project,
    usage: usageOf(part),
  }))
}

/** Its lines say seconds. */
function secondsOrTime(time: unknown): number {
  return typeof time === 'number' ? time * 1000 : timeOf(time)
}

/** What has to do with the cache is in the input, and reasoning in the output. */
function usageOf(used: JsonObject): TokenUsage {
  const [input = 0, read = 0, written = 0] = ['inputTokens', 'cachedReadTokens', 'cacheCreationTokens'].map((name) =>
    tokenCount(used[name]),
  )
  return {
    inputTokens: Math.max(0, input - read - written),
    cacheReadTokens: read,
    cacheWriteTokens: written,
    outputTokens: tokenCount(used['outputTokens']),
    reasoningTokens: tokenCount(used['reasoningTokens']),
  }
}
