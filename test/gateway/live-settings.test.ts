// Settings that are changed while Farebox runs hold for the next call, and for later starts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFarebox } from '../support/farebox.ts'
import { chat, expectError, manualClock, startPair, type Pair } from './support.ts'

let pair: Pair
beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '9000', FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
})
afterAll(() => pair.close())

const set = (name: string, value: string | null) => pair.farebox.admin.call('setSetting', { id: name, body: { value } })

async function shown(name: string) {
  const { settings } = await pair.farebox.admin.call('showSettings', {})
  return settings.find((setting) => setting.name === name)
}

const call = (key: string) => chat(pair.farebox, key)
const newKey = async (name: string) =>
  (await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })).key

describe('a setting that is changed', () => {
  it('bounds the next call: how long a provider may take until its answer begins', async () => {
    const key = await newKey('first byte')
    // What answers about settings is loaded, and the provider has a connection that was opened before.
    await shown('upstream_first_byte_timeout_ms')
    expect((await call(key)).status).toBe(200)
    const view = await set('upstream_first_byte_timeout_ms', '200')
    expect(view.settings.find(({ name }) => name === 'upstream_first_byte_timeout_ms')).toMatchObject({
      value: '200',
      source: 'stored',
    })
    pair.upstream.once({ type: 'answer', headersAfterMs: Infinity })
    await expectError(await call(key), 504)
    await set('upstream_first_byte_timeout_ms', null)
    expect(await shown('upstream_first_byte_timeout_ms')).toMatchObject({ value: '300000', source: 'default' })
    expect((await call(key)).status).toBe(200)
  })

  it('decides whether the next call waits for its rate limit', async () => {
    // A clock that stands still: the minute of the limit never ends.
    const still = await startPair({ clock: manualClock('2026-03-10T12:00:00.250Z') })
    const { admin } = still.farebox
    const waiting = async () => (await admin.call('listWaiting', {})).waiting_calls
    const wait = (value: string) => admin.call('setSetting', { id: 'rate_limit_wait', body: { value } })
    await admin.call('addPackage', {
      body: { name: 'slow', type: 'topup', credits: 5, limits: { requests_per_minute: 1 } },
    })
    const { key } = await admin.call('createKey', { body: { name: 'slow', package: 'slow' } })
    expect((await chat(still.farebox, key)).status).toBe(200)
    expect((await chat(still.farebox, key)).status).toBe(429)
    await wait('true')
    const leaving = new AbortController()
    const asked = chat(still.farebox, key, {}, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(waiting).toBe(1)
    await wait('false')
    // Who waits already goes on waiting; what comes now is refused.
    expect((await chat(still.farebox, key)).status).toBe(429)
    expect(await waiting()).toBe(1)
    leaving.abort()
    expect(await asked).toBe('left')
    await still.close()
  })

  it('is in the audit log with its name and value, whoever is refused too', async () => {
    await set('backup_keep', '12')
    await expect(set('backup_keep', '0')).rejects.toThrow(/from 1 to 1000/)
    const { entries } = await pair.farebox.admin.call('listAudit', { query: { action: 'setSetting', limit: '2' } })
    expect(entries).toMatchObject([
      { subject: 'backup_keep', outcome: 'invalid_request', details: { value: '0' } },
      { subject: 'backup_keep', outcome: 'done', details: { value: '12' } },
    ])
  })

  it('is refused where the environment fixes it, and where it cannot change', async () => {
    await expect(set('upstream_silence_timeout_ms', '5')).rejects.toThrow(/FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS/)
    await expect(set('upstream_silence_timeout_ms', null)).rejects.toThrow(/FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS/)
    await expect(set('secrets', 'vault')).rejects.toThrow(/cannot be changed/)
    expect(await shown('upstream_silence_timeout_ms')).toMatchObject({ value: '9000', is_changeable: false })
    expect(await shown('port')).toMatchObject({ is_changeable: false })
  })

  it('does not repeat a key in the audit log that was pasted as a name', async () => {
    const key = await newKey('pasted')
    await expect(set(key, '1')).rejects.toThrow()
    const { entries } = await pair.farebox.admin.call('listAudit', { query: { action: 'setSetting', limit: '1' } })
    expect(JSON.stringify(entries)).not.toContain(key)
  })
})

it('holds after the next start, unless a variable says otherwise by then', async () => {
  const first = await startFarebox()
  await first.admin.call('setSetting', { id: 'hold_wait_ms', body: { value: '1234' } })
  await first.admin.call('setSetting', { id: 'backup_every', body: { value: 'hourly' } })
  await first.stop()
  const env = { FAREBOX_HOLD_WAIT_MS: '7' }
  const second = await startFarebox({ dataDir: first.dataDir, env })
  const valuesOf = async ({ admin }: typeof first) => {
    const { settings } = await admin.call('showSettings', {})
    return new Map(settings.map(({ name, value }) => [name, value]))
  }
  const fixed = await valuesOf(second)
  expect([fixed.get('hold_wait_ms'), fixed.get('backup_every')]).toEqual(['7', 'hourly'])
  await second.stop()
  const third = await startFarebox({ dataDir: first.dataDir })
  const again = await valuesOf(third)
  expect([again.get('hold_wait_ms'), again.get('backup_every')]).toEqual(['1234', 'hourly'])
  await third.close()
})
