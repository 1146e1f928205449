// Who is signed in, and settings that are changed, on gateways that share their books.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AdminAction } from '#contract/admin-routes.ts'
import { newMember, sendTo, signInOwner, signInWithKey, type Visitor } from '../support/visitor.ts'
import { Gateways, WAIT, type Gateway } from './gateways.ts'
import { isLong } from '../support/cases.ts'

/** What another gateway may take to hear of something; these tests share one processor with much else. */
const WITHIN_MS = isLong ? 1000 : 5000

let gateways: Gateways
let first: Gateway
let second: Gateway

/** As a browser asks by a balancer, which keeps its name and port: the cookie has the port in its name. */
function at(gateway: Gateway, { cookie, token }: Visitor) {
  const own = cookie.replace(/farebox-\d+/, `farebox-${new URL(gateway.url).port}`)
  return (action: AdminAction, more: object = {}) =>
    sendTo(gateway, action, { headers: { cookie: own, 'x-farebox-session': token }, ...more })
}

const statusAt = async (gateway: Gateway, visitor: Visitor, action: AdminAction = 'showSession') =>
  (await at(gateway, visitor)(action)).status

/** Resolves to how long it took until a session was refused. */
async function refusedAt(gateway: Gateway, visitor: Visitor): Promise<number> {
  const beganMs = performance.now()
  await expect.poll(() => statusAt(gateway, visitor), { ...WAIT, interval: 20 }).toBe(401)
  return performance.now() - beganMs
}

const settingAt = async ({ admin }: Gateway, name: string) =>
  (await admin.call('showSettings', {})).settings.find((setting) => setting.name === name)

describe('gateways behind a balancer', () => {
  beforeAll(async () => {
    gateways = await Gateways.begin(2)
    ;[first, second] = gateways.all as [Gateway, Gateway]
  })
  afterEach(() => gateways.expectSound())
  afterAll(() => gateways.close())

  it('take whoever signed in on one of them, at once, with what they may do', async () => {
    const [member, administrator] = [
      await newMember(first, 'mia'),
      await newMember(first, 'ada', { role: 'administrator' }),
    ]
    expect(await statusAt(second, administrator, 'listMembers')).toBe(200)
    expect(await statusAt(second, member, 'listMembers')).toBe(403)
    const { key } = await gateways.newKey(1e6)
    const holder = await signInWithKey(second, key)
    expect(await statusAt(first, holder)).toBe(200)
    // Who owns one machine owns no other.
    expect(await statusAt(second, await signInOwner(first))).toBe(401)
    // Neither value opens anything alone.
    expect(await statusAt(second, { ...administrator, token: member.token })).toBe(401)
    expect(await statusAt(second, { ...administrator, cookie: member.cookie })).toBe(401)
  })

  it('end a session on all of them within a second, wherever it is ended, and what it looks at with it', async () => {
    const visitor = await newMember(first, 'otto')
    const ended = new AbortController()
    const { headers } = { headers: { cookie: '', 'x-farebox-session': visitor.token } }
    headers.cookie = visitor.cookie.replace(/farebox-\d+/, `farebox-${new URL(second.url).port}`)
    const events = await fetch(`${second.url}/api/events`, { headers, signal: ended.signal })
    expect(events.status).toBe(200)
    const over = events.text().then(() => performance.now())
    const beganMs = performance.now()
    expect((await at(first, visitor)('signOut', {})).status).toBe(200)
    expect((await over) - beganMs).toBeLessThan(WITHIN_MS)
    expect(await refusedAt(second, visitor)).toBeLessThan(WITHIN_MS)

    const other = await newMember(second, 'olga')
    expect(await statusAt(first, other)).toBe(200)
    await first.admin.call('editMember', { id: 'olga', body: { status: 'suspended' } })
    expect(await refusedAt(second, other)).toBeLessThan(WITHIN_MS)
  })

  it('keep sessions when the gateway ends that opened them, and forget none that was ended meanwhile', async () => {
    const [stays, goes] = [await newMember(first, 'nina'), await newMember(first, 'nils')]
    const { dataDir } = first
    await gateways.end(first)
    expect(await statusAt(second, stays)).toBe(200)
    expect((await at(second, goes)('signOut', {})).status).toBe(200)
    first = await gateways.join({ dataDir })
    expect(await statusAt(first, stays)).toBe(200)
    expect(await statusAt(first, goes)).toBe(401)
  })

  it('keep no value of a session in the database, and none that somebody writes there for the owner', async () => {
    const visitor = await newMember(first, 'vera')
    const rows = JSON.stringify(await gateways.postgres.query('SELECT * FROM farebox.note'))
    expect(rows).toContain('"tokenHash"')
    for (const value of [visitor.token, visitor.cookie.split('=')[1] ?? '']) expect(rows).not.toContain(value)
    const forge = `UPDATE farebox.note SET body = jsonb_set(body, '{whose}', '{"type": "owner"}'), changed = (SELECT note_seq + 1 FROM farebox.state)
      WHERE body->'whose'->>'memberId' = (SELECT body->'whose'->>'memberId' FROM farebox.note ORDER BY changed DESC LIMIT 1)`
    await gateways.postgres.run(`${forge}; UPDATE farebox.state SET note_seq = note_seq + 1`)
    await refusedAt(second, visitor)
  })

  it('have a setting that is changed on one of them, the later one of two, and each its own language', async () => {
    const set = ({ admin }: Gateway, name: string, value: string | null) =>
      admin.call('setSetting', { id: name, body: { value } })
    expect(await settingAt(first, 'backup_keep')).toMatchObject({ source: 'default' })
    await set(first, 'backup_keep', '5')
    await expect.poll(() => settingAt(second, 'backup_keep'), WAIT).toMatchObject({ value: '5', source: 'stored' })
    const both = [set(first, 'backup_keep', '6'), set(second, 'backup_keep', '7')]
    await Promise.all(both)
    const values = async () => [
      (await settingAt(first, 'backup_keep'))?.value,
      (await settingAt(second, 'backup_keep'))?.value,
    ]
    await expect.poll(async () => new Set(await values()).size, WAIT).toBe(1)
    expect(['6', '7']).toContain((await values())[0])
    await set(second, 'backup_keep', null)
    await expect.poll(() => settingAt(first, 'backup_keep'), WAIT).toMatchObject({ source: 'default' })
    await set(first, 'language', 'de')
    await set(first, 'backup_keep', '8')
    await expect.poll(() => settingAt(second, 'backup_keep'), WAIT).toMatchObject({ value: '8' })
    expect((await settingAt(second, 'language'))?.value).not.toBe('de')
    // A gateway that joins later has it too, and one that starts again.
    const { dataDir } = second
    await gateways.end(second)
    second = await gateways.join({ dataDir })
    const third = await gateways.join()
    for (const gateway of [second, third]) {
      await expect.poll(() => settingAt(gateway, 'backup_keep'), WAIT).toMatchObject({ value: '8' })
    }
  })
})
