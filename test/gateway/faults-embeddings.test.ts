import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks, suffer, type Sees } from './fault-support.ts'
import { startPair, type Pair } from './support.ts'

let pair: Pair

beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' } })
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const FAILED: Sees = { status: 502 }
const EMBEDDING = { type: 'embedding' } as const
const ITEM = { object: 'embedding', index: 0, embedding: [0.5, 1] }
const json = (body: unknown): Behaviour => ({ type: 'status', status: 200, body })
const list = (data: unknown, usage: unknown = { prompt_tokens: 5, total_tokens: 5 }) => {
  return json({ object: 'list', data, model: 'm', usage })
}

describe('embeddings that are', () => {
  it.each<[name: string, provider: Behaviour, sees: Sees, charge: number | 'some']>([
    ['as they should be', EMBEDDING, 'all', 0.000005],
    ['an error', { type: 'error-in-200' }, FAILED, 0],
    ['a page', { type: 'html' }, FAILED, 0],
    ['a stream', { type: 'raw', parts: ['data: {}\n\n', 'data: [DONE]\n\n'] }, FAILED, 0],
    ['a chat completion', json({ object: 'chat.completion', choices: [] }), FAILED, 0],
    ['no list', list({}), FAILED, 0],
    ['a list with a hole', list([ITEM, null]), FAILED, 0],
    ['a list of numbers', list([0.5, 1]), FAILED, 0],
    ['a vector that is not all numbers', list([{ ...ITEM, embedding: [0.5, 'x'] }]), FAILED, 0],
    ['a vector with a hole', list([{ ...ITEM, embedding: [0.5, null] }]), FAILED, 0],
    ['an object for a vector', list([{ ...ITEM, embedding: { 0: 0.5 } }]), FAILED, 0],
    ['compressed', { ...EMBEDDING, encoding: 'gzip' }, FAILED, 0],
    ['cut off', { ...EMBEDDING, cut: { at: { byte: 40 }, how: 'close' } }, FAILED, 0],
    ['reset', { ...EMBEDDING, cut: { at: { byte: 40 }, how: 'reset' } }, FAILED, 0],
    ['silent from their middle on', { ...EMBEDDING, stall: { at: { byte: 40 }, ms: Infinity } }, { status: 504 }, 0],
    ['refused for our secret', { type: 'status', status: 401 }, { status: 424, says: /secret/ }, 0],
    ['too many for now', { type: 'status', status: 429, retryAfter: 9 }, { status: 429, retryAfter: '9' }, 0],
    ['without usage', { ...EMBEDDING, usage: null }, 'all', 'some'],
    ['with usage that is null', list([ITEM], null), 'all', 'some'],
    ['with usage that counts nothing', list([ITEM], { prompt_tokens: 0, total_tokens: 0 }), 'all', 'some'],
    [
      'with an output that embeddings do not have',
      list([ITEM], { prompt_tokens: 5, total_tokens: 500 }),
      'all',
      0.000005,
    ],
  ])('%s', (name, provider, sees, charge) => suffer(pair, { name, provider, request: { input: 'one' }, sees, charge }))
})
