// The bounds that a hold is made of: what a request refers to makes them as wide as the context, whatever it is called and wherever
// it stands, and what is only text does not.

import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readRequest, type EndpointName, type EndpointRequest } from '#pipeline/endpoints.ts'

const CONTEXT = 200_000
const PNG = pngOf(640, 480)

function requestOf(endpoint: EndpointName, body: object | string): EndpointRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = readRequest(endpoint, text, Buffer.byteLength(text))
  if (isRefusal(request)) throw new Error(`refused: ${request.message}`)
  return request
}

/** The first bytes of an image's file, and enough behind them for a file of that size. */
function pngOf(width: number, height: number): string {
  const head = Buffer.alloc(4_000, 7)
  head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head.toString('base64')
}

const chat = (content: unknown, more: object = {}) =>
  requestOf('chat', { model: 'm', messages: [{ role: 'user', content }], ...more })
const messages = (content: unknown, more: object = {}) =>
  requestOf('messages', { model: 'm', max_tokens: 100, messages: [{ role: 'user', content }], ...more })
const responses = (input: unknown, more: object = {}) => requestOf('responses', { model: 'm', input, ...more })
const result = (content: unknown) => messages([{ type: 'tool_result', tool_use_id: 't', content }])
const called = (output: unknown) => responses([{ type: 'function_call_output', call_id: 'c', output }])

describe('what is only referenced', () => {
  const url = 'https://example.org/a'
  const pdf = Buffer.from('%PDF-1.7').toString('base64')

  it.each<[string, EndpointRequest]>([
    ['a stored answer', responses('go on', { previous_response_id: 'resp_1' })],
    ['a conversation', responses('go on', { conversation: 'conv_1' })],
    ['a conversation as an object', responses('go on', { conversation: { id: 'conv_1' } })],
    ['a stored prompt', responses('go on', { prompt: { id: 'pmpt_1' } })],
    ['an item', responses([{ type: 'item_reference', id: 'msg_1' }])],
    ['an item that hides its type', responses([{ id: 'msg_1' }])],
    ['a message without its content', responses([{ type: 'message', id: 'msg_1' }])],
    ['stored reasoning', responses([{ type: 'reasoning', id: 'rs_1', summary: [] }])],
    ['history of a hosted tool', responses([{ type: 'file_search_call', id: 'fs_1', results: null }])],
    ['a file', responses([{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }])],
    ['a file by its address', responses([{ role: 'user', content: [{ type: 'input_file', file_url: url }] }])],
    ['an image by its id', responses([{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] }])],
    ['an image by its address', responses([{ role: 'user', content: [{ type: 'input_image', image_url: url }] }])],
    ['a file that a tool gave back', called([{ type: 'input_file', file_id: 'file_1' }])],
    ['an image that a tool gave back', called([{ type: 'input_image', image_url: url }])],
    ['a hosted search', responses('go on', { tools: [{ type: 'web_search' }] })],
    [
      'a hosted search that a search for tools found',
      responses([{ type: 'tool_search_output', execution: 'client', tools: [{ type: 'web_search' }] }]),
    ],
    ['a server of tools', responses('go on', { tools: [{ type: 'mcp', server_url: url, server_label: 'a' }] })],
    ['a summary of the server', responses('go on', { context_management: [{ type: 'compaction' }] })],
    ['an image by its address in a chat', chat([{ type: 'image_url', image_url: { url } }])],
    ['an image by its bare address', chat([{ type: 'image_url', image_url: url }])],
    ['a file in a chat', chat([{ type: 'file', file: { file_id: 'file_1' } }])],
    ['an embedded document', chat([{ type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }])],
    [
      'a document that says to be an image',
      chat([{ type: 'image_url', image_url: { url: `data:application/pdf;base64,${pdf}` } }]),
    ],
    ['a data URL in capitals', chat([{ type: 'image_url', image_url: { url: `DATA:APPLICATION/PDF;BASE64,${pdf}` } }])],
    ['a sound', chat([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])],
    ['a film', chat([{ type: 'video_url', video_url: { url } }])],
    ['a kind of content that nobody knows', chat([{ type: 'hologram', url }])],
    ['a member of a part that nobody knows', chat([{ type: 'text', text: 'hi', attachment: url }])],
    ['a member in capitals', chat([{ type: 'text', text: 'hi', Image_URL: { url } }])],
    ['a type in capitals', chat([{ type: 'text', Type: 'image_url', text: 'hi' }])],
    [
      'a list in a list',
      chat([[{ type: 'image_url', image_url: { url } }] as never].map((item) => ({ type: 'text', text: item }))),
    ],
    ['a part in place of a text', chat([{ type: 'text', text: { type: 'image_url', url } }])],
    [
      'an earlier answer',
      requestOf('chat', { model: 'm', messages: [{ role: 'assistant', content: null, audio: { id: 'a_1' } }] }),
    ],
    [
      'images beside a message',
      requestOf('chat', { model: 'm', messages: [{ role: 'user', content: 'hi', images: ['AAAA'] }] }),
    ],
    ['a search by options', chat('hi', { web_search_options: { search_context_size: 'high' } })],
    ['a search by a switch', chat('hi', { enable_search: true })],
    ['a template that the client brings', chat('hi', { chat_template_kwargs: { chat_template: '{% for i in a %}' } })],
    ['a summary beside what is cleared', messages('hi', { context_management: { edits: [], compact: true } })],
    ['plugins', chat('hi', { plugins: [{ id: 'web' }] })],
    ['a member of the request that nobody knows', chat('hi', { extra_body: { google: { cached_content: 'c' } } })],
    ['a hosted tool in a chat', chat('hi', { tools: [{ type: 'web_search', web_search: { enable: true } }] })],
    ['a hosted tool that hides its type', chat('hi', { tools: [{ type: 'function', Type: 'web_search', name: 'a' }] })],
    ['a document by its address', messages([{ type: 'document', source: { type: 'url', url } }])],
    ['a document by its id', messages([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }])],
    [
      'a document in base64',
      messages([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }]),
    ],
    ['an image by its address in messages', messages([{ type: 'image', source: { type: 'url', url } }])],
    ['an image by its id in messages', messages([{ type: 'image', source: { type: 'file', file_id: 'file_1' } }])],
    [
      'a document that says to be an image in messages',
      messages([{ type: 'image', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }]),
    ],
    ['a document that a tool gave back', result([{ type: 'document', source: { type: 'url', url } }])],
    [
      'a document within a document',
      messages([
        { type: 'document', source: { type: 'content', content: [{ type: 'image', source: { type: 'url', url } }] } },
      ]),
    ],
    ['a source that nobody knows', messages([{ type: 'image', source: { type: 'bucket', key: 'a' } }])],
    ['a text with a source', messages([{ type: 'text', text: 'hi', source: { type: 'url', url } }])],
    ['an upload to a container', messages([{ type: 'container_upload', file_id: 'file_1' }])],
    ['a container', messages('hi', { container: 'container_1' })],
    ['skills', messages('hi', { container: { skills: [{ type: 'anthropic', skill_id: 'pdf' }] } })],
    ['servers of tools', messages('hi', { mcp_servers: [{ type: 'url', url, name: 'a' }] })],
    ['a search in messages', messages('hi', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] })],
    [
      'a search with a schema',
      messages('hi', { tools: [{ type: 'web_search_20250305', name: 'a', input_schema: {} }] }),
    ],
    ['a thread', messages('hi', { thread: { id: 't_1' } })],
    ['instructions that refer', messages('hi', { system: [{ type: 'document', source: { type: 'url', url } }] })],
    ['a summary by the server', messages('hi', { context_management: { edits: [{ type: 'compact_20260112' }] } })],
    ['addresses for an embedding', requestOf('embeddings', { model: 'm', input: url })],
    ['members of an embedding that nobody knows', requestOf('embeddings', { model: 'm', input: 'hi', images: [url] })],
  ])('%s comes to what the context can hold', async (_, request) => {
    expect(request.inputBounds.references).not.toEqual([])
    expect(request.inputBounds.most(CONTEXT)).toBe(CONTEXT)
    expect(await request.inputBounds.closer(() => Promise.resolve(1), CONTEXT)).toBe(CONTEXT)
    expect(request.inputBounds.most(0)).toBe(10_000_000)
  })
})

describe('what is only text', () => {
  const name = 'get_weather'
  const schema = { type: 'object', properties: { url: { type: 'string' }, file_id: { type: 'string' }, type: {} } }
  const input = { type: 'document', source: { type: 'url', url: 'https://example.org/a' } }

  it.each<[string, EndpointRequest]>([
    ['a question', chat('hi')],
    [
      'a question in parts',
      chat([
        { type: 'text', text: 'hi' },
        { type: 'text', text: 'https://example.org/a' },
      ]),
    ],
    [
      'tools and their calls',
      requestOf('chat', {
        model: 'm',
        stream: true,
        stream_options: { include_usage: true },
        temperature: 1,
        tools: [{ type: 'function', function: { name, description: 'a', parameters: schema, strict: true } }],
        tool_choice: 'auto',
        parallel_tool_calls: true,
        reasoning_effort: 'low',
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
        messages: [
          { role: 'system', content: 'hi' },
          { role: 'user', content: 'hi', name: 'ada' },
          {
            role: 'assistant',
            content: null,
            reasoning_content: 'hm',
            tool_calls: [{ id: 'c', type: 'function', index: 0, function: { name, arguments: JSON.stringify(input) } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'rain' },
          { role: 'assistant', content: 'It rains.', refusal: null, annotations: [], audio: null },
        ],
      }),
    ],
    [
      'tools and their calls in messages',
      messages([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }], {
        stream: true,
        system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }],
        thinking: { type: 'enabled', budget_tokens: 1024 },
        metadata: { user_id: 'a' },
        output_config: { effort: 'high' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        tools: [
          { name, description: 'a', input_schema: schema },
          { type: 'custom', name: 'b', input_schema: schema },
          { type: 'bash_20250124', name: 'bash' },
        ],
      }),
    ],
    [
      'a call of messages',
      requestOf('messages', {
        model: 'm',
        max_tokens: 9,
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: '', signature: 'a' },
              { type: 'tool_use', id: 't', name, input },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'rain' }], is_error: false },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'document',
                source: { type: 'text', media_type: 'text/plain', data: 'a' },
                title: 'b',
                citations: { enabled: true },
              },
            ],
          },
        ],
      }),
    ],
    [
      'a turn of Codex',
      responses(
        [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [{ type: 'summary_text', text: 'hm' }],
            content: null,
            encrypted_content: 'gAAAA',
          },
          { type: 'function_call', id: 'fc_1', name: 'shell', arguments: '{}', call_id: 'c', status: 'completed' },
          { type: 'function_call_output', call_id: 'c', output: '{"output":"done"}' },
          { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'd' },
          { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'done' }] },
          { type: 'local_shell_call', call_id: 'e', status: 'completed', action: { type: 'exec', command: ['ls'] } },
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'done', annotations: [], logprobs: [] }],
          },
        ],
        {
          instructions: 'a',
          store: false,
          stream: true,
          include: ['reasoning.encrypted_content'],
          prompt_cache_key: 'k',
          client_metadata: { a: 'b' },
          reasoning: { effort: 'medium', summary: 'auto' },
          text: { verbosity: 'low' },
          previous_response_id: null,
          tools: [
            { type: 'function', name, strict: false, parameters: schema },
            { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
            { type: 'local_shell' },
            { type: 'tool_search', execution: 'client' },
            { type: 'namespace', name: 'n', tools: [{ type: 'function', name }] },
          ],
        },
      ),
    ],
    [
      'texts to embed',
      requestOf('embeddings', {
        model: 'm',
        input: ['hi', 'see https://example.org/a'],
        encoding_format: 'float',
        dimensions: 8,
      }),
    ],
  ])('%s refers to nothing', (_, request) => {
    expect(request.inputBounds.references).toEqual([])
    expect(request.inputBounds.most(CONTEXT)).toBeLessThan(10_000)
  })
})

describe('the closer bound', () => {
  const source = { type: 'base64', media_type: 'image/png', data: PNG }
  const counted = async (request: EndpointRequest) => {
    let given: readonly string[] = []
    const bound = await request.inputBounds.closer((texts) => {
      given = texts
      return Promise.resolve(1_000)
    }, CONTEXT)
    return { given, bound }
  }

  it('counts the text as the model reads it, without its images', async () => {
    const { given, bound } = await counted(
      messages([
        { type: 'text', text: 'before\n"quoted"' },
        { type: 'image', source },
        { type: 'text', text: 'between' },
        { type: 'image', source },
        { type: 'text', text: 'after' },
      ]),
    )
    expect(given).toHaveLength(3)
    expect(given[0]).toContain('before\n"quoted"')
    expect(given[1]).toContain('between')
    expect(given.join('')).not.toContain(PNG.slice(0, 64))
    expect(bound).toBeGreaterThan(2 * (2_833 + 2 * 5_667))
  })

  it('counts what only looks like a file, and members that stand twice', async () => {
    const { given } = await counted(chat(PNG))
    expect(given.join('')).toContain(PNG)
    const twice = '{"model":"m","messages":[{"role":"user","content":"first","content":"second"}]}'
    expect((await counted(requestOf('chat', twice))).given.join('')).toContain('first')
  })

  it('is the sure one where a count says nothing', async () => {
    for (const text of ['word '.repeat(1_000_000), 'Ⱥ'.repeat(100)]) {
      const { given, bound } = await counted(chat(text))
      expect(given).toEqual([])
      expect(bound).toBe(chat(text).inputBounds.most(CONTEXT))
    }
  })

  it('adds what comes with tools, and is never above the sure one', async () => {
    const tools = [{ type: 'function', function: { name: 'a' } }]
    const { bound } = await counted(chat('word '.repeat(2_000), { tools }))
    expect(bound).toBeGreaterThan((await counted(chat('word '.repeat(2_000)))).bound + 1_024)
    expect(await chat('hi').inputBounds.closer(() => Promise.resolve(10_000), CONTEXT)).toBe(
      chat('hi').inputBounds.most(CONTEXT),
    )
  })

  it('of embeddings counts their texts', async () => {
    const { given, bound } = await counted(requestOf('embeddings', { model: 'm', input: ['word '.repeat(2_000), 'b'] }))
    expect(given.join('')).toContain('word word')
    expect(bound).toBeLessThan(10_000)
  })
})

describe('the sure bound', () => {
  it('counts a token for each byte, whatever looks like a file', () => {
    const bytes = 'A'.repeat(50_000)
    expect(chat(bytes).inputBounds.most(CONTEXT)).toBeGreaterThanOrEqual(50_000)
    expect(chat('🦊'.repeat(10_000)).inputBounds.most(CONTEXT)).toBeGreaterThanOrEqual(40_000)
  })

  it('ends at the context, and not where that was entered too small', () => {
    const text = 'word '.repeat(40_000)
    expect(chat(text).inputBounds.most(100_000)).toBe(100_000)
    expect(chat(text).inputBounds.most(8_192)).toBeGreaterThan(60_000)
    expect(chat(text).inputBounds.most(0)).toBeGreaterThanOrEqual(200_000)
  })

  it('takes an image for what vendors count at most, and not for its bytes', () => {
    const source = { type: 'base64', media_type: 'image/png', data: PNG }
    const data = `data:image/png;base64,${PNG}`
    for (const request of [
      messages([{ type: 'image', source }]),
      result([{ type: 'image', source }]),
      chat([{ type: 'image_url', image_url: { url: data, detail: 'low' } }]),
      responses([{ role: 'user', content: [{ type: 'input_image', image_url: data, detail: 'auto' }] }]),
    ]) {
      expect(request.inputBounds.references).toEqual([])
      const least = 2_833 + 2 * 5_667
      expect(request.inputBounds.most(CONTEXT)).toBeGreaterThanOrEqual(least)
      expect(request.inputBounds.most(CONTEXT)).toBeLessThan(least + 1_000)
      expect(request.inputBounds.most(CONTEXT, ['gpt-4o', 'gpt-4o-mini-2024'])).toBe(request.inputBounds.most(CONTEXT))
      expect(request.inputBounds.most(CONTEXT, ['gpt-4o'])).toBe(request.inputBounds.most(CONTEXT) - least + 2_240)
    }
  })

  it('counts numbers as long as they are written anew', () => {
    const input = `[${Array.from({ length: 1_000 }, () => '1e20').join(',')}]`
    const call = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"a","input":{"a":${input}}}]}`
    const request = requestOf('messages', `{"model":"m","max_tokens":9,"messages":[${call}]}`)
    expect(request.inputBounds.most(CONTEXT)).toBeGreaterThan(21_000)
  })

  it('adds up the inputs of an embedding, each of which may fill the context', () => {
    const input = Array.from({ length: 10 }, () => 'word '.repeat(200))
    expect(requestOf('embeddings', { model: 'm', input }).inputBounds.most(1_000)).toBeGreaterThanOrEqual(10_000)
    expect(requestOf('embeddings', { model: 'm', input: input[0] }).inputBounds.most(500)).toBe(500)
    expect(requestOf('embeddings', { model: 'm', input: [[1, 2], [3]] }).inputBounds.most(500)).toBe(3)
    const addresses = ['https://example.org/a', 'https://example.org/b']
    expect(requestOf('embeddings', { model: 'm', input: addresses }).inputBounds.most(8_192)).toBeGreaterThan(16_384)
  })
})
