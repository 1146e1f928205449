// What a call costs that is interrupted before its provider says how much of the input was cached: as much as one that was not, in
// every format.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { ask, formatOf, PAIRS, startFormats, type Dialect, type Format } from './formats.ts'
import { chatModel } from '../support/farebox.ts'
import type { WireUsage } from '../support/upstream-behaviour.ts'
import { runningStream } from '../support/running-usage.ts'
import { get, HELLO, post, soon, usageOf, type Pair } from './support.ts'

/** Long enough that nine tenths of it are many tokens. */
const LONG = 'The harbour was quiet, and the gulls slept on the masts. '.repeat(40)
const PRICE = { input: 10, cache_read: 1, output: 2 }

let pair: Pair
let name = ''
let key = ''
let keys = 0

beforeAll(async () => {
  pair = await startFormats()
  for (const [, , dialect] of PAIRS.filter(([, format]) => format.name === 'chat')) {
    await pair.farebox.admin.call('addModel', {
      body: chatModel(`cached-${dialect}`, { targets: [{ provider: dialect, model: 'real' }], price: PRICE }),
    })
  }
  // The first count waits for the tokenizer to be loaded.
  const counting = { key: await pair.farebox.newKey('plenty'), path: '/v1/messages/count_tokens' }
  await (await post(pair.farebox, { model: 'demo', messages: HELLO }, counting)).text()
})

beforeEach(async () => {
  pair.upstream.forget()
  name = `cached ${++keys}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } }))
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** Counts of 1,000 tokens, of which so many were cached, in the words of each dialect. */
const COUNTS: Readonly<Record<Dialect, (cached: number) => WireUsage>> = {
  'chat-completions': (cached) => ({
    prompt_tokens: 1000,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  messages: (cached) => ({ input_tokens: 1000 - cached, cache_read_input_tokens: cached, output_tokens: 10 }),
  responses: (cached) => ({
    input_tokens: 1000,
    output_tokens: 10,
    input_tokens_details: { cached_tokens: cached },
  }),
  gemini: (cached) => ({ promptTokenCount: 1000, candidatesTokenCount: 10, cachedContentTokenCount: cached }),
}

type Turn = { readonly format: Format; readonly dialect: Dialect; readonly words?: string; readonly more?: object }

function bodyOf({ format, dialect, words = LONG, more = {} }: Turn): object {
  const said = [{ role: 'user', content: words }]
  const model = `cached-${dialect}`
  if (format.name === 'gemini') return { model, contents: [{ role: 'user', parts: [{ text: words }] }], ...more }
  return {
    model,
    ...(format.name === 'responses' ? { input: said } : { messages: said }),
    ...more,
  }
}

async function told(turn: Turn, cached: number): Promise<void> {
  pair.upstream.script({ type: 'answer', usage: COUNTS[turn.dialect](cached) })
  const response = await ask(pair, turn.format, { key, members: bodyOf(turn) })
  await response.text()
  expect(response.status).toBe(200)
}

/** A stream that its client leaves after the first words; the record of it. */
async function left(turn: Turn) {
  const before = (await usageOf(pair.farebox, name)).length
  const parts = runningStream(turn.dialect, { pieces: ['one ', 'two '], until: 'none' })
  const stall = { at: { afterEvent: parts.length - 1 }, ms: Infinity }
  pair.upstream.script({ type: 'raw', parts: [...parts, ': what never comes\n\n'], stall })
  const leaving = new AbortController()
  const members = { ...bodyOf(turn), stream: true }
  const response = await ask(pair, turn.format, { key, members, signal: leaving.signal })
  await readUntil(response, 'two ')
  leaving.abort()
  await soon(async () => (await usageOf(pair.farebox, name)).length === before + 1)
  const [record] = await usageOf(pair.farebox, name)
  const receipt = await get(pair.farebox, `/v1/receipts/${response.headers.get('x-request-id') ?? ''}`, key)
  return { record, receipt: await receipt.json() }
}

async function readUntil(response: Response, words: string): Promise<void> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!text.includes(words)) {
    const read = await reader?.read()
    if (read?.done !== false) throw new Error('the stream has ended before its words were there')
    text += decoder.decode(read.value, { stream: true })
  }
}

it.each(PAIRS)('a call of %s that is left is charged the cached share of the call before it', async (...row) => {
  const [, format, dialect] = row
  await told({ format, dialect }, 900)
  const { record, receipt } = await left({ format, dialect })
  const [input, cached] = [record?.input_tokens ?? 0, record?.cache_read_tokens ?? 0]
  expect(cached).toBe(Math.floor((input + cached) * 0.9))
  expect(input + cached).toBeGreaterThan(100)
  expect(record).toMatchObject({ outcome: 'client_gone', usage_source: 'estimated' })
  expect(receipt).toMatchObject({ tokens: { input: { source: 'estimated' }, cache_read: { source: 'estimated' } } })
})

const chat: Turn = { format: formatOf('chat'), dialect: 'chat-completions' }

it('a call in another conversation is charged its whole input', async () => {
  await told(chat, 900)
  const { record } = await left({ ...chat, words: `${LONG} And something else.` })
  expect(record).toMatchObject({ outcome: 'client_gone', cache_read_tokens: null })
})

it('a call of another key is charged its whole input', async () => {
  await told(chat, 900)
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name: `${name} b`, package: 'plenty' } }))
  name = `${name} b`
  expect((await left(chat)).record).toMatchObject({ cache_read_tokens: null })
})

it('a call at another model is charged its whole input', async () => {
  await told(chat, 900)
  expect((await left({ ...chat, dialect: 'responses' })).record).toMatchObject({ cache_read_tokens: null })
})

it('a call behind one of which nothing was cached is charged its whole input', async () => {
  await told(chat, 900)
  await told(chat, 0)
  expect((await left(chat)).record).toMatchObject({ cache_read_tokens: null })
})

it('no more is taken for cached than was the last time', async () => {
  const session = { prompt_cache_key: 'session' }
  const first = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hello' },
  ]
  await told({ ...chat, more: { ...session, messages: first } }, 20)
  const longer = [...first, { role: 'assistant', content: 'Hi' }, { role: 'user', content: LONG.repeat(100) }]
  const { record } = await left({ ...chat, more: { ...session, messages: longer } })
  expect(record?.input_tokens).toBeGreaterThan(20_000)
  expect(record?.cache_read_tokens).toBe(20)
})
