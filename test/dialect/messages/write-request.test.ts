import { describe, expect, it } from 'vitest'
import type { Quirks } from '#core/quirks.ts'
import { readMessagesCount, writeMessagesCount, writeMessagesRequest } from '#dialect/messages/write-request.ts'
import { repairTurns } from '#dialect/repair.ts'
import type { AssistantContent, Conversation, Tool, ToolResult, Turn, UserContent } from '#dialect/turn.ts'
import { conversationOf, notRefused, targetOf, type Members } from './requests.ts'

type Options = { readonly model?: string; readonly quirks?: Partial<Quirks>; readonly cap?: number }

const OLD = 'claude-3-5-haiku-20241022'
const BUDGET = 'claude-sonnet-4-5-20250929'
const ADAPTIVE = 'claude-opus-4-6'
const NEWEST = 'claude-sonnet-9'
const OTHER = 'glm-5'

function write(turns: readonly Turn[], members: Partial<Conversation> = {}, { model, quirks, cap }: Options = {}) {
  const conversation = conversationOf(repairTurns(turns), members)
  const written = notRefused(writeMessagesRequest(conversation, targetOf(model, quirks)))
  expect(written.path).toBe('/messages')
  const body = JSON.parse(written.body(cap ?? 10_000)) as Members
  return { ...body, messages: body['messages'] as Members[], dropped: written.dropped }
}

const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value })
const user = (...content: readonly (string | UserContent)[]): Turn => ({
  role: 'user',
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
})
const assistant = (...content: readonly AssistantContent[]): Turn => ({ role: 'assistant', content })
const system = (...content: readonly string[]): Turn => ({ role: 'system', content: content.map(text) })
const call = (id: string, args = '{}', name = 'wx'): AssistantContent => ({
  type: 'tool-call',
  id,
  name,
  arguments: args,
})
const result = (callId: string, ...content: ToolResult['content']): Turn => ({
  role: 'tool',
  results: [{ callId, content, isError: false }],
})
const tool = (members: Partial<Tool> = {}): Tool => ({
  name: 'wx',
  kind: 'function',
  description: undefined,
  parameters: { type: 'object', properties: {} },
  isStrict: undefined,
  ...members,
})
/** JSON that can be read, but not written again. */
const DEEP = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
const HI = user('Hi')
const messagesOf = (turns: readonly Turn[], options?: Options) => write(turns, {}, options).messages
const wishFor = (effort: Conversation['reasoning']['effort'], isShown = false) => ({
  reasoning: { effort, budgetTokens: undefined, isShown },
})

describe('a conversation is refused', () => {
  const refusalOf = (turns: readonly Turn[], members: Partial<Conversation> = {}) =>
    writeMessagesRequest(conversationOf(turns, members), targetOf())

  it.each([
    ['n', [HI], { choices: 2 }],
    ['tool_choice', [HI], { toolChoice: { type: 'hosted', name: 'web_search' } }],
    ['messages', [user({ type: 'audio', data: 'AAAA', format: 'wav' })], {}],
    ['messages', [user({ type: 'image', source: { type: 'base64', mediaType: 'image/bmp', data: 'AA' } })], {}],
    ['messages', [user({ type: 'document', source: { type: 'base64', mediaType: 'video/mp4', data: 'AA' } })], {}],
  ] satisfies [string, Turn[], Partial<Conversation>][])(
    "for '%s', which cannot be carried",
    (param, turns, members) => {
      expect(refusalOf(turns, members)).toMatchObject({ type: 'refusal', code: 'invalid_request', param })
    },
  )
})

describe('turns become messages:', () => {
  it('leading instructions the system text, later ones marked text of the user', () => {
    const turns = [system('a', ' '), system('b'), HI, assistant(text('x')), system('c'), user('d')]
    expect(write(turns)).toMatchObject({
      system: [text('a'), text('b')],
      messages: [
        { role: 'user', content: [text('Hi')] },
        { role: 'assistant', content: [text('x')] },
        { role: 'user', content: [text('<system-reminder>\nc\n</system-reminder>'), text('d')] },
      ],
    })
    expect(messagesOf([HI, system('c')], { quirks: { laterSystem: 'keep' } })[1]).toEqual({
      role: 'system',
      content: [text('c')],
    })
    expect(write([HI])).not.toHaveProperty('system')
  })

  it('one user at the start, where there is none', () => {
    expect(messagesOf([assistant(text('x')), HI]).map((one) => one['role'])).toEqual(['user', 'assistant', 'user'])
    expect(messagesOf([system('a')])).toEqual([{ role: 'user', content: [text('.')] }])
  })

  it('alternating, with neighbours of one role as one', () => {
    expect(messagesOf([user('a'), user('b'), assistant(text('x')), assistant(text('y')), user('c')])).toMatchObject([
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: [text('x'), text('y')] },
      { role: 'user', content: [text('c')] },
    ])
  })

  it('results first in the message behind their calls', () => {
    const turns = [HI, assistant(call('a'), call('b')), user('And?'), result('b', text('2')), result('a', text('1'))]
    expect(messagesOf(turns)[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: '1' },
        { type: 'tool_result', tool_use_id: 'b', content: '2' },
        text('And?'),
      ],
    })
  })

  it('results with errors, images and nothing', () => {
    const image = { type: 'image', source: { type: 'base64', mediaType: 'image/jpg', data: 'AAAA' } } as const
    const turns: Turn[] = [
      HI,
      assistant(call('a'), call('b'), call('c')),
      result('a', text('x'), image),
      { role: 'tool', results: [{ callId: 'b', content: [text('')], isError: true }] },
    ]
    expect(messagesOf(turns)[2]?.['content']).toMatchObject([
      { content: [text('x'), { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } }] },
      { content: [], is_error: true },
      { tool_use_id: 'c', is_error: true, content: 'No result: the call was interrupted.' },
    ])
  })

  it.each([
    ['nothing but empty texts of a user as a placeholder', [user('', ' '), assistant(text('x')), HI], 0, [text('.')]],
    ['no empty or blank text of a user', [user('', 'a', ' ')], 0, [text('a')]],
    ['no empty text before a call', [HI, assistant(text(''), text('\n\n'), call('a'))], 1, [{ type: 'tool_use' }]],
    ['no white space at the very end of a begun answer', [HI, assistant(text('a \n'))], 1, [text('a')]],
    ['a refusal as text', [HI, assistant({ type: 'refusal', text: 'No.' }), HI], 1, [text('No.')]],
  ] satisfies [string, Turn[], number, unknown][])('with %s', (_, turns, index, content) => {
    const message = messagesOf(turns)[index]
    expect(message?.['content']).toHaveLength((content as unknown[]).length)
    expect(message?.['content']).toMatchObject(content)
  })

  it('without a turn of the assistant that says nothing', () => {
    expect(messagesOf([HI, assistant(text(' ')), user('x')])).toEqual([
      { role: 'user', content: [text('Hi'), text('x')] },
    ])
  })

  it('with ids that Anthropic takes, once each, the same for a call and its result', () => {
    const turns = [
      HI,
      assistant(call('functions.wx:0'), call('functions.wx:0'), call('')),
      result('functions.wx:0', text('1')),
      result('functions.wx:0', text('2')),
      result('', text('3')),
      assistant(call('functions.wx:0')),
      result('functions.wx:0', text('4')),
    ]
    const repeated: Turn[] = turns.filter((turn) => turn.role !== 'tool')
    repeated.splice(2, 0, {
      role: 'tool',
      results: turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : [])).slice(0, 3),
    })
    const conversation = conversationOf([...repeated, result('functions.wx:0', text('4'))])
    const written = notRefused(writeMessagesRequest(conversation, targetOf()))
    const { messages } = JSON.parse(written.body(100)) as { messages: { content: Members[] }[] }
    const blocks = messages.flatMap((message) => message.content)
    const calls = blocks.filter((block) => block['type'] === 'tool_use').map((block) => block['id'])
    const results = blocks
      .filter((block) => block['type'] === 'tool_result')
      .map((block) => [block['tool_use_id'], block['content']])
    expect(calls).toEqual(['functions_wx_0', 'functions_wx_0_2', 'call', 'functions_wx_0_3'])
    expect(results).toEqual(calls.map((id, index) => [id, String(index + 1)]))
  })

  it.each([
    ['', {}],
    ['{"a":1}', { a: 1 }],
    ['[1]', { _raw: '[1]' }],
    ['{"a":', { _raw: '{"a":' }],
    ['"x"', { _raw: '"x"' }],
  ])('with the arguments %j as an object', (args, input) => {
    expect(messagesOf([HI, assistant(call('a', args))])[1]).toMatchObject({ content: [{ input }] })
  })

  it('with arguments as they were written where they are nested too deeply', () => {
    expect(messagesOf([HI, assistant(call('a', DEEP))])[1]).toMatchObject({ content: [{ input: { _raw: DEEP } }] })
  })

  it('with thinking only where Anthropic signed it', () => {
    const turns = [
      HI,
      assistant(
        { type: 'reasoning', text: 'mine', sealed: { origin: 'messages', value: 'sig' } },
        { type: 'reasoning', text: '', sealed: { origin: 'messages-redacted', value: 'red' } },
        { type: 'reasoning', text: 'bare' },
        { type: 'reasoning', text: 'theirs', sealed: { origin: 'responses', value: 'blob' } },
        text('x'),
      ),
      HI,
    ]
    const signed = [
      { type: 'thinking', thinking: 'mine', signature: 'sig' },
      { type: 'redacted_thinking', data: 'red' },
    ]
    expect(messagesOf(turns)[1]?.['content']).toEqual([...signed, text('x')])
    expect(write(turns).dropped).toEqual(['earlier reasoning'])
    const bare = ['bare', 'theirs'].map((thinking) => ({ type: 'thinking', thinking, signature: '' }))
    expect(messagesOf(turns, { model: OTHER })[1]?.['content']).toEqual([...signed, ...bare, text('x')])
  })

  it('with images and documents in the forms that it takes', () => {
    const base64 = (mediaType: string, data: string) => ({ type: 'base64', mediaType, data }) as const
    const turn = user(
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' }, detail: 'high' },
      { type: 'image', source: base64('image/PNG; x=y', 'AAAA') },
      { type: 'document', source: base64('application/pdf', 'JVBERg'), name: 'a.pdf' },
      { type: 'document', source: base64('text/csv', Buffer.from('é,1').toString('base64')) },
      { type: 'document', source: base64('image/png', 'AAAA'), name: 'a.png' },
      { type: 'document', source: { type: 'text', text: 'T' } },
      { type: 'document', source: { type: 'text', text: ' ' } },
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
    )
    const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const written = write([turn])
    expect(written.messages[0]?.['content']).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      png,
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'é,1' } },
      png,
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'T' } },
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
    ])
    expect(written.dropped).toEqual(['image detail'])
  })
})

describe('a begun answer is continued', () => {
  const begun = [HI, assistant(text('So'))]

  it.each([
    [OLD, {}, 'assistant'],
    [BUDGET, {}, 'assistant'],
    [BUDGET, wishFor('high'), 'user'],
    [ADAPTIVE, {}, 'user'],
    [NEWEST, {}, 'user'],
    [OTHER, wishFor('high'), 'assistant'],
  ] satisfies [string, Partial<Conversation>, string][])(
    'by %s with %j as the last word of the %s',
    (model, members, role) => {
      expect(write(begun, members, { model }).messages.at(-1)).toMatchObject({ role })
    },
  )
})

describe('tools', () => {
  it('have a schema in any case, and a description only where there is one', () => {
    const tools = [tool({ parameters: undefined }), tool({ name: 'b', description: 'B', isStrict: true })]
    expect(write([HI], { tools, hostedTools: ['web_search'] })).toMatchObject({
      tools: [
        { name: 'wx', input_schema: { type: 'object', properties: {} } },
        { name: 'b', description: 'B', input_schema: { type: 'object', properties: {} } },
      ],
      dropped: ['web_search', 'strict'],
    })
    expect(write([HI])).not.toHaveProperty('tools')
  })

  it.each([
    [undefined, undefined, undefined],
    [{ type: 'auto' }, true, { type: 'auto' }],
    [{ type: 'required' }, undefined, { type: 'any' }],
    [{ type: 'tool', name: 'wx' }, false, { type: 'tool', name: 'wx', disable_parallel_tool_use: true }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'none' }, false, { type: 'none' }],
  ] satisfies [Conversation['toolChoice'], boolean | undefined, unknown][])(
    'are chosen by %j, parallel %j',
    (toolChoice, allowsParallelTools, written) => {
      expect(write([HI], { tools: [tool()], toolChoice, allowsParallelTools })).toHaveProperty('tools')
      expect(write([HI], { tools: [tool()], toolChoice, allowsParallelTools })['tool_choice' as never]).toEqual(written)
    },
  )

  it('are not chosen where there are none', () => {
    expect(write([HI], { toolChoice: { type: 'required' } })).not.toHaveProperty('tool_choice')
  })

  it('that were called and are no longer given are named, but cannot be used', () => {
    expect(write([HI, assistant(call('a'), call('b')), result('a', text('x'))])).toMatchObject({
      tools: [{ name: 'wx', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    })
  })
})

describe('a wish for reasoning', () => {
  const body = (members: Partial<Conversation>, options: Options, turns: readonly Turn[] = [HI]) => {
    const { thinking, output_config, dropped } = write(turns, members, options) as Members
    return { thinking, config: output_config, dropped }
  }
  const forced: Partial<Conversation> = { tools: [tool()], toolChoice: { type: 'required' } }

  it.each([
    ['nothing', OLD, wishFor(undefined), undefined, undefined],
    ['nothing', BUDGET, wishFor(undefined, true), undefined, undefined],
    ['high', OLD, wishFor('high'), undefined, undefined],
    ['low', BUDGET, wishFor('low'), { type: 'enabled', budget_tokens: 1024 }, undefined],
    ['high', BUDGET, wishFor('high'), { type: 'enabled', budget_tokens: 5000 }, undefined],
    ['none', BUDGET, wishFor('none'), undefined, undefined],
    ['high', 'claude-opus-4.5', wishFor('high'), { type: 'enabled', budget_tokens: 5000 }, { effort: 'high' }],
    ['minimal', ADAPTIVE, wishFor('minimal', true), { type: 'adaptive' }, { effort: 'low' }],
    ['xhigh', ADAPTIVE, wishFor('xhigh'), { type: 'adaptive' }, { effort: 'high' }],
    ['max', ADAPTIVE, wishFor('max'), { type: 'adaptive' }, { effort: 'max' }],
    ['xhigh, shown', NEWEST, wishFor('xhigh', true), { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
    [
      'nothing, but to see it',
      NEWEST,
      wishFor(undefined, true),
      { type: 'adaptive', display: 'summarized' },
      undefined,
    ],
    ['none', NEWEST, wishFor('none'), { type: 'disabled' }, undefined],
    ['none', OTHER, wishFor('none'), { type: 'disabled' }, undefined],
    ['high', OTHER, wishFor('high'), { type: 'enabled', budget_tokens: 5000 }, undefined],
    ['high, with a forced tool', BUDGET, { ...wishFor('high'), ...forced }, undefined, undefined],
    ['max, with a forced tool', NEWEST, { ...wishFor('max'), ...forced }, { type: 'disabled' }, { effort: 'high' }],
    ['nothing, with a forced tool', NEWEST, forced, { type: 'disabled' }, undefined],
    [
      'high, with a forced tool',
      OTHER,
      { ...wishFor('high'), ...forced },
      { type: 'enabled', budget_tokens: 5000 },
      undefined,
    ],
  ] satisfies [string, string, Partial<Conversation>, unknown, unknown][])(
    'for %s is told to %s',
    (_, model, members, thinking, config) => {
      expect(body(members, { model })).toMatchObject({ thinking, config })
    },
  )

  it('is named where it cannot be had', () => {
    expect(body(wishFor('high'), { model: OLD }).dropped).toEqual(['reasoning'])
    expect(body({ ...wishFor('high'), ...forced }, { model: NEWEST }).dropped).toEqual(['reasoning'])
    expect(body(forced, { model: NEWEST }).dropped).toEqual([])
  })

  it('with a budget keeps to what Anthropic takes', () => {
    const budget = (budgetTokens: number, cap: number) =>
      body({ reasoning: { effort: undefined, budgetTokens, isShown: false } }, { model: BUDGET, cap }).thinking
    expect(budget(500, 8000)).toEqual({ type: 'enabled', budget_tokens: 1024 })
    expect(budget(6000, 8000)).toEqual({ type: 'enabled', budget_tokens: 6000 })
    expect(budget(8000, 8000)).toEqual({ type: 'enabled', budget_tokens: 7999 })
    expect(budget(8000, 1024)).toBeUndefined()
    expect(body(wishFor('high'), { model: BUDGET, cap: 2000 }).thinking).toBeUndefined()
  })

  it('gives way to a tool loop whose thinking was lost', () => {
    const lost = [HI, assistant(call('a')), result('a', text('x'))]
    const kept: Turn[] = [
      HI,
      assistant({ type: 'reasoning', text: 'Hm', sealed: { origin: 'messages', value: 's' } }, call('a')),
      result('a', text('x')),
    ]
    const members = { ...wishFor('high'), tools: [tool()] }
    expect(body(members, { model: BUDGET }, lost)).toMatchObject({ thinking: undefined, dropped: ['reasoning'] })
    expect(body(members, { model: BUDGET }, kept).thinking).toMatchObject({ type: 'enabled' })
    expect(body(members, { model: ADAPTIVE }, lost)).toMatchObject({ thinking: undefined, dropped: ['reasoning'] })
    expect(body(members, { model: ADAPTIVE }, kept).thinking).toEqual({ type: 'adaptive' })
    // A model that decides by itself may have chosen not to think: its own calls tell that nobody else was there.
    const unthought = [HI, assistant(call('toolu_1')), result('toolu_1', text('x'))]
    expect(body(members, { model: ADAPTIVE }, unthought).thinking).toEqual({ type: 'adaptive' })
  })

  it('sends no effort to a provider that takes none', () => {
    expect(body(wishFor('high'), { model: NEWEST, quirks: { reasoningEffort: false } }).config).toBeUndefined()
  })
})

describe('sampling', () => {
  const sampling = { temperature: 1.5, topP: 0.9, topK: 3, seed: 1, presencePenalty: 0, frequencyPenalty: 1 }
  const high = 'temperature above 1'
  const always = ['seed', 'frequency_penalty']

  it.each([
    [OLD, {}, { temperature: 1, top_p: 0.9, top_k: 3 }, [high, ...always]],
    [BUDGET, {}, { temperature: 1, top_k: 3 }, [high, 'top_p', ...always]],
    [BUDGET, wishFor('high'), {}, ['temperature', 'top_p', 'top_k', ...always]],
    [NEWEST, wishFor('none'), {}, ['temperature', 'top_p', 'top_k', ...always]],
    [OTHER, wishFor('high'), { temperature: 1, top_p: 0.9, top_k: 3 }, [high, ...always]],
  ] satisfies [string, Partial<Conversation>, object, string[]][])(
    'for %s with %j',
    (model, members, taken, dropped) => {
      const written = write([HI], { sampling, ...members }, { model })
      const names = ['temperature', 'top_p', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty']
      expect(Object.fromEntries(Object.entries(written).filter(([name]) => names.includes(name)))).toEqual(taken)
      expect(written.dropped).toEqual(dropped)
    },
  )

  it('keeps top_p where it stands alone', () => {
    expect(write([HI], { sampling: { topP: 0.5 } })).toMatchObject({ top_p: 0.5, dropped: [] })
  })
})

describe('the rest of a request', () => {
  it('has a cap, a model, and says that it is a stream only when it is', () => {
    const conversation = conversationOf([HI])
    const target = targetOf('claude-x')
    expect(JSON.parse(notRefused(writeMessagesRequest(conversation, target)).body(77))).toEqual({
      model: 'claude-x',
      max_tokens: 77,
      messages: [{ role: 'user', content: [text('Hi')] }],
    })
    const streamed = notRefused(writeMessagesRequest(conversation, { ...target, isStream: true }))
    expect(JSON.parse(streamed.body(77))).toMatchObject({ stream: true })
  })

  it('has no stop sequences of white space, and no more than the provider takes', () => {
    expect(write([HI], { stop: ['\n', 'END', ' '] })).toMatchObject({ stop_sequences: ['END'], dropped: ['stop'] })
    expect(write([HI], { stop: ['a', 'b'] }, { quirks: { maxStops: 1 } })).toMatchObject({ stop_sequences: ['a'] })
    expect(write([HI], { stop: ['\n'] })).not.toHaveProperty('stop_sequences')
  })

  it.each([
    ['{"device":"x"}', { user_id: '{"device":"x"}' }],
    ['anna@example.org', undefined],
    ['+41 79 123 45 67', undefined],
    ['x'.repeat(257), undefined],
  ])('names the user %s only where that is no person', (name, metadata) => {
    const written = write([HI], { user: name }) as Members
    expect(written['metadata']).toEqual(metadata)
    expect(written['dropped']).toEqual(metadata === undefined ? ['user'] : [])
  })

  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] }
  const format = { type: 'json-schema', name: 'x', description: undefined, schema, isStrict: true } as const

  it('holds the model to a schema where it can, and asks it to where it cannot', () => {
    expect(write([HI], { format })).toMatchObject({
      output_config: {
        format: {
          type: 'json_schema',
          schema: { additionalProperties: false, properties: { a: { type: 'integer', description: '(minimum: 1)' } } },
        },
      },
      dropped: [],
    })
    const told = write([system('S'), HI], { format }, { model: OLD }) as Members
    expect(told['system']).toMatchObject([text('S'), { text: expect.stringContaining('"minimum":1') as string }])
    expect(told).toMatchObject({ dropped: ['response_format'] })
    expect(told).not.toHaveProperty('output_config')
    expect(write([HI], { format: { type: 'json' } })).toMatchObject({
      system: [{ text: expect.stringContaining('JSON') as string }],
      dropped: ['response_format'],
    })
  })

  it('names what other dialects share', () => {
    expect(write([HI], { shared: { service_tier: 'auto', store: true } }).dropped).toEqual(['service_tier', 'store'])
  })
})

describe('cache marks', () => {
  const mark = (ttl?: string) => ({ cacheMark: { ttl } })
  const places = (written: unknown) => {
    const found: unknown[] = []
    JSON.stringify(written, (_, value: unknown) => {
      if (typeof value === 'object' && value !== null && 'cache_control' in value) {
        found.push([
          Object.values(value).find((member) => typeof member === 'string' && member.length === 1),
          value.cache_control,
        ])
      }
      return value
    })
    return found
  }
  const ephemeral = { type: 'ephemeral' }

  it('are at most four: the last of tools, of instructions, and the last two of the conversation', () => {
    const tools = [tool({ name: 'a', ...mark() }), tool({ name: 'b', ...mark() })]
    const turns: Turn[] = [
      {
        role: 'system',
        content: [
          { ...text('c'), ...mark() },
          { ...text('d'), ...mark() },
        ],
      },
      user({ ...text('e'), ...mark() }, { ...text('f'), ...mark() }, { ...text('g'), ...mark() }),
    ]
    const written = write(turns, { tools })
    expect(places({ a: written['tools' as never], b: written['system' as never], c: written.messages })).toEqual(
      ['b', 'd', 'f', 'g'].map((name) => [name, ephemeral]),
    )
    expect(written.dropped).toEqual(['cache_control'])
  })

  it('all stay where they are few, on results and calls too', () => {
    const turns: Turn[] = [
      user({ ...text('a'), ...mark('5m') }),
      assistant({ type: 'tool-call', id: 'b', name: 'wx', arguments: '{}', ...mark() }),
      { role: 'tool', results: [{ callId: 'b', content: [text('c')], isError: false, ...mark() }] },
    ]
    expect(places(write(turns).messages)).toHaveLength(3)
    expect(write(turns).dropped).toEqual([])
  })

  it('that live an hour come before those that do not', () => {
    const turns = [user({ ...text('a'), ...mark('1h') }, { ...text('b'), ...mark() }, { ...text('c'), ...mark('1h') })]
    expect(places(write(turns).messages)).toEqual([
      ['a', { type: 'ephemeral', ttl: '1h' }],
      ['b', ephemeral],
      ['c', ephemeral],
    ])
  })

  it('do not go to a provider that takes none', () => {
    const written = write([user({ ...text('a'), ...mark() })], {}, { quirks: { cacheMarks: false } })
    expect(written).toMatchObject({ messages: [{ content: [text('a')] }], dropped: ['cache_control'] })
    expect(places(written.messages)).toEqual([])
  })
})

describe('a count', () => {
  it('is asked for with all that is input, and nothing else', () => {
    const members = { tools: [tool()], sampling: { temperature: 1 }, stop: ['x'], user: 'u' }
    const conversation = conversationOf([system('S'), HI], members)
    const { path, body } = notRefused(writeMessagesCount(conversation, targetOf('claude-x')))
    expect(path).toBe('/messages/count_tokens')
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['model', 'system', 'messages', 'tools'])
  })

  it('is refused for what cannot be carried', () => {
    const audio = user({ type: 'audio', data: 'AAAA', format: 'wav' })
    expect(writeMessagesCount(conversationOf([audio]), targetOf())).toMatchObject({ type: 'refusal' })
  })

  it.each([
    [{ input_tokens: 5 }, 5],
    [{ input_tokens: 0 }, 0],
    [{ input_tokens: -1 }, undefined],
    [{ input_tokens: '5' }, undefined],
    [{}, undefined],
  ])('in %j is %s', (answer, count) => {
    expect(readMessagesCount(answer)).toBe(count)
  })
})
