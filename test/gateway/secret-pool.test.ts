// A provider with several secrets: which of them a call goes with, what becomes of one that is refused, what each may be asked for and is
// charged, and that nobody ever sees one of them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderSecretAdd, ProviderSecretView } from '#contract/providers.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import type { RecordedRequest } from '../support/upstream.ts'
import { expectQuiet } from './targets-support.ts'
import { chat, get, ORDINARY_CHARGE, soon, startPair, usageOf, type Pair } from './support.ts'

const FIRST = 'sk-upstream-secret'
const SECOND = 'sk-second-canary-7Yq2'
const THIRD = 'sk-third-canary-9Lw4'

let pair: Pair
let key = ''

beforeEach(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
})

afterEach(async () => {
  await expectQuiet(pair)
  await pair.close()
})

async function addSecret(label: string, secret: string, more: Partial<ProviderSecretAdd> = {}): Promise<void> {
  await pair.farebox.admin.call('addProviderSecret', { id: 'upstream', body: { label, secret, ...more } })
}

const secrets = (farebox: Farebox = pair.farebox) => farebox.admin.call('listProviderSecrets', { id: 'upstream' })

async function secretNamed(label: string): Promise<ProviderSecretView> {
  const found = (await secrets()).find((secret) => secret.label === label)
  if (found === undefined) throw new Error(`there is no secret ${label}`)
  return found
}

/** What each call was made with, by the secrets that the provider was shown. */
const shown = () => pair.upstream.requests.map(secretOf)

function secretOf({ headers }: RecordedRequest): string {
  return (headers.authorization ?? '').replace('Bearer ', '')
}

/** A provider that answers by the secret that it is shown. */
function answering(behaviours: Readonly<Record<string, Behaviour>>): void {
  pair.upstream.script((request) => behaviours[secretOf(request)] ?? { type: 'answer' })
}

const status = (code: number, error: object = {}, headers: Readonly<Record<string, string>> = {}): Behaviour => ({
  type: 'status',
  status: code,
  headers,
  body: { error: { message: 'No.', ...error } },
})

/** A conversation that a secret is the first choice for. */
async function conversationAt(secret: string): Promise<string> {
  for (let index = 0; index < 200; index++) {
    const name = `conversation ${index}`
    await call({ user: name })
    if (shown().at(-1) === secret) return name
  }
  throw new Error('no conversation goes there')
}

async function call(members: object = {}, expected = 200): Promise<Response> {
  const response = await chat(pair.farebox, key, members)
  await response.clone().text()
  expect(response.status).toBe(expected)
  return response
}

/** What a client is told, whichever call it was. */
async function errorOf(response: Response): Promise<object> {
  const { error } = (await response.json()) as { error: object }
  return { ...error, request_id: undefined }
}

describe('a provider with several secrets', () => {
  it('is asked with all of them, and one conversation with one', async () => {
    await addSecret('second', SECOND)
    await addSecret('third', THIRD)
    for (let index = 0; index < 40; index++) await call({ user: `conversation ${index % 20}` })
    const used = shown()
    expect(new Set(used)).toEqual(new Set([FIRST, SECOND, THIRD]))
    expect(used.slice(20)).toEqual(used.slice(0, 20))
  })

  it('shows which one a call went with in its record, its receipt and their attempts', async () => {
    await addSecret('second', SECOND)
    answering({ [FIRST]: status(401) })
    const user = await conversationAt(SECOND)
    const answer = await call({ user })
    const [record] = await usageOf(pair.farebox)
    expect(record).toMatchObject({ provider: 'upstream', secret: 'second' })
    const receipt = await get(pair.farebox, `/v1/receipts/${answer.headers.get('x-request-id')}`, key)
    expect(await receipt.json()).toMatchObject({ secret: 'second', attempts: [{ secret: 'second' }] })
  })

  it('says nothing of secrets where there is one', async () => {
    await call()
    const [record] = await usageOf(pair.farebox)
    expect(record).toMatchObject({ secret: null })
    expect(await secrets()).toMatchObject([
      { label: 'first', state: 'ok', secret_state: 'stored', credits_today: ORDINARY_CHARGE },
    ])
  })

  it('counts for each what it was charged, which together is what the provider was', async () => {
    await call()
    await addSecret('second', SECOND)
    // So many that none of the two is left without one.
    for (let index = 0; index < 40; index++) await call({ user: `conversation ${index}` })
    const charged = (await secrets()).map(({ credits_today }) => Math.round(credits_today * 1e6))
    expect(charged.every((amount) => amount > 0)).toBe(true)
    expect(charged.reduce((sum, amount) => sum + amount, 0)).toBe(Math.round(41 * ORDINARY_CHARGE * 1e6))
  })

  it('takes all of them out of what the provider says', async () => {
    await addSecret('second', SECOND)
    await addSecret('third', THIRD)
    const echo = `You sent ${FIRST}, ${SECOND} and ${THIRD}.`
    for (const behaviour of [status(400, { message: echo }), { type: 'answer', text: echo } as const]) {
      pair.upstream.script(behaviour)
      for (const user of ['a', 'b', 'c', 'd', 'e']) {
        const text = await (await chat(pair.farebox, key, { user })).text()
        for (const secret of [FIRST, SECOND, THIRD]) expect(text).not.toContain(secret)
        expect(text).toContain('You sent')
      }
    }
    const views = [await secrets(), await pair.farebox.admin.call('listProviders', {}), pair.farebox.log]
    for (const secret of [FIRST, SECOND, THIRD]) expect(JSON.stringify(views)).not.toContain(secret)
  })
})

describe('a secret that is refused', () => {
  it.each([
    ['401', status(401)],
    ['402', status(402)],
    ['429 for a quota that is used up', status(429, { code: 'insufficient_quota' })],
  ])('is left out and shown after %s, and the others go on', async (_what, behaviour) => {
    await addSecret('second', SECOND)
    const user = await conversationAt(SECOND)
    pair.upstream.forget()
    answering({ [SECOND]: behaviour })
    await call({ user })
    await call({ user })
    expect(shown()).toEqual([SECOND, FIRST, FIRST])
    const refused = await secretNamed('second')
    expect(refused).toMatchObject({ state: 'refused' })
    expect(Date.parse(refused.left_out_until ?? '')).toBeGreaterThan(Date.now())
    expect(await secretNamed('first')).toMatchObject({ state: 'ok', left_out_until: null })
    expect((await pair.farebox.admin.call('status', {})).targets).toMatchObject([{ state: 'ok' }, { state: 'ok' }])
    expect((await pair.farebox.admin.call('overview', {})).attention).toMatchObject([
      { kind: 'secret_refused', subject: 'upstream (second)', page: 'providers' },
    ])
  })

  it('is used again at once when its text is replaced', async () => {
    await addSecret('second', SECOND)
    const user = await conversationAt(SECOND)
    answering({ [SECOND]: status(401) })
    await call({ user })
    await pair.farebox.admin.call('editProviderSecret', { id: 'upstream', body: { label: 'second', secret: THIRD } })
    pair.upstream.forget()
    await call({ user })
    expect(shown()).toEqual([THIRD])
    expect(await secretNamed('second')).toMatchObject({ state: 'ok' })
  })

  it('with 403 is only left out where another secret is answered the same', async () => {
    await addSecret('second', SECOND)
    const user = await conversationAt(SECOND)
    answering({ [FIRST]: status(403), [SECOND]: status(403) })
    await call({ user }, 424)
    expect(await secrets()).toMatchObject([{ state: 'ok' }, { state: 'ok' }])
    answering({ [SECOND]: status(403) })
    await call({ user })
    expect(await secrets()).toMatchObject([{ state: 'ok' }, { state: 'refused' }])
  })

  it('is the refusal that one secret gives, when all are refused', async () => {
    pair.upstream.script(status(401))
    const told = async () => errorOf(await call({}, 424))
    const alone = await told()
    await addSecret('second', SECOND)
    expect(await told()).toEqual(alone)
    expect(await told()).toEqual(alone)
  })

  it('does not keep its provider from answering what is not about secrets', async () => {
    await addSecret('second', SECOND)
    await addSecret('third', THIRD)
    pair.upstream.script(status(500))
    await call({ user: 'one' }, 502)
    expect(new Set(shown()).size).toBe(1)
    expect(await secrets()).toMatchObject([{ state: 'ok' }, { state: 'ok' }, { state: 'ok' }])
  })
})

describe('a secret that is asked for patience', () => {
  it('gets it for the model that was asked, and another one answers meanwhile', async () => {
    await addSecret('second', SECOND)
    const user = await conversationAt(SECOND)
    pair.upstream.forget()
    answering({ [SECOND]: status(429, {}, { 'retry-after': '30' }) })
    await call({ user })
    await call({ user })
    expect(shown()).toEqual([SECOND, FIRST, FIRST])
    expect(await secretNamed('second')).toMatchObject({ state: 'busy', last_failure: { status: 429 } })
  })
})

describe('the limits of a secret', () => {
  it('lets the others take what is beyond them', async () => {
    await addSecret('second', SECOND, { limits: { requests_per_minute: 2 } })
    const user = await conversationAt(SECOND)
    pair.upstream.forget()
    for (let index = 0; index < 3; index++) await call({ user })
    expect(shown()).toEqual([SECOND, FIRST, FIRST])
  })

  it('counts tokens by the minute', async () => {
    const limits = { tokens_per_minute: 30 }
    await addSecret('second', SECOND)
    const user = await conversationAt(SECOND)
    await pair.farebox.admin.call('editProviderSecret', { id: 'upstream', body: { label: 'second', limits } })
    pair.upstream.forget()
    for (let index = 0; index < 40; index++) await call({ user })
    expect(shown().filter((secret) => secret === SECOND).length).toBeLessThan(3)
    expect(shown().filter((secret) => secret === FIRST).length).toBeGreaterThan(37)
  })

  it('never lets its day be overspent by calls that run together', async () => {
    const day = 20 * ORDINARY_CHARGE
    await pair.farebox.admin.call('editProviderSecret', {
      id: 'upstream',
      body: { label: 'first', limits: { credits_per_day: Number(day.toFixed(6)) } },
    })
    await addSecret('second', SECOND, { limits: { credits_per_day: Number(day.toFixed(6)) } })
    pair.upstream.script({ type: 'answer', headersAfterMs: 20 })
    const calls = Array.from({ length: 300 }, async (_, index) => {
      const response = await chat(pair.farebox, key, { max_tokens: 10, user: `conversation ${index}` })
      await response.text()
      return response.status
    })
    const statuses = await Promise.all(calls)
    const answered = statuses.filter((code) => code === 200).length
    expect(answered).toBeGreaterThan(0)
    expect(answered).toBeLessThanOrEqual(40)
    for (const { credits_today } of await secrets()) expect(credits_today).toBeLessThanOrEqual(day)
    const sum = (await secrets()).reduce((total, { credits_today }) => total + credits_today, 0)
    expect(sum).toBeCloseTo(answered * ORDINARY_CHARGE, 6)
  })

  it('counts on after a restart', async () => {
    await addSecret('second', SECOND)
    for (let index = 0; index < 6; index++) await call({ user: `conversation ${index}` })
    const before = (await secrets()).map(({ label, credits_today }) => [label, credits_today])
    await pair.farebox.stop()
    const again = await startFarebox({ dataDir: pair.farebox.dataDir })
    expect((await secrets(again)).map(({ label, credits_today }) => [label, credits_today])).toEqual(before)
    pair = {
      ...pair,
      farebox: again,
      close: async () => Promise.all([again.close(), pair.upstream.close()]).then(() => {}),
    }
  })
})

describe('a secret that is removed', () => {
  it('lets the calls that run with it end, and is not used again', async () => {
    await addSecret('second', SECOND)
    const user = await conversationAt(SECOND)
    pair.upstream.forget()
    const held = Promise.withResolvers<void>()
    pair.upstream.script({ type: 'answer', headersAfterMs: 300 })
    const running = chat(pair.farebox, key, { user }).finally(held.resolve)
    await soon(() => pair.upstream.requests.length === 1)
    const removed = await pair.farebox.admin.call('removeProviderSecret', {
      id: 'upstream',
      query: { label: 'second' },
    })
    expect(removed).toEqual({ secret_forgotten: true })
    expect((await running).status).toBe(200)
    await call({ user })
    expect(shown()).toEqual([SECOND, FIRST])
    expect(await secrets()).toMatchObject([{ label: 'first' }])
  })

  it('hands its place to the next one where it was the first', async () => {
    await addSecret('second', SECOND)
    await pair.farebox.admin.call('removeProviderSecret', { id: 'upstream', query: { label: 'first' } })
    await call()
    expect(shown()).toEqual([SECOND])
    expect(await secrets()).toMatchObject([{ label: 'second', secret_state: 'stored' }])
    await pair.farebox.admin.call('setProviderSecret', { id: 'upstream', body: { secret: THIRD } })
    await call()
    expect(shown()).toEqual([SECOND, THIRD])
  })
})
