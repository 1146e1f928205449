import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readChatConversation } from '#dialect/chat-completions/read-turns.ts'
import { repairTurns } from '#dialect/repair.ts'
import type { Conversation, Tool, ToolCall, Turn, UserContent } from '#dialect/turn.ts'
import { requestOf, write, written } from './support.ts'
import { someMembers, someMessages } from './wild.ts'

const TOOL: Tool = { name: 'f', kind: 'function', description: undefined, parameters: undefined, isStrict: undefined }
const IMAGE: UserContent = {
  type: 'image',
  source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
  detail: 'low',
}
const IMAGE_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }

function text(words: string): { type: 'text'; text: string } {
  return { type: 'text', text: words }
}

function call(id: string, more: Partial<ToolCall> = {}): ToolCall {
  return { type: 'tool-call', id, name: 'f', arguments: '{"a":1}', ...more }
}

function written1(turns: readonly Turn[], quirks: NonNullable<Parameters<typeof write>[1]>['quirks'] = {}) {
  return written({ turns }, { quirks })
}

describe('the request', () => {
  it('has the cap under the name that the provider takes, and no member without a value', () => {
    expect(written({}, { cap: 99 }).body).toEqual({
      max_tokens: 99,
      model: 'up',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  it('asks for usage in a stream where the provider knows how', () => {
    expect(written({}, { isStream: true }).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(written({}, { isStream: true, quirks: { streamUsage: false } }).body).not.toHaveProperty('stream_options')
  })

  it('has what chat completions and responses share, but for what only stored answers may have', () => {
    const { body, dropped } = written({ shared: { service_tier: 'flex', metadata: { a: 'b' }, model: 'other' } })
    expect(body).toMatchObject({ service_tier: 'flex', model: 'up' })
    expect(body).not.toHaveProperty('metadata')
    expect(dropped).toEqual(['metadata'])
  })

  it('has the sampling, with top_k only where it is known', () => {
    const sampling = { temperature: 0, topP: 1, topK: 5, seed: 3, presencePenalty: -1, frequencyPenalty: 1 }
    const plain = { temperature: 0, top_p: 1, seed: 3, presence_penalty: -1, frequency_penalty: 1 }
    expect(written({ sampling })).toMatchObject({ body: plain, dropped: ['top_k'] })
    expect(written({ sampling }).body).not.toHaveProperty('top_k')
    expect(written({ sampling }, { quirks: { topK: true } })).toMatchObject({
      body: { ...plain, top_k: 5 },
      dropped: [],
    })
  })

  it('lets the assistant speak between results and the user only where the provider wants it', () => {
    const turns: Turn[] = [
      { role: 'user', content: [text('Do it')] },
      { role: 'assistant', content: [call('c1')] },
      { role: 'tool', results: [{ callId: 'c1', content: [text('done'), IMAGE], isError: false }] },
      { role: 'user', content: [text('Stop')] },
      { role: 'assistant', content: [text('Yes')] },
      { role: 'user', content: [text('Go on')] },
    ]
    const roles = (quirks: NonNullable<Parameters<typeof write>[1]>['quirks']) =>
      (written1(turns, quirks).messages as readonly { role: string }[]).map(({ role }) => role)
    const plain = ['user', 'assistant', 'tool', 'user', 'assistant', 'user']
    expect(roles({})).toEqual(plain)
    expect(roles({ userAfterTool: false })).toEqual(plain.toSpliced(3, 0, 'assistant'))
  })

  it('has as many stop sequences as the provider takes', () => {
    const stop = ['a', 'b', 'c']
    expect(written({ stop })).toMatchObject({ body: { stop }, dropped: [] })
    const { body, dropped } = written({ stop }, { quirks: { maxStops: 2 } })
    expect(body).toMatchObject({ stop: ['a', 'b'] })
    expect(dropped).toEqual(['stop sequences after the first 2'])
    expect(written({ stop }, { quirks: { maxStops: 0 } }).body).not.toHaveProperty('stop')
  })

  it('asks for several answers', () => {
    expect(written({ choices: 3 }).body).toMatchObject({ n: 3 })
    expect(written({ choices: 1 }).body).not.toHaveProperty('n')
  })
})

describe('the end user', () => {
  const userOf = (user: string) => written({ user }).body['user']
  const claude = (session: string) =>
    JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: 'a', session_id: session })

  it('is passed on when short', () => {
    expect(userOf('ann@example.com')).toBe('ann@example.com')
  })

  it('is cut to a short identifier that stays the same in the next session', () => {
    expect(userOf(claude('1'))).toMatch(/^user_[0-9a-f]{16}$/)
    expect(userOf(claude('1'))).toBe(userOf(claude('2')))
    expect(userOf(claude('1'))).not.toBe(userOf(claude('1').replace('"a"', '"b"')))
    const old = `user_${'0'.repeat(64)}_account__session_`
    expect(userOf(`${old}1`)).toBe(userOf(`${old}2`))
  })

  it('never is longer than 64 characters, whatever it was, and differs where it did', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ minLength: 65, maxLength: 300 }), (one, other) => {
        expect(String(userOf(one)).length).toBeLessThanOrEqual(64)
        if (!one.includes('_session_') && !other.includes('_session_') && one !== other) {
          expect(userOf(one)).not.toBe(userOf(other))
        }
      }),
    )
  })
})

describe('instructions', () => {
  const turns: Turn[] = [
    { role: 'system', content: [text('A'), text('B')] },
    { role: 'system', content: [text('C')] },
    { role: 'user', content: [text('Hi')] },
    { role: 'system', content: [text('D')] },
    { role: 'user', content: [text('Go')] },
  ]

  it('at the start are one message of the role that the provider takes; later ones stay where they are', () => {
    expect(written1(turns, { systemRole: 'developer' }).messages).toEqual([
      { role: 'developer', content: 'A\n\nB\n\nC' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'D' },
      { role: 'user', content: 'Go' },
    ])
  })

  it('in the middle are marked text of the user where the provider wants that', () => {
    expect(written1(turns, { laterSystem: 'user' }).messages).toEqual([
      { role: 'system', content: 'A\n\nB\n\nC' },
      { role: 'user', content: 'Hi\n\n<system-reminder>\nD\n</system-reminder>\n\nGo' },
    ])
  })

  it('alone are a request', () => {
    expect(written1(turns.slice(0, 1)).messages).toEqual([{ role: 'system', content: 'A\n\nB' }])
  })
})

describe('content of the user', () => {
  const user = (...content: readonly UserContent[]): Turn[] => [{ role: 'user', content }]

  it('is a plain string as long as it is text', () => {
    const document: UserContent = { type: 'document', source: { type: 'text', text: 'B' }, name: 'b.txt' }
    expect(written1(user(text('A'), document)).messages).toEqual([{ role: 'user', content: 'A\n\nb.txt:\n\nB' }])
  })

  it('is parts where there is more', () => {
    const content: UserContent[] = [
      text('A'),
      IMAGE,
      { type: 'image', source: { type: 'url', url: 'https://a.b' } },
      { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: 'AAAA' } },
      { type: 'audio', data: 'AAAA', format: 'mp3' },
    ]
    expect(written1(user(...content)).messages).toEqual([
      {
        role: 'user',
        content: [
          text('A'),
          IMAGE_PART,
          { type: 'image_url', image_url: { url: 'https://a.b' } },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        ],
      },
    ])
  })

  it('with a document by its address is refused', () => {
    const turns = user({ type: 'document', source: { type: 'url', url: 'https://a.b/c.pdf' } })
    expect(write({ turns })).toMatchObject({ type: 'refusal', code: 'invalid_request' })
  })
})

describe('cache marks', () => {
  const turns: Turn[] = [
    { role: 'system', content: [text('S'), { ...text('T'), cacheMark: { ttl: '1h' } }] },
    { role: 'user', content: [{ ...text('U'), cacheMark: { ttl: undefined } }] },
    { role: 'assistant', content: [call('1')] },
    { role: 'tool', results: [{ callId: '1', content: [text('R')], isError: false, cacheMark: { ttl: undefined } }] },
  ]
  const tools = [{ ...TOOL, cacheMark: { ttl: undefined } }]
  const mark = { cache_control: { type: 'ephemeral' } }

  it('are sent where the provider takes them, on parts', () => {
    const { messages, body, dropped } = written({ turns, tools }, { quirks: { cacheMarks: true } })
    expect(messages.map(({ content }) => content)).toEqual([
      [text('S'), { ...text('T'), cache_control: { type: 'ephemeral', ttl: '1h' } }],
      [{ ...text('U'), ...mark }],
      null,
      [{ ...text('R'), ...mark }],
    ])
    expect(body['tools']).toMatchObject([mark])
    expect(dropped).toEqual([])
  })

  it('are named elsewhere, and content stays a string', () => {
    const { messages, dropped } = written({ turns, tools })
    expect(messages.map(({ content }) => content)).toEqual(['S\n\nT', 'U', null, 'R'])
    expect(dropped).toEqual(['cache_control'])
  })
})

describe('turns of the model', () => {
  const assistant = (...content: Extract<Turn, { role: 'assistant' }>['content']): Turn[] => [
    { role: 'assistant', content },
  ]
  const wireCall = { id: '1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }

  it('are one message with text and calls', () => {
    expect(written1(assistant(text('A'), call('1'), { type: 'refusal', text: 'B' })).messages).toEqual([
      { role: 'assistant', content: 'A\n\nB', tool_calls: [wireCall] },
    ])
  })

  it('with calls alone have null for content, and never an empty list or empty arguments', () => {
    const { messages } = written1(assistant(call('1', { arguments: '' })))
    expect(messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ ...wireCall, function: { name: 'f', arguments: '{}' } }] },
    ])
    expect(written1(assistant(text('A'))).messages).toEqual([{ role: 'assistant', content: 'A' }])
  })

  it('lose their reasoning where the provider does not want it back, and that is said', () => {
    const thought = { type: 'reasoning', text: 'So', sealed: { origin: 'messages', value: 's' } } as const
    const result = written1([...assistant(thought), { role: 'user', content: [text('Hi')] }])
    expect(result.messages).toEqual([{ role: 'user', content: 'Hi' }])
    expect(result.dropped).toEqual(['thinking signature', 'earlier reasoning'])
  })

  it('give it back in the member that the provider wants', () => {
    const thought = { type: 'reasoning', text: 'So' } as const
    expect(written1(assistant(thought, call('1')), { reasoningField: 'reasoning_content' }).messages).toEqual([
      { role: 'assistant', content: null, reasoning_content: 'So', tool_calls: [wireCall] },
    ])
    expect(written1(assistant(thought, text('A')), { reasoningField: 'reasoning' }).messages).toEqual([
      { role: 'assistant', content: 'A', reasoning: 'So' },
    ])
    expect(written1(assistant(call('1')), { reasoningField: 'reasoning_content' }).messages).toMatchObject([
      { reasoning_content: '' },
    ])
  })

  it('give the seals of this kind of provider back as they were, and no others', () => {
    const native = { origin: 'chat-completions', value: '{"type":"reasoning.text","signature":"s","index":0}' } as const
    const encrypted = {
      origin: 'chat-completions',
      value: '{"type":"reasoning.encrypted","data":"d","id":"r"}',
    } as const
    const turns = assistant(
      { type: 'reasoning', text: 'So', sealed: native },
      { type: 'reasoning', text: 'Sum', sealed: encrypted },
      { type: 'reasoning', text: 'Other', sealed: { origin: 'messages', value: 'm' } },
      call('1'),
    )
    const { messages, dropped } = written1(turns, { reasoningField: 'reasoning' })
    expect(messages).toMatchObject([
      {
        reasoning: 'So\n\nSum\n\nOther',
        reasoning_details: [
          { type: 'reasoning.text', text: 'So', signature: 's', index: 0 },
          { type: 'reasoning.summary', summary: 'Sum' },
          { type: 'reasoning.encrypted', data: 'd', id: 'r' },
        ],
      },
    ])
    expect(dropped).toEqual(['thinking signature'])
    expect(written1(turns, { reasoningField: 'reasoning_content' }).messages[0]).not.toHaveProperty('reasoning_details')
  })

  it("give a call's signature back to the kind of provider that it came from", () => {
    const own = { origin: 'chat-completions', value: 's' } as const
    expect(written1(assistant(call('1', { sealed: own }))).messages).toMatchObject([
      { tool_calls: [{ extra_content: { google: { thought_signature: 's' } } }] },
    ])
    const other = written1(assistant(call('1', { sealed: { origin: 'gemini', value: 's' } })))
    expect(other.messages).toEqual([{ role: 'assistant', content: null, tool_calls: [wireCall] }])
    expect(other.dropped).toEqual(['thinking signature'])
  })
})

describe('results of tools', () => {
  const after = (...turns: readonly Turn[]): Turn[] => [
    { role: 'assistant', content: [call('1'), call('2')] },
    ...turns,
  ]
  const results = (...content: readonly UserContent[][]): Turn => ({
    role: 'tool',
    results: content.map((parts, index) => ({
      callId: String(index + 1),
      content: parts.filter((part) => part.type !== 'audio'),
      isError: index === 1,
    })),
  })

  it('are a message each, and errors are marked', () => {
    expect(written1(after(results([text('a'), text('b')], []))).messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: '1', content: 'a\nb' },
      { role: 'tool', tool_call_id: '2', content: '[tool_error] ' },
    ])
  })

  it('have their images in one message of the user behind them all, with what the user says', () => {
    const user: Turn = { role: 'user', content: [text('Look!')] }
    expect(written1(after(results([text('a'), IMAGE, IMAGE], [text('b')]), user)).messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: '1', content: 'a\n[image 1 of 1 follows]\n[image 2 of 1 follows]' },
      { role: 'tool', tool_call_id: '2', content: '[tool_error] b' },
      {
        role: 'user',
        content: [text('[image 1 of 1]'), IMAGE_PART, text('[image 2 of 1]'), IMAGE_PART, text('Look!')],
      },
    ])
  })

  it('have the ids of their calls, in nine letters and digits where the provider wants those', () => {
    const ids = ['toolu_01ABC', 'call_2', 'abcdefghi']
    const turns: Turn[] = [
      { role: 'assistant', content: ids.map((id) => call(id)) },
      { role: 'tool', results: ids.map((callId) => ({ callId, content: [text('x')], isError: false })) },
    ]
    const { messages } = written1(turns, { toolIds: 'alphanumeric-9' })
    const [first, ...rest] = messages
    const sent = Array.isArray(first?.['tool_calls']) ? first['tool_calls'].map((one: { id: string }) => one.id) : []
    expect(rest.map((message) => message['tool_call_id'])).toEqual(sent)
    expect(new Set(sent).size).toBe(3)
    for (const id of sent) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(sent[2]).toBe('abcdefghi')
    expect(written1(turns, { toolIds: 'alphanumeric-9' }).messages).toEqual(messages)
  })

  it('keep different ids different', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `call_${index}`)
    const turns: Turn[] = [{ role: 'assistant', content: ids.map((id) => call(id)) }]
    const sent = JSON.stringify(written1(turns, { toolIds: 'alphanumeric-9' }).messages)
    expect(new Set(sent.match(/"id":"\w+"/g)).size).toBe(5000)
  })
})

describe('tools', () => {
  it('are functions with a whole schema', () => {
    const tools = [
      TOOL,
      { ...TOOL, name: 'g', description: 'd', parameters: { type: 'object', x: 1 }, isStrict: false },
    ]
    expect(written({ tools }).body['tools']).toEqual([
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
      {
        type: 'function',
        function: { name: 'g', description: 'd', parameters: { type: 'object', x: 1, properties: {} }, strict: false },
      },
    ])
  })

  it.each([
    [{ type: 'required' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
  ] as const)('are chosen as asked: %j', (toolChoice, expected) => {
    expect(written({ tools: [TOOL], toolChoice }).body['tool_choice']).toEqual(expected)
  })

  it('that are not there are not chosen, nor called in parallel', () => {
    const { body } = written({ toolChoice: { type: 'required' }, allowsParallelTools: false })
    expect(Object.keys(body)).toEqual(['max_tokens', 'model', 'messages'])
  })

  it('are called one by one where the provider knows how to', () => {
    const asking = { tools: [TOOL], allowsParallelTools: false }
    expect(written(asking)).toMatchObject({ body: { parallel_tool_calls: false }, dropped: [] })
    const other = written(asking, { quirks: { parallelToolCalls: false } })
    expect(other.body).not.toHaveProperty('parallel_tool_calls')
    expect(other.dropped).toEqual(['parallel_tool_calls'])
    expect(written({ ...asking, allowsParallelTools: true }, { quirks: { parallelToolCalls: false } }).dropped).toEqual(
      [],
    )
  })

  it('that a provider would run itself are named, and refused where one is forced', () => {
    expect(written({ hostedTools: ['web_search', 'web_search'] }).dropped).toEqual(['web_search'])
    expect(write({ hostedTools: ['web_search'], toolChoice: { type: 'hosted', name: 'web_search' } })).toMatchObject({
      code: 'invalid_request',
      param: 'tool_choice',
    })
  })
})

describe('the format of the answer', () => {
  const format: Conversation['format'] = {
    type: 'json-schema',
    name: 'my schema!',
    description: undefined,
    schema: { type: 'object' },
    isStrict: true,
  }

  it('is a schema with a name that fits', () => {
    expect(written({ format }).body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'my_schema_', schema: { type: 'object' }, strict: true },
    })
  })

  it('is told as an instruction where the provider knows JSON only, and that is said', () => {
    const { body, messages, dropped } = written({ format }, { quirks: { jsonSchema: false } })
    expect(body['response_format']).toEqual({ type: 'json_object' })
    expect(messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('{"type":"object"}') })
    expect(messages[1]).toEqual({ role: 'user', content: 'Hi' })
    expect(dropped).toEqual(['response_format.json_schema'])
  })

  it('is any JSON', () => {
    expect(written({ format: { type: 'json' } }).body['response_format']).toEqual({ type: 'json_object' })
  })
})

describe('the effort', () => {
  const reasoning = (wish: Partial<Conversation['reasoning']>) => ({
    reasoning: { effort: undefined, budgetTokens: undefined, isShown: true, ...wish },
  })

  it.each([
    [{}, undefined, []],
    [{ effort: 'none' }, 'none', []],
    [{ effort: 'low', budgetTokens: 30_000 }, 'low', []],
    [{ budgetTokens: 5000 }, 'medium', []],
    [{ effort: 'xhigh' }, 'high', ['reasoning_effort xhigh']],
    [{ effort: 'max' }, 'high', ['reasoning_effort max']],
  ] as const)('for %j is what providers know', (wish, effort, dropped) => {
    const result = written(reasoning(wish))
    expect(result.body['reasoning_effort']).toBe(effort)
    expect(result.dropped).toEqual(dropped)
  })

  it('is named where the provider takes none', () => {
    const result = written(reasoning({ effort: 'low' }), { quirks: { reasoningEffort: false } })
    expect(result.body).not.toHaveProperty('reasoning_effort')
    expect(result.dropped).toEqual(['reasoning_effort'])
  })
})

it('writes whatever was read: results behind their calls, one user after the other, no empty lists', () => {
  fc.assert(
    fc.property(someMessages, someMembers, fc.boolean(), (messages, members, isPlain) => {
      const request = requestOf({})
      const conversation = readChatConversation({
        ...request,
        body: { ...request.body, value: { messages, ...members } },
      })
      if (isRefusal(conversation)) return
      const quirks = isPlain ? {} : ({ laterSystem: 'user', cacheMarks: true, reasoningField: 'reasoning' } as const)
      const result = write({ ...conversation, turns: repairTurns(conversation.turns) }, { quirks })
      if (isRefusal(result)) return
      for (const [index, message] of result.messages.entries()) {
        const before = result.messages[index - 1]
        if (message['role'] === 'user') expect(before?.['role']).not.toBe('user')
        if (message['role'] === 'tool') expect(['tool', 'assistant']).toContain(before?.['role'])
        if ('tool_calls' in message) expect(message['tool_calls']).not.toEqual([])
      }
    }),
    { numRuns: 500 },
  )
})
