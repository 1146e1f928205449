// `reasoning_details`, the member in which OpenRouter gives reasoning with its signatures and takes it back. Farebox uses it
// the same way towards its clients, for reasoning that any provider sealed. Mistral has parts of content for it.

import { isRecord, parseJson } from '#dialect/request-body.ts'
import { unwrapSeal, wrapSeal, type Sealed } from '#dialect/seal.ts'
import { objectText } from '#dialect/tool-input.ts'
import type { JsonObject } from '#dialect/turn.ts'

const NATIVE = 'chat-completions'

export type ReasoningDetail = { readonly text: string; readonly sealed: Sealed | undefined }

/** What is known of the details' kinds; others are left out. */
export function readReasoningDetails(value: unknown): ReasoningDetail[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((detail) => {
    const read = isRecord(detail) ? readDetail(detail) : undefined
    return read === undefined || (read.text === '' && read.sealed === undefined) ? [] : [read]
  })
}

function readDetail(detail: JsonObject): ReasoningDetail | undefined {
  const { type, text, summary, ...rest } = detail
  switch (type) {
    case 'reasoning.text':
      return { text: textOf(text), sealed: readSeal(textOf(detail['signature']), { type, ...rest }) }
    case 'reasoning.summary':
      return { text: textOf(summary), sealed: undefined }
    case 'reasoning.encrypted':
      return { text: '', sealed: readSeal(textOf(detail['data']), { type, ...rest }) }
    default:
      return undefined
  }
}

/** A seal of OpenRouter is good only with the members beside it, such as its format and id. */
function readSeal(seal: string, detail: JsonObject): Sealed | undefined {
  const sealed = unwrapSeal(seal, NATIVE)
  return sealed?.origin === NATIVE ? { origin: NATIVE, value: objectText(detail) } : sealed
}

/** The details for a block of reasoning, with its whole text: clients send back what they were given. */
export function writeReasoningDetails(text: string, sealed: Sealed, index: number): JsonObject[] {
  const native = sealed.origin === NATIVE ? parseJson(sealed.value) : undefined
  if (isRecord(native)) {
    if (native['type'] !== 'reasoning.encrypted') return [text === '' ? native : { ...native, text }]
    if (text === '') return [native]
    const { format } = native
    return [{ type: 'reasoning.summary', summary: text, ...(format === undefined ? {} : { format }) }, native]
  }
  const seal = wrapSeal(sealed, NATIVE)
  if (text === '') return [{ type: 'reasoning.encrypted', data: seal, index }]
  return [{ type: 'reasoning.text', text, signature: seal, index }]
}

/** What stands in Mistral's content part of type `thinking`: text, or parts of text. */
export function thinkingText(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking
  if (!Array.isArray(thinking)) return ''
  return thinking.map((piece) => (isRecord(piece) && typeof piece['text'] === 'string' ? piece['text'] : '')).join('')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
