// What a call costs that is interrupted before its provider says how much of the input was cached: its whole input, in every format. Its
// client chooses when to leave, so that no guess may be in its favor.

import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { ask, formatOf, PAIRS, startFormats, type Dialect, type Format } from './formats.ts'
import { cases } from '../support/cases.ts'
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

it.each(PAIRS)('a call of %s that is left is charged its whole input, whatever was cached before', async (...row) => {
  const [, format, dialect] = row
  const alone = (await left({ format, dialect })).record
  await told({ format, dialect }, 900)
  const { record, receipt } = await left({ format, dialect })
  expect(record).toMatchObject({ outcome: 'client_gone', usage_source: 'estimated', cache_read_tokens: null })
  expect(record?.input_tokens).toBe(alone?.input_tokens)
  expect(record?.charge_credits).toBe(alone?.charge_credits)
  expect(receipt).toMatchObject({ tokens: { input: { source: 'estimated' } } })
})

const chat: Turn = { format: formatOf('chat'), dialect: 'chat-completions' }
const FIRST = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Hello' },
]

/** A call of a session whose turns begin with the same words. */
const CALL = fc.record({
  session: fc.constantFrom('one', 'two'),
  repeats: fc.integer({ min: 0, max: 60 }),
  cached: fc.option(fc.integer({ min: 0, max: 1000 })),
})

it('no history of calls makes a call without a report cheaper than its input is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(CALL, { minLength: 2, maxLength: 6 }), async (calls) => {
      for (const { session, repeats, cached } of calls) {
        const messages = [
          ...FIRST,
          { role: 'assistant', content: 'Hi' },
          { role: 'user', content: LONG.repeat(repeats) },
        ]
        const turn = { ...chat, more: { prompt_cache_key: session, messages } }
        if (cached !== null) {
          await told(turn, cached)
          continue
        }
        const { record } = await left(turn)
        const price = ((record?.input_tokens ?? 0) * PRICE.input) / 1e6
        expect(record).toMatchObject({ outcome: 'client_gone', cache_read_tokens: null })
        // Of English our tokenizer makes a token for at most eight bytes.
        expect(record?.input_tokens).toBeGreaterThanOrEqual((LONG.length * repeats) / 8)
        expect(Number(record?.charge_credits)).toBeGreaterThanOrEqual(price)
      }
    }),
    { numRuns: cases(4, 8, 100) },
  )
})
