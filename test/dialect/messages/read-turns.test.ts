import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { messagesErrorBody } from '#dialect/messages/errors.ts'
import { readMessagesConversation } from '#dialect/messages/read-turns.ts'
import type { Conversation } from '#dialect/turn.ts'
import { readRequest, requestText, type Members } from './requests.ts'

const read = (members: Members) => readMessagesConversation(readRequest(requestText(members)))

function conversation(members: Members): Conversation {
  const result = read(members)
  if (isRefusal(result)) expect.fail(result.message)
  return result
}

const user = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] })
const assistant = (...content: readonly unknown[]) => ({ messages: [{ role: 'assistant', content }] })
const turnsOf = (members: Members) => conversation(members).turns
const contentOf = (members: Members): unknown => {
  const [turn] = turnsOf(members)
  return turn === undefined || turn.role === 'tool' ? turn : turn.content
}
const PNG = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const ephemeral = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const mark = { ttl: '1h' }

describe('a request with content that is wrong is refused', () => {
  it.each([
    ['messages[0].content[0].type', user({ text: 'Hi' })],
    ['messages[0].content[0].text', user({ type: 'text', text: 5 })],
    ['messages[0].content[0].source', user({ type: 'image' })],
    ['messages[0].content[0].source.type', user({ type: 'image', source: { type: 'path' } })],
    ['messages[0].content[0].source', user({ type: 'image', source: { type: 'file', file_id: 'f' } })],
    ['messages[0].content[0].source', user({ type: 'document', source: { type: 'file', file_id: 'f' } })],
    ['messages[0].content[0].source.url', user({ type: 'image', source: { type: 'url' } })],
    ['messages[0].content[0].source.media_type', user({ type: 'image', source: { ...PNG, media_type: '' } })],
    [
      'messages[0].content[0].source.data',
      user({ type: 'image', source: { ...PNG, data: 'data:image/png;base64,AA' } }),
    ],
    ['messages[0].content[0].source.data', user({ type: 'image', source: { ...PNG, data: '%%%%' } })],
    ['messages[0].content[0].source.data', user({ type: 'image', source: { ...PNG, data: 'AAAAA' } })],
    ['messages[0].content[0].source.data', user({ type: 'image', source: { ...PNG, data: 'AA=A' } })],
    ['messages[0].content[0].source.data', user({ type: 'image', source: { ...PNG, data: '====' } })],
    ['messages[0].content[0].source.data', user({ type: 'image', source: { ...PNG, data: '' } })],
    ['messages[0].content[0].source.data', user({ type: 'document', source: { type: 'text' } })],
    ['messages[0].content[1].tool_use_id', user({ type: 'text', text: 'x' }, { type: 'tool_result' })],
    ['messages[0].content[0].tool_use_id', user({ type: 'tool_result', tool_use_id: '' })],
    ['messages[0].content[0].content', user({ type: 'tool_result', tool_use_id: 'a', content: 5 })],
    ['messages[0].content[0].content[0]', user({ type: 'tool_result', tool_use_id: 'a', content: [null] })],
    ['messages[0].content[0]', user({ type: 'tool_use', id: 'a', name: 'b', input: {} })],
    ['messages[0].content[0]', assistant({ type: 'tool_result', tool_use_id: 'a' })],
    ['messages[0].content[0].id', assistant({ type: 'tool_use', name: 'b', input: {} })],
    ['messages[0].content[0].name', assistant({ type: 'tool_use', id: 'a', input: {} })],
    ['messages[0].content[0].input', assistant({ type: 'tool_use', id: 'a', name: 'b', input: '{}' })],
    ['messages[0].content[0].thinking', assistant({ type: 'thinking', signature: 's' })],
    ['system[1].text', { system: [{ type: 'text', text: 'x' }, { type: 'text' }] }],
    ['tools[1].name', { tools: [{ name: 'a' }, { description: 'x' }] }],
    ['tools[0].input_schema', { tools: [{ name: 'a', input_schema: 'object' }] }],
    ['stop_sequences', { stop_sequences: 'x' }],
    ['stop_sequences', { stop_sequences: [1] }],
    ['top_k', { top_k: 'x' }],
    ['thinking.type', { thinking: { type: 'on' } }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: '5' } }],
    ['output_config.format.schema', { output_config: { format: { type: 'json_schema' } } }],
  ])("naming '%s': %j", (param, members) => {
    expect(read(members)).toMatchObject({ type: 'refusal', code: 'invalid_request', param })
  })

  it('without repeating its content', () => {
    const refusal = read(user({ type: 'image', source: { ...PNG, data: 'secret words' } }))
    expect(JSON.stringify(refusal)).not.toContain('secret')
  })

  it('for a thread, in the way in which the SDK sends everything again', () => {
    for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }, 'x']) {
      const refusal = read({ thread })
      expect(refusal).toMatchObject({ code: 'invalid_request', param: 'thread' })
      expect(JSON.parse(messagesErrorBody(refusal as Refusal, 'req_1'))).toMatchObject({
        error: {
          type: 'invalid_request_error',
          code: 400,
          details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
        },
      })
    }
    expect(isRefusal(read({ thread: false }))).toBe(false)
    expect(conversation({ thread: null }).dropped).toEqual([])
  })

  it('or read, but never a reason to throw', () => {
    const block = fc.record(
      {
        type: fc.constantFrom(
          'text',
          'image',
          'document',
          'tool_use',
          'tool_result',
          'thinking',
          'redacted_thinking',
          'compaction',
          'search_result',
          'server_tool_use',
          'web_search_tool_result',
          'tool_reference',
          'novelty',
        ),
        text: fc.jsonValue(),
        source: fc.jsonValue(),
        content: fc.jsonValue(),
        input: fc.jsonValue(),
        signature: fc.jsonValue(),
        thinking: fc.jsonValue(),
        data: fc.jsonValue(),
        id: fc.jsonValue(),
        name: fc.jsonValue(),
        tool_use_id: fc.jsonValue(),
        cache_control: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    )
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: fc.array(block) })
    const body = fc.record(
      { messages: fc.array(message, { minLength: 1 }), thinking: fc.jsonValue(), output_config: fc.jsonValue() },
      { requiredKeys: ['messages'] },
    )
    fc.assert(
      fc.property(body, (members) => {
        expect(['object', 'undefined']).toContain(typeof read(members))
      }),
    )
  })
})

describe('messages become turns:', () => {
  it('the system text first, with its cache marks, and empty texts left out', () => {
    const system = [
      { type: 'text', text: 'a' },
      { type: 'text', text: '' },
      { type: 'text', text: 'b', ...ephemeral },
    ]
    expect(turnsOf({ system })[0]).toEqual({
      role: 'system',
      content: [
        { type: 'text', text: 'a', cacheMark: undefined },
        { type: 'text', text: 'b', cacheMark: mark },
      ],
    })
    expect(turnsOf({ system: '' })).toHaveLength(1)
    expect(turnsOf({ system: 'x' })[0]).toMatchObject({ role: 'system', content: [{ text: 'x' }] })
  })

  it('instructions in the middle stay where they are, as text and as blocks', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'a' },
      { role: 'assistant', content: 'Yes' },
      { role: 'system', content: [{ type: 'text', text: 'b', ...ephemeral }] },
    ]
    expect(turnsOf({ messages }).map((turn) => turn.role)).toEqual(['user', 'system', 'assistant', 'system'])
  })

  it('results come before the rest of what a user says', () => {
    const turns = turnsOf(
      user(
        { type: 'text', text: 'And?' },
        { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'No', ...ephemeral },
        { type: 'tool_result', tool_use_id: 'b' },
        {
          type: 'tool_result',
          tool_use_id: 'c',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', source: PNG },
          ],
        },
      ),
    )
    expect(turns).toMatchObject([
      {
        role: 'tool',
        results: [
          { callId: 'a', isError: true, content: [{ type: 'text', text: 'No' }], cacheMark: mark },
          { callId: 'b', isError: false, content: [] },
          { callId: 'c', isError: false, content: [{ type: 'text' }, { type: 'image', source: { data: PNG.data } }] },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ])
  })

  it('a turn of results alone leaves no empty turn behind', () => {
    expect(
      turnsOf(user({ type: 'tool_result', tool_use_id: 'a', content: 'x' }, { type: 'text', text: '' })),
    ).toHaveLength(1)
    expect(turnsOf(assistant({ type: 'text', text: '' }))).toEqual([])
    expect(turnsOf({ messages: [{ role: 'user', content: '' }] })).toEqual([])
  })

  it('images and documents keep their bytes, without line breaks', () => {
    expect(
      contentOf(
        user(
          { type: 'image', source: { ...PNG, data: 'iVBO\nRw0K\r\nGgo=' }, ...ephemeral },
          { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg' }, title: 'T' },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'D' }, context: 'C' },
        ),
      ),
    ).toMatchObject([
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' }, cacheMark: mark },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      { type: 'document', name: 'T', source: { mediaType: 'application/pdf', data: 'JVBERg==' } },
      { type: 'text', text: '[about the next document] C' },
      { type: 'document', source: { type: 'text', text: 'D' } },
    ])
  })

  it('what only Anthropic knows is told as text', () => {
    const text = { type: 'text', text: 'b' }
    const found = { type: 'web_search_result', title: 'T', url: 'https://x.test', encrypted_content: 'SECRET' }
    const texts = contentOf(
      user(
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'a' }, text] } },
        { type: 'search_result', source: 'https://x.test', title: 'T', content: [text] },
        { type: 'tool_reference', tool_name: 'wx' },
      ),
    )
    expect(texts).toMatchObject([
      { type: 'document', source: { type: 'text', text: 'a\nb' } },
      { type: 'text', text: '[search result: T, https://x.test]\nb' },
      { type: 'text', text: '[tool] wx' },
    ])
    const history = contentOf(
      assistant(
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [found] },
        { type: 'code_execution_tool_result', content: { type: 'x', stdout: 'out', encrypted_stdout: 'SECRET' } },
        { type: 'compaction', content: 'So far' },
      ),
    )
    expect(history).toMatchObject([
      { text: '[call of web_search] {"query":"q"}' },
      { text: '[web search tool result] T https://x.test' },
      { text: '[code execution tool result] {"type":"x","stdout":"out"}' },
      { text: '[compaction] So far' },
    ])
  })

  it('calls keep their input as text, and thinking its seal', () => {
    const content = contentOf(
      assistant(
        { type: 'thinking', thinking: 'Hm', signature: 'real' },
        { type: 'thinking', thinking: 'bare', signature: '' },
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking', thinking: '', signature: 'farebox1.responses.blob' },
        { type: 'redacted_thinking', data: 'red' },
        { type: 'tool_use', id: 'a', name: 'wx', input: { q: 'é' }, ...ephemeral },
        { type: 'tool_use', id: 'b', name: 'now' },
      ),
    )
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hm', sealed: { origin: 'messages', value: 'real' } },
      { type: 'reasoning', text: 'bare', sealed: undefined },
      { type: 'reasoning', text: '', sealed: { origin: 'responses', value: 'blob' } },
      { type: 'reasoning', text: '', sealed: { origin: 'messages-redacted', value: 'red' } },
      { type: 'tool-call', id: 'a', name: 'wx', arguments: '{"q":"é"}', sealed: undefined, cacheMark: mark },
      { type: 'tool-call', id: 'b', name: 'now', arguments: '{}', sealed: undefined, cacheMark: undefined },
    ])
  })

  it("a call's seal finds back to the call behind it", () => {
    const content = contentOf(
      assistant(
        { type: 'thinking', thinking: '', signature: 'farebox1.gemini.text' },
        { type: 'thinking', thinking: '', signature: 'farebox1.gemini.call:sig' },
        { type: 'tool_use', id: 'a', name: 'wx', input: {} },
        { type: 'tool_use', id: 'b', name: 'wx', input: {} },
      ),
    )
    expect(content).toMatchObject([
      { type: 'reasoning', sealed: { origin: 'gemini', value: 'text' } },
      { id: 'a', sealed: { origin: 'gemini', value: 'sig' } },
      { id: 'b', sealed: undefined },
    ])
  })

  it('content that nobody knows is dropped by name', () => {
    const { dropped, turns } = conversation(
      user({ type: 'container_upload', file_id: 'f' }, { type: 'text', text: 'Hi' }),
    )
    expect(dropped).toEqual(['container_upload'])
    expect(turns).toHaveLength(1)
  })
})

describe('tools', () => {
  const schema = { type: 'object', properties: { q: { type: 'string' } } }

  it('are functions where they have no type, null or custom', () => {
    const { tools, dropped } = conversation({
      tools: [
        { name: 'a', description: 'A', input_schema: schema, strict: true, ...ephemeral },
        { name: 'b', type: null, defer_loading: true, input_examples: [{}] },
        { name: 'c', type: 'custom', input_schema: schema, defer_loading: false },
      ],
    })
    expect(tools).toMatchObject([
      { name: 'a', kind: 'function', description: 'A', parameters: schema, isStrict: true, cacheMark: mark },
      { name: 'b', description: undefined, parameters: undefined, isStrict: undefined },
      { name: 'c', parameters: schema },
    ])
    expect(dropped).toEqual(['tools[].defer_loading', 'tools[].input_examples'])
  })

  it.each([
    'web_search_20250305',
    'web_fetch_20250910',
    'code_execution_20250825',
    'tool_search_tool_regex_20251119',
    'memory_20250818',
    'bash_20250124',
    'text_editor_20250728',
    'computer_20250124',
  ])('that the provider runs are set apart: %s', (type) => {
    const name = type.replace(/_\d+$/, '')
    const forced = conversation({ tools: [{ type, name }, { name: 'a' }], tool_choice: { type: 'tool', name } })
    expect(forced).toMatchObject({ hostedTools: [type], toolChoice: { type: 'hosted', name: type } })
    expect(forced.tools.map((tool) => tool.name)).toEqual(['a'])
  })

  it.each([
    [{ type: 'auto' }, { type: 'auto' }, undefined],
    [{ type: 'any', disable_parallel_tool_use: true }, { type: 'required' }, false],
    [{ type: 'tool', name: 'a', disable_parallel_tool_use: false }, { type: 'tool', name: 'a' }, true],
    [{ type: 'none' }, { type: 'none' }, undefined],
    [null, undefined, undefined],
  ])('are chosen by %j', (choice, toolChoice, allowsParallelTools) => {
    const read = conversation({ tools: [{ name: 'a' }], tool_choice: choice })
    expect(read.toolChoice).toEqual(toolChoice)
    expect(read.allowsParallelTools).toBe(allowsParallelTools)
  })
})

describe('wishes', () => {
  it.each([
    [{}, { effort: undefined, isShown: false }],
    [
      { thinking: null, output_config: { effort: 'high' } },
      { effort: 'high', isShown: false },
    ],
    [{ thinking: { type: 'disabled' } }, { effort: 'none', isShown: false }],
    [{ thinking: { type: 'adaptive' } }, { effort: undefined, isShown: true }],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, { effort: undefined, isShown: false, keepsSeal: true }],
    [
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
      { effort: 'xhigh', isShown: true },
    ],
    [{ thinking: { type: 'enabled', budget_tokens: 500 } }, { effort: undefined, budgetTokens: 500, isShown: true }],
  ])('for reasoning: %j', (members, wish) => {
    expect(conversation(members).reasoning).toMatchObject(wish)
  })

  it('for a form of the answer', () => {
    const schema = { type: 'object' }
    const wish = { type: 'json-schema', name: 'output', description: undefined, schema, isStrict: true }
    expect(conversation({ output_config: { format: { type: 'json_schema', schema } } }).format).toEqual(wish)
    expect(conversation({ output_format: { type: 'json_schema', schema } }).format).toEqual(wish)
    expect(conversation({ output_config: { format: { type: 'novel' } } })).toMatchObject({
      format: undefined,
      dropped: ['output_config.format'],
    })
  })

  it('for sampling, stops and the user', () => {
    expect(
      conversation({
        temperature: 0,
        top_p: 0.5,
        top_k: 3,
        stop_sequences: ['\n', ''],
        metadata: { user_id: '{"device":"x"}', team: 't' },
      }),
    ).toMatchObject({
      sampling: { temperature: 0, topP: 0.5, topK: 3 },
      stop: ['\n'],
      user: '{"device":"x"}',
      outputCap: 100,
      dropped: ['metadata.team'],
    })
  })

  it('that have no place are named', () => {
    const members = {
      service_tier: 'auto',
      context_management: { edits: [] },
      container: 'c',
      mcp_servers: [{}],
      speed: 'fast',
      inference_geo: 'us',
      betas: null,
      output_config: { effort: 'enormous', task_budget: 5 },
    }
    expect(conversation(members).dropped.toSorted()).toEqual([
      'container',
      'context_management',
      'inference_geo',
      'mcp_servers',
      'output_config.effort',
      'output_config.task_budget',
      'service_tier',
      'speed',
    ])
  })
})
