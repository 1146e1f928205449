// What providers do wrong, at every passed endpoint: the client is told in the contract's words, nothing is charged and nothing held.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { expectError, type ErrorStatus, type Pair } from '../gateway/support.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { FORM_CALLS, FORM_MODELS, sendForm } from './form-calls.ts'
import { call, expectCharged, freshKey, startPassed } from './support.ts'
import { CALLS, type PassedCall } from './routes.ts'

let pair: Pair

beforeAll(async () => {
  pair = await startPassed({ FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' })
  await pair.farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

type Fault = readonly [name: string, wrong: (answer: Behaviour) => Behaviour, status: ErrorStatus]
const json = (body: unknown): Behaviour => ({ type: 'status', status: 200, body })

/** Before anything of an answer. */
const FAULTS: readonly Fault[] = [
  ['an error with status 200', () => ({ type: 'error-in-200' }), 502],
  ['a page', () => ({ type: 'html' }), 502],
  ['something else', () => json({ object: 'something else' }), 502],
  ['no object', () => json([1, 2]), 502],
  ['what is compressed', (answer) => ({ ...answer, encoding: 'gzip' }), 502],
  ['nothing', (answer) => ({ ...answer, cut: { at: 'after-headers', how: 'close' } }), 502],
  ['a reset', (answer) => ({ ...answer, cut: { at: 'before-headers', how: 'reset' } }), 502],
  ['silence', (answer) => ({ ...answer, stall: { at: { byte: 1 }, ms: Infinity } }), 504],
  ['a refusal of our secret', () => ({ type: 'status', status: 401 }), 424],
  ['that it is busy', () => ({ type: 'status', status: 429, retryAfter: 9 }), 429],
  ['that it is broken', () => ({ type: 'status', status: 500 }), 502],
]

/** In the middle of an answer that is sent on as a whole. */
const WHOLE_FAULTS: readonly Fault[] = [
  ['half an answer', (answer) => ({ ...answer, cut: { at: { byte: 20 }, how: 'close' } }), 502],
  ['half an answer and a reset', (answer) => ({ ...answer, cut: { at: { byte: 20 }, how: 'reset' } }), 502],
  ['results that are no objects', () => json({ choices: ['a'], results: ['a'], data: ['a'] }), 502],
  ['results that are no list', () => json({ choices: {}, results: {}, data: {} }), 502],
]

describe.each(CALLS.map((one) => [one.name, one] as const))('%s: a provider that sends', (_name, one) => {
  const faults = one.request['stream'] === true ? FAULTS : [...FAULTS, ...WHOLE_FAULTS]
  it.each(faults)('%s', async (_fault, wrong, status) => {
    pair.upstream.script(wrong(one.answer))
    const own = await freshKey(pair)
    const response = await call(pair, one, own.key)
    await expectError(response, status)
    await expectCharged(pair, own, { charge_credits: 0, outcome: 'failed' })
  })

  it('an error of the request, which the client gets as it is', async () => {
    const error = { error: { message: 'That is too much.', type: 'invalid_request_error', param: 'n', code: 'no' } }
    pair.upstream.script({ type: 'status', status: 400, body: error })
    const own = await freshKey(pair)
    const response = await call(pair, one, own.key)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: 'That is too much.', param: 'n' } })
    await expectCharged(pair, own, { charge_credits: 0, outcome: 'refused' })
  })

  it('no count, which is estimated and charged', async () => {
    if (one.answer.type !== 'status') return
    const { usage: _usage, meta: _meta, ...body } = one.answer.body as Record<string, unknown>
    pair.upstream.script(json(body))
    const own = await freshKey(pair)
    expect((await call(pair, one, own.key)).status).toBe(200)
    const { most, isTold = false } = one.unreported ?? { most: 0.01 }
    const some = expect.toSatisfy((charge: number) => charge > 0 && charge <= most) as number
    const source = isTold ? 'reported' : 'estimated'
    await expectCharged(pair, own, { outcome: 'answered', usage_source: source, charge_credits: some })
  })
})

/** One form for each endpoint and form of its answer. */
const FORMS = new Map(FORM_CALLS.map((one) => [`${one.path} ${formOfAnswer(one.answer)}`, one] as const))

function formOfAnswer(answer: Behaviour): string {
  if (answer.type === 'status') return 'as JSON'
  return answer.type === 'raw' && answer.contentType !== undefined ? 'as text' : 'in events'
}

describe.each([...FORMS])('a form for %s: a provider that sends', (_name, one) => {
  it.each(one.answer.type === 'status' ? [...FAULTS, ...WHOLE_FAULTS] : FAULTS)('%s', async (_fault, wrong, status) => {
    pair.upstream.script(wrong(one.answer))
    const own = await freshKey(pair)
    await expectError(await sendForm(pair, one, own.key), status)
    await expectCharged(pair, own, { charge_credits: 0, outcome: 'failed' })
  })
})

describe('a stream of completions', () => {
  const streamed = CALLS[1] as PassedCall

  it.each<[string, Behaviour]>([
    ['breaks off', { ...streamed.answer, cut: { at: { insideEvent: 1 }, how: 'reset' } }],
    ['falls silent', { ...streamed.answer, stall: { at: { afterEvent: 0 }, ms: Infinity } }],
    ['has an event that is no JSON', { type: 'raw', parts: [firstEvent(), 'data: no json\n\n'] }],
    ['says that it failed', { type: 'raw', parts: [firstEvent(), 'data: {"error":{"message":"Broken."}}\n\n'] }],
  ])('that %s ends with an error event, and costs what came', async (_name, answer) => {
    pair.upstream.script(answer)
    const own = await freshKey(pair)
    const text = await (await call(pair, streamed, own.key)).text()
    expect(text).toContain(firstEvent())
    expect(text).toMatch(/data: \{"error":.*\}\n\n$/)
    expect(text).not.toContain('[DONE]')
    const some = expect.toSatisfy((charge: number) => charge > 0 && charge < 0.001) as number
    await expectCharged(pair, own, { outcome: 'cut', charge_credits: some })
  })

  function firstEvent(): string {
    return streamed.answer.type === 'raw' ? String(streamed.answer.parts[0]) : ''
  }
})
