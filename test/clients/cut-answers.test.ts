// Answers that break off at the provider, through the OpenAI SDK with providers of all dialects: every way to read one has to
// throw, and what came is charged.

import { APIError, InternalServerError } from 'openai'
import type OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { openaiClient, saying } from '../support/openai.ts'
import { DIALECTS, PIECES, startPairs, weatherCall, type Dialect, type Pairs } from './pairs.ts'

let pairs: Pairs
let key: string
let openai: OpenAI

beforeAll(async () => {
  pairs = await startPairs()
})

beforeEach(async () => {
  pairs.upstream.forget()
  key = await pairs.farebox.newKey('plenty')
  openai = openaiClient({ url: pairs.farebox.url, key, maxRetries: 0 })
})

afterAll(() => pairs.close())

const WHOLE = PIECES.join('')
/** Late enough for every format to have sent a piece of the text, early enough not to have sent all of it. */
const LATE = { 'chat-completions': 4, messages: 6, responses: 7, gemini: 3 } satisfies Record<Dialect, number>

function brokenStreams(dialect: Dialect): (readonly [string, Behaviour])[] {
  const late = LATE[dialect]
  const pieces = PIECES
  return [
    ['is reset', { type: 'answer', pieces, cut: { at: { insideEvent: late }, how: 'reset' } }],
    ['is closed', { type: 'answer', pieces, cut: { at: { insideEvent: late }, how: 'close' } }],
    ['ends without its last events', { type: 'answer', pieces, omit: ['finish', 'done'], usage: null }],
    ['tells of an error', { type: 'error-in-stream', pieces, afterEvents: late }],
    ['has an event that is not JSON', { type: 'broken-stream', pieces, atEvent: late, how: 'not-json' }],
  ]
}

const CASES = DIALECTS.flatMap((dialect) =>
  brokenStreams(dialect).map(([name, behaviour]) => [name, dialect, behaviour] as const),
)

/** The call must have been cut after a part of it had come, and be charged for that part. */
async function expectChargedInPart(text: string, dialect: Dialect, outcomes = ['cut']): Promise<void> {
  expect(text).not.toBe('')
  expect(WHOLE.startsWith(text)).toBe(true)
  const usage = await pairs.lastUsage(key)
  expect(usage).toMatchObject({ model: dialect, status: 200 })
  expect(outcomes).toContain(usage.outcome)
  expect(usage.charge_credits).toBeGreaterThan(0)
  expect(await pairs.farebox.balance(key)).toMatchObject({ used_credits: usage.charge_credits, held_credits: 0 })
}

describe.each(CASES)('a stream that %s at a provider of %s', (_name, dialect, behaviour) => {
  beforeEach(() => pairs.upstream.script(behaviour))

  it('throws out of the iteration over chunks, and out of the helper', async () => {
    const asked = { model: dialect, messages: saying('Hi') }
    let text = ''
    const reading = (async () => {
      for await (const chunk of await openai.chat.completions.create({ ...asked, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? ''
      }
    })()
    await expect(reading).rejects.toBeInstanceOf(APIError)
    await expectChargedInPart(text, dialect)
    await expect(openai.chat.completions.stream(asked).finalContent()).rejects.toBeInstanceOf(APIError)
  })

  it('fails as a response: the last event says so, and the helper has nothing completed', async () => {
    const asked = { model: dialect, input: 'Hi' }
    const types: string[] = []
    let text = ''
    const reading = (async () => {
      for await (const event of await openai.responses.create({ ...asked, stream: true })) {
        types.push(event.type)
        if (event.type === 'response.output_text.delta') text += event.delta
      }
    })()
    await reading.catch((error: unknown) => expect(error).toBeInstanceOf(APIError))
    expect(types).not.toContain('response.completed')
    expect(types).not.toContain('response.incomplete')
    // What a provider of the same format says of its failure is passed on, and the SDK leaves in its middle.
    const isTold = dialect === 'responses' && behaviour.type === 'error-in-stream'
    await expectChargedInPart(text, dialect, isTold ? ['cut', 'client_gone'] : ['cut'])
    const final = await openai.responses
      .stream(asked)
      .finalResponse()
      .catch(() => undefined)
    expect(final?.status ?? 'failed').toBe('failed')
  })
})

describe.each(DIALECTS)('an answer of a provider of %s', (dialect) => {
  it.each(['reset', 'close'] as const)('that is cut is a 502, and free of charge: %s', async (how) => {
    pairs.upstream.script({ type: 'answer', text: WHOLE, cut: { at: { byte: 100 }, how } })
    const chat = openai.chat.completions.create({ model: dialect, messages: saying('Hi') })
    await expect(chat).rejects.toBeInstanceOf(InternalServerError)
    const response = openai.responses.create({ model: dialect, input: 'Hi' })
    await expect(response).rejects.toBeInstanceOf(InternalServerError)
    expect(await pairs.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  })

  it('that is cut in the middle of a tool call lets no tool run', async () => {
    const toolCalls = [weatherCall('call_1', 'Bern')]
    // The last event of each format that is still part of the call.
    const at = { insideEvent: { 'chat-completions': 3, messages: 4, responses: 4, gemini: 0 }[dialect] }
    pairs.upstream.script({ type: 'answer', toolCalls, cut: { at, how: 'reset' } })
    let runs = 0
    const tool = {
      type: 'function' as const,
      function: {
        name: 'get_weather',
        description: 'The weather of a city.',
        parameters: { type: 'object' },
        function: () => {
          runs += 1
          return 'sunny'
        },
      },
    }
    const runner = openai.chat.completions.runTools({
      model: dialect,
      messages: saying('How is the weather?'),
      tools: [tool],
      stream: true,
    })
    await expect(runner.finalContent()).rejects.toBeInstanceOf(APIError)
    expect(runs).toBe(0)
  })
})
