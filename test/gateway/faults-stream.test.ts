import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks, suffer, type Sees } from './fault-support.ts'
import { ORDINARY_CHARGE, startPair, type Pair } from './support.ts'

let pair: Pair

beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' } })
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** Eight events: the role, five words, the finish reason, the usage; then [DONE]. */
const ANSWER = { type: 'answer', text: 'one two three four five' } as const
const ROLE = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n'
const WORD = 'data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":null}]}\n\n'
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
const SECOND_EVENT = { byte: ROLE.length }
const DONE = 'data: [DONE]\n\n'
const raw = (...parts: string[]): Behaviour => ({ type: 'raw', parts })

const FAILED: Sees = { status: 502 }
const BROKEN: Sees = { breaksWith: 'upstream_error' }
const SILENT: Sees = { breaksWith: 'upstream_timeout', says: /stopped in the middle/ }

type Row = [name: string, provider: Behaviour, sees: Sees, charge: number | 'some']

const CUTS: Row[] = [
  ['reset before its headers', { ...ANSWER, cut: { at: 'before-headers', how: 'reset' } }, FAILED, 0],
  ['closed before its headers', { ...ANSWER, cut: { at: 'before-headers', how: 'close' } }, FAILED, 0],
  ['reset after its headers', { ...ANSWER, cut: { at: 'after-headers', how: 'reset' } }, FAILED, 0],
  ['closed after its headers', { ...ANSWER, cut: { at: 'after-headers', how: 'close' } }, FAILED, 0],
  ['reset inside its first event', { ...ANSWER, cut: { at: { insideEvent: 0 }, how: 'reset' } }, FAILED, 0],
  ['closed inside its first event', { ...ANSWER, cut: { at: { insideEvent: 0 }, how: 'close' } }, FAILED, 0],
  ['reset inside a later event', { ...ANSWER, cut: { at: { insideEvent: 3 }, how: 'reset' } }, BROKEN, 'some'],
  ['closed inside a later event', { ...ANSWER, cut: { at: { insideEvent: 3 }, how: 'close' } }, BROKEN, 'some'],
  ['reset between two events', { ...raw(ROLE, WORD, FINISH), cut: { at: SECOND_EVENT, how: 'reset' } }, BROKEN, 'some'],
  [
    'closed between two events',
    { ...raw(ROLE, WORD, FINISH), cut: { at: SECOND_EVENT, how: 'close' } },
    BROKEN,
    'some',
  ],
  ['reset behind its finish reason', { ...ANSWER, cut: { at: { insideEvent: 7 }, how: 'reset' } }, BROKEN, 'some'],
  ['closed behind its usage', { ...ANSWER, cut: { at: { insideEvent: 8 }, how: 'close' } }, BROKEN, ORDINARY_CHARGE],
  ['closed behind its terminal event', { ...ANSWER, cut: { at: { byte: 1e6 }, how: 'close' } }, 'all', ORDINARY_CHARGE],
]

const BROKEN_EVENTS: Row[] = [
  ['is no JSON, first', { ...ANSWER, type: 'broken-stream', atEvent: 0, how: 'not-json' }, FAILED, 0],
  ['is half of its JSON, first', { ...ANSWER, type: 'broken-stream', atEvent: 0, how: 'truncated-json' }, FAILED, 0],
  ['is no JSON, later', { ...ANSWER, type: 'broken-stream', atEvent: 3, how: 'not-json' }, BROKEN, 'some'],
  [
    'is half of its JSON, later',
    { ...ANSWER, type: 'broken-stream', atEvent: 3, how: 'truncated-json' },
    BROKEN,
    'some',
  ],
  ['is empty', raw(ROLE, 'data: \n\n', FINISH, DONE), BROKEN, 'some'],
  ['is a list', raw(ROLE, 'data: []\n\n', FINISH, DONE), BROKEN, 'some'],
  ['is null', raw(ROLE, 'data: null\n\n', FINISH, DONE), BROKEN, 'some'],
  ['is nearly [DONE]', raw(ROLE, 'data: [done]\n\n', FINISH, DONE), BROKEN, 'some'],
  ['is an error, first', { ...ANSWER, type: 'error-in-stream', afterEvents: 0 }, FAILED, 0],
  ['is an error, later', { ...ANSWER, type: 'error-in-stream', afterEvents: 3 }, BROKEN, 'some'],
  [
    'is an error in words',
    raw(ROLE, WORD, 'data: {"error":"overloaded"}\n\n', DONE),
    { ...BROKEN, says: /^overloaded$/ },
    'some',
  ],
  ['is an error beside an answer', raw(ROLE, FINISH.replace('{', '{"error":{"code":502},'), DONE), BROKEN, 'some'],
]

const ENDS: Row[] = [
  ['nothing at all', raw(''), FAILED, 0],
  ['nothing but comments', raw(': hello\n\n', ': hello\n\n'), FAILED, 0],
  ['nothing but [DONE]', raw(DONE), FAILED, 0],
  ['no finish reason and no [DONE]', { ...ANSWER, omit: ['finish', 'done'] }, BROKEN, ORDINARY_CHARGE],
  [
    'the finish reason of one of two choices',
    raw(ROLE.replace('"index":0', '"index":1'), WORD, FINISH),
    BROKEN,
    'some',
  ],
  ['a finish reason that is none', raw(ROLE, FINISH.replace('"stop"', '""')), BROKEN, 'some'],
  ['half an event', raw(ROLE, WORD, FINISH, 'data: {"choices":'), BROKEN, 'some'],
  ['a finish reason, but no [DONE]', { ...ANSWER, omit: ['done'] }, 'all', ORDINARY_CHARGE],
  ['[DONE], but no finish reason', { ...ANSWER, omit: ['finish'] }, 'all', ORDINARY_CHARGE],
  ['[DONE] without its blank line', raw(ROLE, WORD, FINISH, 'data: [DONE]'), 'all', 'some'],
  ['[DONE] with half of its blank line', raw(ROLE, WORD, FINISH, 'data: [DONE]\n'), 'all', 'some'],
  ['a finish reason without its blank line', raw(ROLE, WORD, FINISH.trimEnd()), 'all', 'some'],
  ['more behind [DONE]', raw(ROLE, WORD, FINISH, DONE, WORD, 'data: nonsense\n\n'), 'all', 'some'],
]

const STALLS: Row[] = [
  ['inside its first event', { ...ANSWER, stall: { at: { insideEvent: 0 }, ms: Infinity } }, { status: 504 }, 0],
  ['inside a later event', { ...ANSWER, stall: { at: { insideEvent: 3 }, ms: Infinity } }, SILENT, 'some'],
  ['behind its usage', { ...ANSWER, stall: { at: { insideEvent: 8 }, ms: Infinity } }, SILENT, ORDINARY_CHARGE],
]

const STREAMED = { stream: true }

describe('a stream that is', () => {
  it.each(CUTS)('%s', (name, provider, sees, charge) =>
    suffer(pair, { name, provider, request: STREAMED, sees, charge }),
  )
})

describe('a stream of which an event', () => {
  it.each(BROKEN_EVENTS)('%s', (name, provider, sees, charge) =>
    suffer(pair, { name, provider, request: STREAMED, sees, charge }),
  )
})

describe('a stream that ends with', () => {
  it.each(ENDS)('%s', (name, provider, sees, charge) =>
    suffer(pair, { name, provider, request: STREAMED, sees, charge }),
  )
})

describe('a stream that goes silent', () => {
  it.each(STALLS)('%s', async (name, provider, sees, charge) => {
    await suffer(pair, { name, provider, request: STREAMED, sees, charge })
    await expect.poll(() => pair.upstream.requests.at(-1)?.closedAtMs).toBeTypeOf('number')
  })
})

describe('a stream that is too much', () => {
  // Nothing that is generated, which would be ended at its output cap.
  const big = `data: {"choices":[{"index":0,"delta":{"content":"x"}}],"padding":"${'x'.repeat(500_000)}"}\n\n`

  it.each<Row>([
    ['an event of 9 MB', { type: 'oversized', bytes: 9_000_000 }, { ...BROKEN, says: /too large an event/ }, 'some'],
    ['a line of 9 MB', raw(ROLE, `data: ${'x'.repeat(9_000_000)}`), { ...BROKEN, says: /too large an event/ }, 'some'],
    ['an answer without an end', { type: 'endless', event: big }, { ...BROKEN, says: /too long/ }, 'some'],
  ])('%s', (name, provider, sees, charge) => suffer(pair, { name, provider, request: STREAMED, sees, charge }))
})
