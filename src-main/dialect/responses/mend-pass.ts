// What a client brings back in input items from answers of other dialects' providers, or of no provider that OpenAI's knows:
// reasoning without a seal of theirs, ids of calls, and answers without the members that only their provider could give.

import { CallIds, plainIds } from '#dialect/call-ids.ts'
import type { ClientRequest, PassTarget } from '#dialect/dialect.ts'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { IdEdits, UNMENDED, type Mended } from '#dialect/mended.ts'
import { isOpenAiModel } from '#dialect/openai-models.ts'
import { isRecord } from '#dialect/request-body.ts'
import { summaryIn } from '#dialect/responses/compaction.ts'
import { MAX_CALL_ID_LENGTH } from '#dialect/responses/write-input.ts'
import { isOwnItemId } from '#dialect/responses/response-object.ts'
import { isWrappedSeal } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

export function mendResponsesPass({ body }: ClientRequest, { upstreamModel }: PassTarget): Mended {
  const items = body.value['input']
  if (!Array.isArray(items)) return UNMENDED
  const facts = { isOpenAi: isOpenAiModel(upstreamModel), isKept: body.value['store'] !== false }
  const edits: JsonEdit[] = []
  const ids = new IdEdits(new CallIds(plainIds(MAX_CALL_ID_LENGTH)))
  let hasLost = false
  for (const [index, item] of items.entries()) {
    if (!isRecord(item)) continue
    const path = ['input', index]
    const type = typeof item['type'] === 'string' ? item['type'] : 'message'
    const summary = summaryIn(item)
    if (summary !== undefined) {
      edits.push({ path, value: JSON.stringify({ role: 'user', content: summary }) })
      ids.other()
    } else if (type === 'reasoning') {
      if (!isLost(item, facts)) continue
      hasLost = true
      edits.push({ path, value: undefined })
    } else if (type.endsWith('_call')) ids.call(item['call_id'], [...path, 'call_id'])
    else if (type.endsWith('_output')) ids.result(item['call_id'], [...path, 'call_id'])
    else if (item['role'] !== 'assistant') ids.other()
    else if (!facts.isOpenAi) for (const edit of plainMessage(item, path)) edits.push(edit)
  }
  for (const edit of ids.edits) edits.push(edit)
  if (edits.length === 0) return UNMENDED
  return { members: editedMembers(body, edits), dropped: hasLost ? ['earlier reasoning'] : [] }
}

type Facts = {
  readonly isOpenAi: boolean
  /** Whether the provider keeps its answers, so that it may know its own reasoning by the item's id. */
  readonly isKept: boolean
}

/** Whether reasoning is of no use to the provider, which would refuse it. */
function isLost(item: JsonObject, { isOpenAi, isKept }: Facts): boolean {
  const { encrypted_content: seal, content, id } = item
  if (typeof seal === 'string' && seal !== '') return isWrappedSeal(seal)
  // Servers of open models show all of their reasoning, and take it back as it was.
  if (!isOpenAi && Array.isArray(content) && content.length > 0) return false
  return !isKept || isOwnItemId(id)
}

/**
 * An answer that lacks members which the published schema requires, as a plain text. Servers that hold requests against the
 * schema refuse it from the second turn on; OpenAI itself takes it.
 */
function plainMessage(item: JsonObject, path: JsonEdit['path']): readonly JsonEdit[] {
  const { content, id, status } = item
  if (!Array.isArray(content) || content.length === 0 || !content.every(isRecord)) return []
  const isWhole = typeof id === 'string' && typeof status === 'string'
  if (isWhole && content.every((part) => part['type'] !== 'output_text' || Array.isArray(part['annotations'])))
    return []
  const texts = content.map((part) => (part['type'] === 'refusal' ? part['refusal'] : part['text']))
  if (!texts.every((text) => typeof text === 'string')) return []
  return [
    { path: [...path, 'content'], value: JSON.stringify(texts.join('')) },
    { path: [...path, 'id'], value: undefined },
    { path: [...path, 'status'], value: undefined },
  ]
}
