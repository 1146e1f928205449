// Signing in with a key alone: what it shows, what it refuses, and what ends it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdminAction } from '#contract/admin-routes.ts'
import { newMember, signInOwner, signInWithKey, trySignIn, type Visitor } from '../support/visitor.ts'
import { chat, expectError, manualClock, startPair, type ManualClock, type Pair } from './support.ts'

let clock: ManualClock
let pair: Pair
/** The keys `mine`, of nobody, and `other`, in two packages, each with a call. */
let mine: { id: string; key: string }
let other: { id: string; key: string }
let holder: Visitor

beforeEach(async () => {
  clock = manualClock('2027-03-10T12:00:00.000Z')
  const packages = [
    { name: 'plenty', type: 'daily' as const, credits: 10, timezone: 'UTC', models: ['chat'] },
    { name: 'hidden', type: 'topup' as const, credits: 10 },
  ]
  pair = await startPair({ clock, packages })
  mine = await admin().call('createKey', { body: { name: 'mine', package: 'plenty', expires: '10d' } })
  other = await admin().call('createKey', { body: { name: 'other', package: 'hidden', owner: 'Zoe' } })
  for (const { key } of [mine, other]) await (await chat(pair.farebox, key)).text()
  holder = await signInWithKey(pair.farebox, mine.key)
})
afterEach(() => pair.close())

const admin = () => pair.farebox.admin
const tryKey = (key: string) => trySignIn(pair.farebox, { key })

describe('a session with a key', () => {
  it('shows that key, with its balance, its package, the models that it may call, its calls and their receipts', async () => {
    expect(await holder.call('showSession')).toMatchObject({ role: 'holder', name: 'mine' })
    const keys = await holder.call('listKeys')
    expect(keys.map(({ name }) => name)).toEqual(['mine'])
    expect(await holder.call('showKey', { id: mine.id })).toMatchObject({
      status: 'active',
      balance: { total_credits: 10, total_requests: 1, next_reset_at: '2027-03-11T00:00:00.000Z' },
    })
    expect(await holder.call('listPackages')).toMatchObject([{ name: 'plenty', keys: 1 }])
    const models = await holder.call('listModels')
    expect(models.map(({ id, targets }) => [id, targets])).toEqual([['chat', []]])
    const { usage } = await holder.call('usage')
    expect(usage.map(({ key }) => key)).toEqual(['mine'])
    expect(await holder.call('receipt', { id: usage[0]?.id ?? '' })).toMatchObject({ key: 'mine' })
    const report = await holder.call('usageReport', { query: { group: 'key' } })
    expect(report.series.map(({ name }) => name)).toEqual(['mine'])
    expect(report.totals.requests).toBe(1)
    expect(await holder.call('overview')).toMatchObject({
      credits: { keys: 1 },
      attention: [],
      latest: [{ key: 'mine' }],
    })
  })

  it("finds another's key, package, call and owner like something that never was", async () => {
    const theirs = (await admin().call('usage', { query: { key: 'other' } })).usage[0]?.id ?? ''
    const never = '00000000-0000-7000-8000-000000000000'
    for (const [action, id, missing] of [
      ['showKey', 'other', 'nothing'],
      ['showKey', other.id, never],
      ['revokeKey', 'other', 'nothing'],
      ['revokeKey', other.id, never],
      ['receipt', theirs, never],
    ] as const) {
      const [there, absent] = [await holder.send(action, { id }), await holder.send(action, { id: missing })]
      const words = await expectError(there, 404)
      expect(words.replace(id, '')).toBe((await expectError(absent, 404)).replace(missing, ''))
    }
    for (const action of ['usage', 'usageReport'] as const) {
      await expectError(await holder.send(action, { query: { key: 'other' } }), 404)
    }
    expect((await holder.call('usage', { query: { owner: 'Zoe' } })).usage).toEqual([])
    expect((await holder.call('usageReport', { query: { owner: 'Zoe' } })).totals.requests).toBe(0)
    expect(await admin().call('showKey', { id: 'other' })).toMatchObject({ status: 'active' })
  })

  it.each<[AdminAction, { id?: string; body?: unknown }]>([
    ['createKey', { body: { name: 'more', package: 'plenty' } }],
    ['rotateKey', { id: 'mine', body: {} }],
    ['extendKey', { id: 'mine', body: { expires: 'never' } }],
    ['suspendKey', { id: 'mine' }],
    ['resumeKey', { id: 'mine' }],
    ['topUpKey', { id: 'mine', body: { credits: 5 } }],
    ['adjustKey', { id: 'mine', body: { credits: 5, reason: 'r' } }],
    ['moveKey', { id: 'mine', body: { package: 'hidden' } }],
    ['changePassword', { body: { password: 'a new one of ten', old_password: 'x' } }],
    ['listLedger', {}],
    ['listMembers', {}],
    ['listAudit', {}],
    ['status', {}],
    ['showSettings', {}],
    ['listProviders', {}],
    ['makeTicket', {}],
    ['apply', { body: { document: {} } }],
  ])('may not ask for %s', async (action, options) => {
    const before = await admin().call('showKey', { id: 'mine' })
    expect(await expectError(await holder.send(action, options), 403)).toContain('With a key alone')
    expect(await admin().call('showKey', { id: 'mine' })).toEqual(before)
    expect(await admin().call('listKeys', {})).toHaveLength(2)
  })

  it('sends no calls: neither does the session stand for the key, nor may it try requests', async () => {
    const body = { key: 'mine', endpoint: 'chat', request: { model: 'chat', messages: [] } }
    const headers = { ...holder.headers, origin: pair.farebox.url, 'content-type': 'application/json' }
    const tried = await fetch(`${pair.farebox.url}/api/try`, { method: 'POST', headers, body: JSON.stringify(body) })
    await expectError(tried, 403)
    await expectError(await fetch(`${pair.farebox.url}/v1/balance`, { headers: holder.headers }), 401)
  })

  it('is noted as what the holder of that key did, also where it was refused', async () => {
    await holder.send('suspendKey', { id: 'mine' })
    await holder.send('revokeKey', { id: 'mine' })
    const { entries } = await admin().call('listAudit', { query: { actor: 'key holder' } })
    expect(entries.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
      ['revokeKey', 'mine', 'done'],
      ['suspendKey', 'mine', 'forbidden'],
      ['signIn', 'mine', 'done'],
    ])
    await expect(admin().call('addMember', { body: { name: 'Key Holder' } })).rejects.toMatchObject({ status: 400 })
  })

  it('ends with one sign-out for all who have the key, where that is asked for', async () => {
    const second = await signInWithKey(pair.farebox, mine.key)
    const others = await signInWithKey(pair.farebox, other.key)
    const owner = await signInOwner(pair.farebox)
    await holder.call('signOut', { query: { everywhere: 'true' } })
    await expectError(await second.send('showSession'), 401)
    for (const visitor of [others, owner]) expect((await visitor.send('showSession')).status).toBe(200)
  })

  it('ends with Farebox, because nothing of it is on disk', async () => {
    const { port } = new URL(pair.farebox.url)
    const { startFarebox } = await import('../support/farebox.ts')
    await pair.farebox.stop()
    const again = await startFarebox({ clock, dataDir: pair.farebox.dataDir, port: Number(port) })
    try {
      await expectError(await holder.send('showSession'), 401)
    } finally {
      await again.stop()
    }
  })
})

describe('a session with a key ends', () => {
  const isOver = async () => {
    await expectError(await holder.send('showSession'), 401)
    await expectError(await holder.send('revokeKey', { id: 'mine' }), 401)
  }

  it('when it revokes the key, which stops it everywhere at once', async () => {
    const second = await signInWithKey(pair.farebox, mine.key)
    expect(await holder.call('revokeKey', { id: 'mine' })).toMatchObject({ status: 'revoked' })
    await isOver()
    await expectError(await second.send('listKeys'), 401)
    await expectError(await chat(pair.farebox, mine.key), 403)
    await expectError(await tryKey(mine.key), 403)
  })

  it('with the streams of events that it has open', async () => {
    const headers = { ...holder.headers, accept: 'text/event-stream' }
    const stream = await fetch(`${pair.farebox.url}/api/events`, { headers })
    expect(stream.status).toBe(200)
    await admin().call('revokeKey', { id: 'mine' })
    // It goes on for as long as the session does, and a test that hangs here has found a session that does not end.
    await stream.text()
  }, 30_000)

  it.each<[string, () => Promise<unknown>]>([
    ['revoked by somebody else', () => admin().call('revokeKey', { id: 'mine' })],
    ['suspended', () => admin().call('suspendKey', { id: 'mine' })],
    ['expired', async () => clock.advance(10 * 86_400_000)],
    [
      'given a new value without an overlap',
      () => admin().call('rotateKey', { id: 'mine', body: { overlap: 'none' } }),
    ],
  ])('when the key is %s', async (_what, happen) => {
    await happen()
    await isOver()
    await expectError(await tryKey(mine.key), _what.startsWith('given') ? 401 : 403)
  })

  it('with the overlap of the value that it was opened with, and not before', async () => {
    const rotated = await admin().call('rotateKey', { id: 'mine', body: { overlap: '1h' } })
    const next = await signInWithKey(pair.farebox, rotated.key)
    clock.advance(29 * 60_000)
    for (const visitor of [holder, next]) expect((await visitor.send('showSession')).status).toBe(200)
    clock.advance(29 * 60_000)
    for (const visitor of [holder, next]) expect((await visitor.send('showSession')).status).toBe(200)
    clock.advance(2 * 60_000)
    await isOver()
    expect((await next.send('showSession')).status).toBe(200)
    await expectError(await tryKey(mine.key), 403)
  })

  it('when the member whose key it is is suspended', { timeout: 120_000 }, async () => {
    await newMember(pair.farebox, 'Mia', { packages: 'all' })
    const { key } = await admin().call('createKey', { body: { name: 'of Mia', package: 'plenty', owner: 'Mia' } })
    holder = await signInWithKey(pair.farebox, key)
    await admin().call('editMember', { id: 'Mia', body: { status: 'suspended' } })
    await expectError(await holder.send('showSession'), 401)
    expect(await expectError(await tryKey(key), 403)).toContain('suspended')
  })

  it('after half an hour without a request, like every other', async () => {
    clock.advance(30 * 60_000)
    await expectError(await holder.send('showSession'), 401)
  })
})

describe('signing in with a key', () => {
  it('is refused alike for what is no key, and sets no cookie', async () => {
    const wrong = [
      'x',
      `key_${'A'.repeat(38)}`,
      `${mine.key} `,
      mine.key.toLowerCase(),
      'mine',
      mine.id,
      `Bearer ${mine.key}`,
    ]
    const words = new Set<string>()
    for (const key of wrong) {
      const answer = await tryKey(key)
      expect(answer.headers.get('set-cookie'), key).toBeNull()
      words.add(await expectError(answer, 401))
    }
    expect([...words]).toEqual(['This is not a valid key.'])
    for (const body of [{ key: '' }, { key: 'k'.repeat(201) }, { key: mine.key, name: 'mine' }]) {
      const headers = { origin: pair.farebox.url, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      expect((await fetch(`${pair.farebox.url}/api/session`, init)).status).toBe(400)
    }
  })

  it('takes a key from a body alone', async () => {
    const { url } = pair.farebox
    const headers = { origin: url, 'content-type': 'application/json', authorization: `Bearer ${mine.key}` }
    const asked = { method: 'POST', headers, body: '{}' }
    expect((await fetch(`${url}/api/session`, asked)).status).toBe(400)
    expect((await fetch(`${url}/api/session?key=${mine.key}`, asked)).status).toBe(400)
  })

  it('is refused to a page that does not say that it is ours', async () => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ key: mine.key }) }
    await expectError(await fetch(`${pair.farebox.url}/api/session`, init), 403)
  })

  it('is bounded, for each key by itself and for all wrong ones together', async () => {
    const statuses = async (key: string, count: number) => {
      const found: number[] = []
      for (let tries = 0; tries < count; tries++) found.push((await tryKey(key)).status)
      return found
    }
    expect(new Set(await statuses('wrong', 120))).toEqual(new Set([401]))
    const late = await tryKey('wrong')
    expect(late.headers.get('retry-after')).toBe('60')
    await expectError(late, 429)
    // A right key is not refused for that.
    expect((await tryKey(mine.key)).status).toBe(200)
    expect((await statuses(mine.key, 119)).at(-1)).toBe(429)
    expect((await tryKey(other.key)).status).toBe(200)
    // What was not looked at is not noted.
    const { entries } = await admin().call('listAudit', { query: { action: 'signIn', limit: '1000' } })
    const refused = entries.filter(({ outcome }) => outcome === 'unauthenticated')
    expect(refused).toMatchObject([{ count: 120, source: '127.0.0.1' }])
  }, 60_000)

  it('leaves the key in no answer, no log and no file', async () => {
    const answer = await tryKey(mine.key)
    expect(await answer.text()).not.toContain(mine.key)
    await tryKey(`${mine.key}x`)
    await holder.send('revokeKey', { id: mine.key })
    const { log, dataDir } = pair.farebox
    expect(JSON.stringify(await admin().call('listAudit', { query: { limit: '1000' } }))).not.toContain(mine.key)
    await pair.farebox.stop()
    expect(log.join('\n')).not.toContain(mine.key)
    const stored = await Promise.all(
      ['farebox.db', 'farebox.db-wal'].map((name) => readFile(join(dataDir, name), 'latin1').catch(() => '')),
    )
    expect(stored.join('').length).toBeGreaterThan(1000)
    expect(stored.join('')).not.toContain(mine.key)
  })
})
