// A request at each endpoint for clients, with most of the members that its format has, and what stands behind them: what a test
// needs that puts odd things into requests.

import { CALLS, MODELS } from '../passed/routes.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { DIALECTS, SECRET, type FormatName } from './formats.ts'

type Json = Readonly<Record<string, unknown>>

export type StrangerRoute = {
  readonly name: string
  readonly path: string
  /** In whose shape its errors are told. */
  readonly errors: Extract<FormatName, 'chat' | 'messages' | 'gemini'>
  readonly body: Json
}

const IMAGE = 'data:image/png;base64,AAAA'
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }

const CHAT = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'image_url', image_url: { url: IMAGE } },
      ],
    },
    {
      role: 'assistant',
      content: 'Hi',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'r' },
  ],
  max_tokens: 10,
  n: 1,
  temperature: 0.5,
  top_p: 0.5,
  stop: ['x'],
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA, strict: false } }],
  tool_choice: 'auto',
  response_format: { type: 'text' },
  seed: 1,
  user: 'u',
  metadata: { a: 'b' },
  logit_bias: {},
  logprobs: false,
  presence_penalty: 0,
  frequency_penalty: 0,
  reasoning_effort: 'low',
  parallel_tool_calls: true,
  service_tier: 'auto',
  store: false,
}

const MESSAGES = {
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'x', signature: 's' },
        { type: 'tool_use', id: 't1', name: 'f', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r' }] },
  ],
  tools: [{ name: 'f', description: 'd', input_schema: SCHEMA }],
  tool_choice: { type: 'auto' },
}
const MESSAGES_CALL = {
  ...MESSAGES,
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
  stop_sequences: ['x'],
  metadata: { user_id: 'u' },
  thinking: { type: 'disabled' },
  service_tier: 'auto',
}

const INPUT = [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'Hello' },
      { type: 'input_image', image_url: IMAGE, detail: 'auto' },
    ],
  },
  { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'r' },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
]
const RESPONSES = {
  instructions: 'Be brief.',
  input: INPUT,
  max_output_tokens: 100,
  temperature: 0.5,
  top_p: 0.5,
  tools: [{ type: 'function', name: 'f', description: 'd', parameters: SCHEMA, strict: false }],
  tool_choice: 'auto',
  reasoning: { effort: 'low', summary: 'auto' },
  text: { format: { type: 'text' }, verbosity: 'low' },
  include: ['reasoning.encrypted_content'],
  store: false,
  metadata: {},
  parallel_tool_calls: true,
  truncation: 'disabled',
  service_tier: 'auto',
  prompt_cache_key: 'k',
  max_tool_calls: 3,
}

const CONTENTS = [
  { role: 'user', parts: [{ text: 'Hello' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
  { role: 'model', parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature: 'AAAA' }] },
  { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: 1 } } }] },
]
const GEMINI = {
  contents: CONTENTS,
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [{ functionDeclarations: [{ name: 'f', description: 'd', parameters: { type: 'OBJECT' } }] }],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  generationConfig: {
    maxOutputTokens: 100,
    temperature: 0.5,
    topP: 0.5,
    topK: 5,
    candidateCount: 1,
    stopSequences: ['x'],
    responseMimeType: 'text/plain',
    seed: 1,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 0 },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
}

function route(path: string, errors: StrangerRoute['errors'], body: Json): StrangerRoute {
  const { model } = body
  return { name: typeof model === 'string' ? `${path} of ${model}` : path, path, errors, body }
}

const EMBED = { content: { parts: [{ text: 'a' }] }, taskType: 'CLUSTERING', outputDimensionality: 10 }

export const STRANGER_ROUTES: readonly StrangerRoute[] = [
  ...DIALECTS.flatMap((model) => [
    route('/v1/chat/completions', 'chat', { model, ...CHAT }),
    route('/v1/messages', 'messages', { model, ...MESSAGES_CALL }),
    route('/v1/responses', 'chat', { model, ...RESPONSES }),
    route(`/v1beta/models/${model}:generateContent`, 'gemini', GEMINI),
  ]),
  route('/v1beta/models/gemini:streamGenerateContent', 'gemini', GEMINI),
  route('/v1beta/models/messages:streamGenerateContent?alt=sse', 'gemini', GEMINI),
  route('/v1beta/models/gemini:countTokens', 'gemini', { contents: CONTENTS }),
  route('/v1beta/models/responses:countTokens', 'gemini', {
    generateContentRequest: { model: 'models/responses', ...GEMINI },
  }),
  route('/v1beta/models/google-embed:embedContent', 'gemini', EMBED),
  route('/v1beta/models/embed:batchEmbedContents', 'gemini', { requests: [{ model: 'models/embed', ...EMBED }] }),
  route('/v1/messages/count_tokens', 'messages', { model: 'messages', ...MESSAGES }),
  route('/v1/responses/input_tokens', 'chat', { model: 'responses', ...RESPONSES }),
  ...['responses', 'chat-completions'].map((model) =>
    route('/v1/responses/compact', 'chat', { model, input: INPUT, instructions: 'x' }),
  ),
  ...['embed', 'google-embed'].map((model) =>
    route('/v1/embeddings', 'chat', { model, input: ['a', 'b'], encoding_format: 'float', dimensions: 10, user: 'u' }),
  ),
  ...CALLS.map(({ path, model, request }) => route(path, 'chat', { model, ...request })),
]

export type House = { readonly farebox: Farebox; readonly upstream: Upstream; close(): Promise<void> }

/** A Farebox with all of these models, before a provider that answers every call as it should. */
export async function startStrangerHouse(): Promise<House> {
  const upstream = await startUpstream()
  const farebox = await startFarebox()
  const origin = new URL(upstream.url).origin
  const provider = (name: string, dialect: (typeof DIALECTS)[number]) => ({
    name,
    dialect,
    base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstream.url,
    secret: SECRET,
  })
  const embedding = (id: string, at: string) =>
    chatModel(id, {
      kind: 'embedding',
      price: { input: 1, output: 0 },
      max_output_tokens: 1,
      targets: [{ provider: at, model: 'real' }],
    })
  const document = {
    providers: [...DIALECTS.map((dialect) => provider(dialect, dialect)), provider('upstream', 'chat-completions')],
    models: [
      ...DIALECTS.map((dialect) => chatModel(dialect, { targets: [{ provider: dialect, model: 'real' }] })),
      chatModel('chat'),
      embedding('embed', 'upstream'),
      embedding('google-embed', 'gemini'),
      ...MODELS,
    ],
    packages: [{ name: 'plenty', type: 'topup' as const, credits: 1_000_000 }],
  }
  await farebox.admin.call('apply', { body: { document } })
  upstream.script(({ path, body }) => {
    const isAsked = (one: (typeof CALLS)[number]) =>
      path === `/v1${one.path.replace(/^\/v1/, '')}` &&
      body.model === `real-${one.model}` &&
      (one.request['stream'] === true) === (body.stream === true)
    return CALLS.find(isAsked)?.answer ?? { type: 'answer' }
  })
  const close = async () => {
    await farebox.close()
    await upstream.close()
  }
  return { farebox, upstream, close }
}
