// The Anthropic SDK through Farebox with providers of all dialects: messages whole and streamed, thinking, images, schemas and
// counting. The SDK's stream accumulator throws on events that are out of order.

import type Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  bodies,
  DIALECTS,
  finishIn,
  newClients,
  resultsIn,
  startPairs,
  weatherCall,
  type Dialect,
  type Pairs,
} from './pairs.ts'

type MessageParams = Anthropic.MessageCreateParamsNonStreaming

let pairs: Pairs
let anthropic: Anthropic
let key: string

beforeAll(async () => {
  pairs = await startPairs()
  const clients = await newClients(pairs)
  anthropic = clients.anthropic
  key = clients.key
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

const SEAL = 'c2VhbGVkLXRob3VnaHRz'
const WEATHER: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Asks once for the whole message, or lets the helper build it from a stream: the two must be alike. */
function message(params: MessageParams, isStream: boolean): Promise<Anthropic.Message> {
  return isStream ? anthropic.messages.stream(params).finalMessage() : anthropic.messages.create(params)
}

describe.each(DIALECTS)('a message of a provider of %s', (dialect: Dialect) => {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi there' }]
  const asked = { model: dialect, max_tokens: 4096, messages }

  it.each([false, true])('is answered with text, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', text: 'Good day to you.' })
    expect(await message(asked, isStream)).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Good day to you.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 19, output_tokens: 10 },
    })
  })

  it('is streamed in pieces, with the events of the helper', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day to you.' })
    const stream = anthropic.messages.stream(asked)
    const pieces: string[] = []
    const blocks: string[] = []
    stream.on('text', (piece) => pieces.push(piece))
    stream.on('contentBlock', ({ type }) => blocks.push(type))
    expect(await stream.finalText()).toBe('Good day to you.')
    expect(pieces.length).toBeGreaterThan(1)
    expect(blocks).toEqual(['text'])
  })

  it('is iterated over as the events of the format, with a count of the input in the first', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day.' })
    const events: Anthropic.RawMessageStreamEvent[] = []
    for await (const event of await anthropic.messages.create({ ...asked, stream: true })) events.push(event)
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...events.slice(2, -3).map(() => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    const [start] = events
    expect(start?.type === 'message_start' ? start.message.usage.input_tokens : 0).toBeGreaterThan(0)
  })

  it.each([false, true])('shows the thinking that was asked for before the text, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', reasoning: 'I should greet.', text: 'Good day.' })
    const thinking = { type: 'enabled' as const, budget_tokens: 2048 }
    const { content } = await message({ ...asked, thinking }, isStream)
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'I should greet.', signature: expect.any(String) },
      { type: 'text', text: 'Good day.' },
    ])
  })

  it.each([false, true])('calls tools in parallel and goes on with their results, streaming %s', async (isStream) => {
    const { upstream } = pairs
    upstream.once({
      type: 'answer',
      text: 'Let me look.',
      toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')],
    })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const first = await message({ ...asked, tools: [WEATHER] }, isStream)
    expect(first).toMatchObject({
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Bern' } },
        { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { city: 'Basel' } },
      ],
      stop_reason: 'tool_use',
    })
    const results = ['call_1', 'call_2'].map((id) => toolResult(id, `sunny for ${id}`))
    const next = [...messages, { role: 'assistant' as const, content: first.content }, userTurn(results)]
    await message({ ...asked, messages: next, tools: [WEATHER] }, isStream)
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([
      ['call_1', 'sunny for call_1'],
      ['call_2', 'sunny for call_2'],
    ])
  })

  it.each([
    ['length', 'max_tokens', false],
    ['length', 'max_tokens', true],
    ['content-filter', 'refusal', false],
    ['content-filter', 'refusal', true],
  ] as const)('stopped by %s says %s, streaming %s', async (end, reason, isStream) => {
    pairs.upstream.script({ type: 'answer', text: 'Good d', finishReason: finishIn(dialect, end) })
    const answer = await message(asked, isStream)
    expect(answer).toMatchObject({ stop_reason: reason, content: [{ type: 'text', text: 'Good d' }] })
  })

  it('shows an image to the provider', async () => {
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    }
    await message({ ...asked, messages: [userTurn([image, { type: 'text', text: 'What is this?' }])] }, false)
    expect(pairs.upstream.requests[0]?.text).toContain(data)
    expect(pairs.upstream.requests[0]?.text).toContain('image/png')
  })

  it('is parsed into the schema that was asked for', async () => {
    pairs.upstream.script({ type: 'answer', text: '{"city":"Bern","degrees":21}' })
    const format = zodOutputFormat(z.object({ city: z.string(), degrees: z.number() }))
    const answer = await anthropic.messages.parse({ ...asked, output_config: { format } })
    expect(answer.parsed_output).toEqual({ city: 'Bern', degrees: 21 })
    expect(JSON.stringify(bodies(pairs)[0])).toContain('"degrees"')
  })

  it('is counted before it is sent, the more the more there is in it, free of charge', async () => {
    const balance = await pairs.farebox.balance(key)
    const counted = await anthropic.messages.countTokens({ model: dialect, messages })
    const system = 'You are a weather service that answers in short sentences. '.repeat(20)
    const more = await anthropic.messages.countTokens({ model: dialect, messages, system, tools: [WEATHER] })
    const isCountedThere = dialect === 'messages' || dialect === 'gemini'
    if (isCountedThere) {
      // The scripted provider counts 19 tokens, whatever it is asked.
      expect([counted.input_tokens, more.input_tokens]).toEqual([19, 19])
      expect(pairs.upstream.requests.map(({ path }) => path.replace(/^.*[/:]/, ''))).toEqual(
        dialect === 'messages' ? ['count_tokens', 'count_tokens'] : ['countTokens', 'countTokens'],
      )
      expect(pairs.upstream.requests[1]?.text).toContain('weather service')
      expect(pairs.upstream.requests[1]?.text).toContain('get_weather')
    } else {
      expect(counted.input_tokens).toBeGreaterThan(2)
      expect(counted.input_tokens).toBeLessThan(20)
      expect(more.input_tokens).toBeGreaterThan(counted.input_tokens + 200)
      expect(more.input_tokens).toBeLessThan(counted.input_tokens + 400)
      expect(pairs.upstream.requests).toEqual([])
    }
    expect(await pairs.farebox.balance(key)).toMatchObject({ used_credits: balance['used_credits'], held_credits: 0 })
  })

  it('is counted by Farebox itself where the provider cannot, and answered after that as before', async () => {
    pairs.upstream.script((request) =>
      /count/i.test(request.path) ? { type: 'status', status: 404 } : { type: 'answer', text: 'Good day.' },
    )
    const { input_tokens } = await anthropic.messages.countTokens({ model: dialect, messages, tools: [WEATHER] })
    expect(input_tokens).toBeGreaterThan(20)
    expect(input_tokens).toBeLessThan(200)
    expect(await message(asked, false)).toMatchObject({ content: [{ type: 'text', text: 'Good day.' }] })
  })
})

/** The member of the provider's request that its own seal comes back in. */
const SEALED = [
  ['messages', 'signature'],
  ['responses', 'encrypted_content'],
  ['gemini', 'thoughtSignature'],
] as const satisfies readonly (readonly [Dialect, string])[]

describe.each(SEALED)('what a provider of %s sealed', (dialect, member) => {
  const asked = {
    model: dialect,
    max_tokens: 4096,
    thinking: { type: 'enabled' as const, budget_tokens: 2048 },
    tools: [WEATHER],
  }
  const question: Anthropic.MessageParam = { role: 'user', content: 'How is the weather?' }

  it.each([false, true])('comes back to it unchanged, and to no other, streaming %s', async (isStream) => {
    const { upstream } = pairs
    const toolCalls = [weatherCall('call_1', 'Bern')]
    upstream.once({ type: 'answer', reasoning: 'I should look.', seal: SEAL, toolCalls })
    const { content } = await message({ ...asked, messages: [question] }, isStream)
    const messages = [question, { role: 'assistant' as const, content }, userTurn([toolResult('call_1', 'sunny')])]
    for (const model of DIALECTS) await message({ ...asked, model, messages }, isStream)
    const texts = upstream.requests.slice(1).map(({ text }) => text)
    expect(texts.map((text) => text.includes(SEAL))).toEqual(DIALECTS.map((model) => model === dialect))
    expect(texts[DIALECTS.indexOf(dialect)]).toContain(`"${member}":"${SEAL}"`)
  })

  it('comes back to it from thinking that is not shown', async () => {
    const toolCalls = [weatherCall('call_1', 'Bern')]
    pairs.upstream.once({ type: 'answer', reasoning: 'I should look.', seal: SEAL, toolCalls })
    const params = { ...asked, thinking: { ...asked.thinking, display: 'omitted' as const } }
    const { content } = await message({ ...params, messages: [question] }, true)
    const messages = [question, { role: 'assistant' as const, content }, userTurn([toolResult('call_1', 'sunny')])]
    await message({ ...params, messages }, true)
    if (dialect !== 'messages') expect(JSON.stringify(content)).not.toContain('I should look.')
    expect(pairs.upstream.requests[1]?.text).toContain(`"${member}":"${SEAL}"`)
  })
})

function toolResult(id: string, content: string): Anthropic.ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, content }
}

function userTurn(content: Anthropic.ContentBlockParam[]): Anthropic.MessageParam {
  return { role: 'user', content }
}
