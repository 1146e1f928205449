// What answers of the messages format are put together from.

import { answer, LAST_WORDS, named, type Provider } from './fault.ts'

export const USAGE = { input_tokens: 19, output_tokens: 10 }
export const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  usage: USAGE,
}

export const START = named({ type: 'message_start', message: MESSAGE })
export const STOP = named({ type: 'message_stop' })

export function block(index: unknown, content: object): string {
  return named({ type: 'content_block_start', index, content_block: content })
}

export function delta(index: unknown, piece: unknown): string {
  return named({ type: 'content_block_delta', index, delta: piece })
}

export function closed(index: unknown): string {
  return named({ type: 'content_block_stop', index })
}

export function reason(stop: unknown, more: object = { usage: USAGE }): string {
  return named({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, ...more })
}

export const EMPTY = { type: 'text', text: '' }
export const said = (text: string) => ({ type: 'text_delta', text })
export const WORDS = [block(0, EMPTY), delta(0, said(LAST_WORDS)), closed(0)] as const
export const END = [reason('end_turn'), STOP] as const

export function whole(members: object): Provider {
  return answer({ ...MESSAGE, content: [{ type: 'text', text: LAST_WORDS }], stop_reason: 'end_turn', ...members })
}
