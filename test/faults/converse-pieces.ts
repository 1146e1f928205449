// What answers of Converse are put together from.

import { frame } from '../support/aws-frames.ts'
import { answer, LAST_WORDS, type Provider } from './fault.ts'

export const USAGE = { inputTokens: 19, outputTokens: 10, totalTokens: 29 }

export const START = frame('messageStart', { role: 'assistant' })
export const METADATA = counted(USAGE)

export function counted(usage: object): Buffer {
  return frame('metadata', { usage, metrics: { latencyMs: 5 } })
}

export function begun(contentBlockIndex: unknown, start: unknown): Buffer {
  return frame('contentBlockStart', { contentBlockIndex, start })
}

export function delta(contentBlockIndex: unknown, piece: unknown): Buffer {
  return frame('contentBlockDelta', { contentBlockIndex, delta: piece })
}

export function closed(contentBlockIndex: unknown): Buffer {
  return frame('contentBlockStop', { contentBlockIndex })
}

export function reason(stopReason: unknown): Buffer {
  return frame('messageStop', { stopReason })
}

export const WORDS = [delta(0, { text: LAST_WORDS }), closed(0)] as const
export const END = [reason('end_turn'), METADATA] as const

/** A whole answer with these content blocks. */
export function whole(content: unknown, more: object = {}): Provider {
  return answer({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage: USAGE, ...more })
}
