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
 * A short text that all calls of one conversation have in common, and those of others have not; undefined where nothing can be said. One
 * session runs several conversations (one for each task beside the main one, or one after a compaction), which begin in different ways.
 */
export function conversationOf(body: JsonObject): string | undefined {
  const name = affinityOf(body)
  const beginning = beginningOf(body)
  if (name === undefined && beginning === undefined) return undefined
  const digest = new TextDigest()
  digest.add(name ?? '')
  collect(beginning, digest)
  return digest.name
}

/** Instructions, and everything up to the first words of the user; undefined where the provider has the beginning. */
function beginningOf(body: JsonObject): unknown {
  const { instructions, system, messages, input, previous_response_id: previous, conversation } = body
  if (typeof previous === 'string' || (conversation !== undefined && conversation !== null)) return undefined
  const list = messages ?? input
  if (!Array.isArray(list)) return [instructions, list]
  const first = list.findIndex((item) => isRecord(item) && item['role'] === 'user')
  return [instructions, system, list.slice(0, first + 1 || 1)]
}

/** So many characters at each end of a text, and its length, tell it from others. */
const END = 96
/** Further texts are not looked at. */
const MAX_TEXTS = 32

/** Each call with a cached input is named, so that this is kept cheap: texts alone, of long ones little, and nothing is copied. */
function collect(value: unknown, digest: TextDigest): void {
  if (digest.texts > MAX_TEXTS) return
  if (typeof value === 'string') digest.add(value)
  else if (Array.isArray(value)) for (const item of value) collect(item, digest)
  else if (isRecord(value)) for (const member in value) collect(value[member], digest)
}

/** What some texts come to: their length in all, and a hash (FNV-1a, 32 bits) of their lengths and their ends. */
class TextDigest {
  texts = 0
  #length = 0
  #hash = 0x811c9dc5

  add(text: string): void {
    this.texts += 1
    this.#length += text.length
    this.#mix(text.length)
    const isShort = text.length <= 2 * END
    this.#mixPart(text, 0, isShort ? text.length : END)
    if (!isShort) this.#mixPart(text, text.length - END, text.length)
  }

  get name(): string {
    return `${this.#length} ${this.#hash >>> 0}`
  }

  #mixPart(text: string, from: number, to: number): void {
    let hash = this.#hash
    for (let index = from; index < to; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    this.#hash = hash
  }

  #mix(value: number): void {
    this.#hash = Math.imul(this.#hash ^ value, 0x01000193)
  }
}
