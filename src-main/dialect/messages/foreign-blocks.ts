// What a client brings back from answers that other dialects' providers gave and Farebox translated: thinking that is signed
// in our wrapping or not at all, and citations without their index. Anthropic refuses requests that hold any of it, and the
// client would be stuck with its conversation after a change of the model.

import { modelFacts } from '#dialect/messages/model-facts.ts'
import { isRecord, type RequestBody } from '#dialect/request-body.ts'
import { isWrappedSeal } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Cheap signs that a body may hold such blocks. Thinking can lack the member for its signature, so that any of it is one. */
const SIGNS = /"farebox1\.|"type"\s*:\s*"thinking"|"encrypted_index"\s*:\s*""/

/** The messages without foreign blocks; undefined where there are none, so that the text can stay as it is. */
export function withoutForeignBlocks(body: RequestBody, upstreamModel: string): readonly unknown[] | undefined {
  const messages = body.value['messages']
  if (!Array.isArray(messages) || !SIGNS.test(body.text)) return undefined
  const isStrict = modelFacts(upstreamModel).strictThinking
  let isChanged = false
  const kept: unknown[] = []
  for (const message of messages) {
    const content: unknown = isRecord(message) ? message['content'] : undefined
    if (!isRecord(message) || message['role'] !== 'assistant' || !Array.isArray(content)) {
      kept.push(message)
      continue
    }
    const own = content.flatMap((block: unknown) => ownBlock(block, isStrict))
    if (own.length === content.length && own.every((block, index) => block === content[index])) {
      kept.push(message)
      continue
    }
    isChanged = true
    // A turn that was nothing but thinking is gone with it: an empty one is refused in the middle.
    if (own.length > 0) kept.push({ ...message, content: own })
  }
  return isChanged ? kept : undefined
}

function ownBlock(block: unknown, isStrict: boolean): readonly unknown[] {
  if (!isRecord(block)) return [block]
  switch (block['type']) {
    case 'thinking':
      return isForeignSeal(block['signature'], isStrict) ? [] : [block]
    case 'redacted_thinking':
      return isForeignSeal(block['data'], isStrict) ? [] : [block]
    case 'text':
      return isStrict && hasForeignCitations(block) ? [withoutCitations(block)] : [block]
    default:
      return [block]
  }
}

function isForeignSeal(seal: unknown, isStrict: boolean): boolean {
  if (typeof seal === 'string' && isWrappedSeal(seal)) return true
  return isStrict && (seal === '' || seal === undefined || seal === null)
}

function hasForeignCitations(block: JsonObject): boolean {
  const citations = block['citations']
  return (
    Array.isArray(citations) && citations.some((citation) => isRecord(citation) && citation['encrypted_index'] === '')
  )
}

function withoutCitations(block: JsonObject): JsonObject {
  const { citations: _, ...rest } = block
  return rest
}
