// Conversations of five megabytes, of the kinds that clients send: many turns, one long text, images, and results of tools.
import { MODEL } from './payload.ts'

export type Sending = { readonly url: string; readonly key: string }

export type Conversation = {
  readonly name: string
  readonly format: 'chat' | 'messages'
  readonly path: string
  readonly members: () => object
}

const BYTES = 5_000_000
const SENTENCE = 'The "fare" is counted once,\nwhen the ride is over, and the book is closed before the door opens. '
const TURN_LENGTH = 600
const RESULT_LENGTH = 8000

const schema = { type: 'object', properties: { path: { type: 'string' } } }

export const CONVERSATIONS: readonly Conversation[] = [
  ...(['chat', 'messages'] as const).flatMap((format) => [
    conversation(format, 'many turns', () => ({ messages: turns() })),
    conversation(format, 'one text', () => ({ messages: [{ role: 'user', content: textOf(BYTES) }] })),
  ]),
  conversation('chat', 'images', () => ({ messages: images((url) => ({ type: 'image_url', image_url: { url } })) })),
  conversation('messages', 'images', () => ({
    messages: images((url) => {
      const data = url.slice(url.indexOf(',') + 1)
      return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    }),
  })),
  conversation('chat', 'results of tools', () => ({
    tools: [{ type: 'function', function: { name: 'read', parameters: schema } }],
    messages: results((id, content) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: id, content },
    ]),
  })),
  conversation('messages', 'results of tools', () => ({
    tools: [{ name: 'read', input_schema: schema }],
    messages: results((id, content) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { path: 'a' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ]),
  })),
]

function conversation(format: Conversation['format'], kind: string, members: () => object): Conversation {
  const path = format === 'chat' ? '/v1/chat/completions' : '/v1/messages'
  return { name: `${format}, ${kind}`, format, path, members: () => ({ model: MODEL, max_tokens: 1000, ...members() }) }
}

function textOf(length: number): string {
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length)
}

function turns(): object[] {
  const count = Math.floor(BYTES / TURN_LENGTH / 2) * 2 + 1
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: textOf(TURN_LENGTH),
  }))
}

function images(block: (url: string) => object): object[] {
  const base64 = Buffer.alloc(Math.floor((BYTES * 3) / 4 / 5), 'image').toString('base64')
  const one = block(`data:image/png;base64,${base64}`)
  return Array.from({ length: 5 }, () => ({ role: 'user', content: [{ type: 'text', text: 'Look.' }, one] }))
}

function results(turn: (id: string, content: string) => readonly object[]): object[] {
  const count = Math.floor(BYTES / RESULT_LENGTH)
  const all = Array.from({ length: count }, (_, index) => turn(`call_${index}`, textOf(RESULT_LENGTH)))
  return [{ role: 'user', content: 'Read them.' }, ...all.flat()]
}
