// The Anthropic SDK's tool runner through Farebox with providers of all dialects. By default it leaves the conversation to the
// server, which only a provider of messages can keep: for the others the runner has to fall back by itself.

import type Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { RecordedRequest } from '../support/upstream.ts'
import { bodies, DIALECTS, newClients, records, resultsIn, startPairs, weatherCall, type Pairs } from './pairs.ts'

let pairs: Pairs
let anthropic: Anthropic
let key: string

beforeAll(async () => {
  pairs = await startPairs()
})

beforeEach(async () => {
  pairs.upstream.forget()
  const clients = await newClients(pairs)
  anthropic = clients.anthropic
  key = clients.key
})

afterAll(() => pairs.close())

/** A tool that notes what it was called with. */
function weatherTool() {
  const cities: string[] = []
  const tool = betaZodTool({
    name: 'get_weather',
    description: 'The weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    run: ({ city }) => {
      cities.push(city)
      return `sunny in ${city}`
    },
  })
  return { tool, cities }
}

function asked(model: string, tool: ReturnType<typeof weatherTool>['tool']) {
  const messages = [{ role: 'user' as const, content: 'How is the weather?' }]
  return { model, max_tokens: 1024, system: 'Be brief.', messages, tools: [tool] }
}

function textOf(message: Anthropic.Beta.BetaMessage): string {
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

function betas(request: RecordedRequest | undefined): string {
  return String(request?.headers['anthropic-beta'] ?? '')
}

describe.each(['chat-completions', 'responses', 'gemini'] as const)(
  'the tool runner with a provider of %s',
  (model) => {
    it.each([false, true])('goes on without a thread, with the tool really run, streaming %s', async (stream) => {
      const { upstream, farebox } = pairs
      upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern')] })
      upstream.once({ type: 'answer', text: 'It is sunny.' })
      const { tool, cities } = weatherTool()
      const runner = anthropic.beta.messages.toolRunner({ ...asked(model, tool), stream })
      expect(textOf(await runner.runUntilDone())).toBe('It is sunny.')
      expect(cities).toEqual(['Bern'])
      // The second request has everything: the provider saw the question and the call as well as the result.
      expect(upstream.requests).toHaveLength(2)
      const second = upstream.requests[1]
      expect(resultsIn(model, second?.body ?? {})).toEqual([['call_1', 'sunny in Bern']])
      for (const text of ['How is the weather?', 'Be brief.', 'The weather of a city.']) {
        expect(second?.text).toContain(text)
      }
      // What was refused for its thread is not paid for: two answers of 19 and 10 tokens.
      expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.000078, total_requests: 2, held_credits: 0 })
    })
  },
)

describe('the tool runner with a provider of messages', () => {
  it('sends the whole conversation where that keeps no threads', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('toolu_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tool } = weatherTool()
    expect(textOf(await anthropic.beta.messages.toolRunner(asked('messages', tool)).runUntilDone())).toBe(
      'It is sunny.',
    )
    for (const body of bodies(pairs)) expect(body).not.toHaveProperty('thread')
    expect(records(bodies(pairs)[1]?.['messages'])).toHaveLength(3)
  })
})

describe('the tool runner with a provider of messages that keeps threads', () => {
  beforeAll(async () => {
    await pairs.farebox.admin.call('editProvider', { id: 'messages', body: { quirks: { keeps_threads: true } } })
  })

  it.each([false, true])('goes on with the thread that the provider keeps, streaming %s', async (stream) => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('toolu_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tool, cities } = weatherTool()
    const runner = anthropic.beta.messages.toolRunner({ ...asked('messages', tool), stream })
    expect(textOf(await runner.runUntilDone())).toBe('It is sunny.')
    expect(cities).toEqual(['Bern'])
    const [first, second] = bodies(pairs)
    expect(first).toMatchObject({ thread: { type: 'create' }, system: 'Be brief.' })
    expect(second).toMatchObject({ thread: { type: 'continue', previous_message_id: 'msg_scripted' } })
    expect(second).not.toHaveProperty('tools')
    expect(second).not.toHaveProperty('system')
    expect(resultsIn('messages', second ?? {})).toEqual([['toolu_1', 'sunny in Bern']])
    expect(records(second?.['messages'])).toHaveLength(1)
    for (const request of upstream.requests) expect(betas(request)).toContain('message-threads')
  })

  it('starts anew with the whole conversation when the provider has lost the thread', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('toolu_1', 'Bern')] })
    const details = { error_code: 'thread_not_found' }
    upstream.once({ type: 'status', status: 404, error: { type: 'not_found_error', message: 'No thread.', details } })
    upstream.once({ type: 'answer', text: 'It is sunny.' })
    const { tool, cities } = weatherTool()
    const runner = anthropic.beta.messages.toolRunner(asked('messages', tool))
    expect(textOf(await runner.runUntilDone())).toBe('It is sunny.')
    expect(cities).toEqual(['Bern'])
    expect(bodies(pairs)[2]).toMatchObject({ thread: { type: 'create' }, system: 'Be brief.' })
    expect(records(bodies(pairs)[2]?.['messages'])).toHaveLength(3)
  })
})

describe.each(DIALECTS)('a conversation without a thread with a provider of %s', (model) => {
  it.each([false, true])('runs parallel calls, streaming %s', async (stream) => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern'), weatherCall('call_2', 'Basel')] })
    upstream.once({ type: 'answer', text: 'Sunny in both.' })
    const { tool, cities } = weatherTool()
    const runner = anthropic.beta.messages.toolRunner({ ...asked(model, tool), thread: false, stream })
    expect(textOf(await runner.runUntilDone())).toBe('Sunny in both.')
    expect(cities.toSorted()).toEqual(['Basel', 'Bern'])
    expect(bodies(pairs).map((body) => 'thread' in body)).toEqual([false, false])
    expect(resultsIn(model, bodies(pairs)[1] ?? {})).toEqual([
      ['call_1', 'sunny in Bern'],
      ['call_2', 'sunny in Basel'],
    ])
    expect(await pairs.farebox.balance(key)).toMatchObject({ total_requests: 2, held_credits: 0 })
  })

  it('tells the provider that a tool failed, and goes on', async () => {
    const { upstream } = pairs
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern')] })
    upstream.once({ type: 'answer', text: 'I cannot say.' })
    const { tool } = weatherTool()
    const broken = { ...tool, run: () => Promise.reject(new Error('the station is down')) }
    const runner = anthropic.beta.messages.toolRunner({ ...asked(model, broken), thread: false })
    expect(textOf(await runner.runUntilDone())).toBe('I cannot say.')
    expect(upstream.requests[1]?.text).toContain('the station is down')
  })
})
