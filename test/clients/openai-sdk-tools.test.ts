// The OpenAI SDK's runTools through Farebox: a real function is called with what the model asked for, and its result goes
// back, streaming and not.

import type OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { openaiClient, saying } from '../support/openai.ts'
import type { Behaviour, ToolCall } from '../support/upstream-behaviour.ts'
import { startUpstream, type RecordedRequest, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
let farebox: Farebox
let key: string
let openai: OpenAI

beforeAll(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox()
  await farebox.app.setUpDemo()
  await setUpUpstream(farebox, upstream.url)
})

beforeEach(async () => {
  upstream.forget()
  key = await farebox.newKey('plenty')
  openai = openaiClient({ url: farebox.url, key })
})

afterAll(async () => {
  await farebox.close()
  await upstream.close()
})

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** A tool that notes what it was called with. */
function weatherTool() {
  const cities: string[] = []
  const tool = {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: PARAMETERS,
      parse: (text: string) => JSON.parse(text) as { city: string },
      function: ({ city }: { city: string }) => {
        cities.push(city)
        return `sunny in ${city}`
      },
    },
  }
  return { tool, cities }
}

/** A provider that asks for these calls first, and says what came back once it has the results. */
function callsThenAnswers(toolCalls: readonly ToolCall[]) {
  return (request: RecordedRequest): Behaviour => {
    const results = toolResults(request)
    if (results.length === 0) return { type: 'answer', toolCalls }
    return { type: 'answer', text: results.map(({ content }) => content).join(' and ') }
  }
}

type Message = { readonly role: string; readonly content: string; readonly tool_call_id?: string }

function toolResults({ body }: RecordedRequest): Message[] {
  return (body['messages'] as Message[]).filter(({ role }) => role === 'tool')
}

function weatherCall(id: string, city: string): ToolCall {
  return { id, name: 'get_weather', arguments: JSON.stringify({ city }) }
}

describe.each([{ stream: false }, { stream: true }] as const)('runTools with $stream as stream', ({ stream }) => {
  /** The overloads of the SDK tell the two modes apart by literal types. */
  function run(model: string, prompt: string, tool: ReturnType<typeof weatherTool>['tool']) {
    const { completions } = openai.chat
    const params = { model, messages: saying(prompt), tools: [tool] }
    return stream ? completions.runTools({ ...params, stream: true }) : completions.runTools(params)
  }

  it('calls the function with the arguments of the model and gives it the result', async () => {
    upstream.script(callsThenAnswers([weatherCall('call_1', 'Zürich')]))
    const { tool, cities } = weatherTool()
    expect(await run('chat', 'How is the weather?', tool).finalContent()).toBe('sunny in Zürich')
    expect(cities).toEqual(['Zürich'])
    expect(upstream.requests).toHaveLength(2)
  })

  it('calls the function for each of several parallel calls and returns the results under their ids', async () => {
    upstream.script(callsThenAnswers([weatherCall('call_a', 'Oslo'), weatherCall('call_b', 'Rome')]))
    const { tool, cities } = weatherTool()
    const runner = run('chat', 'How is the weather in both?', tool)
    expect(await runner.finalContent()).toBe('sunny in Oslo and sunny in Rome')
    expect(cities).toEqual(['Oslo', 'Rome'])
    const [, second] = upstream.requests
    expect(second && toolResults(second).map((message) => message.tool_call_id)).toEqual(['call_a', 'call_b'])
  })

  it('charges both rounds, each by its own usage', async () => {
    upstream.once({ type: 'answer', toolCalls: [weatherCall('call_1', 'Bern')], usage: tokens(100, 20) })
    upstream.once({ type: 'answer', text: 'Sunny.', usage: tokens(140, 5) })
    await run('chat', 'How is the weather?', weatherTool().tool).finalContent()
    // 240 input tokens at 1 and 25 output tokens at 2 credits per million.
    expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.00029, total_requests: 2, held_credits: 0 })
  })

  it('works with the demo provider, which calls the first tool and then says what it answered', async () => {
    const { tool, cities } = weatherTool()
    expect(await run('demo-chat', 'Basel', tool).finalContent()).toBe('The tool answered: sunny in Basel')
    expect(cities).toEqual(['Basel'])
  })
})

describe('the tool definitions and the history', () => {
  it('reach the provider as the SDK wrote them', async () => {
    upstream.script(callsThenAnswers([weatherCall('call_1', 'Bern')]))
    const { tool } = weatherTool()
    await openai.chat.completions
      .runTools({ model: 'chat', messages: saying('How is the weather?'), tools: [tool] })
      .finalContent()
    const [first, second] = upstream.requests
    const { name, description } = tool.function
    const sent = { name, description, parameters: PARAMETERS }
    expect(first?.body['tools']).toMatchObject([{ type: 'function', function: sent }])
    expect(second?.body['messages']).toMatchObject([
      { role: 'user', content: 'How is the weather?' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name, arguments: '{"city":"Bern"}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny in Bern' },
    ])
  })
})

function tokens(prompt: number, completion: number) {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}
