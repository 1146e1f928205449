import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdminAction } from '#contract/admin-routes.ts'
import { newMember, type Visitor } from '../support/visitor.ts'
import { chat, expectError, startPair, type Pair } from './support.ts'

// Hashing takes its time on purpose, and more of it on a machine that has other work.
const PATIENCE = { timeout: 120_000 }

let pair: Pair
let mia: Visitor
let tom: Visitor

beforeAll(async () => {
  pair = await startPair()
  const { admin } = pair.farebox
  await admin.call('addPackage', { body: { name: 'open', type: 'topup', credits: 5, models: ['chat'] } })
  mia = await newMember(pair.farebox, 'Mia', { packages: ['open'] })
  tom = await newMember(pair.farebox, 'Tom', { packages: 'all' })
}, 120_000)
afterAll(() => pair.close())

const admin = () => pair.farebox.admin
let keys = 0
/** A key of Mia's with its value. */
async function ownKey() {
  const name = `own ${++keys}`
  const { id, key } = await mia.call('createKey', { body: { name, package: 'open' } })
  return { name, id, key }
}

describe('a member makes keys', PATIENCE, () => {
  it('that are theirs, under packages that are open to them, for at most the usual time', async () => {
    const { name, key } = await ownKey()
    const view = await mia.call('showKey', { id: name })
    expect(view).toMatchObject({ owner: 'Mia', package: 'open', status: 'active' })
    const days = (Date.parse(view.expires_at ?? '') - Date.parse(view.created_at)) / 86_400_000
    expect(days).toBe(90)
    expect((await chat(pair.farebox, key)).status).toBe(200)
    expect((await mia.call('createKey', { body: { name: 'short', package: 'open', expires: '1d' } })).name).toBe(
      'short',
    )
  })

  it.each([
    [404, { package: 'plenty' }],
    [404, { package: 'none' }],
    [403, { package: 'open', owner: 'Tom' }],
    [403, { package: 'open', owner: 'nobody' }],
    [403, { package: 'open', expires: 'never' }],
    [403, { package: 'open', expires: '91d' }],
    [400, { package: 'open', expires: 'soon' }],
    [409, { package: 'open', name: 'taken' }],
    [403, { package: 'open', project: 'limited' }],
    [403, { package: 'open', project: 'LIMITED' }],
  ] as const)('and is refused with %i for %j', async (status, members) => {
    await admin()
      .call('createKey', { body: { name: 'taken', package: 'plenty' } })
      .catch(() => undefined)
    await admin().call('setProject', { id: 'limited', body: { credits_per_day: 1 } })
    const answer = await mia.send('createKey', { body: { name: 'wanted', ...members } })
    expect(answer.status).toBe(status)
  })

  it('at most twenty', async () => {
    const zoe = await newMember(pair.farebox, 'Zoe', { packages: ['open'] })
    for (let count = 0; count < 20; count++)
      await zoe.call('createKey', { body: { name: `z${count}`, package: 'open' } })
    await expectError(await zoe.send('createKey', { body: { name: 'z', package: 'open' } }), 403)
    await zoe.call('revokeKey', { id: 'z0' })
    // What was revoked had its credits, too.
    await expectError(await zoe.send('createKey', { body: { name: 'z', package: 'open' } }), 403)
  })
})

describe('a member gives a key of theirs a new value', PATIENCE, () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

  it('under a package that is open to them, for as long as a new key would live', async () => {
    const { id, key: old } = await ownKey()
    await admin().call('extendKey', { id, body: { expires: '2d' } })
    const rotated = await mia.call('rotateKey', { id, body: { overlap: 'none' } })
    expect((rotated.expires_at ?? '') > inDays(89)).toBe(true)
    await expectError(await chat(pair.farebox, old), 401)
    expect((await chat(pair.farebox, rotated.key)).status).toBe(200)
    await expectError(await mia.send('rotateKey', { id, body: { expires: 'never' } }), 403, { param: 'expires' })
    await expectError(await mia.send('rotateKey', { id, body: { expires: '91d' } }), 403, { param: 'expires' })
  })

  it('under another package without moving its end, which is not theirs to move', async () => {
    const ann = await newMember(pair.farebox, 'Ann', { packages: ['open'] })
    const lent = { name: 'lent', package: 'plenty', owner: 'Ann', expires: '2d' }
    const { id } = await admin().call('createKey', { body: lent })
    const rotated = await ann.call('rotateKey', { id, body: {} })
    expect((rotated.expires_at ?? '') < inDays(3)).toBe(true)
    await expectError(await ann.send('rotateKey', { id, body: { expires: '1d' } }), 403)
  })
})

describe('a member sees and does', PATIENCE, () => {
  it('only what is theirs: the keys of others are not there, by id and by name', async () => {
    const { id, name } = await ownKey()
    const theirs = (await mia.call('listKeys')).map((key) => key.name)
    expect(theirs).toContain(name)
    expect(await tom.call('listKeys')).toEqual([])
    const actions: AdminAction[] = ['showKey', 'suspendKey', 'resumeKey', 'rotateKey', 'revokeKey']
    for (const action of actions) {
      for (const [asked, missing] of [
        [id, '00000000-0000-7000-8000-000000000000'],
        [name, 'not there'],
      ] as const) {
        const body = action === 'rotateKey' ? { body: {} } : {}
        const [other, none] = await Promise.all([asked, missing].map((id) => tom.send(action, { id, ...body })))
        if (other === undefined || none === undefined) throw new Error('two answers were asked for')
        const shape = async (answer: Response, word: string) =>
          (await answer.text()).replaceAll(word, 'X').replace(/"request_id":"[^"]*"/, '')
        expect([other.status, none.status]).toEqual([404, 404])
        expect(await shape(other, asked)).toBe(await shape(none, missing))
      }
    }
    expect((await mia.call('showKey', { id })).status).toBe('active')
  })

  it('their own calls and receipts', async () => {
    const { name, key } = await ownKey()
    const other = await pair.farebox.newKey('plenty')
    await chat(pair.farebox, key)
    await chat(pair.farebox, other)
    const { usage } = await mia.call('usage')
    expect(new Set(usage.map((row) => row.key)).has(name)).toBe(true)
    const all = (await admin().call('usage', {})).usage
    expect(all.length).toBeGreaterThan(usage.length)
    expect((await tom.call('usage')).usage).toEqual([])
    await expectError(await tom.send('usage', { query: { key: name } }), 404)
    const id = usage.find((row) => row.key === name)?.id ?? ''
    expect(await mia.call('receipt', { id })).toMatchObject({ id, key: name })
    await expectError(await tom.send('receipt', { id }), 404)
  })

  it('the packages that are open to them, and the models of these without who serves them', async () => {
    expect((await mia.call('listPackages')).map(({ name }) => name)).toEqual(['open'])
    expect((await tom.call('listPackages')).map(({ name, keys: count }) => [name, count])).toEqual([
      ['plenty', 0],
      ['open', 0],
    ])
    expect((await mia.call('listModels')).map(({ id, targets }) => [id, targets])).toEqual([['chat', []]])
    expect((await tom.call('listModels')).map(({ id }) => id).toSorted()).toEqual(['chat', 'embed'])
  })
})

describe('a key that is suspended', PATIENCE, () => {
  it('by its member is resumed by its member', async () => {
    const { name, key } = await ownKey()
    expect(await mia.call('suspendKey', { id: name })).toMatchObject({ status: 'suspended' })
    await expectError(await chat(pair.farebox, key), 403)
    expect(await mia.call('resumeKey', { id: name })).toMatchObject({ status: 'active' })
  })

  it('by an administrator is not, whoever suspended it first', async () => {
    const { name } = await ownKey()
    await mia.call('suspendKey', { id: name })
    await admin().call('suspendKey', { id: name })
    await expectError(await mia.send('resumeKey', { id: name }), 403)
    await mia.call('suspendKey', { id: name })
    await expectError(await mia.send('resumeKey', { id: name }), 403)
    expect(await admin().call('resumeKey', { id: name })).toMatchObject({ status: 'active' })
  })
})

describe('a member who is suspended', PATIENCE, () => {
  it('takes their keys along, also what these have running, and brings them back', async () => {
    const { name, key } = await ownKey()
    pair.upstream.once({ type: 'endless', delayMs: 5 })
    const running = chat(pair.farebox, key, { stream: true })
      .then((answer) => answer.text())
      .catch(() => '')
    await expect.poll(async () => (await admin().call('status', {})).open_exchanges).toBe(1)
    await admin().call('editMember', { id: 'mia', body: { status: 'suspended' } })
    await running
    expect(await expectError(await chat(pair.farebox, key), 403)).toBe('This key is suspended.')
    expect(await admin().call('showKey', { id: name })).toMatchObject({ status: 'suspended', owner: 'Mia' })
    await admin().call('editMember', { id: 'mia', body: { status: 'active' } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})

describe('an administrator', PATIENCE, () => {
  it('gives a key to a member by naming them as its owner', async () => {
    const kim = await newMember(pair.farebox, 'Kim')
    await admin().call('createKey', { body: { name: 'for kim', package: 'plenty', owner: 'kim' } })
    expect(await kim.call('listKeys')).toMatchObject([{ name: 'for kim', owner: 'Kim' }])
    expect(await kim.call('listPackages')).toEqual([])
    await expect(admin().call('removeMember', { id: 'Kim' })).rejects.toMatchObject({ status: 409 })
    await admin().call('revokeKey', { id: 'for kim' })
    expect(await admin().call('removeMember', { id: 'Kim' })).toEqual({})
    expect(await admin().call('showKey', { id: 'for kim' })).toMatchObject({ owner: 'Kim', status: 'revoked' })
    // The next of that name is somebody else.
    expect(await (await newMember(pair.farebox, 'Kim')).call('listKeys')).toEqual([])
  })

  it.each([
    [409, { name: 'mia' }],
    [400, { name: 'Command Line' }],
    [400, { name: 'owner' }],
    [400, { name: 'new', packages: ['none'] }],
    [400, { name: 'new', password: 'too short' }],
    [400, { name: 'new', role: 'king' }],
    [400, { name: '' }],
  ])('is refused with %i a member like %j', async (status, body) => {
    await expect(admin().call('addMember', { body: body as { name: string } })).rejects.toMatchObject({ status })
  })

  it('is told that somebody is no member', async () => {
    for (const call of [
      () => admin().call('editMember', { id: 'none', body: {} }),
      () => admin().call('setMemberPassword', { id: 'none', body: { password: 'p'.repeat(10) } }),
      () => admin().call('removeMember', { id: 'none' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ status: 404 })
    }
  })
})
