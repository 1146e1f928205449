// What answers of the responses format are put together from.

import { answer, LAST_WORDS, named, type Provider } from './fault.ts'

export const USAGE = { input_tokens: 19, output_tokens: 10, total_tokens: 29 }
export const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'in_progress',
  output: [],
}
export const PART = { type: 'output_text', text: LAST_WORDS, annotations: [] }
export const ITEM = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [PART] }

export function completed(output: readonly unknown[], more: object = {}) {
  return { type: 'response.completed', response: { ...RESPONSE, status: 'completed', usage: USAGE, output, ...more } }
}

export const CREATED = named({ type: 'response.created', response: RESPONSE })
export const ADDED = named({ type: 'response.output_item.added', output_index: 0, item: { ...ITEM, content: [] } })
export const PLACE = { item_id: 'msg_1', output_index: 0, content_index: 0 }
export const said = (delta: unknown, more: object = {}) =>
  named({ type: 'response.output_text.delta', ...PLACE, delta, ...more })
export const DONE = named({ type: 'response.output_item.done', output_index: 0, item: ITEM })
export const WORDS = [CREATED, ADDED, said(LAST_WORDS), DONE] as const
export const END = named(completed([ITEM]))

export function whole(members: object): Provider {
  return answer({ ...RESPONSE, status: 'completed', output: [ITEM], usage: USAGE, ...members })
}
