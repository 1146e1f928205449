// What a client of the responses format wants to get back, from its request. The reader and the writers have to agree on it.

import type { AskedRequest } from '#dialect/dialect.ts'
import { isRecord } from '#dialect/request-body.ts'
import { asksForCompaction } from '#dialect/responses/compaction.ts'
import type { JsonObject } from '#dialect/turn.ts'

export type Wishes = {
  /** Whether reasoning is to be read: a summary was asked for. */
  readonly showsReasoning: boolean
  /** Whether what the provider sealed comes with the answer, to be sent back. */
  readonly keepsSealed: boolean
  /**
   * Whether a refusal may be a part of its own. Codex, alone in sending `client_metadata`, does not know that type of part and
   * loses the whole message over it; everybody else expects it.
   */
  readonly takesRefusalParts: boolean
  /** Whether the answer is to be one summary of the conversation. */
  readonly isCompaction: boolean
}

export function wishesOf(body: JsonObject): Wishes {
  const { reasoning, include } = body
  const summary = isRecord(reasoning) ? (reasoning['summary'] ?? reasoning['generate_summary']) : undefined
  return {
    showsReasoning: typeof summary === 'string' && summary !== '' && summary !== 'none',
    keepsSealed: Array.isArray(include) && include.includes('reasoning.encrypted_content'),
    takesRefusalParts: !isRecord(body['client_metadata']),
    isCompaction: asksForCompaction(body),
  }
}

/** Whether later requests may name the answer, which is so unless a client says otherwise, and on one connection in any case. */
export function isKept({ body, isOfConnection }: Pick<AskedRequest, 'body' | 'isOfConnection'>): boolean {
  return isOfConnection === true || body.value['store'] !== false
}
