// Output items of the responses format, as they stand when they are begun and when they are complete. A strict reader compares
// the two: type, id and call id have to be the same.

import type { FoldedBlock } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import { readInput } from '#dialect/tool-input.ts'
import { wrapSeal, type Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

export type ToolBlock = Extract<FoldedBlock['block'], { type: 'tool-call' }>
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'
export type Annotation = {
  readonly type: 'url_citation'
  readonly url: string
  readonly title: string
  readonly start_index: number
  readonly end_index: number
}

/** A source without a place: it is marked at the end of the text as it was when the source came. */
export function annotationOf(citation: FoldedBlock['citations'][number], textLength: number): Annotation {
  const { url, title } = citation
  return { type: 'url_citation', url, title: title ?? url, start_index: textLength, end_index: textLength }
}

export function textPart(text: string, annotations: readonly Annotation[]): JsonObject {
  return { type: 'output_text', text, annotations, logprobs: [] }
}

export function refusalPart(refusal: string): JsonObject {
  return { type: 'refusal', refusal }
}

export function messageItem(id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content }
}

export type ReasoningFields = {
  readonly id: string
  /** Empty where nothing is to be read. */
  readonly text: string
  /** null where the client wants sealed reasoning and there is none, undefined where it does not want any. */
  readonly encrypted: string | null | undefined
}

export function reasoningItem({ id, text, encrypted }: ReasoningFields): JsonObject {
  return {
    id,
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  }
}

export function encryptedOf(sealed: Sealed | undefined): string | null {
  return sealed === undefined ? null : wrapSeal(sealed, 'responses')
}

/** The prefix that OpenAI gives to ids of a call's item. */
export function callIdPrefix({ kind }: ToolBlock): string {
  switch (kind) {
    case 'function':
      return 'fc'
    case 'custom':
      return 'ctc'
    case 'tool-search':
      return 'tsc'
    case 'local-shell':
      return 'lsh'
  }
}

/** A call's item in the form of its tool; `text` are the arguments so far, or the input of a custom tool. */
export function callItem(call: ToolBlock & { readonly itemId: string }, status: ItemStatus, text: string): JsonObject {
  const { itemId, id, kind, name, namespace } = call
  const names = namespace === undefined ? { name } : { name, namespace }
  switch (kind) {
    case 'function':
      return { id: itemId, type: 'function_call', status, call_id: id, ...names, arguments: text }
    case 'custom':
      return { id: itemId, type: 'custom_tool_call', status, call_id: id, ...names, input: text }
    case 'tool-search': {
      const search = { id: itemId, type: 'tool_search_call', status, execution: 'client', call_id: id }
      return { ...search, arguments: objectIn(text) }
    }
    case 'local-shell':
      return { id: itemId, type: 'local_shell_call', status, call_id: id, action: shellAction(text) }
  }
}

/** The action of a shell call. Models also write the command as one line of text, which a shell has to take apart then. */
function shellAction(text: string): JsonObject {
  const { command, working_directory: directory, timeout_ms: timeout, env, user } = objectIn(text)
  return {
    type: 'exec',
    command: typeof command === 'string' ? ['bash', '-lc', command] : textsIn(command),
    env: isRecord(env) ? Object.fromEntries(Object.entries(env).filter(([, value]) => typeof value === 'string')) : {},
    ...(typeof directory === 'string' ? { working_directory: directory } : {}),
    ...(typeof timeout === 'number' ? { timeout_ms: timeout } : {}),
    ...(typeof user === 'string' ? { user } : {}),
  }
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function objectIn(text: string): JsonObject {
  return readInput(text) ?? {}
}
