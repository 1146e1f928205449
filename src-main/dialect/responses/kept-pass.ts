// Keeps an answer that was passed on as it came, for requests that name it and go to somebody else than the provider that gave it.

import type { AskedRequest, KeepAnswer, KeptItem } from '#dialect/dialect.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { isKept } from '#dialect/responses/wishes.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Takes an answer that is whole, and what it holds. */
export type PassKeeper = (response: JsonObject, output: readonly unknown[]) => void

/** undefined where nobody may name the answer. Texts are read as latin1 where they have one character for each byte. */
export function passKeeper(
  request: AskedRequest,
  encoding: 'latin1' | 'utf8',
  keep: KeepAnswer | undefined,
): PassKeeper | undefined {
  if (keep === undefined || !isKept(request)) return undefined
  const { previous_response_id: named } = request.body.value
  const previousId = typeof named === 'string' ? named : request.wentOn?.previousId
  return ({ id }, output) => {
    const itemIds = output.flatMap((item) => (isRecord(item) && typeof item['id'] === 'string' ? [item['id']] : []))
    if (typeof id !== 'string' || output.length === 0) return
    const text = JSON.stringify(output)
    keep({ id, itemIds, items: itemsIn(text, encoding), length: text.length, previousId })
  }
}

/** A function of its own, because one that is made where the request is known would keep all of it for as long as the answer. */
function itemsIn(text: string, encoding: 'latin1' | 'utf8'): () => readonly KeptItem[] {
  return () => itemsOf(encoding === 'utf8' ? text : Buffer.from(text, 'latin1').toString('utf8'))
}

/**
 * Without their ids, which mean nothing to anybody but the provider that gave them, and without reasoning that nobody but that
 * provider could find again.
 */
function itemsOf(text: string): readonly KeptItem[] {
  const output = parseJson(text)
  if (!Array.isArray(output)) return []
  return output.flatMap((item: unknown) => {
    if (!isRecord(item) || isOnlyNamed(item)) return []
    // Some servers give their items none; these are named by their answer alone.
    const { id, ...others } = item
    return [{ id: typeof id === 'string' ? id : '', text: JSON.stringify(others) }]
  })
}

function isOnlyNamed({ type, encrypted_content: seal, content }: JsonObject): boolean {
  const hasContent = Array.isArray(content) && content.length > 0
  return type === 'reasoning' && (typeof seal !== 'string' || seal === '') && !hasContent
}
