// What tells one conversation from another where nobody numbers them: the name that its client gave it, and what it begins with.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/**
 * Clients name their session in different members: Codex in the first one, Claude Code in `metadata`. What a provider cached, and
 * reasoning that it sealed, is of use only where it came from.
 */
export function affinityOf(body: JsonObject): string | undefined {
  const { metadata } = body
  const names = [body['prompt_cache_key'], isRecord(metadata) ? metadata['user_id'] : undefined, body['user']]
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

/**
 * A text that all calls of one conversation have in common, and those of others have not; undefined where nothing can be said. One
 * session runs several conversations (one for each task beside the main one, or one after a compaction), which begin in different ways.
 */
export function conversationOf(body: JsonObject): string | undefined {
  const name = affinityOf(body)
  const beginning = beginningOf(body)
  if (name === undefined && beginning === undefined) return undefined
  const texts = [name ?? '']
  collect(beginning, texts)
  return texts.join('\0')
}

/** Instructions, and everything up to the first words of the user; undefined where the provider has the beginning. */
function beginningOf(body: JsonObject): unknown {
  const { instructions, system, messages, input, previous_response_id: previous, conversation } = body
  if (typeof previous === 'string' || (conversation !== undefined && conversation !== null)) return undefined
  const list = messages ?? input ?? body['contents']
  if (!Array.isArray(list)) return [instructions, list]
  const first = list.findIndex((item) => isRecord(item) && item['role'] === 'user')
  return [
    instructions ?? body['systemInstruction'] ?? body['system_instruction'],
    system,
    list.slice(0, first + 1 || 1),
  ]
}

/** So many characters at each end of a text, and its length, tell it from others. */
const END = 96
/** Further texts are not looked at. */
const MAX_TEXTS = 32

/** Each call with a cached input is named, so that this is kept cheap: texts alone, and of long ones little. */
function collect(value: unknown, texts: string[]): void {
  if (texts.length > MAX_TEXTS) return
  if (typeof value === 'string') {
    texts.push(value.length <= 2 * END ? value : `${value.length} ${value.slice(0, END)} ${value.slice(-END)}`)
  } else if (Array.isArray(value)) for (const item of value) collect(item, texts)
  else if (isRecord(value)) for (const member in value) collect(value[member], texts)
}
