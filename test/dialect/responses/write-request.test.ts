import { describe, expect, it } from 'vitest'
import type { Quirks } from '#core/quirks.ts'
import { isRefusal } from '#core/refusal.ts'
import { repairTurns } from '#dialect/repair.ts'
import { writeResponsesRequest } from '#dialect/responses/write-request.ts'
import type { Conversation, JsonObject, Turn } from '#dialect/turn.ts'
import { conversation, target } from './requests.ts'

const EMPTY: Conversation = {
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  hostedTools: [],
  toolChoice: undefined,
  allowsParallelTools: undefined,
  outputCap: undefined,
  stop: [],
  sampling: {},
  reasoning: { effort: undefined, budgetTokens: undefined, isShown: false },
  format: undefined,
  choices: 1,
  user: undefined,
  shared: {},
  dropped: [],
}

const TOOL = {
  name: 'wx',
  kind: 'function',
  description: 'Weather.',
  parameters: { type: 'object', properties: { q: {} } },
  isStrict: undefined,
} as const

function write(parts: Partial<Conversation>, quirks: Partial<Quirks> = {}) {
  const written = writeResponsesRequest({ ...EMPTY, ...parts }, target(quirks))
  if (isRefusal(written)) return expect.fail(written.message)
  return { dropped: written.dropped, body: JSON.parse(written.body(77)) as JsonObject }
}

function input(turns: readonly Turn[], quirks: Partial<Quirks> = {}): unknown {
  return write({ turns }, quirks).body['input']
}

const says = (text: string) => [{ type: 'text', text }] as const

describe('a request', () => {
  it('is kept by nobody and has the cap that it is given', () => {
    const written = writeResponsesRequest(EMPTY, target())
    if (isRefusal(written)) return expect.fail(written.message)
    expect(written.path).toBe('/responses')
    expect(JSON.parse(written.body(77))).toEqual({
      model: 'up',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      store: false,
      stream: true,
      max_output_tokens: 77,
    })
  })

  it('has the first instructions in their own member and later ones where they stand', () => {
    const turns: Turn[] = [
      { role: 'system', content: says('A') },
      { role: 'system', content: says('B') },
      { role: 'user', content: says('Hi') },
      { role: 'system', content: says('C') },
    ]
    expect(write({ turns }, { systemRole: 'developer' }).body).toMatchObject({
      instructions: 'A\n\nB',
      input: [{ role: 'user' }, { role: 'developer', content: [{ type: 'input_text', text: 'C' }] }],
    })
    expect(input(turns, { laterSystem: 'user' })).toMatchObject([
      { role: 'user' },
      { role: 'user', content: [{ text: '<system>\nC\n</system>' }] },
    ])
  })

  it('has instructions as its input where there is nothing else', () => {
    const { body } = write({ turns: [{ role: 'system', content: says('A') }] })
    expect(body).not.toHaveProperty('instructions')
    expect(body['input']).toHaveLength(1)
  })

  it('carries images and files, and names sounds, for which the format has no part', () => {
    const base64 = { type: 'base64', mediaType: 'image/png', data: 'AAAA' } as const
    const content = [
      { type: 'image', source: base64 },
      { type: 'image', source: { type: 'url', url: 'https://a.example/' }, detail: 'low' },
      { type: 'document', source: { ...base64, mediaType: 'application/pdf' } },
      { type: 'document', source: { type: 'url', url: 'https://a.example/' }, name: 'a.pdf' },
      { type: 'document', source: { type: 'text', text: 'T' }, name: 'a.txt' },
      { type: 'audio', data: 'AAAA', format: 'wav' },
    ] as const
    expect(write({ turns: [{ role: 'user', content }] }).dropped).toEqual(['input_audio'])
    expect(input([{ role: 'user', content }])).toMatchObject([
      {
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          { type: 'input_image', image_url: 'https://a.example/', detail: 'low' },
          { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' },
          { type: 'input_file', file_url: 'https://a.example/' },
          { type: 'input_text', text: '[document: a.txt]\nT' },
        ],
      },
    ])
  })

  it('gives back only the reasoning that this dialect sealed, without an id', () => {
    const turns: Turn[] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'So', sealed: { origin: 'responses', value: 'blob' } },
          { type: 'reasoning', text: 'Hm', sealed: { origin: 'messages', value: 'sig' } },
          { type: 'reasoning', text: 'Ah' },
          { type: 'text', text: 'Yo' },
          { type: 'refusal', text: 'No' },
          { type: 'tool-call', id: 'a', name: 'wx', arguments: '{}' },
        ],
      },
      { role: 'tool', results: [{ callId: 'a', content: says('sun'), isError: false }] },
    ]
    const written = write({ turns })
    expect(written.body['input']).toEqual([
      { type: 'reasoning', summary: [], encrypted_content: 'blob' },
      {
        type: 'message',
        role: 'assistant',
        content: 'Yo\n\nNo',
      },
      { type: 'function_call', call_id: 'a', name: 'wx', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'sun' },
    ])
    expect(written.dropped).toEqual(['earlier reasoning'])
  })

  it('leaves out reasoning that nothing follows', () => {
    const sealed = { origin: 'responses', value: 'blob' } as const
    const written = write({
      turns: [...EMPTY.turns, { role: 'assistant', content: [{ type: 'reasoning', text: '', sealed }] }],
    })
    expect(written.body['input']).toHaveLength(1)
    expect(written.dropped).toEqual(['earlier reasoning'])
  })

  it('gives tool results as text, or as parts where they hold images', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a.example/' } } as const
    const result = (content: readonly unknown[], isError = false) => {
      const results = [{ callId: 'a', content, isError }] as Extract<Turn, { role: 'tool' }>['results']
      return input([{ role: 'tool', results }])
    }
    expect(result([])).toMatchObject([{ output: '' }])
    expect(result([...says('a'), ...says('b')])).toMatchObject([{ output: 'a\n\nb' }])
    expect(result(says('a'), true)).toMatchObject([{ output: '[tool_error] a' }])
    expect(result([...says('a'), image])).toMatchObject([{ output: [{ type: 'input_text' }, { type: 'input_image' }] }])
  })

  it('shortens ids that are too long, alike for a call and its result, and never two to one', () => {
    const ids = ['x'.repeat(100), `${'x'.repeat(100)}y`]
    const turns: Turn[] = [
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', id, name: 'wx', arguments: '{}' })) },
      { role: 'tool', results: ids.map((callId) => ({ callId, content: [], isError: false })) },
    ]
    const items = input(turns) as readonly { call_id: string }[]
    const [first, second, third, fourth] = items.map((item) => item.call_id)
    expect([third, fourth]).toEqual([first, second])
    expect(first).not.toBe(second)
    expect(items.every((item) => item.call_id.length <= 64)).toBe(true)
  })
})

describe('tools', () => {
  it('are flat, and not strict where nobody said so', () => {
    const tools = [TOOL, { ...TOOL, name: 'b', isStrict: true, description: undefined, parameters: undefined }]
    expect(write({ tools, toolChoice: { type: 'tool', name: 'wx' }, allowsParallelTools: false }).body).toMatchObject({
      tools: [
        { type: 'function', name: 'wx', description: 'Weather.', parameters: TOOL.parameters, strict: false },
        { type: 'function', name: 'b', parameters: { type: 'object', properties: {} }, strict: true },
      ],
      tool_choice: { type: 'function', name: 'wx' },
      parallel_tool_calls: false,
    })
    expect(write({ tools: [TOOL], toolChoice: { type: 'required' } }).body['tool_choice']).toBe('required')
  })

  it('that are none leave out the choice among them', () => {
    const { body } = write({ toolChoice: { type: 'required' }, allowsParallelTools: true })
    expect(body).not.toHaveProperty('tool_choice')
    expect(body).not.toHaveProperty('parallel_tool_calls')
  })

  it('that the provider would run are named', () => {
    expect(write({ hostedTools: ['web_search'] }).dropped).toEqual(['web_search'])
  })
})

describe('wishes', () => {
  it.each<[string, Partial<Conversation>, Partial<Quirks>, JsonObject]>([
    ['nothing where nobody asked', {}, {}, {}],
    ['nothing where reasoning would only be shown', { reasoning: { ...EMPTY.reasoning, isShown: true } }, {}, {}],
    [
      'an effort with its summary and what is to be sent back',
      { reasoning: { effort: 'high', budgetTokens: undefined, isShown: true } },
      {},
      { reasoning: { effort: 'high', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      'an effort for a budget',
      { reasoning: { effort: undefined, budgetTokens: 5000, isShown: false } },
      {},
      { reasoning: { effort: 'medium' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      'no reasoning',
      { reasoning: { effort: 'none', budgetTokens: undefined, isShown: true } },
      {},
      { reasoning: { effort: 'none' } },
    ],
  ])('for reasoning: %s', (_, parts, quirks, expected) => {
    const { body } = write(parts, quirks)
    expect({ reasoning: body['reasoning'], include: body['include'] }).toEqual({
      reasoning: undefined,
      include: undefined,
      ...expected,
    })
  })

  it('for a format and for how much is said go together', () => {
    const schema = { type: 'object' }
    const format = { type: 'json-schema', name: 'x', description: undefined, schema, isStrict: true } as const
    expect(write({ format, shared: { verbosity: 'low' } }).body['text']).toEqual({
      format: { type: 'json_schema', name: 'x', schema, strict: true },
      verbosity: 'low',
    })
    expect(write({ format: { type: 'json' } }).body['text']).toEqual({ format: { type: 'json_object' } })
    const reduced = write({ format }, { jsonSchema: false })
    expect(reduced.body['text']).toEqual({ format: { type: 'json_object' } })
    expect(reduced.dropped).toEqual(['json_schema'])
  })

  it('that this format has no place for are named', () => {
    const written = write({
      sampling: { temperature: 0, topP: 0.5, topK: 3, seed: 0, presencePenalty: 1, frequencyPenalty: 1 },
      stop: ['x'],
      user: 'u'.repeat(65),
      shared: { service_tier: 'flex', shiny: 1, metadata: { a: 'b' } },
    })
    expect(written.body).toMatchObject({ temperature: 0, top_p: 0.5, service_tier: 'flex', metadata: { a: 'b' } })
    expect(written.body).not.toHaveProperty('shiny')
    expect(written.dropped.toSorted((left, right) => (left < right ? -1 : 1))).toEqual([
      'frequency_penalty',
      'presence_penalty',
      'seed',
      'shiny',
      'stop',
      'top_k',
      'user',
    ])
    expect(write({ user: 'u' }).body['user']).toBe('u')
  })

  it('for something that a provider does not take are named', () => {
    const parts = {
      tools: [TOOL],
      allowsParallelTools: true,
      reasoning: { effort: 'high', budgetTokens: undefined, isShown: true },
    } as const
    const written = write(parts, { parallelToolCalls: false, reasoningEffort: false })
    expect(written.dropped).toEqual(['parallel_tool_calls', 'reasoning'])
    expect(written.body).not.toHaveProperty('include')
  })

  it.each<[string, Partial<Conversation>]>([
    ['n', { choices: 2 }],
    ['tool_choice', { toolChoice: { type: 'hosted', name: 'web_search' } }],
  ])('that cannot be met are refused: %s', (param, parts) => {
    expect(writeResponsesRequest({ ...EMPTY, ...parts }, target())).toMatchObject({ code: 'invalid_request', param })
  })
})

describe('a conversation that was written', () => {
  it('is read as the same', () => {
    const items = [
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'reasoning', summary: [], encrypted_content: 'blob' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'a', name: 'wx', arguments: '{"q":1}' },
      { type: 'function_call_output', call_id: 'a', output: 'sun' },
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' }] },
    ]
    const first = conversation({
      input: items,
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'wx', parameters: { type: 'object', properties: {} }, strict: true }],
      tool_choice: { type: 'function', name: 'wx' },
      text: { verbosity: 'low', format: { type: 'json_object' } },
      reasoning: { effort: 'low', summary: 'auto' },
    })
    const { body } = write({ ...first, turns: repairTurns(first.turns) })
    expect(conversation(body)).toEqual({ ...first, outputCap: 77 })
  })
})
