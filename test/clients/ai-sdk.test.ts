// The AI SDK through Farebox: its five ways to ask (OpenAI's responses and chat, Anthropic's messages, what is compatible with
// OpenAI, Google's) with providers of all dialects. It checks every chunk against a schema and gives an `error` part for what it does
// not know, so that no stream of ours may have one.

import { APICallError, generateText, Output, stepCountIs, streamText, type LanguageModel } from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { weatherTool } from './ai-weather.ts'
import {
  bodies,
  CUT,
  DIALECTS,
  expectCharged,
  finishIn,
  newClients,
  PIECES,
  resultsIn,
  startPairs,
  weatherCall,
  type Clients,
  type Dialect,
  type Pairs,
} from './pairs.ts'

let pairs: Pairs
let clients: Clients

beforeAll(async () => {
  pairs = await startPairs()
  clients = await newClients(pairs)
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

const FORMATS = ['responses', 'chat', 'anthropic', 'compatible', 'google'] as const
type Format = (typeof FORMATS)[number]

function modelOf(format: Format, dialect: Dialect): LanguageModel {
  const { openai, anthropic, compatible, google } = clients.ai
  switch (format) {
    case 'responses':
      return openai(dialect)
    case 'chat':
      return openai.chat(dialect)
    case 'anthropic':
      return anthropic(dialect)
    case 'compatible':
      return compatible(dialect)
    case 'google':
      return google(dialect)
  }
}

/** The whole conversation in every request; ai-sdk-defaults.test.ts has what the client does unless it is told so. */
const STATELESS = { openai: { store: false } }

/** What asks for reasoning; the client knows models that reason by their names, and ours have others. */
const REASONING = {
  openai: { store: false, forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto' },
  anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } },
  farebox: { reasoningEffort: 'low' },
  google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } },
} as const

type Part = { readonly type: string; readonly text?: string; readonly kind?: string }

/** Reads a stream to its end: the types of its parts, and its text and reasoning put together. */
async function partsOf(result: { readonly stream: AsyncIterable<Part> }) {
  const types: string[] = []
  const texts = { text: '', reasoning: '' }
  for await (const part of result.stream) {
    // What the client makes of the first event of a message.
    if (part.type === 'custom' && part.kind === 'anthropic.message_start') continue
    types.push(part.type)
    if (part.type === 'text-delta') texts.text += part.text ?? ''
    if (part.type === 'reasoning-delta') texts.reasoning += part.text ?? ''
  }
  return { types, ...texts }
}

const PAIRS = FORMATS.flatMap((format) => DIALECTS.map((dialect) => [format, dialect] as const))

describe.each(PAIRS)('%s with a provider of %s', (format, dialect) => {
  const asked = () => ({ model: modelOf(format, dialect), prompt: 'Hi there', maxRetries: 0 })

  it('generates text', async () => {
    pairs.upstream.script({ type: 'answer', text: 'Good day.' })
    const result = await generateText(asked())
    expect(result).toMatchObject({
      text: 'Good day.',
      finishReason: 'stop',
      usage: { inputTokens: 19, outputTokens: 10 },
    })
  })

  it('streams text in order, without a part that it does not know', async () => {
    pairs.upstream.script({ type: 'answer', pieces: PIECES })
    const result = streamText(asked())
    const { types, text } = await partsOf(result)
    expect(text).toBe(PIECES.join(''))
    expect(types.filter((type) => type === 'text-delta').length).toBeGreaterThan(1)
    expect(types.filter((type) => type !== 'text-delta')).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect(await result.finishReason).toBe('stop')
    expect(await result.usage).toMatchObject({ inputTokens: 19, outputTokens: 10 })
  })

  it('generates in several steps with tools that run in parallel', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')] })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const { tools, cities } = weatherTool()
    const result = await generateText({ ...asked(), tools, stopWhen: stepCountIs(3), providerOptions: STATELESS })
    expect(result.text).toBe('Sunny in both.')
    expect(cities).toEqual(['Bern', 'Basel'])
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([
      ['call_1', 'sunny in Bern'],
      ['call_2', 'sunny in Basel'],
    ])
  })

  it('streams in several steps with tools that run in parallel', async () => {
    const { upstream } = pairs
    const toolCalls = [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')]
    upstream.once({ type: 'answer', text: 'Let me look.', toolCalls })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const { tools, cities } = weatherTool()
    const result = streamText({ ...asked(), tools, stopWhen: stepCountIs(3), providerOptions: STATELESS })
    const { types } = await partsOf(result)
    expect(types).not.toContain('error')
    expect(types.filter((type) => type === 'tool-call' || type === 'tool-result').toSorted()).toEqual([
      'tool-call',
      'tool-call',
      'tool-result',
      'tool-result',
    ])
    expect(await result.text).toBe('Sunny in both.')
    expect(cities).toEqual(['Bern', 'Basel'])
    expect(resultsIn(dialect, bodies(pairs)[1] ?? {})).toEqual([
      ['call_1', 'sunny in Bern'],
      ['call_2', 'sunny in Basel'],
    ])
  })

  it('generates an object of the schema that was asked for, whole and streamed', async () => {
    pairs.upstream.script({ type: 'answer', text: '{"city":"Bern","degrees":21}' })
    const output = Output.object({ schema: z.object({ city: z.string(), degrees: z.number() }) })
    expect((await generateText({ ...asked(), output })).output).toEqual({ city: 'Bern', degrees: 21 })
    expect(JSON.stringify(bodies(pairs)[0])).toContain('degrees')
    const result = streamText({ ...asked(), output })
    expect((await partsOf(result)).types).not.toContain('error')
    expect(await result.output).toEqual({ city: 'Bern', degrees: 21 })
  })

  it.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
  ] as const)('says that %s ended the answer', async (end, reason) => {
    pairs.upstream.script({ type: 'answer', text: 'Good d', finishReason: finishIn(dialect, end) })
    expect(await generateText(asked())).toMatchObject({ text: 'Good d', finishReason: reason })
    const result = streamText(asked())
    expect((await partsOf(result)).types).not.toContain('error')
    expect(await result.finishReason).toBe(reason)
  })

  it('throws an APICallError with the words of the provider, and does not try again', async () => {
    const message = 'The temperature is too high for this model.'
    const type = dialect === 'gemini' ? { code: 400, status: 'INVALID_ARGUMENT' } : { type: 'invalid_request_error' }
    pairs.upstream.script({ type: 'status', status: 400, error: { ...type, message } })
    const error: unknown = await generateText(asked()).catch((reason: unknown) => reason)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false })
    expect(error instanceof Error ? error.message : '').toContain(message)
  })

  it('gives an error for a stream that is cut, and no finished text', async () => {
    pairs.upstream.script(CUT)
    const errors: unknown[] = []
    const result = streamText({ ...asked(), onError: ({ error }) => void errors.push(error) })
    const { types, text } = await partsOf(result)
    expect(types).toContain('error')
    expect(PIECES.join('').startsWith(text) && text !== PIECES.join('')).toBe(true)
    expect(errors).toHaveLength(1)
    // Where a part of the text came, the SDK gives it with the reason that it ended for; it must not be a good one.
    const finish = await Promise.resolve(result.finishReason).catch(() => 'none')
    expect(['error', 'other', 'none']).toContain(finish)
  })
})

describe('a key without credits', () => {
  it.each(FORMATS)('is an error of %s that is not tried again', async (format) => {
    const own = clients
    clients = await newClients(pairs, 'empty')
    const error: unknown = await generateText({ model: modelOf(format, 'messages'), prompt: 'Hi' }).catch(
      (reason: unknown) => reason,
    )
    clients = own
    expect(error).toMatchObject({ statusCode: 402, isRetryable: false })
    expect(pairs.upstream.requests).toEqual([])
  })
})

const RETRIED = FORMATS.map((format, index) => [format, DIALECTS[index] ?? 'gemini'] as const)

describe.each(RETRIED)('a call of %s that a provider of %s has no time for', (format, dialect) => {
  it('is tried again after a while, and charged once', async () => {
    clients = await newClients(pairs)
    pairs.upstream.once({ type: 'status', status: 503, retryAfter: 1 })
    pairs.upstream.once({ type: 'answer', text: 'Good day.' })
    const result = await generateText({ model: modelOf(format, dialect), prompt: 'Hi there', maxRetries: 1 })
    expect(result.text).toBe('Good day.')
    expect(pairs.upstream.requests).toHaveLength(2)
    await expectCharged(pairs, clients.key, { input: 19, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 })
  })
})

const THINKING = PAIRS.filter(([format]) => format !== 'chat')

describe.each(THINKING)('reasoning in %s with a provider of %s', (format, dialect) => {
  const asked = () => ({
    model: modelOf(format, dialect),
    prompt: 'Hi there',
    maxRetries: 0,
    providerOptions: REASONING,
  })

  it('is shown before the text, whole and streamed', async () => {
    pairs.upstream.script({ type: 'answer', reasoning: 'I should greet.', text: 'Good day.' })
    expect(await generateText(asked())).toMatchObject({ reasoningText: 'I should greet.', text: 'Good day.' })
    const { types, text, reasoning } = await partsOf(streamText(asked()))
    expect({ text, reasoning }).toEqual({ text: 'Good day.', reasoning: 'I should greet.' })
    expect(types.indexOf('reasoning-end')).toBeLessThan(types.indexOf('text-start'))
    expect(types).not.toContain('error')
  })
})

/** The member of the provider's request that its own seal comes back in. */
const SEALED = [
  ['messages', 'signature'],
  ['responses', 'encrypted_content'],
  ['gemini', 'thoughtSignature'],
] as const satisfies readonly (readonly [Dialect, string])[]

const ROUNDS = (['responses', 'anthropic', 'google'] as const).flatMap((format) =>
  SEALED.map(([dialect, member]) => [format, dialect, member] as const),
)

describe.each(ROUNDS)('with %s what a provider of %s sealed', (format, dialect, member) => {
  it.each([false, true])('comes back to it in the next step, streaming %s', async (isStream) => {
    const seal = 'c2VhbGVkLXRob3VnaHRz'
    const { upstream } = pairs
    upstream.once({ type: 'answer', reasoning: 'I should look.', seal, toolCalls: [weatherCall('call_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tools, cities } = weatherTool()
    const model = modelOf(format, dialect)
    const asked = { model, prompt: 'Hi', tools, stopWhen: stepCountIs(3), maxRetries: 0, providerOptions: REASONING }
    const text = isStream ? await streamText(asked).text : (await generateText(asked)).text
    expect(text).toBe('It is sunny.')
    expect(cities).toEqual(['Bern'])
    expect(JSON.stringify(bodies(pairs)[1])).toContain(`"${member}":"${seal}"`)
  })
})
