// Why a candidate ended, in Google's words.

import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import type { Ending } from '#dialect/messages/finish-reasons.ts'
import type { FinishReason } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'

/** What a candidate may end with, but for the ordinary end. Everything not listed is read as an ordinary end. */
const FINISHES: ReadonlyMap<string, FinishReason> = new Map([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['ESCALATION', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
  ['IMAGE_OTHER', 'content-filter'],
  ['NO_IMAGE', 'content-filter'],
  // Nobody knows why, but the model did not come to its end: no client may take the answer for a complete one.
  ['OTHER', 'content-filter'],
])

/** Ends at which there is no answer. The names are Google's and say what happened. */
const FAILURES: ReadonlyMap<string, 'malformed' | 'reported'> = new Map([
  ['MALFORMED_FUNCTION_CALL', 'malformed'],
  ['MALFORMED_RESPONSE', 'malformed'],
  ['UNEXPECTED_TOOL_CALL', 'malformed'],
  ['TOO_MANY_TOOL_CALLS', 'malformed'],
  ['MISSING_THOUGHT_SIGNATURE', 'reported'],
])

/** Throws UpstreamFailure where the model broke off without an answer. */
export function readFinish(reason: string | undefined, hasToolCalls: boolean): FinishReason {
  const failure = FAILURES.get(reason ?? '')
  // Told as the request's fault, so that nobody sends the same request again.
  if (failure === 'reported') throw new UpstreamFailure(failure, `The model stopped: ${reason}.`, { status: 400 })
  if (failure !== undefined) throw brokenOutput(`The model stopped without an answer: ${reason}.`)
  return FINISHES.get(reason ?? '') ?? (hasToolCalls ? 'tool-calls' : 'stop')
}

/** Calls have no reason of their own in Gemini: clients look for them in the parts. */
export function writeFinish({ finish, hasToolCall, hasCutCall, hasRefusal }: Ending): string {
  switch (finish) {
    case 'length':
    case 'context-window':
      return 'MAX_TOKENS'
    case 'content-filter':
      return 'SAFETY'
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    case 'pause':
    case undefined:
      if (hasCutCall && !hasToolCall) return 'MAX_TOKENS'
      return hasRefusal && !hasToolCall ? 'SAFETY' : 'STOP'
  }
}

/** Whether a candidate says that it has ended. */
export function isFinish(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED'
}

/** Whether an answer, or a chunk of one, says that the prompt was blocked. */
export function isBlocked({ promptFeedback }: Readonly<Record<string, unknown>>): boolean {
  const reason = isRecord(promptFeedback) ? promptFeedback['blockReason'] : undefined
  return typeof reason === 'string' && reason !== '' && !reason.endsWith('_UNSPECIFIED')
}
