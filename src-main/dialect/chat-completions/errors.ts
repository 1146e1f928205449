// How a chat completion stream ends when it breaks after its first event: an error event and no `[DONE]`. The SDKs throw on
// it, so that nobody takes half an answer for a whole one.

import type { Refusal } from '#core/refusal.ts'
import { errorBody } from '#dialect/errors.ts'

export function chatStreamError(refusal: Refusal, requestId: string): Buffer {
  return Buffer.from(`data: ${errorBody(refusal, requestId)}\n\n`)
}
