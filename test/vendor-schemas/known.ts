// Where our wire differs from the vendors' types on purpose: members of a type, and the reason. Every other difference fails, and so
// does a row that nothing differs in any more.

export type Problem = 'unknown' | 'missing' | 'other type'

export type Known = {
  readonly schemas: readonly string[]
  /** Each of them differs in at least one of the types. */
  readonly members: readonly string[]
  readonly problem: Problem
  readonly reason: string
}

export const KNOWN: readonly Known[] = [
  {
    schemas: ['chat answer', 'chat event'],
    members: [
      '.choices[].message.reasoning_content',
      '.choices[].delta.reasoning_content',
      '.choices[].message.reasoning_details',
      '.choices[].delta.reasoning_details',
    ],
    problem: 'unknown',
    reason:
      "OpenAI's chat completions have no place for reasoning. These are the members that other providers have for it.",
  },
  {
    schemas: ['chat answer', 'chat event'],
    members: ['.choices[].message.tool_calls[].extra_content', '.choices[].delta.tool_calls[].extra_content'],
    problem: 'unknown',
    reason: "Google's own chat completions carry the signature of a call there.",
  },
  {
    schemas: ['chat event'],
    members: ['.choices[].delta.annotations'],
    problem: 'unknown',
    reason: 'The types have annotations in whole answers alone. Streams with search bring them in the same form.',
  },
  {
    schemas: ['chat request'],
    members: ['.messages[].reasoning', '.messages[].reasoning_content', '.messages[].reasoning_details'],
    problem: 'unknown',
    reason:
      "The client's own bytes: it brings back what it was answered. Some providers refuse a tool loop without it.",
  },
  {
    schemas: ['chat error'],
    members: ['.error.code'],
    problem: 'other type',
    reason: 'An integer by our contract. Clients that cannot read one are sent a text (core/client-quirks.ts).',
  },
  {
    schemas: ['chat error', 'messages error'],
    members: ['.error.request_id'],
    problem: 'unknown',
    reason: 'The id of the call, and of its receipt, for whoever sees only the error.',
  },
  {
    schemas: ['messages error'],
    members: ['.error.code', '.error.param'],
    problem: 'unknown',
    reason: 'Our contract has them in every error; Anthropic has no such members.',
  },
  {
    schemas: ['messages error'],
    members: ['.error.type'],
    problem: 'other type',
    reason: '`request_too_large` comes with 413 by the documentation of the API; the types leave it out.',
  },
  {
    schemas: ['responses answer', 'responses event'],
    members: ['.store', '.response.store'],
    problem: 'unknown',
    reason: 'The API itself answers with what the request said of it. It tells a client that nothing is kept here.',
  },
  {
    schemas: ['responses event'],
    members: ['.name'],
    problem: 'unknown',
    reason: 'The name of a function beside its whole arguments: earlier versions of these types demand it.',
  },
  {
    schemas: ['messages request'],
    members: ['.temperature', '.top_k', '.top_p'],
    problem: 'unknown',
    reason:
      'The newest models take none of them, and are sent none (dialect/messages/model-facts.ts). Those before do.',
  },
  {
    schemas: ['responses request'],
    members: ['.input[].id'],
    problem: 'missing',
    reason:
      'Reasoning from another format has lost the id of its item, and OpenAI refuses what it sealed under another one.',
  },
  {
    schemas: ['openai model', 'anthropic model', 'openai models', 'anthropic models'],
    members: [
      ...bothWays(
        'object',
        'created',
        'owned_by',
        'type',
        'created_at',
        'display_name',
        'max_input_tokens',
        'max_tokens',
      ),
      ...bothWays(
        'capabilities',
        'lifecycle',
        'line',
        'deprecated_at',
        'retires_at',
        'context_window',
        'max_output_tokens',
      ),
      ...bothWays('architecture', 'context_length', 'reasoning', 'supported_parameters', 'top_provider'),
      '.object',
      '.has_more',
      '.first_id',
      '.last_id',
    ],
    problem: 'unknown',
    reason:
      'One list serves both families: each has the members of the other, those of OpenRouter, and the limits that our contract names.',
  },
]

/** A member of a model, alone and in the list. */
function bothWays(...names: readonly string[]): string[] {
  return names.flatMap((name) => [`.${name}`, `.data[].${name}`])
}
