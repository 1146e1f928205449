// What tells one conversation from another where nobody numbers them: the name that its client gave it, and what it begins with.

import { isRecord } from '#dialect/request-body.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Clients name their session in different members: Codex in the first one, Claude Code in `metadata`. What a provider cached, and
 * reasoning that it sealed, is of use only where it came from.
 */
export function affinityOf(body: Body): string | undefined {
  const { metadata } = body
  const names = [body['prompt_cache_key'], isRecord(metadata) ? metadata['user_id'] : undefined, body['user']]
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

/**
 * A text that all calls of one conversation have in common, and those of others have not; undefined where nothing can be said. One
 * session runs several conversations (of subagents, or one after a compaction), which begin in different ways.
 */
export function conversationOf(body: Body): string | undefined {
  const name = affinityOf(body)
  const beginning = beginningOf(body)
  return name === undefined && beginning === undefined ? undefined : JSON.stringify([name, beginning], shortened)
}

/** Instructions, and everything up to the first words of the user; undefined where the provider has the beginning. */
function beginningOf(body: Body): unknown {
  const { instructions, system, messages, input, previous_response_id: previous, conversation } = body
  if (typeof previous === 'string' || (conversation !== undefined && conversation !== null)) return undefined
  const list = messages ?? input
  if (!Array.isArray(list)) return [instructions, list]
  const first = list.findIndex((item) => isRecord(item) && item['role'] === 'user')
  return [instructions, system, list.slice(0, first + 1 || 1)]
}

/** In characters; more of a text than its length, its beginning and its end is not looked at. */
const MOST_OF_TEXT = 4096

function shortened(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= MOST_OF_TEXT) return value
  return [value.length, value.slice(0, MOST_OF_TEXT / 2), value.slice(-MOST_OF_TEXT / 2)]
}
