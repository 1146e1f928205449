// Calls that carry a marker in every place where a client or a provider can put one, in the formats of messages and responses
// and between all of the dialects, with successes and every kind of failure.

import { canary, type Canaries } from './canary.ts'
import type { Behaviour } from './upstream-behaviour.ts'
import type { Upstream } from './upstream.ts'

export const FORMAT_MARK = {
  instructions: canary(),
  text: canary(),
  picture: canary(),
  document: canary(),
  documentTitle: canary(),
  thinking: canary(),
  signature: canary(),
  redacted: canary(),
  callName: canary(),
  callId: canary(),
  callArguments: canary(),
  callResult: canary(),
  customInput: canary(),
  schema: canary(),
  cacheKey: canary(),
  userId: canary(),
  unknownMember: canary(),
  betaHeader: canary(),
  said: canary(),
  thought: canary(),
  seal: canary(),
  called: canary(),
  calledWith: canary(),
  theirError: canary(),
  theirPage: canary(),
  wrongRole: canary(),
  wrongType: canary(),
} satisfies Canaries

const M = FORMAT_MARK
const PNG = Buffer.from(`PNG${M.picture}`).toString('base64')
const PDF = Buffer.from(`%PDF${M.document}`).toString('base64')
const PARAMETERS = { type: 'object', properties: { city: { type: 'string', description: M.schema } } }
const ARGUMENTS = { city: M.callArguments }

/** The dialects; a model of each has its name. */
export const CANARY_DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const

const CHAT = {
  messages: [
    { role: 'system', content: M.instructions },
    {
      role: 'user',
      content: [
        { type: 'text', text: M.text },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning_content: M.thinking,
      tool_calls: [
        { id: M.callId, type: 'function', function: { name: M.callName, arguments: JSON.stringify(ARGUMENTS) } },
      ],
    },
    { role: 'tool', tool_call_id: M.callId, content: M.callResult },
  ],
  tools: [{ type: 'function', function: { name: M.callName, parameters: PARAMETERS } }],
  user: M.userId,
  prompt_cache_key: M.cacheKey,
}

const MESSAGES = {
  max_tokens: 2000,
  system: [{ type: 'text', text: M.instructions, cache_control: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: M.text },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        {
          type: 'document',
          title: M.documentTitle,
          source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: M.thinking, signature: M.signature },
        { type: 'redacted_thinking', data: M.redacted },
        { type: 'tool_use', id: M.callId, name: M.callName, input: ARGUMENTS },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: M.callId, is_error: true, content: M.callResult }] },
  ],
  tools: [{ name: M.callName, input_schema: PARAMETERS }],
  thinking: { type: 'enabled', budget_tokens: 1024 },
  metadata: { user_id: M.userId },
  [M.unknownMember]: M.unknownMember,
}

const RESPONSES = {
  instructions: M.instructions,
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: M.text },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
      ],
    },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: M.thinking }], encrypted_content: M.signature },
    { type: 'function_call', call_id: M.callId, name: M.callName, arguments: JSON.stringify(ARGUMENTS) },
    { type: 'function_call_output', call_id: M.callId, output: M.callResult },
    { type: 'custom_tool_call', call_id: `${M.callId}2`, name: 'patch', input: M.customInput },
    { type: 'custom_tool_call_output', call_id: `${M.callId}2`, output: M.callResult },
  ],
  tools: [
    { type: 'function', name: M.callName, parameters: PARAMETERS, strict: false },
    { type: 'custom', name: 'patch' },
  ],
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
  prompt_cache_key: M.cacheKey,
  user: M.userId,
  [M.unknownMember]: M.unknownMember,
}

/** Paths and bodies; the last one is Cursor's way. */
const CALLS: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', CHAT],
  ['/v1/messages', MESSAGES],
  ['/v1/responses', RESPONSES],
  ['/v1/chat/completions', RESPONSES],
]

const ERROR = {
  message: M.theirError,
  type: 'invalid_request_error',
  code: 400,
  param: null,
  status: 'INVALID_ARGUMENT',
}
const ANSWER = { text: M.said, reasoning: M.thought, seal: M.seal }
const TOOL_CALLS = [{ id: 'call_9', name: M.called, arguments: JSON.stringify({ city: M.calledWith }) }]

const BEHAVIOURS: readonly Behaviour[] = [
  { type: 'answer', ...ANSWER },
  { type: 'answer', ...ANSWER, toolCalls: TOOL_CALLS },
  { type: 'answer', ...ANSWER, usage: null },
  { type: 'status', status: 400, error: ERROR },
  { type: 'status', status: 400, error: { ...ERROR, message: `Unsupported parameter: 'user'. ${M.theirError}` } },
  { type: 'status', status: 403, error: ERROR },
  { type: 'status', status: 529, error: ERROR },
  { type: 'html', text: M.theirPage },
  { type: 'error-in-200', error: ERROR },
  { type: 'error-in-stream', ...ANSWER, afterEvents: 0, error: ERROR },
  { type: 'error-in-stream', ...ANSWER, afterEvents: 4, error: ERROR },
  { type: 'broken-stream', ...ANSWER, atEvent: 3, how: 'truncated-json' },
  { type: 'raw', parts: [`event: ${M.said}\ndata: {"type": ${M.said}\n\n`] },
  {
    type: 'answer',
    ...ANSWER,
    toolCalls: [{ id: 'x', name: M.called, arguments: `{"city":"${M.calledWith}"}` }],
    cut: { at: { byte: 700 }, how: 'reset' },
  },
]

type Target = { readonly url: string; readonly key: string; readonly upstream: Upstream }

/** What went through: what the clients were told, and what the providers were asked. */
export type Traffic = { readonly seen: string; readonly asked: string }

/** Everything. Farebox must have time limits of less than a second. */
export async function sendFormatCanaries({ url, key, upstream }: Target): Promise<Traffic> {
  let seen = ''
  let asked = ''
  for (const [path, body] of CALLS) {
    for (const model of CANARY_DIALECTS) {
      const post = (members: object, below = path) =>
        textOf(send(`${url}${below}?beta=true`, key, { ...body, model, ...members }))
      for (const behaviour of BEHAVIOURS) {
        for (const stream of [false, true]) {
          upstream.once(behaviour)
          seen += await post({ stream })
        }
        if (path !== '/v1/messages') continue
        upstream.once(behaviour)
        seen += await post({}, '/v1/messages/count_tokens')
      }
      await refusals(post)
      asked += upstream.requests.map(({ text, headers }) => text + JSON.stringify(headers)).join('')
      upstream.forget()
    }
  }
  return { seen, asked }
}

/** Bodies that Farebox refuses itself, with what is wrong in them. */
async function refusals(post: (members: object) => Promise<string>): Promise<void> {
  await post({ messages: [{ role: M.wrongRole, content: M.text }], input: [{ role: M.wrongRole, content: M.text }] })
  const content = [{ type: M.wrongType, [M.wrongType]: M.text }]
  await post({ messages: [{ role: 'user', content }], input: [{ role: 'user', content }] })
  await post({ messages: M.text, input: { wrong: M.text } })
  await post({
    tools: [{ type: M.wrongType, name: M.callName }],
    tool_choice: { type: M.wrongType, name: M.wrongType },
  })
  await post({ previous_response_id: M.text, temperature: M.text })
}

function send(url: string, key: string, body: object): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'anthropic-beta': M.betaHeader,
    'openai-beta': M.betaHeader,
  }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** What came, also when it broke in the middle. */
async function textOf(answer: Promise<Response>): Promise<string> {
  try {
    return await (await answer).text()
  } catch {
    // A broken answer is one of the ways to end that are wanted here.
    return ''
  }
}
