// The members that a message and its content blocks share between streams and whole answers.

import type { AnswerContext } from '#dialect/dialect.ts'
import { wrapCallSeal } from '#dialect/call-seal.ts'
import { isRecord } from '#dialect/request-body.ts'
import { wrapSeal, type Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The head of a message. */
export function messageHead(context: AnswerContext) {
  return {
    id: `msg_${context.exchangeId.replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: context.request.model,
  }
}

/**
 * A thinking block. Strict clients fail without a signature, so that an unsigned block has an empty one; others drop a block
 * without text, so that a seal alone is told as thinking that is not shown.
 */
export function thinkingBlock(text: string, sealed: Sealed | undefined): JsonObject {
  if (text === '' && sealed !== undefined) {
    return { type: 'redacted_thinking', data: wrapSeal(sealed, 'messages-redacted') }
  }
  return { type: 'thinking', thinking: text, signature: sealed === undefined ? '' : wrapSeal(sealed, 'messages') }
}

/** The block that carries a tool call's seal, before the call, where no thinking with a text can carry it. */
export function callSealBlock(sealed: Sealed): JsonObject {
  return { type: 'redacted_thinking', data: wrapCallSeal(sealed, 'messages-redacted') }
}

/** The same as the signature of thinking right before the call. */
export function callSealSignature(sealed: Sealed): string {
  return wrapCallSeal(sealed, 'messages')
}

/** Thinking blocks go to clients that asked for thinking, shown or not; others bring an unexpected block back as an error. */
export function takesThinking(context: AnswerContext): boolean {
  const thinking = context.request.body.value['thinking']
  return isRecord(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')
}

/** A source on the web, in the form of Anthropic's own search. The members that only Anthropic can fill are empty. */
export function webCitation(url: string, title: string | undefined): JsonObject {
  return { type: 'web_search_result_location', url, title: title ?? null, cited_text: '', encrypted_index: '' }
}
