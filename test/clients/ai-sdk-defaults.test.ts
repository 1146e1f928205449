// The AI SDK's `openai(model)` with nothing set: it names the items of earlier answers instead of sending them, with providers of all
// dialects behind Farebox, who know none of them.

import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, streamText, tool, type ModelMessage } from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BEDROCK_SECRET, startBedrock, type Bedrock } from '../support/bedrock.ts'
import { chatModel } from '../support/farebox.ts'
import { weatherTool } from './ai-weather.ts'
import { bodies, DIALECTS, newClients, resultsIn, startPairs, weatherCall, type Clients, type Pairs } from './pairs.ts'

let pairs: Pairs
let clients: Clients

beforeAll(async () => {
  pairs = await startPairs()
  clients = await newClients(pairs)
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

/** What asks for reasoning of models that the client does not know by their names; it says nothing about keeping. */
const REASONING = { openai: { forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto' } } as const

type Asked = Omit<Parameters<typeof generateText>[0], 'prompt' | 'messages'> & { readonly messages: ModelMessage[] }

/** The text, and the messages that an app keeps for the next turn. */
async function ask(asked: Asked, isStream: boolean) {
  if (!isStream) {
    const { text, responseMessages } = await generateText(asked)
    return { text, messages: responseMessages }
  }
  const result = streamText({ ...asked, onError: () => undefined })
  return { text: await result.text, messages: await result.responseMessages }
}

/** How often what a provider said stands in what it was asked last. */
function count(text: string, wanted: string): number {
  return text.split(wanted).length - 1
}

const TRANSLATED = DIALECTS.filter((dialect) => dialect !== 'responses')
const CASES = TRANSLATED.flatMap((dialect) => [false, true].map((isStream) => [dialect, isStream] as const))

describe.each(CASES)('with a provider of %s, streaming %s', (dialect, isStream) => {
  const hello: ModelMessage = { role: 'user', content: 'Hi there' }

  it('goes on from what it said, over three steps and a second turn', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', text: 'I look in Bern.', toolCalls: [weatherCall('call_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'I look in Basel.', toolCalls: [weatherCall('call_2', 'Basel')] })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    upstream.once({ type: 'answer', text: 'You are welcome.' })
    const { tools, cities } = weatherTool()
    const model = clients.ai.openai(dialect)
    const asked = { model, tools, stopWhen: stepCountIs(5), maxRetries: 0 }
    const first = await ask({ ...asked, messages: [hello] }, isStream)
    expect(first.text).toBe('Sunny in both.')
    expect(cities).toEqual(['Bern', 'Basel'])
    const thanks: ModelMessage = { role: 'user', content: 'Thank you.' }
    const second = await ask({ ...asked, messages: [hello, ...first.messages, thanks] }, isStream)
    expect(second.text).toBe('You are welcome.')
    const last = bodies(pairs)[3] ?? {}
    expect(resultsIn(dialect, last)).toEqual([
      ['call_1', 'sunny in Bern'],
      ['call_2', 'sunny in Basel'],
    ])
    const text = JSON.stringify(last)
    for (const said of ['I look in Bern.', 'I look in Basel.', 'Sunny in both.']) expect(count(text, said)).toBe(1)
    expect(text).not.toContain('item_reference')
  })

  it('keeps the reasoning of a model that reasons', async () => {
    const { upstream } = pairs
    const seal = 'c2VhbGVkLXRob3VnaHRz'
    const toolCalls = [weatherCall('call_1', 'Bern')]
    upstream.once({ type: 'answer', reasoning: 'I should look.', seal, text: 'I look.', toolCalls })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tools, cities } = weatherTool()
    const model = clients.ai.openai(dialect)
    const asked = { model, tools, stopWhen: stepCountIs(3), maxRetries: 0, providerOptions: REASONING }
    expect((await ask({ ...asked, messages: [hello] }, isStream)).text).toBe('It is sunny.')
    expect(cities).toEqual(['Bern'])
    const text = JSON.stringify(bodies(pairs)[1])
    expect(count(text, 'I look.')).toBe(1)
    // The client was not told what is sealed. Gemini seals calls, and those the client sends itself.
    if (dialect === 'messages') expect(text).toContain(`"signature":"${seal}"`)
  })
})

describe.each([false, true])('with a provider of responses, streaming %s', (isStream) => {
  it('has what it names passed on as it is', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', text: 'I look.', toolCalls: [weatherCall('call_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tools } = weatherTool()
    const model = clients.ai.openai('responses')
    const messages: ModelMessage[] = [{ role: 'user', content: 'Hi there' }]
    const { text } = await ask({ model, tools, stopWhen: stepCountIs(3), maxRetries: 0, messages }, isStream)
    expect(text).toBe('It is sunny.')
    expect(JSON.stringify(bodies(pairs)[1])).toContain('"type":"item_reference"')
  })
})

describe('with a provider of bedrock-converse', () => {
  let bedrock: Bedrock

  beforeAll(async () => {
    bedrock = await startBedrock()
    const providers = [
      { name: 'aws', dialect: 'bedrock-converse' as const, base_url: bedrock.url, secret: BEDROCK_SECRET },
    ]
    const models = [chatModel('claude', { targets: [{ provider: 'aws', model: 'eu.anthropic.claude-3-7-sonnet' }] })]
    await pairs.farebox.admin.call('apply', { body: { document: { providers, models } } })
  })
  afterAll(() => bedrock.close())

  it('goes on from what it said in a step before', async () => {
    const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
    const whole = (content: readonly object[], stopReason: string) =>
      bedrock.script({
        type: 'whole',
        body: { output: { message: { role: 'assistant', content } }, stopReason, usage, metrics: { latencyMs: 5 } },
      })
    whole(
      [{ text: 'I look.' }, { toolUse: { toolUseId: 'tooluse_1', name: 'get_weather', input: { city: 'Bern' } } }],
      'tool_use',
    )
    const get_weather = tool({
      inputSchema: z.object({ city: z.string() }),
      execute: () => {
        whole([{ text: 'It is sunny.' }], 'end_turn')
        return 'sunny'
      },
    })
    const asked = {
      model: clients.ai.openai('claude'),
      tools: { get_weather },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    }
    const { text } = await generateText({ ...asked, prompt: 'Hi' })
    expect(text).toBe('It is sunny.')
    expect(count(JSON.stringify(bedrock.requests[1]?.body), 'I look.')).toBe(1)
  })
})

describe('an app that goes on with a key that was not told the answer', () => {
  it('is refused in words that say what is missing', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day.' })
    const prompt: ModelMessage = { role: 'user', content: 'Hi' }
    const first = await generateText({ model: clients.ai.openai('messages'), messages: [prompt] })
    const other = await newClients(pairs)
    const openai = createOpenAI({ apiKey: other.key, baseURL: `${pairs.farebox.url}/v1` })
    const messages: ModelMessage[] = [prompt, ...first.responseMessages, prompt]
    await expect(generateText({ model: openai('messages'), messages, maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringMatching(/^Item with id 'msg_\w+' not found/),
    })
  })
})
