// Every client format at a provider that speaks Amazon Bedrock's Converse: signed requests and a stream in binary frames.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foldStream, foldWhole } from '../matrix/fold.ts'
import { frame } from '../support/aws-frames.ts'
import {
  ACCESS_KEY_ID,
  BEDROCK_API_KEY,
  BEDROCK_SECRET,
  SESSION_TOKEN,
  startBedrock,
  type Bedrock,
} from '../support/bedrock.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { ask, expectBrokenStream, expectFormatError, FORMATS, formatOf, type Format } from './formats.ts'
import { usageOf } from './support.ts'

const MODEL = 'eu.anthropic.claude-3-7-sonnet-20250219-v1:0'
const NOVA = 'amazon.nova-pro-v1:0'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const USAGE = { inputTokens: 11, outputTokens: 7, totalTokens: 38, cacheReadInputTokens: 15, cacheWriteInputTokens: 5 }

let bedrock: Bedrock
let farebox: Farebox
let key: string

beforeAll(async () => {
  bedrock = await startBedrock()
  farebox = await startFarebox()
  const providers = [
    { name: 'aws', dialect: 'bedrock-converse' as const, base_url: bedrock.url, secret: BEDROCK_SECRET },
    { name: 'keyed', dialect: 'bedrock-converse' as const, base_url: bedrock.url, secret: BEDROCK_API_KEY },
    { name: 'odd', dialect: 'bedrock-converse' as const, base_url: bedrock.url, secret: 'sk-no-aws-secret' },
  ]
  const models = [
    chatModel('claude', { max_output_tokens: 8000, targets: [{ provider: 'aws', model: MODEL }] }),
    chatModel('nova', { targets: [{ provider: 'aws', model: NOVA }] }),
    chatModel('keyed', { targets: [{ provider: 'keyed', model: MODEL }] }),
    chatModel('odd', { targets: [{ provider: 'odd', model: MODEL }] }),
  ]
  const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages } } })
  key = await farebox.newKey('plenty')
})
beforeEach(() => bedrock.requests.splice(0))
afterAll(async () => {
  await farebox.close()
  await bedrock.close()
})

function send(format: Format, members: object = {}, model = 'claude'): Promise<Response> {
  return ask({ farebox }, format, { key, members: { model, ...members } })
}

const BLOCKS = [
  { reasoningContent: { reasoningText: { text: 'Two cities.', signature: 'SIGNATURE' } } },
  { text: 'I look.' },
  { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Oslo' } } },
  { toolUse: { toolUseId: 'tooluse_2', name: 'weather', input: { city: 'Bergen' } } },
]

function whole(content: readonly object[], stopReason: string) {
  const output = { message: { role: 'assistant', content } }
  return { type: 'whole', body: { output, stopReason, usage: USAGE, metrics: { latencyMs: 5 } } } as const
}

const delta = (contentBlockIndex: number, piece: object) =>
  frame('contentBlockDelta', { contentBlockIndex, delta: piece })
const stop = (contentBlockIndex: number) => frame('contentBlockStop', { contentBlockIndex })
const START = frame('messageStart', { role: 'assistant' })
const METADATA = frame('metadata', { usage: USAGE, metrics: { latencyMs: 5 } })
const TEXT = [START, delta(0, { text: 'Hel' }), delta(0, { text: 'lo' }), stop(0)]
const SAID = [...TEXT, frame('messageStop', { stopReason: 'end_turn' }), METADATA]

function call(index: number, id: string, pieces: readonly string[]): Buffer[] {
  const start = { toolUse: { toolUseId: id, name: 'weather' } }
  return [
    frame('contentBlockStart', { contentBlockIndex: index, start }),
    ...pieces.map((input) => delta(index, { toolUse: { input } })),
    stop(index),
  ]
}

const RICH = [
  START,
  delta(0, { reasoningContent: { text: 'Two ' } }),
  delta(0, { reasoningContent: { text: 'cities.' } }),
  delta(0, { reasoningContent: { signature: 'SIGNATURE' } }),
  stop(0),
  delta(1, { text: 'I ' }),
  delta(1, { text: 'look.' }),
  stop(1),
  ...call(2, 'tooluse_1', ['{"city":', '"Oslo"}']),
  ...call(3, 'tooluse_2', ['{"city":"Bergen"}']),
  frame('messageStop', { stopReason: 'tool_use' }),
  METADATA,
]

/** The text of a stream whose rest is sent when its first words have reached the client. */
async function brokenStream(format: Format, rest: readonly Buffer[]): Promise<string> {
  const { promise: until, resolve } = Promise.withResolvers<void>()
  bedrock.script({ type: 'frames', frames: [START, delta(0, { text: 'Hello' })], until, rest })
  const response = await send(format, { stream: true })
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('Hello')) resolve()
  }
  return text
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const CALLS = [
  { name: 'weather', arguments: { city: 'Oslo' } },
  { name: 'weather', arguments: { city: 'Bergen' } },
]

/** A request with a tool and a wish for reasoning, as each format has it. */
const WISHES: Readonly<Record<Format['name'], object>> = {
  chat: {
    tools: [{ type: 'function', function: { name: 'weather', description: 'Tells it.', parameters: SCHEMA } }],
    reasoning_effort: 'low',
    max_tokens: 4000,
  },
  messages: {
    tools: [{ name: 'weather', description: 'Tells it.', input_schema: SCHEMA }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    max_tokens: 4000,
  },
  responses: {
    tools: [{ type: 'function', name: 'weather', description: 'Tells it.', parameters: SCHEMA }],
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 4000,
  },
  gemini: {
    tools: [{ functionDeclarations: [{ name: 'weather', description: 'Tells it.', parametersJsonSchema: SCHEMA }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 }, maxOutputTokens: 4000 },
  },
}

/** A user's turn with an image in it. */
const IMAGES: Readonly<Record<Format['name'], object>> = {
  chat: {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] }],
  },
  messages: {
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }] },
    ],
  },
  responses: {
    input: [
      { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' }] },
    ],
  },
  gemini: { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }] },
}

describe.each(FORMATS.map((format) => [format.name, format] as const))('a client of %s', (name, format) => {
  it('gets a text, whole and streamed, and is charged for what is reported', async () => {
    bedrock.script(whole([{ text: 'Hello' }], 'end_turn'))
    const answer = foldWhole(name, await (await send(format)).text())
    bedrock.script({ type: 'frames', frames: SAID })
    const streamed = await send(format, { stream: true })
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const stream = foldStream(name, await streamed.text())
    expect([answer.text, answer.finish]).toEqual(['Hello', 'stop'])
    expect([stream.text, stream.finish]).toEqual(['Hello', 'stop'])
    expect(bedrock.requests.map(({ path }) => path)).toEqual([
      `/model/${encodeURIComponent(MODEL)}/converse`,
      `/model/${encodeURIComponent(MODEL)}/converse-stream`,
    ])
    expect(bedrock.requests[0]?.body).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
      inferenceConfig: { maxTokens: expect.any(Number) },
    })
    const records = (await usageOf(farebox)).slice(0, 2)
    for (const record of records) {
      expect(record).toMatchObject({
        input_tokens: 11,
        cache_read_tokens: 15,
        cache_write_tokens: 5,
        output_tokens: 7,
        usage_source: 'reported',
      })
    }
  })

  it('signs each request, and shows nobody what it signs with', async () => {
    bedrock.script(whole([{ text: 'Hello' }], 'end_turn'))
    await (await send(format)).text()
    const [asked] = bedrock.requests
    expect(asked?.isSigned).toBe(true)
    expect(asked?.headers['x-amz-security-token']).toBe(SESSION_TOKEN)
    expect(JSON.stringify(asked)).not.toContain(BEDROCK_SECRET.split(':')[2])
  })

  it('may have an API key, which is shown as it is', async () => {
    bedrock.script({ type: 'frames', frames: SAID })
    const stream = foldStream(name, await (await send(format, { stream: true }, 'keyed')).text())
    expect(stream.text).toBe('Hello')
    const [{ isSigned, headers } = { isSigned: true, headers: {} }] = bedrock.requests
    expect(isSigned).toBe(false)
    expect(Object.keys(headers).filter((header) => header.startsWith('x-amz-'))).toEqual([])
  })

  it('gets reasoning, a text and two calls, whole and in pieces of a stream, and tells its tools', async () => {
    bedrock.script(whole(BLOCKS, 'tool_use'))
    const answer = foldWhole(name, await (await send(format, WISHES[name])).text())
    bedrock.script({ type: 'frames', frames: RICH, pieceLength: 7 })
    const stream = foldStream(name, await (await send(format, { ...WISHES[name], stream: true })).text())
    for (const seen of [answer, stream]) {
      expect(seen).toMatchObject({ text: 'I look.', reasoning: 'Two cities.', tools: CALLS, finish: 'tools' })
    }
    for (const { body } of bedrock.requests) {
      const json = expect.objectContaining({ properties: SCHEMA.properties })
      const toolSpec = { name: 'weather', description: 'Tells it.', inputSchema: { json } }
      expect(body).toMatchObject({
        toolConfig: { tools: [{ toolSpec }] },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
        inferenceConfig: { maxTokens: 4000 },
      })
    }
  })

  it('sends an image as it is', async () => {
    bedrock.script(whole([{ text: 'A dot.' }], 'end_turn'))
    expect((await send(format, IMAGES[name])).status).toBe(200)
    expect(bedrock.requests[0]?.body).toMatchObject({
      messages: [{ content: [{ image: { format: 'png', source: { bytes: PNG } } }] }],
    })
  })

  it.each([
    ['throttlingException', 429, 429],
    ['serviceQuotaExceededException', 400, 429],
    ['validationException', 400, 400],
    ['modelErrorException', 424, 502],
    ['internalServerException', 500, 502],
  ])('is told of the exception %s in a header', async (exception, status, seen) => {
    bedrock.script({ type: 'error', status, name: exception, message: 'The value at messages.0 is invalid.' })
    await expectFormatError(await send(format), name, seen)
  })

  it.each(['throttlingException', 'validationException', 'modelStreamErrorException'])(
    'is told of the exception %s in a stream that has begun',
    async (exception) => {
      const text = await brokenStream(format, [frame(exception, { message: 'It broke.' }, 'exception')])
      expectBrokenStream(text, format)
    },
  )

  it('never takes a stream for whole that was cut, wherever', async () => {
    const all = Buffer.concat(TEXT).length
    // Within the first frame nothing has been said, so that the error may come as an answer of its own.
    for (const cutAt of [3, START.length + 5, all - 1, all]) {
      bedrock.script({ type: 'frames', frames: TEXT, cutAt })
      const text = await (await send(format, { stream: true })).text()
      expect(text, `cut at ${cutAt}`).not.toMatch(format.terminal)
      expect(text).toMatch(/error|response\.failed/)
    }
  })

  it('never reads a frame whose checksum is wrong', async () => {
    const bad = Buffer.from(delta(0, { text: 'forged' }))
    bad.writeUInt8(bad.readUInt8(bad.length - 8) ^ 1, bad.length - 8)
    const text = await brokenStream(format, [bad, ...SAID.slice(3)])
    expect(text).not.toContain('forged')
    expectBrokenStream(text, format)
  })
})

describe('a conversation', () => {
  it('gives the signature of its reasoning back, with calls and results', async () => {
    bedrock.script(whole(BLOCKS, 'tool_use'))
    const format = formatOf('messages')
    const first = (await (await send(format, WISHES.messages)).json()) as { content: { type: string; id?: string }[] }
    const results = first.content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'Rain', is_error: true }] : [],
    )
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ]
    bedrock.script(whole([{ text: 'Rain.' }], 'end_turn'))
    await (await send(format, { ...WISHES.messages, messages })).text()
    const toolResult = { content: [{ text: 'Rain' }], status: 'error' }
    expect(bedrock.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Two cities.', signature: 'SIGNATURE' } } },
            { text: 'I look.' },
            { toolUse: { name: 'weather', input: { city: 'Oslo' } } },
            { toolUse: { name: 'weather', input: { city: 'Bergen' } } },
          ],
        },
        { role: 'user', content: [{ toolResult }, { toolResult }] },
      ],
    })
  })

  it('marks what may be cached, and tells documents apart by their names', async () => {
    bedrock.script(whole([{ text: 'Yes.' }], 'end_turn'))
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    const document = {
      type: 'document',
      title: 'a.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: PNG },
    }
    const content = [document, { ...document, cache_control }]
    await (
      await send(formatOf('messages'), {
        system: [{ type: 'text', text: 'Be brief.', cache_control }],
        messages: [{ role: 'user', content }],
        top_k: 5,
      })
    ).text()
    const cachePoint = { type: 'default', ttl: '1h' }
    const source = { bytes: PNG }
    expect(bedrock.requests[0]?.body).toMatchObject({
      system: [{ text: 'Be brief.' }, { cachePoint }],
      messages: [
        {
          content: [
            { document: { format: 'pdf', name: 'a-pdf', source } },
            { document: { format: 'pdf', name: 'a-pdf 2', source } },
            { cachePoint },
            { text: '.' },
          ],
        },
      ],
      additionalModelRequestFields: { top_k: 5 },
    })
  })

  it('names what models of other makers have no word for', async () => {
    bedrock.script(whole([{ text: 'Yes.' }], 'end_turn'))
    const response = await send(formatOf('chat'), { reasoning_effort: 'high', top_k: 5, user: 'u-1' }, 'nova')
    expect(response.headers.get('x-farebox-dropped')?.split(', ').toSorted()).toEqual(['reasoning', 'top_k', 'user'])
    expect(bedrock.requests[0]?.body).not.toHaveProperty('additionalModelRequestFields')
  })

  it('is refused with an image that would have to be fetched', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    const response = await send(formatOf('chat'), { messages: [{ role: 'user', content: [image] }] })
    expect(await expectFormatError(response, 'chat', 400, { param: 'messages' })).toMatch(/as data/)
    expect(bedrock.requests).toEqual([])
  })
})

describe('the secret', () => {
  it('is told to nobody, and its parts neither', async () => {
    const message = `The security token ${SESSION_TOKEN} of ${ACCESS_KEY_ID} is invalid.`
    bedrock.script({ type: 'error', status: 400, name: 'validationException', message })
    const text = await (await send(formatOf('chat'))).text()
    expect(text).not.toContain(SESSION_TOKEN)
    expect(text).not.toContain(ACCESS_KEY_ID)
  })

  it('that cannot sign is named by its form, and nothing is sent', async () => {
    const response = await send(formatOf('chat'), {}, 'odd')
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await response.text()).not.toContain('sk-no-aws-secret')
    expect(bedrock.requests).toEqual([])
  })

  it('is tested with a model, because there is no list of models', async () => {
    const test = (model?: string) =>
      farebox.admin.call('testProvider', { id: 'aws', query: model === undefined ? {} : { model } })
    expect(await test()).toMatchObject({ ok: false, problem: 'no_model_list' })
    bedrock.script(whole([{ text: 'Hi.' }], 'end_turn'))
    expect(await test(MODEL)).toMatchObject({ ok: true })
    expect(bedrock.requests.map(({ isSigned }) => isSigned)).toEqual([true])
  })
})
