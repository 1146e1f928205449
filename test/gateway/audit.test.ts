import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readInstance } from '#cli/client.ts'
import { canary, findInBytes, findInFolder } from '../support/canary.ts'
import { newMember, sendTo, signInOwner, trySignIn, type Visitor } from '../support/visitor.ts'
import { startPair, type Pair } from './support.ts'

let pair: Pair
let owner: Visitor

beforeAll(async () => {
  pair = await startPair()
  owner = await signInOwner(pair.farebox)
}, 120_000)
afterAll(() => pair.close())

/** The newest entry. */
async function last() {
  return (await pair.farebox.admin.call('listAudit', { query: { limit: '1' } })).entries[0]
}

describe('the audit log', { timeout: 120_000 }, () => {
  it('names who changed what, in the words that were asked for, whoever it was', async () => {
    const body = { name: 'seen', package: 'plenty', expires: '7d' }
    await owner.call('createKey', { body })
    expect(await last()).toMatchObject({
      actor: 'owner',
      action: 'createKey',
      subject: 'seen',
      outcome: 'done',
      status: 200,
      details: body,
    })
    const { token } = (await readInstance(pair.farebox.dataDir)) ?? { token: '' }
    const headers = { authorization: `Bearer ${token}` }
    await sendTo(pair.farebox, 'topUpKey', { id: 'seen', body: { credits: 2, reason: 'thanks' }, headers })
    expect(await last()).toMatchObject({
      actor: 'command line',
      action: 'topUpKey',
      subject: 'seen',
      details: { credits: 2, reason: 'thanks' },
    })
    await pair.farebox.admin.call('suspendKey', { id: 'seen' })
    expect(await last()).toMatchObject({ actor: 'farebox', action: 'suspendKey', subject: 'seen', details: {} })
  })

  it('names what was only made, once it is there', async () => {
    await owner.call('addWebhook', { body: { name: 'bell', url: 'https://alerts.example.com/' } })
    expect(await last()).toMatchObject({ action: 'addWebhook', subject: 'bell', outcome: 'done' })
    await owner.send('addWebhook', { body: { name: 'bell', url: 'https://alerts.example.com/' } })
    expect(await last()).toMatchObject({ action: 'addWebhook', subject: null, outcome: 'conflict' })
    const mail = { url: 'smtps://mail.example.com', from: 'farebox@example.com', to: 'team@example.com' }
    await owner.call('addMailbox', { body: { name: 'team', ...mail } })
    expect(await last()).toMatchObject({ action: 'addMailbox', subject: 'team' })
    await owner.call('setProject', { id: 'site', body: { credits_per_day: 5 } })
    expect(await last()).toMatchObject({ action: 'setProject', subject: 'site' })
  })

  it('has what was refused, and why', async () => {
    const mia = await newMember(pair.farebox, 'mia')
    await mia.send('revokeKey', { id: 'seen' })
    expect(await last()).toMatchObject({ actor: 'mia', action: 'revokeKey', outcome: 'not_found', status: 404 })
    await mia.send('addPackage', { body: { name: 'mine', type: 'unlimited' } })
    expect(await last()).toMatchObject({
      actor: 'mia',
      action: 'addPackage',
      outcome: 'forbidden',
      status: 403,
      details: {},
    })
    await owner.send('addPackage', { body: { name: 'x', nonsense: true } })
    expect(await last()).toMatchObject({ actor: 'owner', outcome: 'invalid_request', status: 400, details: {} })
  })

  it('has who signed in and who did not, without what they typed', async () => {
    await trySignIn(pair.farebox, { name: 'MIA', password: 'wrong' })
    expect(await last()).toMatchObject({
      actor: 'mia',
      action: 'signIn',
      outcome: 'unauthenticated',
      status: 401,
      details: {},
    })
    await trySignIn(pair.farebox, { name: 'typed into the wrong field', password: 'wrong' })
    expect(await last()).toMatchObject({ actor: 'nobody', action: 'signIn', details: {} })
    await signInOwner(pair.farebox)
    expect(await last()).toMatchObject({ actor: 'owner', action: 'signIn', outcome: 'done' })
  })

  it('has nothing about reading, about trying out, or from strangers', async () => {
    const before = await last()
    await owner.call('listKeys')
    await owner.call('apply', { body: { document: {}, dry_run: true } })
    await sendTo(pair.farebox, 'createKey', { body: { name: 'stranger', package: 'plenty' } })
    await sendTo(pair.farebox, 'createKey', { headers: { cookie: owner.cookie }, body: {} })
    expect(await last()).toEqual(before)
  })

  it('has what strangers do again and again as one entry that counts, and loses nothing of others to it', async () => {
    const body = { name: 'before the storm', package: 'plenty' }
    await owner.call('createKey', { body })
    const rows = async () => (await pair.farebox.admin.call('listAudit', { query: { limit: '1000' } })).entries
    const before = (await rows()).length
    const statuses = new Set<number>()
    for (let round = 0; round < 20; round++) {
      const knocks = Array.from({ length: 20 }, (_, index) => trySignIn(pair.farebox, { ticket: `t${round} ${index}` }))
      for (const { status } of await Promise.all(knocks)) statuses.add(status)
    }
    // A body of any other shape is a stranger's too.
    for (let count = 0; count < 200; count++) await sendTo(pair.farebox, 'signIn', { body: {} })
    expect(statuses).toEqual(new Set([401, 429]))
    const after = await rows()
    expect(after.length - before).toBeLessThanOrEqual(2)
    expect(after.filter(({ count }) => count > 1)).toMatchObject([
      { action: 'signIn', outcome: 'invalid_request', source: '127.0.0.1', count: 200 },
      { action: 'signIn', actor: 'nobody', outcome: 'unauthenticated', source: '127.0.0.1' },
    ])
    expect(after.find(({ details }) => details['name'] === body.name)).toMatchObject({ count: 1, source: null })
    expect((await signInOwner(pair.farebox)).token).not.toBe('')
  })

  it('is paged and filtered, newest first', async () => {
    const { admin } = pair.farebox
    const all = (await admin.call('listAudit', {})).entries
    const paged: unknown[] = []
    for (let before: string | null = ''; before !== null;) {
      const query: Record<string, string> = { limit: '3', ...(before === '' ? {} : { before }) }
      const page: { entries: unknown[]; next: string | null } = await admin.call('listAudit', { query })
      paged.push(...page.entries)
      before = page.next
    }
    expect(paged).toEqual(all)
    const mias = (await admin.call('listAudit', { query: { actor: 'mia', action: 'signIn' } })).entries
    expect(mias.map(({ outcome }) => outcome)).toEqual(['unauthenticated', 'done'])
    expect((await owner.send('listAudit', { query: { before: 'x' } })).status).toBe(400)
  })
})

it('keeps no secret, password, ticket or key, in whichever field it was sent', { timeout: 120_000 }, async () => {
  const { farebox } = pair
  const mark = Object.fromEntries(
    ['secret', 'applied', 'password', 'newPassword', 'guess', 'guessedName', 'path', 'unknown'].map((name) => [
      name,
      canary(),
    ]),
  ) as Record<string, string>
  const {
    secret = '',
    applied = '',
    password = '',
    newPassword = '',
    guess = '',
    guessedName = '',
    path = '',
    unknown = '',
  } = mark
  const provider = { dialect: 'chat-completions', base_url: `https://provider.example/${path}/v1` }
  await owner.send('addProvider', { body: { name: 'p', ...provider, secret } })
  await owner.send('setProviderSecret', { id: 'p', body: { secret } })
  await owner.send('addProvider', { body: { name: 'q', ...provider, secret, [unknown]: unknown } })
  await owner.send('apply', { body: { document: { providers: [{ name: 'p', ...provider, secret: applied }] } } })
  await owner.send('addMember', { body: { name: 'Bea', password } })
  await owner.send('setMemberPassword', { id: 'Bea', body: { password: newPassword } })
  await trySignIn(farebox, { name: 'Bea', password: guess })
  await trySignIn(farebox, { name: guessedName, password: guess })
  const { ticket } = await owner.call('makeTicket')
  await trySignIn(farebox, { ticket })
  const { key } = await owner.call('createKey', { body: { name: 'k', package: 'plenty' } })
  await owner.send('revokeKey', { id: key })
  await owner.send('createKey', { body: { name: key, package: 'none' } })
  const audit = JSON.stringify(await farebox.admin.call('listAudit', { query: { limit: '1000' } }))
  const planted = {
    ...mark,
    ticket,
    key: key.slice(4, -4),
    cookie: owner.cookie.split('=')[1] ?? '',
    token: owner.token,
  }
  expect(findInBytes(Buffer.from(audit), planted)).toEqual([])
  expect(findInBytes(Buffer.from(farebox.log.join('\n')), planted)).toEqual([])
  // The base URL is what the provider is called by, so that the database has to have it.
  expect(await findInFolder(farebox.dataDir, { ...planted, path: 'nowhere at all' })).toEqual([])
  expect(await readFile(join(farebox.dataDir, 'farebox.db-wal'), 'latin1')).toContain('setMemberPassword')
})
