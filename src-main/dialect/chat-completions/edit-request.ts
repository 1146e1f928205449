// Passes a chat completion request on as it came. Edited are the model's name, the output cap, the switch that makes the provider
// report usage in a stream, and what was mended of earlier answers that came from elsewhere.

import type { ClientRequest, PassEdits } from '#dialect/dialect.ts'
import { editObject } from '#dialect/json-text.ts'
import { isRecord } from '#dialect/request-body.ts'

/** The request's text for the provider. */
export function editChatRequest(request: ClientRequest, edits: PassEdits): string {
  const changes = new Map(edits.mended.members)
  if (edits.upstreamModel !== request.model) changes.set('model', JSON.stringify(edits.upstreamModel))
  if (edits.outputCap !== undefined && edits.outputCap !== request.outputCap) {
    changes.set(request.outputCap === undefined ? edits.outputCapField : request.outputCapName, String(edits.outputCap))
  }
  if (edits.isFolded === true) changes.set('stream', 'true')
  const isStream = request.isStream || edits.isFolded === true
  if (isStream && !(request.isStream && request.wantsUsage) && edits.quirks.streamUsage) {
    const options = request.body.value['stream_options']
    const given = isRecord(options) ? options : {}
    changes.set('stream_options', JSON.stringify({ ...given, include_usage: true }))
  }
  return editObject(request.body.text, request.body.scan, changes)
}
