import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { PASSWORD } from '../support/password.ts'
import { newMember, signIn, signInOwner, trySignIn } from '../support/visitor.ts'
import { expectError, manualClock, type ManualClock } from './support.ts'

const MINUTE_MS = 60_000

let clock: ManualClock
let farebox: Farebox

beforeEach(async () => {
  clock = manualClock('2027-03-10T12:00:00.000Z')
  farebox = await startFarebox({ clock })
})
afterEach(() => farebox.close())

const call = (name: string, password: string) => trySignIn(farebox, { name, password })

// Hashing takes its time on purpose, and more of it on a machine that has other work.
const PATIENCE = { timeout: 120_000 }

describe('a ticket', PATIENCE, () => {
  it('signs the owner in once, also when it is used twice at the same moment', async () => {
    const { ticket } = await farebox.admin.call('makeTicket', {})
    const answers = await Promise.all(Array.from({ length: 5 }, () => trySignIn(farebox, { ticket })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401])
    const good = answers.find(({ status }) => status === 200)
    const cookie = good?.headers.get('set-cookie') ?? ''
    const port = new URL(farebox.url).port
    expect(cookie).toMatch(new RegExp(`^farebox-${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`))
    expect(await good?.json()).toMatchObject({
      session: {
        role: 'administrator',
        name: null,
        signed_in_at: '2027-03-10T12:00:00.000Z',
        expires_at: '2027-03-11T00:00:00.000Z',
        idle_at: '2027-03-10T12:30:00.000Z',
      },
    })
    await expectError(await trySignIn(farebox, { ticket: 'x' }), 401)
  })

  it('is never throttled out by wrong passwords', async () => {
    for (let count = 0; count < 6; count++) await call('ann', 'wrong')
    await expectError(await call('ann', 'wrong'), 429)
    expect((await (await signInOwner(farebox)).send('status')).status).toBe(200)
  })

  it('is asked for by administrators only', async () => {
    await expectError(await (await newMember(farebox, 'mia')).send('makeTicket'), 403)
  })
})

describe('a name and a password', PATIENCE, () => {
  it('are refused alike whatever is wrong with them', async () => {
    await newMember(farebox, 'mia')
    await farebox.admin.call('addMember', { body: { name: 'none' } })
    await newMember(farebox, 'sam')
    await farebox.admin.call('editMember', { id: 'sam', body: { status: 'suspended' } })
    const { id } = (await farebox.admin.call('listMembers', {}))[0] ?? { id: '' }
    const wrong = [
      ['nobody at all', PASSWORD],
      ['mia', 'wrong'],
      ['none', PASSWORD],
      ['sam', PASSWORD],
      [id, PASSWORD],
    ] as const
    const messages = new Set<string>()
    for (const [name, password] of wrong) messages.add(await expectError(await call(name, password), 401))
    expect(messages.size).toBe(1)
  })

  it('are slowed down after five wrong ones, and are good again afterwards, also over a restart', async () => {
    await newMember(farebox, 'mia')
    for (let count = 0; count < 5; count++) await expectError(await call('mia', 'wrong'), 401)
    const refused = await call('mia', PASSWORD)
    expect(refused.headers.get('retry-after')).toBe('1')
    await expectError(refused, 429)
    await farebox.stop()
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir })
    await expectError(await call('mia', PASSWORD), 429)
    clock.advance(1000)
    await expectError(await call('mia', 'wrong'), 401)
    clock.advance(1999)
    await expectError(await call('mia', PASSWORD), 429)
    clock.advance(1)
    expect((await call('MIA', PASSWORD)).status).toBe(200)
  })

  it('are changed by who has a session, whatever others try with the same name from the same address', async () => {
    const mia = await newMember(farebox, 'mia')
    for (let count = 0; count < 5; count++) await expectError(await call('mia', 'wrong'), 401)
    await expectError(await call('mia', PASSWORD), 429)
    const body = { password: 'another long one', old_password: PASSWORD }
    expect(await mia.call('changePassword', { body })).toEqual({})
    // The old password can be guessed no faster with a session than without.
    const wrong = { body: { password: 'a third long one', old_password: 'wrong' } }
    for (let count = 0; count < 5; count++) expect((await mia.send('changePassword', wrong)).status).toBe(403)
    expect((await mia.send('changePassword', wrong)).status).toBe(429)
  })

  it('are no reason to read a long body, or one of unknown length', async () => {
    await expectError(await call('mia', 'x'.repeat(5000)), 413)
    expect((await call('mia', 'x'.repeat(257))).status).toBe(400)
  })

  it('are changed by the member with the old one, which ends every other session', async () => {
    const [first, second] = [
      await newMember(farebox, 'mia'),
      await signIn(farebox, { name: 'mia', password: PASSWORD }),
    ]
    const body = { password: 'another long one', old_password: PASSWORD }
    expect((await first.send('changePassword', { body: { ...body, old_password: 'wrong' } })).status).toBe(403)
    expect((await first.send('changePassword', { body: { ...body, password: 'short' } })).status).toBe(400)
    expect(await first.call('changePassword', { body })).toEqual({})
    expect((await first.send('showSession')).status).toBe(200)
    await expectError(await second.send('showSession'), 401)
    await expectError(await call('mia', PASSWORD), 401)
    expect((await call('mia', 'another long one')).status).toBe(200)
    await expectError(await (await signInOwner(farebox)).send('changePassword', { body }), 400)
  })
})

describe('a session', PATIENCE, () => {
  it('is asked for with both its values on every request, and shows who it is', async () => {
    const mia = await newMember(farebox, 'mia')
    clock.advance(MINUTE_MS)
    expect(await mia.call('showSession')).toMatchObject({
      role: 'member',
      name: 'mia',
      signed_in_at: '2027-03-10T12:00:00.000Z',
      idle_at: '2027-03-10T12:31:00.000Z',
    })
    for (const headers of [{ cookie: mia.cookie }, { 'x-farebox-session': mia.token }]) {
      await expectError(await mia.send('showSession', { headers }), 401)
    }
    expect(await farebox.admin.call('listMembers', {})).toMatchObject([
      { name: 'mia', sessions: 1, last_seen_at: '2027-03-10T12:01:00.000Z', has_password: true },
    ])
  })

  it('has new values at each sign-in, and ends at once when it is signed out', async () => {
    const [first, second] = [await signInOwner(farebox), await signInOwner(farebox)]
    expect(new Set([first.cookie, second.cookie, first.token, second.token]).size).toBe(4)
    const answer = await first.send('signOut')
    expect(answer.headers.get('set-cookie')).toMatch(/=; HttpOnly; SameSite=Strict; Path=\/; Max-Age=0$/)
    await expectError(await first.send('showSession'), 401)
    expect((await second.send('showSession')).status).toBe(200)
    const third = await signInOwner(farebox)
    await third.call('signOut', { query: { everywhere: 'true' } })
    await expectError(await second.send('showSession'), 401)
  })

  it('ends after half an hour without a request, and goes on over a restart until then', async () => {
    const owner = await signInOwner(farebox)
    clock.advance(20 * MINUTE_MS)
    expect((await owner.send('showSession')).status).toBe(200)
    const { port } = new URL(farebox.url)
    await farebox.app.close()
    clock.advance(29 * MINUTE_MS)
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir, port: Number(port) })
    expect((await owner.send('showSession')).status).toBe(200)
    clock.advance(30 * MINUTE_MS)
    await expectError(await owner.send('showSession'), 401)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['suspended', () => farebox.admin.call('editMember', { id: 'mia', body: { status: 'suspended' } })],
    ['given another role', () => farebox.admin.call('editMember', { id: 'mia', body: { role: 'administrator' } })],
    [
      'given a password',
      () => farebox.admin.call('setMemberPassword', { id: 'mia', body: { password: 'p'.repeat(10) } }),
    ],
    ['removed', () => farebox.admin.call('removeMember', { id: 'mia' })],
  ])('of a member who is %s ends at once', async (_what, happen) => {
    const mia = await newMember(farebox, 'mia')
    expect((await mia.send('showSession')).status).toBe(200)
    await happen()
    await expectError(await mia.send('showSession'), 401)
  })

  it('is nothing that the command line has', async () => {
    await expect(farebox.admin.call('showSession', {})).rejects.toMatchObject({ status: 404 })
    await expect(farebox.admin.call('signOut', {})).rejects.toMatchObject({ status: 404 })
  })
})
