// Passes a request in the messages format on as it came. Edited are the model's name and the output cap, what the provider
// would refuse because of a lowered cap, and what was mended of earlier answers that came from elsewhere.

import type { ClientRequest, PassEdits } from '#dialect/dialect.ts'
import { editObject, withoutMember } from '#dialect/json-text.ts'
import { disableThinking } from '#dialect/messages/mend-pass.ts'
import { versionAt } from '#dialect/messages/vertex.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Anthropic takes no smaller thinking budget. */
export const MIN_THINKING_BUDGET = 1024

/** The request's text for the provider. */
export function editMessagesRequest(request: ClientRequest, edits: PassEdits): string {
  const { value, text, scan } = request.body
  const changes = new Map(edits.mended.members)
  if (edits.upstreamModel !== request.model) changes.set('model', JSON.stringify(edits.upstreamModel))
  if (edits.outputCap !== undefined && edits.outputCap !== request.outputCap) {
    changes.set('max_tokens', String(edits.outputCap))
    fitThinking(value, { before: request.outputCap, after: edits.outputCap }, changes)
  }
  const version = versionAt(edits.quirks.platform)
  if (version === undefined) return editObject(text, scan, changes)
  changes.set('anthropic_version', JSON.stringify(version))
  return withoutMember(editObject(text, scan, changes), 'model')
}

/** A budget must be below the cap: where the lowered cap passes it, the budget is lowered with it or thinking is off. */
function fitThinking(
  value: JsonObject,
  cap: { readonly before: number | undefined; readonly after: number },
  changes: Map<string, string>,
): void {
  const thinking = value['thinking']
  if (changes.has('thinking') || !isRecord(thinking) || thinking['type'] !== 'enabled') return
  const budget = thinking['budget_tokens']
  // A budget above the client's own cap is a use that the provider knows, or refuses, without our doing.
  if (typeof budget !== 'number' || budget < cap.after || budget >= (cap.before ?? Infinity)) return
  if (cap.after > MIN_THINKING_BUDGET) {
    changes.set('thinking', JSON.stringify({ ...thinking, budget_tokens: cap.after - 1 }))
    return
  }
  disableThinking(value, changes)
}
