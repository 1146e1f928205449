// A call at each endpoint whose calls are passed on: what a client sends, what a provider answers, and what that comes to.

import type { ModelCreate } from '#contract/schemas.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { chatModel } from '../support/farebox.ts'

export type PassedCall = {
  readonly name: string
  readonly path: string
  readonly model: string
  /** What is sent beside the name of the model. */
  readonly request: Readonly<Record<string, unknown>>
  readonly answer: Behaviour
  /** In credits, added up by hand. */
  readonly charge: number
  /** What the provider is sent in place of members of the request. */
  readonly sent?: Readonly<Record<string, unknown>>
  /** What the client gets where that is not what the provider sent. */
  readonly gets?: string
}

export const MODELS: readonly ModelCreate[] = [
  chatModel('rank', { kind: 'rerank', price: { input: 3 } }),
  chatModel('search', { kind: 'rerank', price: { input: 0, units: { search: 0.002 } } }),
  chatModel('moderate', { kind: 'moderation', price: { input: 5 } }),
]

const json = (body: unknown): Behaviour => ({ type: 'status', status: 200, body })
const events = (...all: readonly string[]): Behaviour => ({
  type: 'raw',
  parts: all.map((data) => `data: ${data}\n\n`),
})

const COMPLETION = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'real-chat' }
const textChunk = (text: string, finish: string | null) =>
  JSON.stringify({ ...COMPLETION, choices: [{ text, index: 0, logprobs: null, finish_reason: finish }] })
const USAGE = JSON.stringify({
  ...COMPLETION,
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
})

export const CALLS: readonly PassedCall[] = [
  {
    name: 'completions',
    path: '/v1/completions',
    model: 'chat',
    request: { prompt: 'def add(', suffix: ')', max_tokens: 50, temperature: 0.5, x_own: { a: 1 } },
    answer: json({
      ...COMPLETION,
      choices: [{ text: 'a, b – ü', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    }),
    // 7 at 1 and 5 at 2 credits per million.
    charge: 0.000017,
  },
  {
    name: 'streamed completions',
    path: '/v1/completions',
    model: 'chat',
    request: { prompt: ['one', 'two'], max_tokens: 50, stream: true, stream_options: { include_usage: true } },
    answer: events(textChunk('a – ', null), textChunk('ü', 'stop'), USAGE, '[DONE]'),
    charge: 0.000017,
  },
  {
    name: 'moderations',
    path: '/v1/moderations',
    model: 'moderate',
    request: { input: ['Hello', 'ü'] },
    answer: json({ id: 'modr-1', model: 'm', results: [{ flagged: false }], usage: { prompt_tokens: 4 } }),
    charge: 0.00002,
  },
  {
    name: 'rerank',
    path: '/v1/rerank',
    model: 'rank',
    request: { query: 'Where?', documents: ['Here', { text: 'There' }], top_n: 1 },
    answer: json({ model: 'r', results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 11 } }),
    charge: 0.000033,
  },
  {
    name: 'rerank with a list of data',
    path: '/rerank',
    model: 'rank',
    request: { query: 'Where?', documents: ['Here'] },
    answer: json({ object: 'list', data: [{ index: 0, relevance_score: 0.1 }], usage: { total_tokens: 6 } }),
    charge: 0.000018,
  },
  {
    name: 'rerank by searches',
    path: '/v1/rerank',
    model: 'search',
    request: { query: 'Where?', documents: Array.from({ length: 120 }, () => 'Here') },
    answer: json({
      id: 'r',
      results: [{ index: 0, relevance_score: 0.1 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 2 } },
    }),
    charge: 0.004,
  },
]
