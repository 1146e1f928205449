// What answers of providers hold, and where in a client's answer it must be found.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWERS } from '../answers/all.ts'
import { REASONING, TEXT } from '../answers/fixture.ts'
import type { Seen } from '../fold.ts'
import { PROVIDERS, type ProviderName } from '../pair.ts'

export type AnswerFeature = {
  readonly name: string
  /** The whole answers that have it; providers that are not named cannot give it. */
  readonly answers: Readonly<Partial<Record<ProviderName, JsonObject>>>
  /** Whether the client finds it, in what it was given or in what a reader makes of that. */
  readonly isKept: (text: string, seen: Seen) => boolean
}

const SIGNATURES = [
  'c2lnbmVkLWJ5LW9yLTE=',
  'EqQBCgIYAhIM1gbcDa9GJwZA',
  'gAAAAABo8MGiVw2Q7k1mP0sJ4yY9cR8d',
  'CiQBjz1rX0Zq2w9vT4sD7m',
]
const isSigned = (text: string) => SIGNATURES.some((signature) => text.includes(signature))
const says = (marker: string) => (text: string) => text.includes(marker)

type Names = Readonly<Partial<Record<ProviderName, string>>>

/** The whole answers among the fixtures that have these names. */
function fixtures(names: Names): AnswerFeature['answers'] {
  const named: Partial<Record<ProviderName, JsonObject>> = {}
  for (const provider of PROVIDERS) {
    const name = names[provider]
    if (name === undefined) continue
    const whole = ANSWERS[provider].find((fixture) => fixture.name === name)?.whole
    if (whole === undefined) throw new Error(`${provider} has no whole answer '${name}'`)
    named[provider] = whole
  }
  return named
}

const everywhere = (name: string): Names => ({
  'chat-completions': name,
  messages: name,
  responses: name,
  gemini: name,
  'bedrock-converse': name,
})

const LOGPROBS = [{ token: 'MarkerQ7x', logprob: -0.1, bytes: null, top_logprobs: [] }]

function chatChoice(rest: JsonObject, message: JsonObject = {}): JsonObject {
  const choice = { index: 0, message: { role: 'assistant', content: 'a', ...message }, finish_reason: 'stop', ...rest }
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices: [choice] }
}

function messageOf(content: readonly JsonObject[]): JsonObject {
  const usage = { input_tokens: 1, output_tokens: 1 }
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', usage }
}

function responseOf(output: readonly JsonObject[]): JsonObject {
  return { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output, error: null }
}

function candidateOf(parts: readonly JsonObject[]): JsonObject {
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] }
}

export const ANSWER_FEATURES: readonly AnswerFeature[] = [
  { name: 'text', answers: fixtures(everywhere('text')), isKept: says(TEXT) },
  {
    name: 'reasoning',
    answers: fixtures({
      'chat-completions': 'reasoning_content, then text',
      messages: 'signed thinking, then text',
      responses: 'reasoning with encrypted content, then text',
      gemini: 'thoughts, then text',
      'bedrock-converse': 'signed thinking, then text',
    }),
    isKept: says(REASONING),
  },
  {
    name: 'signature or encrypted form of reasoning',
    answers: fixtures({
      'chat-completions': 'reasoning_details with a signature',
      messages: 'signed thinking, then text',
      responses: 'reasoning with encrypted content, then text',
      gemini: 'thoughts, then signed text',
      'bedrock-converse': 'signed thinking, then text',
    }),
    isKept: isSigned,
  },
  {
    name: 'redacted reasoning',
    answers: fixtures({
      messages: 'redacted thinking, then text',
      'bedrock-converse': 'redacted thinking, then text',
    }),
    isKept: says('EmwKAhgBEgy3va3pzix'),
  },
  {
    name: 'tool calls',
    answers: fixtures({
      'chat-completions': 'parallel tool calls, interleaved',
      messages: 'parallel tool calls',
      responses: 'parallel tool calls',
      gemini: 'parallel tool calls, the first signed',
      'bedrock-converse': 'parallel tool calls',
    }),
    isKept: (_, { tools }) => tools.length === 2,
  },
  {
    name: 'signature of a tool call',
    answers: fixtures({ gemini: 'one tool call, signed' }),
    isKept: isSigned,
  },
  {
    name: 'tool call whose arguments were cut off',
    answers: fixtures({
      'chat-completions': 'length in the middle of a tool call',
      messages: 'length in the middle of a tool call',
      responses: 'length in the middle of a tool call',
      'bedrock-converse': 'length in the middle of a tool call',
    }),
    isKept: (_, { tools }) => tools.length > 0,
  },
  {
    name: 'refusal of the model, its text',
    answers: fixtures({ 'chat-completions': 'refusal', responses: 'refusal' }),
    isKept: says('I cannot help with that.'),
  },
  {
    name: 'end: a filter or a refusal',
    answers: fixtures({
      'chat-completions': 'content filter',
      messages: 'refusal after text',
      responses: 'content filter',
      gemini: 'safety',
      'bedrock-converse': 'content filter',
    }),
    isKept: (_, { finish }) => finish === 'filter',
  },
  {
    name: 'end: the output cap',
    answers: fixtures(everywhere('length')),
    isKept: (_, { finish }) => finish === 'length',
  },
  {
    name: 'end: the stop sequence that was met',
    answers: fixtures({ messages: 'stop sequence' }),
    isKept: says('END'),
  },
  {
    name: 'citations, their address and title',
    answers: fixtures(everywhere('citations')),
    isKept: says('https://weather.example/bern'),
  },
  {
    name: 'usage: input and output',
    answers: fixtures(everywhere('text')),
    isKept: (_, { usage }) => usage.input === 40 && usage.output === 12,
  },
  {
    name: 'usage: read from the cache',
    answers: fixtures({ ...everywhere('cached usage'), messages: 'cached usage, corrected at the end' }),
    isKept: (_, { usage }) => usage.cached === 800,
  },
  {
    name: 'usage: written to the cache',
    answers: fixtures({ messages: 'cached usage, corrected at the end', 'bedrock-converse': 'cached usage' }),
    isKept: (text) => /"(cache_write_tokens|cache_creation_input_tokens)": ?50\b/.test(text),
  },
  {
    name: 'usage: reasoning',
    answers: fixtures({ 'chat-completions': 'cached usage', responses: 'cached usage', gemini: 'cached usage' }),
    isKept: (text) => /"(reasoning_tokens|thinking_tokens)": ?10\b/.test(text),
  },
  {
    name: 'logprobs',
    answers: {
      'chat-completions': chatChoice({ logprobs: { content: LOGPROBS, refusal: null } }),
      responses: responseOf([
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'a', annotations: [], logprobs: LOGPROBS }],
        },
      ]),
    },
    isKept: says('MarkerQ7x'),
  },
  {
    name: 'sound',
    answers: {
      'chat-completions': chatChoice(
        {},
        { audio: { id: 'a', data: 'TWFya2Vy', transcript: 'MarkerQ7x', expires_at: 1 } },
      ),
    },
    isKept: says('MarkerQ7x'),
  },
  {
    name: 'images',
    answers: {
      responses: responseOf([
        { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'TWFya2VyUTd4' },
      ]),
      gemini: candidateOf([{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'TWFya2VyUTd4' } }]),
    },
    isKept: says('TWFya2VyUTd4'),
  },
  {
    name: 'searches that the provider ran',
    answers: {
      messages: messageOf([
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'MarkerQ7x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'text', text: 'a' },
      ]),
      responses: responseOf([
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'MarkerQ7x' } },
      ]),
    },
    isKept: says('MarkerQ7x'),
  },
  {
    name: 'code that the provider ran',
    answers: {
      gemini: candidateOf([
        { executableCode: { language: 'PYTHON', code: 'print("MarkerQ7x")' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'MarkerQ7x' } },
      ]),
    },
    isKept: says('MarkerQ7x'),
  },
]
