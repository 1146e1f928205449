// Conversations of more than a mebibyte, which a thread of their own reads and writes: for clients, providers and books they are as others.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import type { RecordedRequest } from '../support/upstream.ts'
import { expectSoundBooks } from './fault-support.ts'
import {
  ask,
  DIALECTS,
  expectFormatError,
  FORMATS,
  formatOf,
  PAIRS,
  requestOf,
  startFormats,
  type Format,
} from './formats.ts'
import { CHAT_PATH, post, usageOf, type Pair } from './support.ts'

const LONG = 'The "färe" is counted once 🚋\n'.repeat(60_000)

let pair: Pair
let name: string
let key: string
let tests = 0

beforeAll(async () => {
  pair = await startFormats()
  const targets = [
    { provider: 'chat-completions', model: 'first', priority: 0 },
    { provider: 'messages', model: 'second', priority: 1 },
  ]
  await pair.farebox.admin.call('addModel', { body: chatModel('either', { targets }) })
})

beforeEach(async () => {
  pair.upstream.forget()
  name = `large ${++tests}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } }))
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

function members({ name: format }: Format, text: string): object {
  if (format === 'responses') return { input: [{ role: 'user', content: text }] }
  if (format === 'gemini') return { contents: [{ role: 'user', parts: [{ text }] }] }
  return { messages: [{ role: 'user', content: text }] }
}

const send = (format: Format, model: string, more: object = {}, text = LONG) =>
  ask(pair, format, { key, members: { model, ...members(format, text), ...more } })

/** What of an answer is its exchange's own. */
const masked = (text: string) =>
  text.replaceAll(/[0-9a-f]{32}|[0-9a-f-]{36}/g, 'ID').replaceAll(/"created(_at)?":\d+/g, '"created":0')

describe('a large conversation', () => {
  it.each(PAIRS)('%s is answered and charged as a small one, and reaches the provider', async (_, format, dialect) => {
    for (const stream of [false, true]) {
      pair.upstream.forget()
      const [large, small] = [await send(format, dialect, { stream }), await send(format, dialect, { stream }, 'Hi')]
      expect(large.status).toBe(200)
      const estimates = /"input_tokens":\d+,"cache_creation|"promptTokenCount":\d+,"totalTokenCount":\d+/g
      const [text, expected] = [await large.text(), await small.text()].map(masked)
      expect(text?.replace(estimates, '')).toBe(expected?.replace(estimates, ''))
      const [ofLarge, ofSmall] = pair.upstream.requests
      expect(ofLarge?.text.replace(JSON.stringify(LONG).slice(1, -1), 'Hi')).toBe(ofSmall?.text)
    }
    const [first, ...others] = await usageOf(pair.farebox, name)
    expect(others).toHaveLength(3)
    for (const { charge_credits: charge, usage_source: source } of others)
      expect({ charge, source }).toEqual({ charge: first?.charge_credits, source: first?.usage_source })
  })

  it('reaches the provider byte for byte but for what is edited', async () => {
    const text = [
      '\r\n\t{ "zeta" :{"b":[ 1.0,1e2,-0 , 12345678901234567890 ]} ,',
      String.raw` "messages":[ {"content":"caf\u00e9 \/ ${JSON.stringify(LONG).slice(1, -1)}","role":"user"} ]`,
      ',"model"\t:  "chat-completions"  , "max_tokens": 10 ,"emoji 😀":"\\"model\\""}\n ',
    ].join('')
    const response = await post(pair.farebox, text, { key, path: CHAT_PATH })
    expect(response.status).toBe(200)
    const expected = text.replace('"chat-completions"', '"gpt-4.1"')
    expect(pair.upstream.requests[0]?.text === expected).toBe(true)
    expect(pair.upstream.requests[0]?.headers['content-length']).toBe(String(Buffer.byteLength(expected)))
  })

  it('is answered by the demo provider', async () => {
    expect((await send(formatOf('messages'), 'demo', { max_tokens: 5 })).status).toBe(200)
  })

  it('goes on to a target of another dialect', async () => {
    const script = ({ path }: RecordedRequest): Behaviour =>
      path.endsWith('/chat/completions') ? { type: 'status', status: 503 } : { type: 'answer' }
    pair.upstream.script(script)
    const response = await send(formatOf('chat'), 'either', { max_tokens: 10 })
    expect(response.status).toBe(200)
    expect(pair.upstream.requests.at(-1)?.path).toBe('/v1/messages')
    expect(pair.upstream.requests.map(({ body }) => body.model)).toContain('first')
    expect(pair.upstream.requests.at(-1)?.body).toMatchObject({ model: 'second', max_tokens: 10 })
    expect(pair.upstream.requests.at(-1)?.text).toContain(JSON.stringify(LONG))
    expect(await usageOf(pair.farebox, name)).toMatchObject([{ outcome: 'answered', charge_credits: 0.000039 }])
  })

  it('is sent again without what its provider refuses', async () => {
    const refusal = { message: "Unsupported parameter: 'top_p' is not supported with this model.", param: 'top_p' }
    pair.upstream.script(({ body }) =>
      'top_p' in body ? { type: 'status', status: 400, error: refusal } : { type: 'answer' },
    )
    const response = await send(formatOf('messages'), 'chat-completions', { temperature: 0.5, top_p: 0.5 })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-farebox-dropped')?.split(', ')).toContain('top_p')
    const bodies = pair.upstream.requests.map(({ text }) => text)
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toBe(bodies[0]?.replace(',"top_p":0.5', ''))
  })

  it('is counted where its provider does not say what it used', async () => {
    pair.upstream.script({ type: 'answer', usage: null })
    expect((await send(formatOf('chat'), 'chat-completions')).status).toBe(200)
    expect((await send(formatOf('chat'), 'messages')).status).toBe(200)
    const records = await usageOf(pair.farebox, name)
    expect(records).toMatchObject([{ usage_source: 'estimated' }, { usage_source: 'estimated' }])
    // The words of the text come to more tokens than there are sentences, and to fewer than there are characters.
    for (const { input_tokens: tokens } of records) {
      expect(tokens).toBeGreaterThan(60_000)
      expect(tokens).toBeLessThan(LONG.length)
    }
  })
})

describe('a conversation of many parts', () => {
  type Sent = { readonly contents: readonly { readonly parts: readonly unknown[] }[] }
  const COUNT = 30_000
  const texts = Array.from({ length: COUNT }, () => ({ text: 'x' }))

  it('is answered and charged as one of a single part, in a format whose parts are looked at one by one', async () => {
    const path = '/v1beta/models/gemini:generateContent'
    const sizes = []
    for (const parts of [texts, [{ text: 'x'.repeat(COUNT) }]]) {
      const response = await post(pair.farebox, { contents: [{ role: 'user', parts }] }, { key, path })
      expect(response.status).toBe(200)
      const sent = pair.upstream.requests.at(-1)?.body as Sent | undefined
      sizes.push(sent?.contents[0]?.parts.length)
    }
    expect(sizes).toEqual([COUNT, 1])
    const [last, first] = await usageOf(pair.farebox, name)
    expect(last?.charge_credits).toBe(first?.charge_credits)
  })

  it('is told what is wrong with it', async () => {
    const path = '/v1beta/models/gemini:generateContent'
    const wrong = [{ role: 'user', parts: [...texts, { inlineData: {}, inline_data: {} }] }]
    const response = await post(pair.farebox, { contents: wrong }, { key, path })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`'contents[0].parts[${COUNT}].inlineData' stands in two spellings`)
  })
})

describe('a large conversation that names earlier answers', () => {
  const path = '/v1/responses'
  const asked = { role: 'user', content: LONG }

  it.each(DIALECTS)('goes on from an answer, by its id and by that of an item, at %s', async (model) => {
    const said = (text: string) => pair.upstream.once({ type: 'answer', text })
    const told = async (body: object) => {
      const response = await post(pair.farebox, { model, ...body }, { key, path })
      expect(response.status).toBe(200)
      return (await response.json()) as { readonly id: string; readonly output: readonly { readonly id: string }[] }
    }
    said('What was said first.')
    const first = await told({ input: [{ role: 'user', content: 'Hello' }] })
    said('What was said second.')
    const second = await told({ input: [asked], previous_response_id: first.id })
    const reference = { type: 'item_reference', id: second.output.at(-1)?.id }
    await told({ input: [asked, reference, { role: 'user', content: 'And?' }] })
    const [, toSecond, toThird] = pair.upstream.requests
    // A provider of the format knows both by their names.
    const [byId, byItem] = [first.id, String(reference.id)]
    expect(toSecond?.text).toContain(model === 'responses' ? byId : 'What was said first.')
    expect(toThird?.text).toContain(model === 'responses' ? byItem : 'What was said second.')
    expect(toThird?.text).toContain(JSON.stringify(LONG).slice(1, -1))
  })

  it('is refused where nobody knows them', async () => {
    const body = { model: 'messages', input: [asked], previous_response_id: 'resp_0' }
    const response = await post(pair.farebox, body, { key, path })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("Previous response with id 'resp_0' not found.")
  })
})

describe('the tokens of a large conversation', () => {
  const count = async (model: string) => {
    const body = { model, messages: [{ role: 'user', content: LONG }] }
    const response = await post(pair.farebox, body, { key, path: '/v1/messages/count_tokens' })
    expect(response.status).toBe(200)
    return ((await response.json()) as { input_tokens: number }).input_tokens
  }

  it('are counted by its provider, which is sent it as it came', async () => {
    // Whoever counted that text came to more.
    expect(await count('messages')).toBeLessThan(1000)
    const [asked] = pair.upstream.requests
    expect(asked?.path).toBe('/v1/messages/count_tokens')
    const messages = JSON.stringify([{ role: 'user', content: LONG }])
    expect(asked?.text === `{"model":"claude-sonnet-4-5","messages":${messages}}`).toBe(true)
  })

  it('are counted here where no provider does', async () => {
    expect(await count('chat-completions')).toBe(await count('demo'))
    expect(await count('demo')).toBeGreaterThan(60_000)
    expect(pair.upstream.requests).toHaveLength(0)
  })
})

describe('what is wrong with a large conversation', () => {
  it.each(FORMATS)('is told with the member, in the words of $name', async (format) => {
    const mistakes = {
      temperature: { temperature: 3 },
      stream: { stream: 'yes' },
    }
    const mistakesOfGoogle = {
      'generationConfig.temperature': { generationConfig: { temperature: 3 } },
      tools: { tools: 'yes' },
    }
    for (const [param, more] of Object.entries(format.name === 'gemini' ? mistakesOfGoogle : mistakes)) {
      const response = await send(format, 'chat-completions', more)
      await expectFormatError(response, format.name, 400, { param })
    }
    expect((await send(format, 'nothing')).status).toBe(404)
    expect(pair.upstream.requests).toHaveLength(0)
  })

  it.each(FORMATS)('is told where it is no UTF-8 or no JSON, in the words of $name', async (format) => {
    const { path } = requestOf(format, { model: 'chat-completions' })
    for (const body of [Buffer.alloc(2_000_000, 0xff), Buffer.from(`{"model":"${LONG}`)]) {
      const response = await post(pair.farebox, body as unknown as string, { key, path })
      await expectFormatError(response, format.name, 400)
    }
  })
})
