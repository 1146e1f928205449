// The OpenAI SDK's chat completions through Farebox with providers of all dialects: answers, streams, tools that really run and
// structured output. The SDK's accumulators throw on streams that are out of order.

import type OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { saying } from '../support/openai.ts'
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

let pairs: Pairs
let openai: OpenAI

beforeAll(async () => {
  pairs = await startPairs()
  openai = (await newClients(pairs)).openai
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

/** A tool that notes what it was called with. */
function weatherTool() {
  const cities: string[] = []
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }
  const tool = {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters,
      parse: (text: string) => z.object({ city: z.string() }).parse(JSON.parse(text)),
      function: ({ city }: { city: string }) => {
        cities.push(city)
        return `sunny in ${city}`
      },
    },
  }
  return { tool, cities }
}

async function chunksOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<OpenAI.ChatCompletionChunk[]> {
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

describe.each(DIALECTS)('a chat completion of a provider of %s', (dialect: Dialect) => {
  const asked = { model: dialect, messages: saying('Hi there') }

  it('is answered whole', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day.' })
    const answer = await openai.chat.completions.create(asked)
    expect(answer).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good day.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    })
    expect(answer.choices[0]?.message.tool_calls ?? []).toEqual([])
  })

  it('is streamed: the role first, the finish last, and no usage that nobody asked for', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day to you.' })
    const chunks = await chunksOf(await openai.chat.completions.create({ ...asked, stream: true }))
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Good day to you.')
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([...chunks.slice(1).map(() => null), 'stop'])
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([])
  })

  it('is put together by the stream helper, with the usage of its last chunk', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day to you.' })
    const stream = openai.chat.completions.stream({ ...asked, stream_options: { include_usage: true } })
    const deltas: string[] = []
    stream.on('content', (delta) => deltas.push(delta))
    expect(await stream.finalContent()).toBe('Good day to you.')
    expect(deltas.length).toBeGreaterThan(1)
    expect(await stream.finalChatCompletion()).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { prompt_tokens: 19, completion_tokens: 10 },
    })
  })

  it.each([false, true])('runs a tool and goes on with its result, streaming %s', async (stream) => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tool, cities } = weatherTool()
    const params = { ...asked, tools: [tool] }
    const { completions } = openai.chat
    const runner = stream ? completions.runTools({ ...params, stream: true }) : completions.runTools(params)
    expect(await runner.finalContent()).toBe('It is sunny.')
    expect(cities).toEqual(['Bern'])
    expect(runner.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([['call_1', 'sunny in Bern']])
  })

  it.each([false, true])('runs parallel calls, each with its own arguments, streaming %s', async (stream) => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')] })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const { tool, cities } = weatherTool()
    const params = { ...asked, tools: [tool] }
    const { completions } = openai.chat
    const runner = stream ? completions.runTools({ ...params, stream: true }) : completions.runTools(params)
    expect(await runner.finalContent()).toBe('Sunny in both.')
    expect(cities).toEqual(['Bern', 'Basel'])
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([
      ['call_1', 'sunny in Bern'],
      ['call_2', 'sunny in Basel'],
    ])
  })

  it('holds a text and a tool call side by side, and shows both', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Let me look.', toolCalls: [weatherCall('call_1', 'Bern')] })
    const { tool } = weatherTool()
    const { parse: _parse, function: _function, ...definition } = tool.function
    const tools = [{ type: 'function' as const, function: definition }]
    const answer = await openai.chat.completions.stream({ ...asked, tools }).finalChatCompletion()
    expect(answer.choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        message: {
          content: 'Let me look.',
          tool_calls: [{ id: 'call_1', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }],
        },
      },
    ])
  })

  it('is parsed into the schema that was asked for', async () => {
    pairs.upstream.script({ type: 'answer', text: '{"city":"Bern","degrees":21}' })
    const schema = z.object({ city: z.string(), degrees: z.number() })
    const response_format = zodResponseFormat(schema, 'weather')
    const answer = await openai.chat.completions.parse({ ...asked, response_format })
    expect(answer.choices[0]?.message.parsed).toEqual({ city: 'Bern', degrees: 21 })
    expect(JSON.stringify(bodies(pairs)[0])).toContain('"degrees"')
    const streamed = openai.chat.completions.stream({ ...asked, response_format })
    expect((await streamed.finalChatCompletion()).choices[0]?.message.parsed).toEqual({ city: 'Bern', degrees: 21 })
  })

  it.each([
    ['length', 'length'],
    ['content-filter', 'content_filter'],
  ] as const)('says that %s ended it, and parses nothing then', async (end, finish) => {
    pairs.upstream.script({ type: 'answer', text: '{"city":"Be', finishReason: finishIn(dialect, end) })
    const answer = await openai.chat.completions.create(asked)
    expect(answer.choices[0]?.finish_reason).toBe(finish)
    const response_format = zodResponseFormat(z.object({ city: z.string() }), 'weather')
    await expect(openai.chat.completions.parse({ ...asked, response_format })).rejects.toThrow(/length|content filter/)
    const stream = openai.chat.completions.stream({ ...asked, response_format })
    await expect(stream.finalChatCompletion()).rejects.toThrow(/length|content filter/)
  })
})

/**
 * What a provider sealed makes its way through the client's history. `runTools` sends only the members that OpenAI knows, so
 * that a client who wants this writes the loop itself.
 */
const SEALED = [
  ['messages', 'signature'],
  ['responses', 'encrypted_content'],
  ['gemini', 'thoughtSignature'],
] as const satisfies readonly (readonly [Dialect, string])[]

describe.each(SEALED)('what a provider of %s sealed', (dialect, member) => {
  it.each([false, true])('comes back to it in a message that is sent back as it came, streaming %s', async (stream) => {
    const { upstream } = pairs
    const seal = 'c2VhbGVkLXRob3VnaHRz'
    upstream.once({ type: 'answer', reasoning: 'I should look.', seal, toolCalls: [weatherCall('call_1', 'Bern')] })
    const { tool } = weatherTool()
    const { parse: _parse, function: _function, ...definition } = tool.function
    const asked = {
      model: dialect,
      reasoning_effort: 'low' as const,
      tools: [{ type: 'function' as const, function: definition }],
    }
    const { completions } = openai.chat
    const first = { ...asked, messages: saying('How is the weather?') }
    const answer = await (stream ? completions.stream(first).finalChatCompletion() : completions.create(first))
    const said = answer.choices[0]?.message
    if (said === undefined) throw new Error('no message')
    const result = { role: 'tool' as const, tool_call_id: 'call_1', content: 'sunny' }
    await completions.create({ ...asked, messages: [...first.messages, said, result] })
    expect(JSON.stringify(bodies(pairs)[1])).toContain(`"${member}":"${seal}"`)
  })
})
