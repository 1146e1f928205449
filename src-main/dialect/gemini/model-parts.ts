// What a model said and called, as parts of a Gemini content, with the thought signatures that belong to them.

import { readInput } from '#dialect/tool-input.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { AssistantContent, JsonObject, ToolCall } from '#dialect/turn.ts'

export type Content = { readonly role: 'user' | 'model'; readonly parts: JsonObject[] }

/** Names of what was left out. */
export type Dropped = Set<string>

/** Google documents this value for calls whose signature nobody has, because another model or an older client made them. */
export const NO_SIGNATURE = 'skip_thought_signature_validator'

export function modelParts(content: readonly AssistantContent[], dropped: Dropped): JsonObject[] {
  const parts: JsonObject[] = []
  for (const part of content) {
    switch (part.type) {
      case 'text':
      case 'refusal':
        if (part.type === 'text' && part.cacheMark !== undefined) dropped.add('cache_control')
        if (part.text !== '') parts.push({ text: part.text })
        break
      case 'reasoning': {
        const signature = signatureOf(part.sealed)
        if (signature === undefined) dropped.add('earlier reasoning')
        else parts.push(thoughtPart(part.text, signature))
        break
      }
      case 'tool-call':
        if (part.cacheMark !== undefined) dropped.add('cache_control')
        parts.push(callPart(part, signatureOf(part.sealed)))
    }
  }
  return parts
}

/**
 * Marks the first call of each step since the user last spoke that has no signature. Models from Gemini 3 on refuse a request
 * in which one is missing. Calls before the user's last words need none.
 */
export function signFirstCalls(contents: readonly Content[]): void {
  const lastUser = contents.findLastIndex(({ role, parts }) => role === 'user' && !parts.some(isResponse))
  for (const { role, parts } of contents.slice(lastUser + 1)) {
    if (role !== 'model') continue
    const first = parts.findIndex((part) => 'functionCall' in part)
    const call = parts[first]
    if (call !== undefined && !('thoughtSignature' in call)) parts[first] = { ...call, thoughtSignature: NO_SIGNATURE }
  }
}

function isResponse(part: JsonObject): boolean {
  return 'functionResponse' in part
}

/** A signature without a text is that of the text before it. */
function thoughtPart(text: string, thoughtSignature: string): JsonObject {
  return text === '' ? { text, thoughtSignature } : { text, thought: true, thoughtSignature }
}

function callPart({ id, name, arguments: text }: ToolCall, thoughtSignature: string | undefined): JsonObject {
  const args = readInput(text) ?? { _raw: text }
  return { functionCall: { id, name, args }, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }
}

/** Gemini's own signatures, as long as they are still the base64 that they were: others would refuse the whole request. */
function signatureOf(sealed: Sealed | undefined): string | undefined {
  if (sealed?.origin !== 'gemini') return undefined
  return /^[\w+/-]+={0,2}$/.test(sealed.value) ? sealed.value : undefined
}
