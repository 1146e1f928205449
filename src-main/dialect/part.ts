// An answer in no dialect's words: a sequence of parts. Streams are written part by part, whole answers are the fold of their
// parts, so that both share one mapping.
//
// What every reader promises to every writer:
// - `start` comes first and once. For each choice there is at most one open block at a time: `open`, any `delta`s, `close`.
// - A tool call's deltas together are the JSON text of its arguments, in order; other calls wait until it is closed.
// - No block is opened before something is known to be in it, except a tool call, which may have no arguments.
// - `finish` comes once for each choice, after its last block; `usage` may come anywhere and again, the last one counts.

import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { ToolKind } from '#dialect/turn.ts'

export type Block =
  | { readonly type: 'text' }
  | { readonly type: 'refusal' }
  | { readonly type: 'reasoning' }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      /** Readers of providers give functions; the client's own name, namespace and kind are put back before its writer. */
      readonly namespace?: string | undefined
      readonly kind: ToolKind
      readonly sealed?: Sealed | undefined
    }

export type FinishReason =
  'stop' | 'stop-sequence' | 'length' | 'context-window' | 'tool-calls' | 'content-filter' | 'pause'

export type AnswerPart =
  | { readonly type: 'start' }
  | { readonly type: 'open'; readonly choice: number; readonly block: Block }
  | { readonly type: 'delta'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'close'
      readonly choice: number
      /** What the provider wants back with this block. */
      readonly sealed?: Sealed | undefined
      /** True for a tool call whose arguments were cut off: no client may run it. */
      readonly isCut?: boolean | undefined
    }
  /** A source that the text block before it, or around it, refers to. */
  | CitationPart
  | {
      readonly type: 'finish'
      readonly choice: number
      readonly reason: FinishReason
      /** The stop sequence that was met, where the provider says. */
      readonly stopSequence?: string | undefined
    }
  | { readonly type: 'usage'; readonly usage: TokenUsage }

/** A source that an answer names. */
export type Citation = { readonly url: string; readonly title: string | undefined }

export type CitationPart = Citation & { readonly type: 'citation'; readonly choice: number }

export type FoldedBlock = {
  readonly block: Block
  readonly text: string
  readonly sealed: Sealed | undefined
  readonly isCut: boolean
  readonly citations: readonly Citation[]
}

export type FoldedChoice = {
  readonly blocks: readonly FoldedBlock[]
  readonly finish: FinishReason
  readonly stopSequence: string | undefined
}

type GrowingBlock = { -readonly [Field in keyof FoldedBlock]: FoldedBlock[Field] } & {
  citations: Citation[]
}

/** The whole answer that parts add up to: its choices in their order, and the last usage. */
export function foldParts(parts: readonly AnswerPart[]): {
  readonly choices: readonly FoldedChoice[]
  readonly usage: TokenUsage
} {
  // Not an array: a provider that numbers a choice 4,000,000,000 would make one of that length.
  const choices = new Map<number, { blocks: GrowingBlock[]; finish: FinishReason; stopSequence: string | undefined }>()
  let usage: TokenUsage = UNKNOWN_USAGE
  for (const part of parts) {
    if (part.type === 'start') continue
    if (part.type === 'usage') {
      usage = part.usage
      continue
    }
    const choice = choices.get(part.choice) ?? { blocks: [], finish: 'stop', stopSequence: undefined }
    choices.set(part.choice, choice)
    const last = choice.blocks.at(-1)
    switch (part.type) {
      case 'open': {
        const sealed = part.block.type === 'tool-call' ? part.block.sealed : undefined
        choice.blocks.push({ block: part.block, text: '', sealed, isCut: false, citations: [] })
        break
      }
      case 'delta':
        if (last !== undefined) last.text += part.text
        break
      case 'close':
        if (last !== undefined) last.sealed = part.sealed ?? last.sealed
        if (last !== undefined) last.isCut = part.isCut === true
        break
      case 'citation':
        last?.citations.push({ url: part.url, title: part.title })
        break
      case 'finish':
        choice.finish = part.reason
        choice.stopSequence = part.stopSequence
    }
  }
  const inOrder = [...choices].toSorted(([left], [right]) => left - right)
  return { choices: inOrder.map(([, choice]) => choice), usage }
}
