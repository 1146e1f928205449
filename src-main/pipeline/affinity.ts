// What the requests of one session have in common, so that they go to the same target.

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
