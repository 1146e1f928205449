// A stream that its key's credits cannot carry to its end: it ends early, as real clients expect an answer to end that met its
// output cap, and is charged what was delivered.

import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openaiClient } from '../support/openai.ts'
import { MESSAGES_USAGE, type Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, ROUTES, startHouse, type Dialect, type House, type Route } from './house.ts'
import { soon, usageOf } from './support.ts'

/** Forty bytes of text: about ten tokens. */
const PIECE = 'All these words are what the model says. '
/** It never ends by itself: all of it can be on its way before its reader stops it, and it must be seen to be stopped. */
const LONG = {
  type: 'answer',
  stall: { at: { afterEvent: 3900 }, ms: Infinity },
  pieces: Array.from({ length: 4000 }, () => PIECE),
  // Only Gemini says before its end what was used, and this provider does not.
  usage: null,
} as const satisfies Behaviour
/** 1 credit per million input tokens, 2 per million output tokens: some 500 output tokens. */
const CREDITS = 0.001

let house: House
let name = ''
let key = ''

beforeAll(async () => {
  house = await startHouse({
    packages: [
      { name: 'little', type: 'topup', credits: CREDITS },
      { name: 'more', type: 'topup', credits: 0.003 },
      { name: 'endless', type: 'unlimited' },
    ],
  })
})

beforeEach(async () => {
  house.upstream.forget()
  house.upstream.script(LONG)
  ;({ key, name } = await newKey(house, 'little'))
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

/** One record of a call that was ended for want of credits, charged about what the key had, and an upstream that was stopped. */
async function expectEnded(): Promise<void> {
  await soon(() => house.upstream.requests[0]?.closedAtMs)
  const [record] = await usageOf(house.farebox, name)
  expect(record).toMatchObject({ outcome: 'out_of_credits', status: 200 })
  expect(record?.charge_credits).toBeGreaterThan(CREDITS / 2)
  // One step is 4096 output tokens at 2 credits per million; what remains is far below it.
  expect(record?.charge_credits).toBeLessThan(CREDITS + 0.0002)
  expect(record?.overrun).toBe((record?.charge_credits ?? 0) > CREDITS)
  expect(await house.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: record?.charge_credits })
}

function anthropic(): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: house.farebox.url, maxRetries: 0 })
}

describe('a stream that its key cannot pay to its end', () => {
  it.each(['chat-completions', 'messages', 'responses'] as const)(
    "ends for OpenAI's chat client in front of %s as at its output cap",
    async (model) => {
      const openai = openaiClient({ url: house.farebox.url, key, maxRetries: 0 })
      const messages = [{ role: 'user' as const, content: 'Hello' }]
      const options = { model, messages, max_tokens: 30_000, stream_options: { include_usage: true } }
      const answer = await openai.chat.completions.stream(options).finalChatCompletion()
      expect(answer.choices).toHaveLength(1)
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { role: 'assistant' } })
      expect(answer.choices[0]?.message.content).toMatch(/^(All these words are what the model says\. )+$/)
      await expectEnded()
      const [record] = await usageOf(house.farebox, name)
      expect(answer.usage).toMatchObject({ completion_tokens: record?.output_tokens })
    },
  )

  it.each(['messages', 'chat-completions', 'responses'] as const)(
    "ends for Anthropic's client in front of %s as at its output cap",
    async (model) => {
      // Anthropic's client needs a usage at the start.
      house.upstream.script({ ...LONG, ...(model === 'messages' ? { usage: MESSAGES_USAGE } : {}) })
      const messages = [{ role: 'user' as const, content: 'Hello' }]
      const message = await anthropic().messages.stream({ model, messages, max_tokens: 30_000 }).finalMessage()
      expect(message).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text' }] })
      await expectEnded()
      const [record] = await usageOf(house.farebox, name)
      expect(message.usage.output_tokens).toBe(record?.output_tokens)
    },
  )

  it.each(['responses', 'chat-completions', 'messages'] as const)(
    "ends for OpenAI's responses client in front of %s as at its output cap",
    async (model) => {
      const openai = openaiClient({ url: house.farebox.url, key, maxRetries: 0 })
      const stream = openai.responses.stream({ model, input: 'Hello', max_output_tokens: 30_000 })
      const types: string[] = []
      for await (const event of stream) types.push(event.type)
      const response = await stream.finalResponse()
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
      expect(response.output_text).toMatch(/^(All these words are what the model says\. )+$/)
      expect(types.slice(-4)).toEqual([
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.incomplete',
      ])
      await expectEnded()
      const [record] = await usageOf(house.farebox, name)
      expect(response.usage?.output_tokens).toBe(record?.output_tokens)
    },
  )

  it.each([
    ['chat-completions', 1],
    ['chat-completions', 3],
    ['gemini', 3],
  ] as const)('finishes every choice of %s when %d were asked for', async (model, n) => {
    const openai = openaiClient({ url: house.farebox.url, key, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    const answer = await openai.chat.completions
      .stream({ model, messages, n, max_tokens: 30_000 })
      .finalChatCompletion()
    expect(answer.choices.map(({ finish_reason: reason }) => reason)).toEqual(Array.from({ length: n }, () => 'length'))
    await expectEnded()
  })

  // Gemini sends a call as a whole.
  it.each(ROUTES.filter(([, dialect]) => dialect !== 'gemini'))(
    'hands no call to %s from %s whose arguments are not complete',
    async (...route) => {
      // Definitions of tools are held for, too.
      ;({ key, name } = await newKey(house, 'more'))
      // More than any tokenizer makes of the tokens that the key can pay for.
      const text = 'word '.repeat(60_000)
      house.upstream.script({
        type: 'answer',
        toolCalls: [{ id: 'call_1', name: 'write', arguments: JSON.stringify({ text }) }],
        // The arguments come in two halves of 150 kB, of which the first is beyond the credits.
        usage: null,
      })
      const body = await (
        await ask(house, route, { key, members: { stream: true, ...capOf(route), ...toolsOf(route) } })
      ).text()
      expect(body).not.toMatch(/"(finish_reason|stop_reason)":"(tool_calls|tool_use)"/)
      expect(body).not.toMatch(/response\.function_call_arguments\.done|response\.completed/)
      expect(body).toMatch(/"finish_reason":"length"|"stop_reason":"max_tokens"|"reason":"max_output_tokens"/)
    },
  )

  it.each(ROUTES)('is ended at its cap in %s in front of %s, however much its key has', async (...route) => {
    await house.farebox.admin.call('topUpKey', { id: name, body: { credits: 1 } })
    const members = { stream: true, [CAPS[route[0]]]: 200 }
    const body = await (await ask(house, route, { key, members })).text()
    expect(body).toMatch(/"finish_reason":"length"|"stop_reason":"max_tokens"|"reason":"max_output_tokens"/)
    const [record] = await usageOf(house.farebox, name)
    // The provider says what it likes; the stream is ended where a quarter more than the cap was counted.
    expect(record).toMatchObject({ outcome: 'answered', overrun: false, usage_source: 'estimated' })
    expect(record?.output_tokens).toBeGreaterThan(200)
    expect(record?.output_tokens).toBeLessThan(300)
  })

  it.each(['little', 'endless'])('is shown to ignore its cap, for a key with %s credits', async (plan) => {
    const { key: one } = await newKey(house, plan)
    const members = { stream: true, max_tokens: 50 }
    await (await ask(house, ['chat', 'chat-completions'], { key: one, members })).text()
    const { targets } = await house.farebox.admin.call('status', {})
    const ignored = targets.find(({ provider }) => provider === 'chat-completions')?.ignored_cap
    expect(ignored?.cap).toBeGreaterThan(0)
    expect(ignored?.output_tokens).toBeGreaterThan(ignored?.cap ?? 0)
  })

  it('is not ended for what its hold paid for, where the provider counts fewer tokens than we do', async () => {
    // 300 tokens of the provider's, some 350 of ours.
    const pieces = Array.from({ length: 175 }, () => 'word word ')
    const usage = { prompt_tokens: 19, completion_tokens: 300, total_tokens: 319 }
    house.upstream.script({ type: 'answer', pieces, usage })
    const { key: short, name: shortName } = await newKey(house, 'little')
    const members = { stream: true, max_tokens: 300 }
    const response = await ask(house, ['chat', 'chat-completions'], { key: short, members })
    expect(await response.text()).toMatch(/"finish_reason":"stop"/)
    expect((await usageOf(house.farebox, shortName))[0]).toMatchObject({ outcome: 'answered', overrun: false })
  })
})

const CAPS = { chat: 'max_tokens', messages: 'max_tokens', responses: 'max_output_tokens' } as const

function capOf([format]: Route): object {
  return { [CAPS[format]]: 30_000 }
}

function toolsOf([format]: readonly [Route[0], Dialect]): object {
  const parameters = { type: 'object', properties: { text: { type: 'string' } } }
  switch (format) {
    case 'chat':
      return { tools: [{ type: 'function', function: { name: 'write', parameters } }] }
    case 'messages':
      return { tools: [{ name: 'write', input_schema: parameters }] }
    case 'responses':
      return { tools: [{ type: 'function', name: 'write', parameters }] }
  }
}
