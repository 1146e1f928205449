import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readChatConversation } from '#dialect/chat-completions/read-turns.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { conversationOf, refusalOf, requestOf, turnsOf, USER } from './support.ts'
import { someMembers, someMessages, wildObject, wildValue } from './wild.ts'
import { processorMs } from '../../support/processor-time.ts'

const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const PIXEL = 'iVBORw0KGgo='

function user(...content: readonly JsonObject[]): JsonObject {
  return { role: 'user', content }
}

describe('messages', () => {
  it('become turns in their order, each with its role', () => {
    const turns = turnsOf(
      { role: 'developer', content: 'Be brief.' },
      USER,
      { role: 'assistant', content: 'Let me see.', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
      { role: 'system', content: [{ type: 'text', text: 'Now be long.' }] },
    )
    expect(turns).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"a":1}' },
        ],
      },
      { role: 'tool', results: [{ callId: 'call_1', content: [{ type: 'text', text: 'done' }], isError: false }] },
      { role: 'system', content: [{ type: 'text', text: 'Now be long.' }] },
    ])
  })

  it('lose their empty texts', () => {
    expect(turnsOf(user({ type: 'text', text: '' }), { role: 'assistant', content: '' })).toEqual([
      { role: 'user', content: [] },
      { role: 'assistant', content: [] },
    ])
  })

  it('carry images as data and by address', () => {
    const [turn] = turnsOf(
      user(
        { type: 'image_url', image_url: { url: `data:image/PNG;base64,${PIXEL}`, detail: 'original' } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'strange' } },
        { type: 'image_url', image_url: 'https://example.com/b.png' },
      ),
    )
    expect(turn).toEqual({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: PIXEL }, detail: 'high' },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/b.png' } },
      ],
    })
  })

  it('carry documents, those of text as their text, and audio', () => {
    const [turn] = turnsOf(
      user(
        { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PIXEL}` } },
        { type: 'file', file: { file_data: `data:text/plain;charset=utf-8;base64,${btoa('Hello')}` } },
        { type: 'file', file: { file_data: PIXEL } },
        { type: 'input_audio', input_audio: { data: `${PIXEL.slice(0, 4)}\n${PIXEL.slice(4)}`, format: 'wav' } },
      ),
    )
    expect(turn).toEqual({
      role: 'user',
      content: [
        { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: PIXEL }, name: 'a.pdf' },
        { type: 'document', source: { type: 'text', text: 'Hello' } },
        { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: PIXEL } },
        { type: 'audio', data: PIXEL, format: 'wav' },
      ],
    })
  })

  it.each([
    ['an unknown part', user({ type: 'video_url' }), 'messages[0].content[0].type'],
    ['a text that is none', user({ type: 'text', text: 5 }), 'messages[0].content[0].text'],
    ['an image of nothing', user({ type: 'image_url' }), 'messages[0].content[0].image_url'],
    ['a local image', user(image('file:///etc/passwd')), 'messages[0].content[0].image_url.url'],
    ['an image that is not base64', user(image('data:image/png;base64,a*b')), 'messages[0].content[0].image_url.url'],
    ['an image of no bytes', user(image('data:image/png;base64,')), 'messages[0].content[0].image_url.url'],
    ['an image of a wrong length', user(image('data:image/png;base64,abcde')), 'messages[0].content[0].image_url.url'],
    ['an image with escapes', user(image('data:image/svg+xml,%3Csvg%3E')), 'messages[0].content[0].image_url.url'],
    ['an image that is a program', user(image('data:text/html;base64,aaaa')), 'messages[0].content[0].image_url.url'],
    ['a stored file', user({ type: 'file', file: { file_id: 'f' } }), 'messages[0].content[0].file.file_id'],
    ['a file of nothing', user({ type: 'file' }), 'messages[0].content[0].file.file_data'],
    ['audio of nothing', user({ type: 'input_audio' }), 'messages[0].content[0].input_audio.data'],
    [
      'audio of another format',
      user({ type: 'input_audio', input_audio: { data: PIXEL, format: 'flac' } }),
      'messages[0].content[0].input_audio.format',
    ],
    ['an image of the system', { role: 'system', content: [image('https://a.b')] }, 'messages[0].content[0].type'],
    ['an image of the model', { role: 'assistant', content: [image('https://a.b')] }, 'messages[0].content[0].type'],
    ['a result of no call', { role: 'tool', content: 'x' }, 'messages[0].tool_call_id'],
    ['a result of no function', { role: 'function', content: 'x' }, 'messages[0].name'],
    ['calls that are no array', { role: 'assistant', tool_calls: {} }, 'messages[0].tool_calls'],
    ['a call that is no object', { role: 'assistant', tool_calls: [1] }, 'messages[0].tool_calls[0]'],
    [
      'a call without an id',
      { role: 'assistant', tool_calls: [{ function: CALL.function }] },
      'messages[0].tool_calls[0].id',
    ],
    ['a call of nothing', { role: 'assistant', tool_calls: [{ id: 'a' }] }, 'messages[0].tool_calls[0].function.name'],
    [
      'a custom call of nothing',
      { role: 'assistant', tool_calls: [{ id: 'a', custom: { name: 'c' } }] },
      'messages[0].tool_calls[0].custom.input',
    ],
  ])('are refused for %s, by its path', (_, message, param) => {
    expect(refusalOf({ messages: [message] })).toMatchObject({ code: 'invalid_request', param })
  })

  it('are refused by the first thing that is wrong', () => {
    expect(refusalOf({ messages: [USER, user({ type: 'a' }), user({ type: 'b' })] }).param).toBe(
      'messages[1].content[0].type',
    )
  })
})

function image(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } }
}

describe('tool calls in the history', () => {
  it.each([
    ['', '{}'],
    [' ', '{}'],
    [undefined, '{}'],
    [null, '{}'],
    [{ a: 1 }, '{"a":1}'],
    ['{"a": 1}', '{"a": 1}'],
    ['{"a":', '{"_raw":"{\\"a\\":"}'],
    ['[1]', '{"_raw":"[1]"}'],
  ])('with the arguments %j have JSON of an object', (given, expected) => {
    const call = { id: 'a', function: { name: 'f', arguments: given } }
    expect(turnsOf({ role: 'assistant', tool_calls: [call] })).toEqual([
      { role: 'assistant', content: [{ type: 'tool-call', id: 'a', name: 'f', arguments: expected }] },
    ])
  })

  it('carry free text of custom tools and the signatures of Gemini', () => {
    const calls = [
      { id: 'a', type: 'custom', custom: { name: 'patch', input: 'a "b"' } },
      { ...CALL, extra_content: { google: { thought_signature: 'sig' } } },
    ]
    expect(turnsOf({ role: 'assistant', content: null, tool_calls: calls })).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', id: 'a', name: 'patch', arguments: '{"input":"a \\"b\\""}' },
          {
            type: 'tool-call',
            id: 'call_1',
            name: 'f',
            arguments: '{"a":1}',
            sealed: { origin: 'gemini', value: 'sig' },
          },
        ],
      },
    ])
  })

  it('of the deprecated form find their results by the name, in order', () => {
    const call = (name: string) => ({ role: 'assistant', content: null, function_call: { name, arguments: '{}' } })
    const result = (name: string) => ({ role: 'function', name, content: name })
    const turns = turnsOf(call('f'), result('f'), call('f'), call('g'), result('g'), result('f'), result('h'))
    const ids = turns.flatMap((turn) =>
      turn.role === 'assistant'
        ? turn.content.map((part) => (part.type === 'tool-call' ? part.id : ''))
        : turn.role === 'tool'
          ? turn.results.map(({ callId }) => callId)
          : [],
    )
    const [first, second, third] = [ids[0], ids[2], ids[3]]
    expect(ids.slice(0, 6)).toEqual([first, first, second, third, third, second])
    expect(new Set(ids).size).toBe(4)
  })
})

describe('reasoning in the history', () => {
  const reasoningOf = (message: JsonObject) => turnsOf({ role: 'assistant', content: null, ...message })[0]
  const turn = (...content: readonly JsonObject[]) => ({ role: 'assistant', content })

  it.each([
    [{ reasoning_content: 'So' }, turn({ type: 'reasoning', text: 'So' })],
    [{ reasoning_content: '', reasoning: 'So' }, turn({ type: 'reasoning', text: 'So' })],
    [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'So' }] }] },
      turn({ type: 'reasoning', text: 'So' }),
    ],
    [{ reasoning_details: 'no', reasoning: {} }, turn()],
  ])('is read from %j', (message, expected) => {
    expect(reasoningOf(message)).toEqual(expected)
  })

  it('keeps the seals that we wrapped, with the text they are for', () => {
    const details = [
      { type: 'reasoning.text', text: 'So', signature: 'farebox1.messages.sig' },
      { type: 'reasoning.encrypted', data: 'farebox1.messages-redacted.blob' },
      { type: 'reasoning.summary', summary: 'Then' },
      { type: 'reasoning.unknown', text: 'x' },
    ]
    expect(reasoningOf({ reasoning_content: 'SoThen', reasoning_details: details })).toEqual(
      turn(
        { type: 'reasoning', text: 'So', sealed: { origin: 'messages', value: 'sig' } },
        { type: 'reasoning', text: '', sealed: { origin: 'messages-redacted', value: 'blob' } },
        { type: 'reasoning', text: 'Then' },
      ),
    )
  })

  it('joins a signature that the client kept alone with the text beside it', () => {
    const details = [{ type: 'reasoning.text', signature: 'farebox1.messages.sig' }]
    expect(reasoningOf({ reasoning_content: 'So', reasoning_details: details })).toEqual(
      turn({ type: 'reasoning', text: 'So', sealed: { origin: 'messages', value: 'sig' } }),
    )
  })

  it('drops a seal of ours that was damaged, not the text', () => {
    const details = [{ type: 'reasoning.text', text: 'So', signature: 'farebox1.nobody' }]
    expect(reasoningOf({ reasoning_details: details })).toEqual(turn({ type: 'reasoning', text: 'So' }))
  })
})

describe('cache marks', () => {
  const mark = { type: 'ephemeral', ttl: '1h' }

  it('are read from parts and, for the last part, from messages', () => {
    const turns = turnsOf(
      { role: 'system', content: 'S', cache_control: { type: 'ephemeral' } },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', cache_control: mark },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'a' }, image('https://a.b/c')], cache_control: mark },
      { role: 'assistant', content: null, tool_calls: [CALL], cache_control: mark },
      { role: 'tool', tool_call_id: 'call_1', content: 'x', cache_control: mark },
    )
    expect(turns).toMatchObject([
      { content: [{ text: 'S', cacheMark: { ttl: undefined } }] },
      { content: [{ text: 'a', cacheMark: { ttl: '1h' } }, { text: 'b' }] },
      { content: [{ text: 'a' }, { type: 'image', cacheMark: { ttl: '1h' } }] },
      { content: [{ type: 'tool-call', cacheMark: { ttl: '1h' } }] },
      { results: [{ cacheMark: { ttl: '1h' } }] },
    ])
  })
})

describe('parameters', () => {
  it('all have a place', () => {
    const shared = {
      metadata: { a: 'b' },
      service_tier: 'flex',
      verbosity: 'low',
      prompt_cache_key: 'k',
      safety_identifier: 's',
    }
    const sampling = { temperature: 0.5, top_p: 0.9, top_k: 40, seed: 1, presence_penalty: 0.1, frequency_penalty: 0.2 }
    const others = { max_completion_tokens: 9, n: 2, stop: 'END', user: 'u', parallel_tool_calls: false }
    const conversation = conversationOf({ ...shared, ...sampling, ...others })
    expect(conversation).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, topK: 40, seed: 1, presencePenalty: 0.1, frequencyPenalty: 0.2 },
      outputCap: 9,
      choices: 2,
      stop: ['END'],
      user: 'u',
      allowsParallelTools: false,
      shared,
      dropped: [],
    })
  })

  it('that the hub has no place for are named, unless they say what holds anyway', () => {
    const nothing = {
      logprobs: false,
      store: false,
      modalities: ['text'],
      logit_bias: {},
      top_logprobs: 0,
      audio: null,
    }
    expect(conversationOf(nothing).dropped).toEqual([])
    const something = {
      logprobs: true,
      store: true,
      modalities: ['text', 'audio'],
      logit_bias: { 1: 2 },
      prediction: {},
      'a\nb': 1,
    }
    expect(conversationOf(something).dropped).toEqual(
      'logprobs, store, modalities, logit_bias, prediction, members with unusual names'.split(', '),
    )
  })

  it('name what messages have beside their content', () => {
    const messages = [
      { ...USER, name: 'Ann' },
      { role: 'assistant', audio: { id: 'a' } },
    ]
    expect(conversationOf({ messages }).dropped).toEqual(['messages[].name', 'messages[].audio'])
  })

  it('name no more than a header can hold', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]))
    expect(conversationOf(many).dropped).toHaveLength(64)
  })

  it('that are null count as not given', () => {
    const names = ['stop', 'seed', 'user', 'tools', 'tool_choice', 'response_format', 'reasoning_effort', 'functions']
    const nulls = conversationOf(Object.fromEntries(names.map((name) => [name, null])))
    expect(nulls).toEqual(conversationOf({}))
  })

  it.each([
    [{ stop: [1] }, 'stop'],
    [{ stop: {} }, 'stop'],
    [{ seed: '1' }, 'seed'],
    [{ top_k: true }, 'top_k'],
    [{ user: 5 }, 'user'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
    [{ response_format: { type: 'json_schema', json_schema: { schema: 5 } } }, 'response_format.json_schema.schema'],
  ])('are refused where they are wrong: %j', (body, param) => {
    expect(refusalOf(body)).toMatchObject({ code: 'invalid_request', param })
  })
})

describe('the wish for reasoning', () => {
  const wish = (body: JsonObject) => conversationOf(body).reasoning

  it.each([
    [{}, { effort: undefined, budgetTokens: undefined, isShown: true }],
    [{ reasoning_effort: 'low' }, { effort: 'low', budgetTokens: undefined, isShown: true }],
    [{ reasoning: { effort: 'high', exclude: true } }, { effort: 'high', budgetTokens: undefined, isShown: false }],
    [{ reasoning: { max_tokens: 2000 } }, { effort: undefined, budgetTokens: 2000, isShown: true }],
    [{ reasoning: { enabled: false } }, { effort: 'none', budgetTokens: undefined, isShown: true }],
    [{ thinking: { type: 'enabled', budget_tokens: 4000 } }, { effort: undefined, budgetTokens: 4000, isShown: true }],
    [
      { thinking: { type: 'disabled', budget_tokens: 4000 } },
      { effort: 'none', budgetTokens: undefined, isShown: true },
    ],
    [{ thinking: { budget_tokens: -1 } }, { effort: undefined, budgetTokens: undefined, isShown: true }],
  ])('is read from %j', (body, expected) => {
    expect(wish(body)).toEqual(expected)
  })

  it('with an effort that nobody knows is named and leaves it to the provider', () => {
    expect(conversationOf({ reasoning_effort: 'ultra' })).toMatchObject({
      reasoning: { effort: undefined },
      dropped: ['reasoning_effort'],
    })
  })
})

describe('the format of the answer', () => {
  const schema = { type: 'object' }

  it.each([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object' }, { type: 'json' }],
    [{ type: 'json_schema', json_schema: { name: 'x' } }, { type: 'json' }],
    [
      { type: 'json_schema', json_schema: { name: 'x', description: 'd', schema, strict: true } },
      { type: 'json-schema', name: 'x', description: 'd', schema, isStrict: true },
    ],
    [
      { type: 'json_schema', json_schema: { schema } },
      { type: 'json-schema', name: 'output', schema },
    ],
  ])('is read from %j', (given, expected) => {
    expect(conversationOf({ response_format: given }).format).toEqual(expected)
  })

  it('that nobody knows is named', () => {
    expect(conversationOf({ response_format: { type: 'grammar' } })).toMatchObject({ dropped: ['response_format'] })
  })
})

function readValue(value: JsonObject) {
  const request = requestOf({})
  return readChatConversation({ ...request, body: { ...request.body, value } })
}

it('never throws, whatever the members are, and refuses with a path', () => {
  const wild = fc
    .record({ messages: fc.oneof(someMessages, wildValue) })
    .chain((messages) => fc.oneof(someMembers, wildObject).map((members) => ({ ...members, ...messages })))
  fc.assert(
    fc.property(wild, (value) => {
      const result = readValue(value)
      if (isRefusal(result)) expect(result).toMatchObject({ code: 'invalid_request', param: expect.any(String) })
    }),
    { numRuns: 1000 },
  )
})

it('takes enough of the nearly right requests for the property tests to mean something', () => {
  const results = fc.sample(someMessages, 300).map((messages) => readValue({ messages }))
  expect(results.filter((result) => !isRefusal(result)).length).toBeGreaterThan(60)
})

it.each([
  ['the head of a data URL that never ends', `data:${';a'.repeat(2_000_000)}`],
  ['base64 that is wrong at its end', `data:image/png;base64,${'A'.repeat(4_000_000)}*`],
  ['nothing but padding', `data:image/png;base64,${'='.repeat(4_000_000)}`],
])('refuses %s without much ado', (_, url) => {
  const tookMs = processorMs(() => {
    expect(refusalOf({ messages: [user(image(url))] }).param).toBe('messages[0].content[0].image_url.url')
  })
  expect(tookMs).toBeLessThan(1000)
})
