// The scripted provider in the messages and the responses format: what it sends is what such providers send.
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { MESSAGES_USAGE, RESPONSES_USAGE, type Behaviour } from './upstream-behaviour.ts'
import { buildReply } from './upstream-reply.ts'
import { startUpstream } from './upstream.ts'

type Event = Readonly<Record<string, unknown>>

const MESSAGES = '/v1/messages?beta=true'
const COUNT = '/v1/messages/count_tokens?beta=true'
const RESPONSES = '/v1/responses'
const SEALED = { include: ['reasoning.encrypted_content'] }
const CALLS = ['Berlin', 'Oslo'].map((city, index) => ({
  id: `call_${index}`,
  name: 'weather',
  arguments: JSON.stringify({ city }),
}))
const RICH = { type: 'answer', reasoning: 'Two cities.', text: 'I look.', toolCalls: CALLS } as const

function whole(behaviour: Behaviour, path: string, body: object = {}): unknown {
  const { parts } = buildReply(behaviour, { path, body: { model: 'm', ...body } })
  return JSON.parse(Buffer.concat(parts).toString())
}

/** The events of a stream, each of which must be named by its own type. */
function streamed(behaviour: Behaviour, path: string, body: object = {}): Event[] {
  const { parts } = buildReply(behaviour, { path, body: { model: 'm', stream: true, ...body } })
  return parts.map((part) => {
    const [, name, data] = /^event: (.+)\ndata: (.+)\n\n$/.exec(part.toString()) ?? []
    const event = JSON.parse(data ?? '') as Event
    expect(event.type).toBe(name)
    return event
  })
}

function typesOf(events: readonly Event[]): unknown[] {
  return events.map((event) => event.type)
}

describe('the messages format', () => {
  test('answers whole with a signed thought, a text, two calls and usage', () => {
    expect(whole(RICH, MESSAGES)).toMatchObject({
      type: 'message',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Two cities.', signature: expect.stringMatching(/./) },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_0', name: 'weather', input: { city: 'Berlin' } },
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
      ],
      stop_reason: 'tool_use',
      usage: MESSAGES_USAGE,
    })
  })

  test('streams each block by itself, a ping after the first has begun, and the final counts last', () => {
    const events = streamed(RICH, MESSAGES)
    expect(typesOf(events).slice(0, 3)).toEqual(['message_start', 'content_block_start', 'ping'])
    expect(typesOf(events).slice(-2)).toEqual(['message_delta', 'message_stop'])
    expect(events[0]).toMatchObject({ message: { content: [], usage: { input_tokens: 19, output_tokens: 1 } } })
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: MESSAGES_USAGE })
    const places = events.filter((event) => 'index' in event).map((event) => event.index)
    expect(places.every((place, index) => index === 0 || Number(place) >= Number(places[index - 1]))).toBe(true)
    const pieces = events.filter((event) => event.index === 3 && 'delta' in event)
    expect(pieces.map((event) => (event.delta as Event).partial_json).join('')).toBe('{"city":"Oslo"}')
  })

  test('stops for the reason it is told, hides reasoning, and reports counts as they are scripted', () => {
    const refused = streamed({ type: 'answer', pieces: [], finishReason: 'refusal' }, MESSAGES)
    expect(refused.at(-2)).toMatchObject({ delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } } })
    expect(whole({ type: 'answer', stopSequence: 'END' }, MESSAGES)).toMatchObject({ stop_sequence: 'END' })
    expect(whole({ type: 'answer', redactedReasoning: 'x' }, MESSAGES)).toMatchObject({
      content: [{ type: 'redacted_thinking', data: 'x' }, { type: 'text' }],
    })
    const odd = streamed({ type: 'answer', usage: { output_tokens: 7 }, startUsage: { input_tokens: 3 } }, MESSAGES)
    expect(odd[0]).toMatchObject({ message: { usage: { input_tokens: 3 } } })
    expect(odd.at(-2)?.usage).toEqual({ output_tokens: 7 })
    const none = streamed({ type: 'answer', usage: null }, MESSAGES)
    expect(none.some((event) => 'usage' in event || 'usage' in ((event.message ?? {}) as Event))).toBe(false)
  })

  test('counts tokens, and never streams them', () => {
    expect(whole({ type: 'answer' }, COUNT, { stream: true })).toEqual({ input_tokens: 19 })
    expect(whole({ type: 'answer', usage: { input_tokens: 7 } }, COUNT)).toEqual({ input_tokens: 7 })
  })

  test('words errors its own way, whole and in a stream', () => {
    const refused = { type: 'error', error: { type: 'overloaded_error', message: expect.any(String) } }
    expect(whole({ type: 'status', status: 529 }, MESSAGES)).toMatchObject(refused)
    expect(whole({ type: 'error-in-200' }, MESSAGES)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
    const events = streamed({ type: 'error-in-stream', afterEvents: 4 }, MESSAGES)
    expect([events.length, events.at(-1)?.type]).toEqual([5, 'error'])
  })

  test('ends without what it is told to leave out', () => {
    const events = streamed({ type: 'answer', omit: ['finish', 'done'] }, MESSAGES)
    expect(events.at(-1)?.type).toBe('content_block_stop')
  })
})

describe('the responses format', () => {
  test('answers whole with reasoning, a text, two calls and usage', () => {
    expect(whole(RICH, RESPONSES, SEALED)).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [{ text: 'Two cities.' }], encrypted_content: expect.stringMatching(/./) },
        { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call_0', arguments: '{"city":"Berlin"}' },
        { type: 'function_call', call_id: 'call_1' },
      ],
      usage: RESPONSES_USAGE,
    })
  })

  test('sends encrypted content only to those who ask for it', () => {
    expect(JSON.stringify(whole(RICH, RESPONSES))).not.toContain('encrypted_content')
    const sealed = streamed({ type: 'answer', reasoning: '', seal: 'blob' }, RESPONSES, SEALED)
    expect(sealed[3]).toMatchObject({ item: { type: 'reasoning', encrypted_content: 'blob', summary: [] } })
  })

  test('numbers all events and closes every item before the next', () => {
    const custom = { id: 'call_2', name: 'apply_patch', arguments: '*** Begin', kind: 'custom' } as const
    const events = streamed({ ...RICH, toolCalls: [...CALLS, custom], refusal: 'No.' }, RESPONSES)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const items = events.filter((event) => String(event.type).startsWith('response.output_item.'))
    expect(items.map((event) => event.output_index)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    expect(items.at(-1)).toMatchObject({ item: { type: 'custom_tool_call', input: '*** Begin', status: 'completed' } })
    expect(typesOf(events)).not.toContain('[DONE]')
  })

  test('is incomplete for a reason, or fails with the error in both of its places', () => {
    const cut = streamed({ type: 'answer', finishReason: 'max_output_tokens' }, RESPONSES)
    expect(cut.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    })
    const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'try again in 1s', param: null }
    const failed = streamed({ type: 'error-in-stream', afterEvents: 2, error }, RESPONSES)
    expect(failed.slice(2)).toMatchObject([
      { type: 'error', sequence_number: 2, error },
      { type: 'response.failed', sequence_number: 3, response: { error: { code: 'rate_limit_exceeded' } } },
    ])
    expect(whole({ type: 'status', status: 429 }, RESPONSES)).toMatchObject({ error: { type: 'rate_limit_error' } })
  })

  test('ends without its terminal event when told to', () => {
    expect(streamed({ type: 'answer', omit: ['done'] }, RESPONSES).at(-1)?.type).toBe('response.output_item.done')
  })

  test('is what the official client puts together, event for event', async () => {
    const upstream = await startUpstream()
    try {
      upstream.script({ ...RICH, refusal: 'No.' })
      const client = new OpenAI({ baseURL: upstream.url, apiKey: 'sk-test', maxRetries: 0 })
      const ask = { model: 'm', input: 'Weather?', include: ['reasoning.encrypted_content'] as const }
      const { output, usage } = await client.responses.stream({ ...ask, include: [...ask.include] }).finalResponse()
      const plain = await client.responses.create({ ...ask, include: [...ask.include] })
      expect(output.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call', 'function_call'])
      expect(output).toMatchObject(plain.output)
      expect(usage).toEqual(plain.usage)
    } finally {
      await upstream.close()
    }
  })
})

describe('every format', () => {
  test('repeats a piece of the answer when it has no end, and breaks an event inside its JSON', () => {
    for (const [path, mark] of [
      [MESSAGES, 'content_block_delta'],
      [RESPONSES, 'response.output_text.delta'],
      ['/v1/chat/completions', '"delta"'],
    ] as const) {
      const body = { model: 'm', stream: true }
      expect(buildReply({ type: 'endless' }, { path, body }).endlessly?.toString()).toContain(mark)
      const broken = buildReply({ type: 'broken-stream', atEvent: 1, how: 'truncated-json' }, { path, body }).parts[1]
      const [, data] = /^data: (.*)$/m.exec(broken?.toString() ?? '') ?? []
      expect(data?.startsWith('{')).toBe(true)
      expect(() => void JSON.parse(data ?? '')).toThrow(SyntaxError)
    }
  })
})
