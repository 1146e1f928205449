// What members, and those who signed in with a key alone, are told about the limits that they are held to.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RequestBody, ResponseBody } from '#contract/admin-api.ts'
import { newMember, signInOwner, signInWithKey, type Visitor } from '../support/visitor.ts'
import { chat, expectError, manualClock, ORDINARY_CHARGE, startPair, type ManualClock, type Pair } from './support.ts'

type Limits = NonNullable<RequestBody<'editMember'>['limits']>
type OwnLimits = ResponseBody<'overview'>['own_limits']

let clock: ManualClock
let pair: Pair
let tests = 0
/** Of the test's member. */
let name = ''
let member: Visitor

beforeAll(async () => {
  clock = manualClock('2026-03-10T12:00:00.250Z')
  pair = await startPair({ clock, packages: [{ name: 'plenty', type: 'topup', credits: 1000 }] })
}, 120_000)
beforeEach(async () => {
  name = `member ${++tests}`
  member = await newMember(pair.farebox, name)
})
afterAll(() => pair.close())

const admin = () => pair.farebox.admin
const setLimits = (limits: Limits, of = name) => admin().call('editMember', { id: of, body: { limits } })
const told = async (visitor: Visitor): Promise<OwnLimits> => (await visitor.call('overview')).own_limits

let keys = 0
async function keyOf(owner: string): Promise<string> {
  keys += 1
  const body = { name: `key ${keys}`, package: 'plenty', owner }
  return (await admin().call('createKey', { body })).key
}

async function succeed(key: string): Promise<void> {
  const response = await chat(pair.farebox, key)
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
}

const NO_LIMITS = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_requests: null,
  credits_per_day: null,
}
const UNUSED = { running_calls: 0, credits_today: 0, held_credits: 0 }

describe('a member', () => {
  it('is told nothing where nothing is limited', async () => {
    await succeed(await keyOf(name))
    expect(await told(member)).toBeNull()
  })

  it('is told each limit that is set, as soon as it is changed, and nothing once all are lifted', async () => {
    await setLimits({ requests_per_minute: 30, concurrent_requests: 2 })
    const limits = { ...NO_LIMITS, requests_per_minute: 30, concurrent_requests: 2 }
    expect(await told(member)).toEqual({ limits, use: UNUSED, next_reset_at: null })
    await setLimits({ tokens_per_minute: 500 })
    expect(await told(member)).toMatchObject({ limits: { ...NO_LIMITS, tokens_per_minute: 500 } })
    await setLimits({})
    expect(await told(member)).toBeNull()
  })

  it('is told what all of their keys were charged today, and when the day begins anew', async () => {
    await setLimits({ credits_per_day: 2 })
    const limits = { ...NO_LIMITS, credits_per_day: 2 }
    const midnight = '2026-03-11T00:00:00.000Z'
    expect(await told(member)).toEqual({ limits, use: UNUSED, next_reset_at: midnight })
    await succeed(await keyOf(name))
    await succeed(await keyOf(name))
    const use = { ...UNUSED, credits_today: 2 * ORDINARY_CHARGE }
    expect(await told(member)).toEqual({ limits, use, next_reset_at: midnight })
    // The same instant as in the refusal of a call.
    await setLimits({ credits_per_day: 0 })
    await expectError(await chat(pair.farebox, await keyOf(name)), 402, {
      limit: { name: 'credits_per_day', scope: 'member', reset_at: midnight },
    })
    expect(await told(member)).toMatchObject({ limits: { credits_per_day: 0 }, use })
  })

  it('is told what running calls hold of the day, and that they run', { timeout: 60_000 }, async () => {
    await setLimits({ concurrent_requests: 3, credits_per_day: 5 })
    pair.upstream.once({ type: 'endless', delayMs: 10 })
    const leaving = new AbortController()
    const { signal } = leaving
    const running = await chat(pair.farebox, await keyOf(name), { stream: true, max_tokens: 50 }, { signal })
    expect(running.status).toBe(200)
    const own = await told(member)
    expect(own).toMatchObject({ use: { running_calls: 1, credits_today: 0 } })
    expect(own?.use?.held_credits).toBeGreaterThan(0)
    leaving.abort()
    // What was delivered is counted before the charge is known, by a thread that has to start.
    const ended = expect.poll(() => told(member), { timeout: 20_000 })
    await ended.toMatchObject({ use: { running_calls: 0, held_credits: 0 } })
    await expect(running.text()).rejects.toThrow('abort')
  })

  it('is told nothing of the limits and the use of others', async () => {
    const other = await newMember(pair.farebox, `${name} too`)
    await setLimits({ requests_per_minute: 9, credits_per_day: 2 }, `${name} too`)
    await succeed(await keyOf(`${name} too`))
    await succeed(await keyOf('somebody else'))
    expect(await told(member)).toBeNull()
    await setLimits({ requests_per_minute: 7 })
    expect(await told(member)).toEqual({
      limits: { ...NO_LIMITS, requests_per_minute: 7 },
      use: UNUSED,
      next_reset_at: null,
    })
    expect(await told(other)).toMatchObject({ use: { credits_today: ORDINARY_CHARGE } })
    await expectError(await member.send('listMembers'), 403)
  })

  it('who is an administrator is told their own, and the owner of the machine has none', async () => {
    await setLimits({ requests_per_minute: 4 })
    const boss = await newMember(pair.farebox, `${name} boss`, { role: 'administrator' })
    expect(await told(boss)).toBeNull()
    await setLimits({ requests_per_minute: 8 }, `${name} boss`)
    expect(await told(boss)).toMatchObject({ limits: { requests_per_minute: 8 } })
    expect(await told(await signInOwner(pair.farebox))).toBeNull()
    expect((await admin().call('overview', {})).own_limits).toBeNull()
  })
})

describe('the holder of a key', () => {
  it('is told the limits that its calls are refused by, and not what other keys use of them', async () => {
    await setLimits({ requests_per_minute: 1, credits_per_day: 2 })
    const key = await keyOf(name)
    await succeed(await keyOf(name))
    const holder = await signInWithKey(pair.farebox, key)
    expect(await told(holder)).toEqual({
      limits: { ...NO_LIMITS, requests_per_minute: 1, credits_per_day: 2 },
      use: null,
      next_reset_at: '2026-03-11T00:00:00.000Z',
    })
    const says = await expectError(await chat(pair.farebox, key), 429, {
      limit: { name: 'requests_per_minute', scope: 'member', reset_at: expect.any(String) },
    })
    expect(says).toContain("The limit of 1 requests per minute for all keys of this key's member")
  })

  it('is told nothing where its member is not limited, or it has none, whoever else is', async () => {
    await setLimits({ requests_per_minute: 3 })
    await newMember(pair.farebox, `${name} free`)
    for (const owner of [`${name} free`, 'nobody in particular']) {
      expect(await told(await signInWithKey(pair.farebox, await keyOf(owner)))).toBeNull()
    }
  })
})
