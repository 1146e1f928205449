import { describe, expect, it } from 'vitest'
import { customInput } from '#dialect/tools.ts'
import { conversation, refusal } from './requests.ts'

const BASE64 = Buffer.from('image').toString('base64')

function turns(...input: readonly unknown[]) {
  return conversation({ input }).turns
}

function user(...content: readonly unknown[]) {
  return turns({ role: 'user', content })
}

const text = (value: string) => ({ type: 'text', text: value })

describe('the input', () => {
  it('may be a text, with instructions before it', () => {
    expect(conversation({ input: 'Hi', instructions: 'Be brief.' }).turns).toEqual([
      { role: 'system', content: [text('Be brief.')] },
      { role: 'user', content: [text('Hi')] },
    ])
    expect(conversation({ input: 'Hi', instructions: '' }).turns).toHaveLength(1)
  })

  it('may be messages of every role, with and without a type', () => {
    expect(
      turns(
        { role: 'developer', content: 'Rules' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'More' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'input_text', text: '' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'Yo' },
            { type: 'refusal', refusal: 'No' },
          ],
        },
        { role: 'user', content: 'Bye' },
      ),
    ).toEqual([
      { role: 'system', content: [text('Rules')] },
      { role: 'system', content: [text('More')] },
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Yo'), { type: 'refusal', text: 'No' }] },
      { role: 'user', content: [text('Bye')] },
    ])
  })

  it('keeps images, files and sounds', () => {
    expect(
      user(
        { type: 'input_image', image_url: `data:image/png;base64,${BASE64}`, detail: 'original' },
        { type: 'input_image', image_url: 'https://a.example/x.png', detail: 'low' },
        { type: 'input_image', image_url: { url: 'https://a.example/y.png' }, detail: 'shiny' },
        { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${BASE64}` },
        { type: 'input_file', file_data: BASE64 },
        { type: 'input_file', file_url: 'https://a.example/a.pdf' },
        { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;charset=utf-8;base64,${BASE64}` },
        { type: 'input_audio', input_audio: { data: BASE64, format: 'wav' } },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: BASE64 }, detail: 'high' },
          { type: 'image', source: { type: 'url', url: 'https://a.example/x.png' }, detail: 'low' },
          { type: 'image', source: { type: 'url', url: 'https://a.example/y.png' }, detail: undefined },
          { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: BASE64 }, name: 'a.pdf' },
          { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: BASE64 }, name: undefined },
          { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' }, name: undefined },
          { type: 'document', source: { type: 'text', text: 'image' }, name: 'a.txt' },
          { type: 'audio', data: BASE64, format: 'wav' },
        ],
      },
    ])
  })

  it('shows an image of a developer as one of the user', () => {
    const image = { type: 'input_image', image_url: 'https://a.example/x.png' }
    expect(turns({ role: 'developer', content: [image, { type: 'input_text', text: 'Look' }] })).toMatchObject([
      { role: 'system', content: [text('Look')] },
      { role: 'user', content: [{ type: 'image' }] },
    ])
  })

  it('puts together what an assistant did in one go', () => {
    expect(
      turns(
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'So' }], encrypted_content: 'blob' },
        { type: 'message', role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'a', name: 'wx', namespace: 'ns', arguments: '{"q":1}' },
        { type: 'function_call', call_id: 'b', name: 'now', arguments: '' },
        { type: 'function_call_output', call_id: 'a', output: 'sun' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'noon' }] },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'So', sealed: { origin: 'responses', value: 'blob' } },
          text('I look.'),
          { type: 'tool-call', id: 'a', name: 'wx', namespace: 'ns', arguments: '{"q":1}' },
          { type: 'tool-call', id: 'b', name: 'now', namespace: undefined, arguments: '{}' },
        ],
      },
      {
        role: 'tool',
        results: [
          { callId: 'a', content: [text('sun')], isError: false },
          { callId: 'b', content: [text('noon')], isError: false },
        ],
      },
    ])
  })

  it('keeps images in the output of a tool, and the JSON of an object', () => {
    const [turn] = turns({
      type: 'function_call_output',
      call_id: 'a',
      output: [{ type: 'input_image', image_url: `data:image/png;base64,${BASE64}` }],
    })
    expect(turn).toMatchObject({ results: [{ content: [{ type: 'image' }] }] })
    expect(turns({ type: 'function_call_output', call_id: 'a', output: { ok: true } })).toMatchObject([
      { results: [{ content: [text('{"ok":true}')] }] },
    ])
  })

  it.each([
    ['{"a":', { _raw: '{"a":' }],
    ['[1]', { _raw: '[1]' }],
    ['null', { _raw: 'null' }],
    [{ a: 1 }, { a: 1 }],
    [undefined, {}],
  ])('makes arguments the text of an object: %j', (args, value) => {
    const [turn] = turns({ type: 'function_call', call_id: 'a', name: 'wx', arguments: args })
    const [call] = turn?.role === 'assistant' ? turn.content : []
    expect(JSON.parse(call?.type === 'tool-call' ? call.arguments : '')).toEqual(value)
  })

  it('reads the calls of Codex: custom tools, the shell and the search', () => {
    const [turn, results] = turns(
      { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin' },
      { type: 'local_shell_call', id: 'lsh_1', call_id: null, action: { type: 'exec', command: ['ls'] } },
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'x' } },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      { type: 'local_shell_call_output', id: 'lsh_1', output: 'files' },
    )
    const calls = turn?.role === 'assistant' ? turn.content.filter((part) => part.type === 'tool-call') : []
    expect(calls.map(({ name, id }) => [name, id])).toEqual([
      ['apply_patch', 'a'],
      ['local_shell', 'lsh_1'],
      ['tool_search', 'c'],
    ])
    expect(customInput(calls[0]?.arguments ?? '')).toBe('*** Begin')
    expect(JSON.parse(calls[1]?.arguments ?? '')).toEqual({ command: ['ls'] })
    expect(results).toMatchObject({ role: 'tool', results: [{ callId: 'a' }, { callId: 'lsh_1' }] })
  })

  it('adds the tools that a search found', () => {
    const found = [{ type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'wx', defer_loading: true }] }]
    const read = conversation({
      input: [{ type: 'tool_search_output', call_id: 'c', tools: found }],
      tools: [{ type: 'function', name: 'own' }],
    })
    expect(read.tools).toMatchObject([{ name: 'own' }, { name: 'wx', namespace: 'ns' }])
    expect(read.turns).toEqual([
      {
        role: 'tool',
        results: [
          {
            callId: 'c',
            content: [text('{"available_tools":[{"namespace":"ns","name":"wx"}]}')],
            isError: false,
          },
        ],
      },
    ])
  })

  it.each([
    ['a summary of several parts', { summary: [{ text: 'a' }, { text: 'b' }] }, { text: 'a\n\nb', sealed: undefined }],
    ['its own text before a summary', { summary: [{ text: 'a' }], content: [{ text: 'c' }] }, { text: 'c' }],
    ['a seal alone', { summary: [], encrypted_content: 'blob' }, { text: '', sealed: { origin: 'responses' } }],
    [
      "another dialect's seal",
      { summary: [{ text: 'a' }], encrypted_content: 'farebox1.messages.sig' },
      { text: 'a', sealed: { origin: 'messages', value: 'sig' } },
    ],
  ])('reads reasoning with %s', (_, item, read) => {
    expect(turns({ type: 'reasoning', ...item })).toMatchObject([{ content: [{ type: 'reasoning', ...read }] }])
  })

  it.each([
    { summary: [], encrypted_content: null },
    { summary: [] },
    { summary: 'So' },
    { summary: [], encrypted_content: 'farebox1.damaged' },
  ])('leaves out reasoning with nothing in it: %j', (item) => {
    expect(turns({ type: 'reasoning', ...item })).toEqual([])
  })

  it('gives a call its seal back from the reasoning item in which it travelled, and only that one', () => {
    const seal = { type: 'reasoning', summary: [], encrypted_content: 'farebox1.gemini.call:sig' }
    const call = { type: 'function_call', call_id: 'a', name: 'wx', arguments: '{}' }
    const [turn] = turns(
      seal,
      call,
      { ...call, call_id: 'b' },
      { ...seal, encrypted_content: 'farebox1.gemini.sig' },
      {
        ...call,
        call_id: 'c',
      },
    )
    expect(turn).toMatchObject({
      content: [
        { type: 'tool-call', id: 'a', sealed: { origin: 'gemini', value: 'sig' } },
        { type: 'tool-call', id: 'b' },
        { type: 'reasoning', sealed: { origin: 'gemini', value: 'sig' } },
        { type: 'tool-call', id: 'c' },
      ],
    })
  })

  it('names items that nobody else can use, and goes on without them', () => {
    const types = ['web_search_call', 'compaction', 'compaction_trigger', 'mcp_call', 'image_generation_call', 'shiny']
    const read = conversation({ input: [...types.map((type) => ({ type })), { role: 'user', content: 'Hi' }] })
    expect(read.turns).toHaveLength(1)
    expect(read.dropped).toEqual(types)
  })

  it('names the parts of a tool output that only OpenAI can read', () => {
    const output = [{ type: 'encrypted_content', encrypted_content: 'x' }]
    const read = conversation({ input: [{ type: 'function_call_output', call_id: 'a', output }] })
    expect(read.dropped).toEqual(['tool output of an unknown type'])
  })

  it.each<[string, unknown]>([
    ['input[0].type', { content: 'Hi' }],
    ['input[0].type', { type: 5 }],
    ['input[0].role', { role: 'critic', content: 'Hi' }],
    ['input[0].content', { role: 'user' }],
    ['input[0].content', { role: 'user', content: 5 }],
    ['input[0].content[0]', { role: 'user', content: ['Hi'] }],
    ['input[0].content[1].type', { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'shiny' }] }],
    ['input[0].content[0].type', { role: 'assistant', content: [{ type: 'input_image' }] }],
    ['input[0].content[0].text', { role: 'user', content: [{ type: 'input_text' }] }],
    ['input[0].content[0].refusal', { role: 'assistant', content: [{ type: 'refusal' }] }],
    ['input[0].content[0].image_url', { role: 'user', content: [{ type: 'input_image' }] }],
    ['input[0].content[0].image_url', { role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc' }] }],
    [
      'input[0].content[0].image_url',
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png,x' }] },
    ],
    [
      'input[0].content[0].image_url',
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,ä' }] },
    ],
    ['input[0].content[0].file_id', { role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }],
    ['input[0].content[0].file_id', { role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }],
    ['input[0].content[0].file_data', { role: 'user', content: [{ type: 'input_file' }] }],
    ['input[0].content[0].input_audio', { role: 'user', content: [{ type: 'input_audio' }] }],
    ['input[0].content[0].input_audio.data', { role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }],
    ['input[0].call_id', { type: 'function_call', name: 'wx' }],
    ['input[0].name', { type: 'function_call', call_id: 'a' }],
    ['input[0].input', { type: 'custom_tool_call', call_id: 'a', name: 'p', input: {} }],
    ['input[0].call_id', { type: 'function_call_output', output: 'x' }],
    ['input[0].output', { type: 'function_call_output', call_id: 'a', output: 5 }],
    [
      'input[0].output[0].type',
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [{ type: 'input_audio', input_audio: { data: BASE64, format: 'wav' } }],
      },
    ],
    ['input[0].action', { type: 'local_shell_call', call_id: 'a' }],
    ['input[0].tools[0].name', { type: 'tool_search_output', call_id: 'a', tools: [{ type: 'function' }] }],
  ])('is refused with the path of what is wrong: %s', (param, item) => {
    expect(refusal({ input: [item] })).toMatchObject({ code: 'invalid_request', param })
  })

  it.each([
    ['msg_1', "Item with id 'msg_1' not found. "],
    ['a "b"', 'Item not found. '],
    ['x'.repeat(1000), 'Item not found. '],
    [undefined, 'Item not found. '],
  ])('is refused in the words of OpenAI where nobody knows an item: %s', (id, begins) => {
    const refused = refusal({ input: [{ type: 'item_reference', id }] })
    expect(refused).toMatchObject({ code: 'invalid_request', status: 404, param: 'input[0].id' })
    expect(refused.message.startsWith(begins)).toBe(true)
    expect(refused.message).toContain("set 'store' to false")
  })
})

describe('a very long input', () => {
  it('is read in a time that grows with its length alone', () => {
    const count = 200_000
    const parts = Array.from({ length: count }, () => ({ type: 'output_text', text: 'a' }))
    const call = { type: 'function_call', call_id: 'a', name: 'wx', arguments: '{}' }
    const read = conversation({
      input: [call, { role: 'assistant', content: parts }],
      tools: Array.from({ length: count }, (_, index) => ({ type: `hosted_${index}` })),
    })
    expect(read.turns).toMatchObject([{ role: 'assistant' }])
    expect(read.hostedTools).toHaveLength(count)
  })
})
