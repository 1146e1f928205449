// Passes a request in the responses format on as it came. Edited are the model's name, the output cap, and what was mended of
// earlier answers that came from elsewhere.

import type { ClientRequest, PassEdits } from '#dialect/dialect.ts'
import { editObject } from '#dialect/json-text.ts'

/** The request's text for the provider. */
export function editResponsesRequest(request: ClientRequest, edits: PassEdits): string {
  const changes = new Map(edits.mended.members)
  if (edits.upstreamModel !== request.model) changes.set('model', JSON.stringify(edits.upstreamModel))
  if (edits.outputCap !== undefined && edits.outputCap !== request.outputCap) {
    changes.set('max_output_tokens', String(edits.outputCap))
  }
  return editObject(request.body.text, request.body.scan, changes)
}
