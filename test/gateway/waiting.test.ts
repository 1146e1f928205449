// Who waits and why, and what runs, as a real Farebox shows it to administrators and to members.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WaitingView } from '#contract/waiting.ts'
import { newMember, type Visitor } from '../support/visitor.ts'
import { expectSoundBooks } from './fault-support.ts'
import { chat, startPair, type Pair } from './support.ts'

const PATIENCE = 120_000

let pair: Pair
let mia: Visitor
let tom: Visitor
let keys = 0
let leaving: AbortController
let calls: Promise<unknown>[]

beforeAll(async () => {
  pair = await startPair({
    env: { RATE_LIMIT_WAIT: 'true', FAREBOX_UPSTREAM_RETRY_DELAY_MS: '4000' },
    packages: [
      { name: 'plenty', type: 'topup', credits: 1000 },
      { name: 'single', type: 'topup', credits: 5, limits: { concurrent_requests: 1 } },
      { name: 'minutely', type: 'topup', credits: 5, limits: { requests_per_minute: 1 } },
      { name: 'poor', type: 'topup', credits: 0.001 },
    ],
  })
  mia = await newMember(pair.farebox, 'Mia')
  tom = await newMember(pair.farebox, 'Tom')
}, PATIENCE)

beforeEach(() => {
  leaving = new AbortController()
  calls = []
})

/** Whatever a test left running goes, and nothing of it stays. */
afterEach(async () => {
  leaving.abort()
  await Promise.allSettled(calls)
  pair.upstream.forget()
  const empty = { waiting: [], waiting_calls: 0, running: [], running_calls: 0 }
  await expect.poll(list, { timeout: 60_000 }).toEqual(empty)
  await expectSoundBooks(pair)
}, PATIENCE)
afterAll(() => pair.close())

const list = () => pair.farebox.admin.call('listWaiting', {})

async function newKey(packageName: string, owner?: string) {
  keys += 1
  const name = `key ${keys}`
  const body = { name, package: packageName, ...(owner === undefined ? {} : { owner }) }
  return { name, key: (await pair.farebox.admin.call('createKey', { body })).key }
}

/** A stream that runs until the test ends. */
async function run({ key }: { readonly key: string }): Promise<void> {
  pair.upstream.once({ type: 'endless', delayMs: 10 })
  const response = await chat(pair.farebox, key, { stream: true }, { signal: leaving.signal })
  expect(response.status).toBe(200)
}

/** A call that will not be answered before something changes. */
function begin({ key }: { readonly key: string }): void {
  const call = chat(pair.farebox, key, {}, { signal: leaving.signal })
  calls.push(call.then((response) => response.text()).catch(() => undefined))
}

async function waitingAre(count: number): Promise<WaitingView> {
  await expect.poll(list, { timeout: 60_000 }).toMatchObject({ waiting_calls: count })
  return list()
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
const ANY = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  model: 'chat',
  since: TIME,
  until: TIME,
  expected_at: null,
  limit: null,
  provider: null,
  place: 1,
  member: null,
}

describe('a call that waits is listed with its reason:', () => {
  it('a limit of its key, in its place', async () => {
    const key = await newKey('single')
    await run(key)
    begin(key)
    await waitingAre(1)
    begin(key)
    const { waiting, running } = await waitingAre(2)
    const row = { ...ANY, key: key.name, reason: 'key_limit', limit: 'concurrent_requests' }
    expect(waiting).toEqual([row, { ...row, place: 2 }])
    expect(running).toEqual([{ key: key.name, member: null, calls: 1, oldest_at: TIME }])
  })

  it('a limit per minute, with the moment at which it goes on', async () => {
    const key = await newKey('minutely')
    await run(key)
    begin(key)
    const { waiting } = await waitingAre(1)
    expect(waiting).toMatchObject([{ reason: 'key_limit', limit: 'requests_per_minute', expected_at: TIME }])
    const inMs = Date.parse(waiting[0]?.expected_at ?? '') - Date.now()
    expect(inMs).toBeGreaterThan(50_000)
    expect(inMs).toBeLessThan(62_000)
  })

  it('a limit of its member, over two keys', async () => {
    await pair.farebox.admin.call('editMember', { id: 'Mia', body: { limits: { concurrent_requests: 1 } } })
    const [one, two] = [await newKey('plenty', 'Mia'), await newKey('plenty', 'Mia')]
    await run(one)
    begin(two)
    const { waiting, running } = await waitingAre(1)
    const row = { ...ANY, key: two.name, member: 'Mia', reason: 'member_limit', limit: 'concurrent_requests' }
    expect(waiting).toEqual([row])
    expect(running).toEqual([{ key: one.name, member: 'Mia', calls: 1, oldest_at: TIME }])
    await pair.farebox.admin.call('editMember', { id: 'Mia', body: { limits: {} } })
  })

  it('credits that another call holds', async () => {
    const key = await newKey('poor')
    await run(key)
    begin(key)
    expect((await waitingAre(1)).waiting).toEqual([{ ...ANY, key: key.name, reason: 'credits' }])
  })

  it('a place at its provider', async () => {
    const { admin } = pair.farebox
    await admin.call('editProvider', { id: 'upstream', body: { limits: { concurrent_requests: 1 } } })
    const [one, two] = [await newKey('plenty'), await newKey('plenty', 'Tom')]
    await run(one)
    begin(two)
    const { waiting, running_calls: running } = await waitingAre(1)
    const row = { ...ANY, key: two.name, member: 'Tom', reason: 'provider', limit: 'concurrent_requests' }
    expect(waiting).toEqual([{ ...row, provider: 'upstream' }])
    // It was admitted: its credits are held.
    expect(running).toBe(2)
    await admin.call('editProvider', { id: 'upstream', body: { limits: {} } })
  })

  it('the next try at its provider, with its moment', async () => {
    pair.upstream.script({ type: 'status', status: 503 })
    const key = await newKey('plenty')
    begin(key)
    const { waiting } = await waitingAre(1)
    expect(waiting).toEqual([{ ...ANY, key: key.name, reason: 'retry', expected_at: TIME, until: null }])
    leaving.abort()
  })
})

describe('a member', () => {
  it('sees the calls of their own keys and no others, in the list and in the events', async () => {
    const [own, other] = [await newKey('single', 'Mia'), await newKey('single')]
    for (const key of [own, other]) {
      await run(key)
      begin(key)
    }
    await waitingAre(2)
    const view = await mia.call('listWaiting')
    expect(view).toMatchObject({ waiting: [{ key: own.name, member: 'Mia' }], waiting_calls: 1, running_calls: 1 })
    expect(view.running).toEqual([{ key: own.name, member: 'Mia', calls: 1, oldest_at: TIME }])
    expect(await tom.call('listWaiting')).toEqual({ waiting: [], waiting_calls: 0, running: [], running_calls: 0 })
    expect(await firstStatus(mia)).toMatchObject({ waiting: 1, open_exchanges: 1 })
    expect(await firstStatus(tom)).toMatchObject({ waiting: 0, open_exchanges: 0 })
  })
})

async function firstStatus(visitor: Visitor): Promise<unknown> {
  const ended = new AbortController()
  const response = await fetch(`${pair.farebox.url}/api/events`, { headers: visitor.headers, signal: ended.signal })
  const decoder = new TextDecoder()
  let text = ''
  let data: string | undefined
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    data = /^event: status\ndata: (.*)$/m.exec(text)?.[1]
    if (data !== undefined) break
  }
  ended.abort()
  return JSON.parse(data ?? 'null') as unknown
}
