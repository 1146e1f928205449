// What answers of chat completions are put together from.

import { answer, LAST_WORDS, unnamed, type Provider } from './fault.ts'

export const HEAD = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
export const DONE = 'data: [DONE]\n\n'

export function chunk(delta: unknown, finish: string | null = null, more: object = {}): string {
  return unnamed({ ...HEAD, choices: [{ index: 0, delta, finish_reason: finish, ...more }] })
}

export const ROLE = chunk({ role: 'assistant', content: '' })
export const WORDS = chunk({ content: LAST_WORDS })
export const STOP = chunk({}, 'stop')

export function whole(choices: unknown, more: object = {}): Provider {
  return answer({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices, ...more })
}

export function message(members: object, finish: unknown = 'stop'): Provider {
  return whole([{ index: 0, message: { role: 'assistant', ...members }, finish_reason: finish }])
}
