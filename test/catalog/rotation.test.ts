// A key gets a new value and stays the key that it is. The value before works for as long as was asked for, and no longer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWellFormedKey } from '#core/key-format.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { refusal, topup } from './support.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse('2028-02-14T09:30:00Z')

let farebox: Farebox
let nowMs = START
let names = 0

beforeAll(async () => {
  await start()
  await call('addPackage', { body: topup('plenty') })
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const iso = (ms: number) => new Date(ms).toISOString()

async function start(dataDir?: string): Promise<void> {
  const clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() }
  farebox = await startFarebox({ clock, ...(dataDir === undefined ? {} : { dataDir }) })
}

function create(expires?: string) {
  const name = `key-${++names}`
  return call('createKey', { body: { name, package: 'plenty', ...(expires === undefined ? {} : { expires }) } })
}

/** What a client meets that presents a value. */
async function meets(value: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${farebox.url}/v1/balance`, { headers: { authorization: `Bearer ${value}` } })
  return { status: response.status, text: await response.text() }
}

describe('a rotated key', () => {
  it('is the same key with another value, which is shown this once', async () => {
    const made = await create()
    await call('topUpKey', { id: made.id, body: { credits: 7 } })
    nowMs += HOUR
    const before = await call('showKey', { id: made.id })
    const rotated = await call('rotateKey', { id: made.name, body: {} })
    expect(rotated).toMatchObject({ id: made.id, name: made.name, previous_valid_until: iso(nowMs + DAY) })
    expect(isWellFormedKey(rotated.key)).toBe(true)
    expect(rotated.key).not.toBe(made.key)
    const after = await call('showKey', { id: made.id })
    expect(after).toEqual({
      ...before,
      hint: rotated.key.slice(-4),
      value_since: iso(nowMs),
      previous_valid_until: iso(nowMs + DAY),
      expires_at: iso(nowMs + 90 * DAY),
    })
    expect(JSON.stringify(after)).not.toContain(rotated.key)
    expect(await meets(rotated.key)).toEqual(await meets(made.key))
  })

  it('is refused with its old value from the instant on at which the overlap ends', async () => {
    const { id, key: old } = await create()
    const { key: value } = await call('rotateKey', { id, body: { overlap: '2h' } })
    nowMs += 2 * HOUR - 1
    expect((await meets(old)).status).toBe(200)
    nowMs += 1
    expect(await meets(old)).toMatchObject({ status: 403, text: expect.stringContaining('new value') as string })
    expect((await meets(value)).status).toBe(200)
    expect(await call('showKey', { id })).toMatchObject({ previous_valid_until: null })
  })

  it('is refused with its old value at once where no overlap is asked for', async () => {
    const { id, key: old } = await create()
    const { key: value, previous_valid_until: until } = await call('rotateKey', { id, body: { overlap: 'none' } })
    expect(until).toBeNull()
    expect((await meets(old)).status).toBe(401)
    expect((await meets(value)).status).toBe(200)
  })

  it('has two values at most', async () => {
    const { id, key: first } = await create()
    const second = await call('rotateKey', { id, body: { overlap: '30d' } })
    const third = await call('rotateKey', { id, body: { overlap: '1h' } })
    expect(await Promise.all([first, second.key, third.key].map(async (value) => (await meets(value)).status))).toEqual(
      [401, 200, 200],
    )
  })

  it('works with both values after a restart as before it', async () => {
    const { id, key: old } = await create()
    const { key: value } = await call('rotateKey', { id, body: { overlap: '1h' } })
    const { dataDir } = farebox
    await farebox.stop()
    await start(dataDir)
    expect([(await meets(old)).status, (await meets(value)).status]).toEqual([200, 200])
    nowMs += HOUR
    expect([(await meets(old)).status, (await meets(value)).status]).toEqual([403, 200])
    expect(await call('verifyLedger', {})).toMatchObject({ ok: true })
  })

  it('stays suspended, and is not brought back by a rotation once it is revoked', async () => {
    const { id } = await create()
    await call('suspendKey', { id })
    const { key: value } = await call('rotateKey', { id, body: {} })
    expect((await meets(value)).status).toBe(403)
    await call('revokeKey', { id })
    expect(await refusal(call('rotateKey', { id, body: {} }))).toMatchObject({ status: 409 })
    expect((await meets(value)).status).toBe(403)
  })
})

describe('the expiry of a rotated key', () => {
  it('is that of a new key, unless it was later or never', async () => {
    const [short, long, never] = [await create('7d'), await create('365d'), await create('never')]
    const expiries = [short, long, never].map(async ({ id }) => (await call('rotateKey', { id, body: {} })).expires_at)
    expect(await Promise.all(expiries)).toEqual([iso(nowMs + 90 * DAY), long.expires_at, null])
  })

  it('is what was asked for', async () => {
    const { id } = await create('365d')
    expect(await call('rotateKey', { id, body: { expires: '1d' } })).toMatchObject({ expires_at: iso(nowMs + DAY) })
    expect(await refusal(call('rotateKey', { id, body: { expires: '2020-01-01' } }))).toMatchObject({ status: 400 })
  })
})

describe('an overlap', () => {
  it.each(['31d', '721h', '0h', '-1h', '1', 'h', 'never', '1h ', '1000d'])('is refused: %s', async (overlap) => {
    const { id, key } = await create()
    expect(await refusal(call('rotateKey', { id, body: { overlap } }))).toMatchObject({ status: 400 })
    expect((await meets(key)).status).toBe(200)
  })
})

describe('the reminder', () => {
  const reminders = async () => (await call('overview', {})).attention.filter(({ kind }) => kind === 'old_value')

  it('comes at 90 days, and goes with a new value', async () => {
    const { id, name } = await create('never')
    nowMs += 90 * DAY - 1
    expect((await reminders()).map(({ subject }) => subject)).not.toContain(name)
    nowMs += 1
    expect(await reminders()).toContainEqual({
      kind: 'old_value',
      subject: name,
      page: 'keys',
      at: iso(nowMs - 90 * DAY),
      text: `Key '${name}' has had one value for 90 days. Rotate it in Keys.`,
    })
    await call('rotateKey', { id, body: {} })
    expect((await reminders()).map(({ subject }) => subject)).not.toContain(name)
  })
})
