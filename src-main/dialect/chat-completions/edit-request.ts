// Passes a chat completion request on as it came. Only three things are edited: the model's name, the output cap, and the
// switch that makes the provider report usage in a stream.

import type { OutputCapField } from '#core/entities.ts'
import { isRecord } from '#dialect/request-body.ts'
import { editObject } from '#dialect/json-text.ts'
import type { ChatRequest } from '#dialect/chat-completions/read-request.ts'

export type ChatEdits = {
  readonly upstreamModel: string
  /** The cap to send; undefined leaves the request without one. */
  readonly outputCap: number | undefined
  /** The member that the provider takes, used where the client gave no cap. */
  readonly outputCapField: OutputCapField
}

/** The request's text for the provider. */
export function editChatRequest(request: ChatRequest, edits: ChatEdits): string {
  const changes = new Map<string, string>()
  if (edits.upstreamModel !== request.model) changes.set('model', JSON.stringify(edits.upstreamModel))
  if (edits.outputCap !== undefined && edits.outputCap !== request.outputCap) {
    changes.set(request.outputCapField ?? edits.outputCapField, String(edits.outputCap))
  }
  if (request.isStream && !request.wantsUsage) {
    const options = request.body.value['stream_options']
    const given = isRecord(options) ? options : {}
    changes.set('stream_options', JSON.stringify({ ...given, include_usage: true }))
  }
  return editObject(request.body.text, request.body.scan, changes)
}
