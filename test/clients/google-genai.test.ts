// Google's own SDK through Farebox: it is given a base URL and a key, and finds what it knows from Google at providers of all dialects.

import {
  ApiError,
  FunctionCallingConfigMode,
  GoogleGenAI,
  Type,
  type Content,
  type GenerateContentResponse,
} from '@google/genai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  bodies,
  CUT,
  DIALECTS,
  expectCharged,
  finishIn,
  PIECES,
  resultsIn,
  startPairs,
  weatherCall,
  type Pairs,
} from './pairs.ts'

const ORDINARY = { input: 19, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 }
const TOOLS = [
  {
    functionDeclarations: [
      { name: 'get_weather', parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } } },
    ],
  },
]

let pairs: Pairs
let key: string
let ai: GoogleGenAI

beforeAll(async () => {
  pairs = await startPairs()
})

beforeEach(async () => {
  pairs.upstream.forget()
  key = await pairs.farebox.newKey('plenty')
  ai = clientWith(key)
})

afterAll(() => pairs.close())

function clientWith(apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: pairs.farebox.url } })
}

async function read(stream: AsyncGenerator<GenerateContentResponse>) {
  const chunks: GenerateContentResponse[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const parts = chunks.flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content?.parts ?? []))
  const said = parts.filter(({ thought }) => thought !== true)
  return { chunks, text: said.map(({ text }) => text ?? '').join(''), last: chunks.at(-1) }
}

describe.each(DIALECTS)('with a provider of %s', (model) => {
  it('generates text, whole and streamed, and is charged for what the usage says', async () => {
    pairs.upstream.script({ type: 'answer', pieces: PIECES })
    const answer = await ai.models.generateContent({ model, contents: 'Hi there' })
    expect(answer.text).toBe(PIECES.join(''))
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP')
    const { text, last, chunks } = await read(await ai.models.generateContentStream({ model, contents: 'Hi there' }))
    expect(text).toBe(PIECES.join(''))
    expect(chunks.length).toBeGreaterThan(2)
    for (const { usageMetadata } of [answer, last ?? answer]) {
      expect(usageMetadata).toMatchObject({ promptTokenCount: 19, candidatesTokenCount: 10, totalTokenCount: 29 })
    }
    await expectCharged(pairs, key, { ...ORDINARY, input: 38, output: 20 })
  })

  it('calls functions in parallel and is told their results, as it keeps its history itself', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')] })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const chat = ai.chats.create({ model, config: { tools: TOOLS } })
    const { chunks } = await read(await chat.sendMessageStream({ message: 'How is the weather?' }))
    const calls = chunks.flatMap(({ functionCalls = [] }) => functionCalls)
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['get_weather', { city: 'Bern' }],
      ['get_weather', { city: 'Basel' }],
    ])
    const message = calls.map(({ id, name, args }) => ({
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        name: name ?? '',
        response: { output: `sunny in ${String(args?.['city'])}` },
      },
    }))
    expect((await chat.sendMessage({ message })).text).toBe('Sunny in both.')
    expect(resultsIn(model, bodies(pairs)[1] ?? {}).map(([, text]) => text)).toEqual([
      'sunny in Bern',
      'sunny in Basel',
    ])
    expect(chat.getHistory(true)).toHaveLength(chat.getHistory().length)
  })

  it('may leave out ids', async () => {
    const call = (city: string) => ({ functionCall: { name: 'get_weather', args: { city } } })
    const result = (output: string) => ({ functionResponse: { name: 'get_weather', response: { output } } })
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'How is the weather?' }] },
      { role: 'model', parts: [call('Bern'), call('Basel')] },
      { role: 'user', parts: [result('sunny'), result('grey')] },
    ]
    await ai.models.generateContent({ model, contents, config: { tools: TOOLS } })
    expect(resultsIn(model, bodies(pairs)[0] ?? {}).map(([, text]) => text)).toEqual(['sunny', 'grey'])
  })

  it('thinks aloud, forces a function and asks for a schema', async () => {
    pairs.upstream.script({ type: 'answer', reasoning: 'I should greet.', text: '{"city":"Bern"}' })
    const config = {
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
      responseMimeType: 'application/json',
      responseSchema: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
    }
    const { last, text, chunks } = await read(await ai.models.generateContentStream({ model, contents: 'Hi', config }))
    const parts = chunks.flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content?.parts ?? []))
    expect(parts.flatMap((part) => (part.thought === true ? [part.text] : [])).join('')).toBe('I should greet.')
    expect(text).toBe('{"city":"Bern"}')
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP')
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } }
    await ai.models.generateContent({ model, contents: 'Hi', config: { tools: TOOLS, toolConfig } })
    expect(JSON.stringify(bodies(pairs)[1])).toMatch(/"(required|any|ANY)"/)
  })

  it.each(['length', 'content-filter'] as const)('says that %s ended the answer', async (end) => {
    pairs.upstream.script({ type: 'answer', text: 'Good d', finishReason: finishIn(model, end) })
    const wanted = end === 'length' ? 'MAX_TOKENS' : 'SAFETY'
    const answer = await ai.models.generateContent({ model, contents: 'Hi' })
    expect(answer.candidates?.[0]?.finishReason).toBe(wanted)
    const { last } = await read(await ai.models.generateContentStream({ model, contents: 'Hi' }))
    expect(last?.candidates?.[0]?.finishReason).toBe(wanted)
  })

  it('throws an ApiError for a refusal, and for a stream that is cut', async () => {
    pairs.upstream.script({ type: 'status', status: 400, error: { message: 'The sky is too blue.' } })
    const refused = ai.models.generateContent({ model, contents: 'Hi' })
    await expect(refused).rejects.toMatchObject({
      name: 'ApiError',
      status: 400,
      message: expect.stringContaining('too blue'),
    })
    pairs.upstream.script(CUT)
    // Where nothing had come by then, it is refused as a whole.
    const asked = async () => read(await ai.models.generateContentStream({ model, contents: 'Hi' }))
    const error: unknown = await asked().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 502 })
  })

  it('counts tokens', async () => {
    const { totalTokens = 0 } = await ai.models.countTokens({ model, contents: 'Hi there' })
    expect(totalTokens).toBeGreaterThan(0)
  })
})

describe('a key', () => {
  it('without credits is refused once for all, also where the SDK repeats what fails', async () => {
    const empty = new GoogleGenAI({
      apiKey: await pairs.farebox.newKey('empty'),
      httpOptions: { baseUrl: pairs.farebox.url, retryOptions: { attempts: 3 } },
    })
    const asked = empty.models.generateContent({ model: 'messages', contents: 'Hi' })
    await expect(asked).rejects.toMatchObject({ status: 402 })
    expect(pairs.upstream.requests).toEqual([])
  })

  it('that nobody knows is told so', async () => {
    const asked = clientWith('AIzaSyNobody').models.generateContent({ model: 'messages', contents: 'Hi' })
    await expect(asked).rejects.toMatchObject({ status: 401, message: expect.stringContaining('UNAUTHENTICATED') })
  })
})

it('lists the models, and shows one', async () => {
  const names: string[] = []
  for await (const { name } of await ai.models.list()) names.push(name ?? '')
  expect(names.toSorted()).toEqual(DIALECTS.map((dialect) => `models/${dialect}`).toSorted())
  expect(await ai.models.get({ model: 'messages' })).toMatchObject({
    name: 'models/messages',
    outputTokenLimit: 32_000,
  })
})
