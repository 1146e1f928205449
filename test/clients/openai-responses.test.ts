// The OpenAI SDK's responses through Farebox with providers of all dialects. Its `responses.stream()` helper builds the response
// from the events and throws on a sequence that is not the one that OpenAI sends.

import type OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
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

type ResponseParams = OpenAI.Responses.ResponseCreateParamsNonStreaming

let pairs: Pairs
let openai: OpenAI

beforeAll(async () => {
  pairs = await startPairs()
  openai = (await newClients(pairs)).openai
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
}

/** Asks once for the whole response, or lets the helper build it from a stream: the two must be alike. */
async function respond(params: ResponseParams, isStream: boolean): Promise<OpenAI.Responses.Response> {
  if (!isStream) return openai.responses.create(params)
  const { stream: _stream, ...streamed } = params
  return openai.responses.stream(streamed).finalResponse()
}

/** The output as input of the next request, with the results of its calls. */
function continued(
  input: string,
  response: OpenAI.Responses.Response,
  run: (city: string) => string,
): OpenAI.Responses.ResponseInput {
  const calls = response.output.filter((item) => item.type === 'function_call')
  const results = calls.map(({ call_id, arguments: text }) => {
    const { city } = z.object({ city: z.string() }).parse(JSON.parse(text))
    return { type: 'function_call_output' as const, call_id, output: run(city) }
  })
  // The SDK's types do not let all kinds of output back in; these three are the kinds that there are here.
  const said = response.output.filter(
    (item) => item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call',
  )
  expect(said).toEqual(response.output)
  return [{ role: 'user', content: input }, ...said, ...results]
}

describe.each(DIALECTS)('a response of a provider of %s', (dialect: Dialect) => {
  const asked = { model: dialect, input: 'Hi there', store: false }

  it.each([false, true])('is answered with text, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', text: 'Good day to you.' })
    const response = await respond(asked, isStream)
    expect(response.output_text).toBe('Good day to you.')
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text' }] }],
      usage: { input_tokens: 19, output_tokens: 10, total_tokens: 29 },
    })
  })

  it('is iterated over, numbered without a gap, from created to completed', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day to you.' })
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await openai.responses.create({ ...asked, stream: true })) events.push(event)
    expect(events.at(0)?.type).toBe('response.created')
    expect(events.at(-1)?.type).toBe('response.completed')
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : []))
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe('Good day to you.')
  })

  it.each([false, true])('shows a summary of the reasoning that was asked for, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', reasoning: 'I should greet.', text: 'Good day.' })
    const response = await respond({ ...asked, reasoning: { effort: 'low', summary: 'auto' } }, isStream)
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I should greet.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Good day.' }] },
    ])
  })

  it.each([false, true])('calls tools in parallel and goes on with their results, streaming %s', async (isStream) => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')] })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const first = await respond({ ...asked, tools: [WEATHER] }, isStream)
    expect(first.output).toMatchObject([
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call', call_id: 'call_2', name: 'get_weather', arguments: '{"city":"Basel"}' },
    ])
    const input = continued('Hi there', first, (city) => `sunny in ${city}`)
    const second = await respond({ ...asked, input, tools: [WEATHER] }, isStream)
    expect(second.output_text).toBe('Sunny in both.')
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([
      ['call_1', 'sunny in Bern'],
      ['call_2', 'sunny in Basel'],
    ])
  })

  it('gives the helper the arguments of each call as they come', async () => {
    pairs.upstream.script({
      type: 'answer',
      text: 'Let me look.',
      toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')],
    })
    const stream = openai.responses.stream({ ...asked, tools: [WEATHER] })
    const snapshots = new Map<number, string>()
    stream.on('response.function_call_arguments.delta', ({ output_index, snapshot }) => {
      snapshots.set(output_index, snapshot)
    })
    const response = await stream.finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call'])
    expect([...snapshots]).toEqual([
      [1, '{"city":"Bern"}'],
      [2, '{"city":"Basel"}'],
    ])
  })

  it.each([false, true])('is parsed into the schema that was asked for, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', text: '{"city":"Bern","degrees":21}' })
    const format = zodTextFormat(z.object({ city: z.string(), degrees: z.number() }), 'weather')
    const params = { ...asked, text: { format } }
    const response = isStream
      ? await openai.responses.stream(params).finalResponse()
      : await openai.responses.parse(params)
    expect(response.output_parsed).toEqual({ city: 'Bern', degrees: 21 })
    expect(JSON.stringify(bodies(pairs)[0])).toContain('"degrees"')
  })

  it.each([
    ['length', 'max_output_tokens', false],
    ['length', 'max_output_tokens', true],
    ['content-filter', 'content_filter', false],
    ['content-filter', 'content_filter', true],
  ] as const)('is incomplete after %s, for %s, streaming %s', async (end, reason, isStream) => {
    pairs.upstream.script({ type: 'answer', text: 'Good d', finishReason: finishIn(dialect, end) })
    expect(await respond(asked, isStream)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Good d' }] }],
      usage: { input_tokens: 19, output_tokens: 10 },
    })
  })
})

describe('a call that the output limit cut off', () => {
  const broken = { id: 'call_1', name: 'get_weather', arguments: '{"city":"Be' }
  const atChat = { type: 'answer', toolCalls: [broken], finishReason: 'length' } as const

  // Gemini sends calls whole or not at all, and a whole message cannot hold half an input.
  it.each([
    ['chat-completions', false, atChat],
    ['chat-completions', true, atChat],
    ['messages', true, rawCutCall()],
  ] as const)('of a provider of %s is left out, streaming %s', async (model, isStream, behaviour) => {
    pairs.upstream.script(behaviour)
    const response = await respond({ model, input: 'Hi there', tools: [WEATHER] }, isStream)
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(response.output.filter(({ type }) => type === 'function_call')).toEqual([])
  })
})

/** The scripted provider sends only calls that are whole; this one ends in the middle of its input. */
function rawCutCall() {
  const start = { type: 'tool_use', id: 'call_1', name: 'get_weather', input: {} }
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 19 } }
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"city":"Be' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]
  return {
    type: 'raw' as const,
    parts: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  }
}

describe('a refusal', () => {
  it.each([false, true])('of a provider of responses is a part of its own, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', refusal: 'I will not do that.' })
    const response = await respond({ model: 'responses', input: 'Hi' }, isStream)
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ type: 'refusal', refusal: 'I will not do that.' }] },
    ])
  })

  it.each([false, true])('of a provider of responses is a chat message’s refusal, streaming %s', async (isStream) => {
    pairs.upstream.script({ type: 'answer', refusal: 'I will not do that.' })
    const asked = { model: 'responses', messages: [{ role: 'user' as const, content: 'Hi' }] }
    const { completions } = openai.chat
    const answer = await (isStream ? completions.stream(asked).finalChatCompletion() : completions.create(asked))
    expect(answer.choices[0]?.message).toMatchObject({ refusal: 'I will not do that.' })
    expect(answer.choices[0]?.message.content ?? '').toBe('')
  })
})

/** The member of the provider's request that its own seal comes back in. */
const SEALED = [
  ['messages', 'signature'],
  ['responses', 'encrypted_content'],
  ['gemini', 'thoughtSignature'],
] as const satisfies readonly (readonly [Dialect, string])[]

describe.each(SEALED)('what a provider of %s sealed', (dialect, member) => {
  it.each([false, true])('comes back to it from a client that asked for it, streaming %s', async (isStream) => {
    const { upstream } = pairs
    const seal = 'c2VhbGVkLXRob3VnaHRz'
    upstream.once({ type: 'answer', reasoning: 'I should look.', seal, toolCalls: [weatherCall('call_1', 'Bern')] })
    const asked: ResponseParams = {
      model: dialect,
      input: 'How is the weather?',
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [WEATHER],
    }
    const first = await respond(asked, isStream)
    await respond({ ...asked, input: continued('How is the weather?', first, () => 'sunny') }, isStream)
    expect(JSON.stringify(bodies(pairs)[1])).toContain(`"${member}":"${seal}"`)
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([['call_1', 'sunny']])
  })
})

describe('thinking that a provider of messages hides', () => {
  it.each([false, true])('comes back to it from a client of responses, streaming %s', async (isStream) => {
    const data = 'aGlkZGVuLXRob3VnaHRz'
    const toolCalls = [weatherCall('call_1', 'Bern')]
    pairs.upstream.once({ type: 'answer', redactedReasoning: data, toolCalls })
    const asked: ResponseParams = {
      model: 'messages',
      input: 'How is the weather?',
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
      tools: [WEATHER],
    }
    const first = await respond(asked, isStream)
    await respond({ ...asked, input: continued('How is the weather?', first, () => 'sunny') }, isStream)
    expect(JSON.stringify(bodies(pairs)[1])).toContain(`{"type":"redacted_thinking","data":"${data}"}`)
  })
})

describe.each(DIALECTS)('a custom tool with a provider of %s', (dialect) => {
  it.each([false, true])('is called with its text, and answered, streaming %s', async (isStream) => {
    const patch = '*** Begin Patch\n*** "End" Patch'
    const isPassed = dialect === 'responses'
    const given = isPassed ? patch : JSON.stringify({ input: patch })
    const kind = isPassed ? 'custom' : 'function'
    pairs.upstream.once({ type: 'answer', toolCalls: [{ id: 'call_1', name: 'apply_patch', arguments: given, kind }] })
    const tools = [{ type: 'custom' as const, name: 'apply_patch', description: 'Applies a patch.' }]
    const first = await respond({ model: dialect, input: 'Patch it.', tools }, isStream)
    const call = first.output.find((item) => item.type === 'custom_tool_call')
    if (call === undefined) throw new Error('no custom tool call')
    expect(call).toMatchObject({ call_id: 'call_1', name: 'apply_patch', input: patch })
    const result = { type: 'custom_tool_call_output' as const, call_id: 'call_1', output: 'patched' }
    await respond({ model: dialect, input: [{ role: 'user', content: 'Patch it.' }, call, result], tools }, isStream)
    const second = pairs.upstream.requests[1]
    expect(second?.text).toContain('patched')
    expect(second?.text).toContain('Begin Patch')
    if (!isPassed) expect(resultsIn(dialect, second?.body ?? {})).toEqual([['call_1', 'patched']])
  })
})

describe('what only a server with a memory can do', () => {
  it('is passed on to a provider of responses, and refused by name elsewhere', async () => {
    const asked = { input: 'Hi', previous_response_id: 'resp_1' }
    await openai.responses.create({ ...asked, model: 'responses' })
    expect(bodies(pairs)[0]).toMatchObject({ previous_response_id: 'resp_1' })
    for (const model of ['chat-completions', 'messages', 'gemini']) {
      await expect(openai.responses.create({ ...asked, model })).rejects.toMatchObject({
        status: 400,
        param: 'previous_response_id',
      })
    }
    expect(pairs.upstream.requests).toHaveLength(1)
  })
})
