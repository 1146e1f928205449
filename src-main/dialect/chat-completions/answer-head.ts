// What every chunk of an answer and the whole answer say about it.

import { isOldForm } from '#dialect/chat-completions/read-turns.ts'
import type { AnswerContext } from '#dialect/dialect.ts'

export type AnswerHead = { readonly id: string; readonly created: number; readonly model: string }

export function answerHead({ request, exchangeId, createdAtS }: AnswerContext): AnswerHead {
  return { id: `chatcmpl-${exchangeId.replaceAll('-', '')}`, created: createdAtS, model: request.model }
}

/** Whether the client knows nothing of tools and waits for the deprecated `function_call`. */
export function wantsFunctionCall({ request }: AnswerContext): boolean {
  return isOldForm(request.body.value)
}
