// A model of two targets of which the first one fails before its answer begins: in every client format, whichever dialects the
// targets speak, the client sees the second one's answer and pays for it once.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectQuiet, expectSettled, addModel, ALL, newKey, startTargets, type Targets } from './targets-support.ts'
import { ask, expectBrokenStream, FORMATS, formatOf, type Dialect, type Format, type FormatName } from './formats.ts'
import { soon } from './support.ts'

let targets: Targets

beforeAll(async () => {
  targets = await startTargets({ env: { FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '250' } })
})

afterEach(async () => {
  for (const upstream of targets.upstreams) upstream.forget()
  await targets.upstreams[0].accept().catch(() => undefined)
})

afterAll(async () => {
  await expectQuiet(targets)
  await targets.close()
})

const inAMinute = () => new Date(Date.now() + 60_000).toUTCString()

/** How the first target fails, what its attempt is noted as, and the status that came. */
type Fault = readonly [name: string, fault: Behaviour | 'refuses', outcome: string, status: number | null]

const BEFORE_HEADERS = { at: 'before-headers' } as const

const FAULTS: readonly Fault[] = [
  ['refuses the connection', 'refuses', 'failed', null],
  ['resets before its headers', { type: 'answer', cut: { ...BEFORE_HEADERS, how: 'reset' } }, 'failed', null],
  ['closes before its headers', { type: 'answer', cut: { ...BEFORE_HEADERS, how: 'close' } }, 'failed', null],
  ['resets after its headers', { type: 'answer', cut: { at: 'after-headers', how: 'reset' } }, 'failed', 200],
  ['answers 500', { type: 'status', status: 500 }, 'failed', 500],
  ['answers 503 for a minute', { type: 'status', status: 503, retryAfter: 60 }, 'failed', 503],
  ['answers 503 until a date', { type: 'status', status: 503, retryAfter: inAMinute() }, 'failed', 503],
  ['answers 503 for a second', { type: 'status', status: 503, retryAfter: 1 }, 'failed', 503],
  ['answers 429', { type: 'status', status: 429 }, 'failed', 429],
  ['answers 429 for a minute', { type: 'status', status: 429, retryAfter: 60 }, 'failed', 429],
  ['answers 401', { type: 'status', status: 401 }, 'failed', 401],
  ['answers 404', { type: 'status', status: 404 }, 'refused', 404],
  ['answers with a page', { type: 'html' }, 'failed', 200],
  ['answers with a redirect', { type: 'redirect', to: '/elsewhere' }, 'failed', 307],
  ['does not begin in time', { type: 'answer', headersAfterMs: Infinity }, 'failed', null],
]

const OTHER: Record<FormatName, Dialect> = {
  chat: 'messages',
  messages: 'chat-completions',
  responses: 'gemini',
  gemini: 'responses',
}

/** Who the targets are to a format: both pass its bytes on, one of them translates, or both do. */
function pairsOf({ name, dialect }: Format): (readonly [Dialect, Dialect])[] {
  const other = OTHER[name]
  const third = dialect === 'gemini' || other === 'gemini' ? 'messages' : 'gemini'
  return [
    [dialect, dialect],
    [dialect, other],
    [other, dialect],
    [other, third],
  ]
}

const CASES = FORMATS.flatMap((format) => pairsOf(format).map(([one, two]) => [format.name, one, two] as const))

type Case = {
  readonly format: Format
  readonly dialects: readonly Dialect[]
  readonly members: object
  readonly attempts: readonly (readonly [outcome: string, status: number | null])[]
}

/** One call that must be answered by the last target of `attempts` as if nothing had happened. */
async function expectMended({ format, dialects, members, attempts }: Case): Promise<void> {
  const { key, name } = await newKey(targets)
  const model = await addModel(targets, dialects)
  const before = targets.upstreams.map(({ requests }) => requests.length)
  const response = await ask(targets, format, { key, members: { model, ...members } })
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(/^200 /)
  expect(text).not.toMatch(/"error":\{/)
  if ('stream' in members) expect(text).toMatch(format.terminal)
  else expect(format.said(JSON.parse(text) as Record<string, never>)).toMatch(/\S/)
  const words = attempts.map(([outcome, status]) => (status === null ? outcome : `${outcome};status=${status}`))
  expect(response.headers.get('x-farebox-attempts')).toBe([...words, 'answered'].join(', '))
  const told = [...attempts, ['complete', 200] as const]
  await expectSettled(targets, {
    key: name,
    outcome: 'answered',
    status: 200,
    charge: ALL,
    attempts: told.map(([outcome, status], index) => [`${index + 1} ${dialects[index] ?? ''}`, outcome, status]),
  })
  const asked = targets.upstreams.map(({ requests }, index) => requests.length - (before[index] ?? 0))
  const isRefused = attempts[0]?.[0] === 'failed' && attempts[0][1] === null && asked[0] === 0
  expect(asked.slice(0, told.length)).toEqual(told.map((_, index) => (index === 0 && isRefused ? 0 : 1)))
}

describe.each(FAULTS)('a first target that %s', (_name, fault, outcome, status) => {
  it.each(CASES)('is no matter to a client of %s, with %s before %s', async (name, ...dialects) => {
    const [first] = targets.upstreams
    if (fault === 'refuses') await first.refuse()
    else first.script(fault)
    for (const members of [{}, { stream: true }]) {
      await expectMended({ format: formatOf(name), dialects, members, attempts: [[outcome, status]] })
    }
  })
})

describe('a first target whose answer is an error', () => {
  it.each(CASES)('is no matter to a client of %s, with %s before %s', async (name, ...dialects) => {
    const format = formatOf(name)
    const [first] = targets.upstreams
    first.script({ type: 'error-in-200' })
    await expectMended({ format, dialects, members: {}, attempts: [['failed', 200]] })
    first.script({ type: 'error-in-stream', afterEvents: 0 })
    await expectMended({ format, dialects, members: { stream: true }, attempts: [['failed', 200]] })
  })
})

describe('two targets that fail', () => {
  it.each(FORMATS.map(({ name }) => [name]))('leave a client of %s the answer of the third', async (name) => {
    const [first, second] = targets.upstreams
    first.script({ type: 'status', status: 503 })
    second.script({ type: 'html' })
    const attempts = [['failed', 503] as const, ['failed', 200] as const]
    const dialects = ['chat-completions', 'messages', 'responses'] as const
    for (const members of [{}, { stream: true }]) {
      await expectMended({ format: formatOf(name), dialects, members, attempts })
    }
  })
})

describe('after the first byte', () => {
  /** Long enough that every format has sent something by then. */
  const pieces = Array.from({ length: 12 }, (_, index) => `word-${index} `)
  const LATE: readonly (readonly [string, Behaviour])[] = [
    ['breaks', { type: 'answer', pieces, cut: { at: { insideEvent: 9 }, how: 'reset' } }],
    ['tells of an error', { type: 'error-in-stream', pieces, afterEvents: 9 }],
  ]
  /** A response that says of itself that it failed is passed on as it is. */
  const BROKEN = CASES.flatMap((one) => LATE.map(([what, fault]) => [...one, what, fault] as const)).filter(
    ([name, dialect, , what]) => name !== 'responses' || dialect !== 'responses' || what === 'breaks',
  )

  it.each(BROKEN)(
    'nobody else is asked: a client of %s sees an error, with %s before %s when the first %s',
    async (name, one, two, _what, fault) => {
      const format = formatOf(name)
      const { key, name: keyName } = await newKey(targets)
      const model = await addModel(targets, [one, two])
      targets.upstreams[0].script(fault)
      const response = await ask(targets, format, { key, members: { model, stream: true } })
      expect(response.headers.get('x-farebox-attempts')).toBe('answered')
      expectBrokenStream(await response.text(), format)
      expect(targets.upstreams[1].requests).toEqual([])
      await soon(async () => (await targets.farebox.admin.call('status', {})).open_exchanges === 0)
      await expectSettled(targets, {
        key: keyName,
        outcome: 'cut',
        status: 200,
        charge: 'some',
        attempts: [[`1 ${one}`, 'failed', 200]],
      })
    },
  )
})

describe('what judges the request', () => {
  it.each([400, 413, 422].flatMap((status) => CASES.map((one) => [status, ...one] as const)))(
    '%i is for the client: a client of %s, with %s before %s',
    async (status, name, one, two) => {
      const format = formatOf(name)
      targets.upstreams[0].script({ type: 'status', status })
      const { key, name: keyName } = await newKey(targets)
      const model = await addModel(targets, [one, two])
      const response = await ask(targets, format, { key, members: { model } })
      expect(response.headers.get('x-farebox-attempts')).toBe(`refused;status=${status}`)
      const told = (await response.json()) as { error?: unknown }
      expect(told.error).toBeDefined()
      expect(targets.upstreams[1].requests).toEqual([])
      await expectSettled(targets, {
        key: keyName,
        outcome: 'refused',
        status,
        charge: 0,
        attempts: [[`1 ${one}`, 'refused', status]],
      })
    },
  )
})
