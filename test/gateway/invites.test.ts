import Database from 'better-sqlite3'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readInstance, adminClient } from '#cli/client.ts'
import { openApp } from '#app/open.ts'
import { findInBytes, findInFolder } from '../support/canary.ts'
import { startFarebox, testConfig, type Farebox } from '../support/farebox.ts'
import { LAN_ADDRESS } from '../lan/support.ts'
import { PASSWORD } from '../support/password.ts'
import { newMember, sendTo, signIn, signInOwner, trySignIn } from '../support/visitor.ts'
import { expectError, manualClock, type ManualClock } from './support.ts'

const HOUR_MS = 60 * 60_000
const OVER = 'This invite is no longer valid. Ask for a new one.'

let clock: ManualClock
let farebox: Farebox

beforeEach(async () => {
  clock = manualClock('2027-03-10T12:00:00.000Z')
  farebox = await startFarebox({ clock })
  await farebox.admin.call('addPackage', { body: { name: 'team', type: 'monthly', credits: 50 } })
  await farebox.admin.call('addPackage', { body: { name: 'other', type: 'monthly', credits: 50 } })
})
afterEach(() => farebox.close())

// Hashing takes its time on purpose, and more of it on a machine that has other work.
const PATIENCE = { timeout: 120_000 }

const invite = (name: string, packages?: 'all' | string[]) =>
  farebox.admin.call('createInvite', { body: { name, ...(packages && { packages }) } })
const codeOf = ({ link }: { readonly link: string }) => new URL(link).hash.replace('#invite=', '')
const accept = (code: string, password = PASSWORD) =>
  sendTo(farebox, 'acceptInvite', { body: { code, password }, headers: { origin: farebox.url } })
const shown = async (name: string) =>
  (await farebox.admin.call('listMembers', {})).find((member) => member.name === name)
/** An hour after its last failure nobody is slowed down any more. */
const refused = async (code: string) => {
  const answer = await accept(code)
  clock.advance(HOUR_MS)
  return expectError(answer, 401)
}

describe('an invite', PATIENCE, () => {
  it('makes a member, opens packages, and lets its holder choose a password and sign in with it', async () => {
    const card = await invite('mia', ['team'])
    expect(card).toMatchObject({
      member: 'mia',
      address: farebox.url,
      fingerprint: null,
      expires_at: '2027-03-11T12:00:00.000Z',
    })
    expect(card.link).toMatch(new RegExp(`^${farebox.url}/#invite=[\\w-]{43}$`))
    expect(await shown('mia')).toMatchObject({ role: 'member', packages: ['team'], has_password: false })
    const answer = await accept(codeOf(card))
    expect(answer.status).toBe(200)
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const { token, session } = (await answer.json()) as { token: string; session: unknown }
    expect(session).toMatchObject({ role: 'member', name: 'mia' })
    const headers = { cookie, 'x-farebox-session': token }
    expect((await sendTo(farebox, 'createKey', { body: { name: 'mine', package: 'team' }, headers })).status).toBe(200)
    expect((await sendTo(farebox, 'createKey', { body: { name: 'no', package: 'other' }, headers })).status).toBe(404)
    expect((await trySignIn(farebox, { name: 'mia', password: PASSWORD })).status).toBe(200)
    expect(await farebox.admin.call('listInvites', {})).toEqual([])
  })

  it('is for a member without a password too, who keeps their packages unless others are named', async () => {
    await farebox.admin.call('addMember', { body: { name: 'mia', packages: ['team'] } })
    const { id } = (await shown('mia')) ?? { id: '' }
    await invite('MIA')
    expect(await shown('mia')).toMatchObject({ id, packages: ['team'] })
    await invite(id, ['other'])
    expect(await shown('mia')).toMatchObject({ id, packages: ['other'] })
    expect(await farebox.admin.call('listInvites', {})).toEqual([
      { member: 'mia', id, created_at: '2027-03-10T12:00:00.000Z', expires_at: '2027-03-11T12:00:00.000Z' },
    ])
  })

  it('is good once, also when it is used several times at the same moment', async () => {
    const code = codeOf(await invite('mia'))
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept(code)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401])
    expect(await refused(code)).toBe(OVER)
  })

  it('is not used up by a password that is too short', async () => {
    const code = codeOf(await invite('mia'))
    expect((await accept(code, 'short')).status).toBe(400)
    expect((await accept(code)).status).toBe(200)
  })

  it('goes on over a restart', async () => {
    const code = codeOf(await invite('mia'))
    await farebox.stop()
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir })
    expect((await accept(code)).status).toBe(200)
  })

  it('leads to the LAN where that is on, and never to where the request says that it was sent', async () => {
    const { port } = new URL(farebox.url)
    const owner = await signInOwner({ url: `http://localhost:${port}`, admin: farebox.admin })
    const here = await owner.call('createInvite', { body: { name: 'mia' } })
    expect(here.address).toBe(`http://127.0.0.1:${port}`)
    await newMember(farebox, 'ada', { role: 'administrator' })
    const body = { address: LAN_ADDRESS, port: 0, names: ['farebox.test'] }
    const { urls, certificate } = await farebox.admin.call('setLan', { body })
    const there = await owner.call('createInvite', { body: { name: 'mia' } })
    expect(there).toMatchObject({ address: urls[0], fingerprint: certificate?.fingerprint })
    expect(there.link.startsWith('https://farebox.test:')).toBe(true)
  })
})

describe('a code', PATIENCE, () => {
  it('is in the answer alone: not in the list, the audit log, the database or what is printed', async () => {
    const code = codeOf(await invite('mia'))
    const other = codeOf(await invite('tom'))
    await accept(code)
    await accept('x'.repeat(43))
    const audit = await farebox.admin.call('listAudit', {})
    const texts = [audit, await farebox.admin.call('listInvites', {}), farebox.log]
    for (const text of texts)
      expect(findInBytes(Buffer.from(JSON.stringify(text)), { code, other, PASSWORD })).toEqual([])
    expect(await findInFolder(farebox.dataDir, { code, other, PASSWORD })).toEqual([])
  })

  it('is named in the audit log by what it was for', async () => {
    const card = await invite('mia', ['team'])
    await refused('wrong')
    await accept(codeOf(card))
    await invite('tom')
    await farebox.admin.call('withdrawInvite', { id: 'tom' })
    const { entries } = await farebox.admin.call('listAudit', { query: { limit: '5' } })
    expect(entries.toReversed()).toMatchObject([
      { actor: 'farebox', action: 'createInvite', outcome: 'done', details: { name: 'mia', packages: ['team'] } },
      { actor: 'nobody', action: 'acceptInvite', outcome: 'unauthenticated', details: {} },
      { actor: 'mia', action: 'acceptInvite', outcome: 'done', details: {} },
      { actor: 'farebox', action: 'createInvite', details: { name: 'tom' } },
      { actor: 'farebox', action: 'withdrawInvite', subject: 'tom' },
    ])
  })

  it('is refused in one sentence, whatever is wrong with it', async () => {
    const messages = new Set<string>()
    messages.add(await refused('never-was'))
    messages.add(await refused('x'.repeat(43)))
    const used = codeOf(await invite('used'))
    await accept(used)
    messages.add(await refused(used))
    const replaced = codeOf(await invite('replaced'))
    await invite('replaced')
    messages.add(await refused(replaced))
    const withdrawn = codeOf(await invite('withdrawn'))
    await farebox.admin.call('withdrawInvite', { id: 'withdrawn' })
    messages.add(await refused(withdrawn))
    const over = codeOf(await invite('over'))
    clock.advance(24 * HOUR_MS)
    messages.add(await refused(over))
    expect([...messages]).toEqual([OVER])
  })

  const ends: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
    ['is suspended', (id) => farebox.admin.call('editMember', { id, body: { status: 'suspended' } })],
    ['becomes an administrator', (id) => farebox.admin.call('editMember', { id, body: { role: 'administrator' } })],
    [
      'gets a password',
      (id) => farebox.admin.call('setMemberPassword', { id, body: { password: 'of their own one' } }),
    ],
    ['is removed', (id) => farebox.admin.call('removeMember', { id })],
  ]
  it.each(ends)('ends when its member %s, and does not come back', async (_how, end) => {
    const code = codeOf(await invite('mia'))
    await end('mia')
    expect(await farebox.admin.call('listInvites', {})).toEqual([])
    const back = { status: 'active', role: 'member' } as const
    await farebox.admin.call('editMember', { id: 'mia', body: back }).catch(() => undefined)
    expect(await refused(code)).toBe(OVER)
    await farebox.stop()
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir })
    expect(await refused(code)).toBe(OVER)
  })

  it('is tried five times, and then more and more slowly; a right one is taken all the while', async () => {
    const [code, other] = [codeOf(await invite('mia')), codeOf(await invite('sam'))]
    for (let count = 0; count < 5; count++) await expectError(await accept(`wrong ${count}`), 401)
    const slowed = await accept('wrong')
    expect(slowed.headers.get('retry-after')).toBe('1')
    await expectError(slowed, 429)
    // What was not looked at is not noted.
    const [last] = (await farebox.admin.call('listAudit', { query: { limit: '1' } })).entries
    expect(last).toMatchObject({ action: 'acceptInvite', outcome: 'unauthenticated' })
    expect((await accept(code)).status).toBe(200)
    await expectError(await accept(code), 429)
    clock.advance(1000)
    await expectError(await accept(code), 401)
    expect((await accept(other)).status).toBe(200)
  })

  it('shares its tries with those of passwords', async () => {
    for (let count = 0; count < 5; count++) await trySignIn(farebox, { name: 'mia', password: 'wrong' })
    await expectError(await accept('wrong'), 429)
  })

  it('is taken from our own page alone, and in a short body', async () => {
    const code = codeOf(await invite('mia'))
    const body = { code, password: PASSWORD }
    for (const origin of ['http://evil.example', 'null']) {
      await expectError(await sendTo(farebox, 'acceptInvite', { body, headers: { origin } }), 403)
    }
    const bare = await fetch(`${farebox.url}/api/invites/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await expectError(bare, 403)
    await expectError(await accept(code, 'x'.repeat(5000)), 413)
    expect((await accept(code)).status).toBe(200)
  })

  it('leaves its row when its time is over', async () => {
    await invite('mia')
    await signInOwner(farebox)
    expect(rows()).toBe(1)
    clock.advance(24 * HOUR_MS)
    await expect.poll(rows, { timeout: 20_000 }).toBe(0)
  })
})

describe('to invite is refused', PATIENCE, () => {
  it('for those who cannot have an invite', async () => {
    await newMember(farebox, 'mia')
    await farebox.admin.call('addMember', { body: { name: 'ada', role: 'administrator' } })
    await farebox.admin.call('addMember', { body: { name: 'sue' } })
    await farebox.admin.call('editMember', { id: 'sue', body: { status: 'suspended' } })
    const owner = await signInOwner(farebox)
    const cases = [
      ['mia', 409, 'has a password already'],
      ['ada', 409, 'administrator'],
      ['sue', 409, 'suspended'],
      ['owner', 400, 'meaning of its own'],
      ['', 400, ''],
    ] as const
    for (const [name, status, says] of cases) {
      const answer = await owner.send('createInvite', { body: { name } })
      expect(answer.status, name).toBe(status)
      expect(await answer.text(), name).toContain(says)
    }
    expect((await trySignIn(farebox, { name: 'mia', password: PASSWORD })).status).toBe(200)
  })

  it('with a package that is not there, which makes no member', async () => {
    const owner = await signInOwner(farebox)
    expect((await owner.send('createInvite', { body: { name: 'mia', packages: ['none'] } })).status).toBe(400)
    expect(await shown('mia')).toBeUndefined()
  })

  it('to members, and to the holder of an invite', async () => {
    const mia = await newMember(farebox, 'mia')
    await expectError(await mia.send('createInvite', { body: { name: 'tom' } }), 403)
    await expectError(await mia.send('listInvites'), 403)
    await invite('tom')
    await expectError(await mia.send('withdrawInvite', { id: 'tom' }), 403)
    expect(await farebox.admin.call('listInvites', {})).toHaveLength(1)
  })

  it('while a hundred are open, but for one that takes the place of another', async () => {
    for (let count = 0; count < 100; count++) await invite(`m${count}`)
    const owner = await signInOwner(farebox)
    expect((await owner.send('createInvite', { body: { name: 'one more' } })).status).toBe(409)
    expect(await shown('one more')).toBeUndefined()
    expect((await owner.send('createInvite', { body: { name: 'm7' } })).status).toBe(200)
    clock.advance(24 * HOUR_MS)
    const again = await signInOwner(farebox)
    expect((await again.send('createInvite', { body: { name: 'one more' } })).status).toBe(200)
  })

  it('where no gateway runs that a link could lead to', async () => {
    await farebox.stop()
    const app = await openApp(testConfig(farebox.dataDir, {}), () => undefined, { clock })
    try {
      const { call } = adminClient((request) => app.inject(request))
      await expect(call('createInvite', { body: { name: 'mia' } })).rejects.toMatchObject({ status: 409 })
      expect(await call('listMembers', {})).toEqual([])
    } finally {
      await app.close()
    }
    farebox = await startFarebox({ clock, dataDir: farebox.dataDir })
    expect(await readInstance(farebox.dataDir)).toBeDefined()
  })
})

describe('to withdraw is refused', PATIENCE, () => {
  it('where there is no member of the name, or no open invite', async () => {
    const owner = await signInOwner(farebox)
    await expectError(await owner.send('withdrawInvite', { id: 'nobody' }), 404)
    await newMember(farebox, 'mia')
    await expectError(await owner.send('withdrawInvite', { id: 'mia' }), 404)
    await invite('tom')
    clock.advance(24 * HOUR_MS)
    await expectError(await (await signInOwner(farebox)).send('withdrawInvite', { id: 'tom' }), 404)
    expect((await signIn(farebox, { name: 'mia', password: PASSWORD })).token).not.toBe('')
  })
})

function rows(): number {
  const db = new Database(join(farebox.dataDir, 'farebox.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM invite').pluck().get())
  } finally {
    db.close()
  }
}
