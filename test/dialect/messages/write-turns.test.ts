import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeMessagesRequest } from '#dialect/messages/write-request.ts'
import { repairTurns } from '#dialect/repair.ts'
import type { AssistantContent, TextContent, ToolResult, Turn } from '#dialect/turn.ts'
import { conversationOf, notRefused, targetOf } from './requests.ts'

type Block = Readonly<Record<string, unknown>>
type Message = { readonly role: string; readonly content: readonly Block[] }

const mark = fc.option(fc.record({ ttl: fc.constantFrom(undefined, '5m', '1h') }), { nil: undefined })
const text: fc.Arbitrary<TextContent> = fc.record({
  type: fc.constant('text'),
  text: fc.constantFrom('', ' ', '\n', 'a', 'b '),
  cacheMark: mark,
})
const callId = fc.constantFrom('a', 'b', 'x.y:0', 'x_y_0', '')
const content: fc.Arbitrary<AssistantContent> = fc.oneof(
  text,
  fc.record({ type: fc.constant('refusal'), text: fc.constantFrom('', 'No.') }),
  fc.record({
    type: fc.constant('reasoning'),
    text: fc.constantFrom('', 'Hm'),
    sealed: fc.constantFrom(undefined, { origin: 'messages', value: 's' }, { origin: 'gemini', value: 'g' }),
  }),
  fc.record({
    type: fc.constant('tool-call'),
    id: callId,
    name: fc.constant('wx'),
    arguments: fc.constantFrom('', '{}', '[', '{"a":1}'),
    cacheMark: mark,
  }),
)
const result: fc.Arbitrary<ToolResult> = fc.record({
  callId,
  content: fc.array(text, { maxLength: 2 }),
  isError: fc.boolean(),
  cacheMark: mark,
})
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ role: fc.constant('system'), content: fc.array(text, { maxLength: 2 }) }),
  fc.record({ role: fc.constant('user'), content: fc.array(text, { maxLength: 3 }) }),
  fc.record({ role: fc.constant('assistant'), content: fc.array(content, { maxLength: 4 }) }),
  fc.record({ role: fc.constant('tool'), results: fc.array(result, { maxLength: 3 }) }),
)

/** Anthropic's rules for messages, each of which is a 400 otherwise. */
function checkMessages(messages: readonly Message[]): void {
  expect(messages[0]?.role).toBe('user')
  const ids: unknown[] = []
  for (const [index, { role, content: blocks }] of messages.entries()) {
    expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant')
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) if (block['type'] === 'text') expect(block['text']).toMatch(/\S/)
    const calls = blocks.filter((block) => block['type'] === 'tool_use').map((block) => block['id'])
    const results = (messages[index + 1]?.content ?? []).map((block) => block['tool_use_id'])
    expect(results.slice(0, calls.length)).toEqual(calls)
    expect(results.slice(calls.length).every((id) => id === undefined)).toBe(true)
    ids.push(...calls)
  }
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
  expect(new Set(ids).size).toBe(ids.length)
}

describe('whatever a conversation is, once it was repaired', () => {
  it.each(['claude-sonnet-4-5', 'claude-opus-4-7', 'glm-5'])('its messages keep the rules of %s', (model) => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), (turns) => {
        const conversation = conversationOf(repairTurns(turns))
        const written = notRefused(writeMessagesRequest(conversation, targetOf(model))).body(100)
        const body = JSON.parse(written) as { messages: Message[]; system?: Block[] }
        checkMessages(body.messages)
        for (const block of body.system ?? []) expect(block['text']).toMatch(/\S/)
        expect(written.split('"cache_control"').length - 1).toBeLessThanOrEqual(4)
        const ends = body.messages.at(-1)
        if (model === 'claude-opus-4-7') expect(ends?.role).toBe('user')
        const last = ends?.role === 'assistant' ? ends.content.at(-1)?.['text'] : undefined
        if (typeof last === 'string') expect(last).toBe(last.trimEnd())
      }),
      { numRuns: 300 },
    )
  })

  it('gives a grown conversation the same beginning, so that the cache of the provider holds', () => {
    const calls = (id: string): Turn[] => [
      { role: 'assistant', content: [{ type: 'tool-call', id, name: 'wx', arguments: '{}' }] },
      { role: 'tool', results: [{ callId: id, content: [{ type: 'text', text: 'x' }], isError: false }] },
    ]
    const hi: Turn = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
    const messagesOf = (turns: readonly Turn[]) => {
      const written = notRefused(writeMessagesRequest(conversationOf(turns), targetOf())).body(100)
      return (JSON.parse(written) as { messages: Message[] }).messages
    }
    const short = messagesOf([hi, ...calls('a.0'), ...calls('a.0')])
    expect(messagesOf([hi, ...calls('a.0'), ...calls('a.0'), ...calls('a_0')]).slice(0, short.length)).toEqual(short)
  })
})
