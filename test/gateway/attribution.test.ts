// Whom calls were made for: told by clients and keys, shown by receipts and lists, and passed on to nobody.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KeyCreate, UsageList } from '#contract/schemas.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, ROUTES, startHouse, type House } from './house.ts'
import { expectError, get, post } from './support.ts'

const BODY = { model: 'chat-completions', messages: [{ role: 'user', content: 'Hello' }] }
const NOBODY = { tool: null, project: null, tags: [], session: null }

let house: House
let key = ''
let name = ''

beforeAll(async () => {
  house = await startHouse()
})

beforeEach(async () => {
  house.upstream.forget()
  ;({ key, name } = await newKey(house))
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

/** The id of a call that was answered. */
async function callWith(headers: Readonly<Record<string, string>>, by = key): Promise<string> {
  const response = await post(house.farebox, BODY, { key: by, headers: { 'user-agent': 'curl/8.1', ...headers } })
  expect(response.status).toBe(200)
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

async function receipt(id: string, by = key): Promise<Record<string, unknown>> {
  return (await (await get(house.farebox, `/v1/receipts/${id}`, by)).json()) as Record<string, unknown>
}

function list(query: object): Promise<UsageList> {
  return house.farebox.admin.call('usage', { query: { key: name, ...query } })
}

async function keyWith(labels: Partial<KeyCreate>): Promise<string> {
  const body = { name: `${name} labelled`, package: 'plenty', ...labels }
  return (await house.farebox.admin.call('createKey', { body })).key
}

describe('a call', () => {
  it('has its tool, session, project and tags in its receipt and in lists', async () => {
    const id = await callWith({
      'user-agent': 'opencode/1.2',
      'x-opencode-session': 'ses_1',
      'x-farebox-project': 'Website',
      'x-farebox-tags': 'night,ci',
    })
    const told = { tool: 'opencode', project: 'website', tags: ['ci', 'night'], session: 'ses_1' }
    expect(await receipt(id)).toMatchObject(told)
    expect((await list({})).usage).toMatchObject([{ id, ...told }])
  })

  it('that says nothing has nothing', async () => {
    const id = await callWith({ 'user-agent': '' })
    expect(await receipt(id)).toMatchObject(NOBODY)
  })

  it('is counted to what its key is set to, from the moment on that it is', async () => {
    const own = await keyWith({ tool: 'Zed', project: 'Books', tags: ['Slow'] })
    const first = await callWith({ 'x-farebox-project': 'mine' }, own)
    expect(await receipt(first, own)).toMatchObject({ tool: 'zed', project: 'books', tags: ['slow'] })
    const body = { project: 'films', tool: null, tags: [] }
    const edited = await house.farebox.admin.call('editKey', { id: `${name} labelled`, body })
    expect(edited).toMatchObject({ project: 'films', tool: null, tags: [] })
    const second = await callWith({}, own)
    expect(await receipt(second, own)).toMatchObject({ tool: 'curl', project: 'films', tags: [] })
    expect(await receipt(first, own)).toMatchObject({ project: 'books' })
  })

  it.each(ROUTES)('tells its provider none of it: %s to %s', async (format, dialect) => {
    const said = { 'x-farebox-project': 'hush', 'x-farebox-tags': 'hush', 'x-claude-code-session-id': 'hush' }
    const more = { 'session-id': 'hush', session_id: 'hush', 'x-opencode-session': 'hush', 'x-session-id': 'hush' }
    const response = await ask(house, [format, dialect], { key, headers: { ...said, ...more } })
    await response.text()
    expect(response.status).toBe(200)
    expect(house.upstream.requests).toHaveLength(1)
    for (const { headers } of house.upstream.requests) expect(JSON.stringify(headers)).not.toContain('hush')
  })

  it('is served whatever stands in those headers', async () => {
    for (const value of ['"', ',,,', 'é', 'x'.repeat(4000), 'a;b', "' OR 1=1 --"]) {
      const id = await callWith({ 'x-farebox-project': value, 'x-farebox-tags': value, 'session-id': value })
      expect(await receipt(id)).toMatchObject({ project: 'other', tags: [] })
    }
  })
})

describe('lists of calls', () => {
  it('are filtered by tool, project, tag and session', async () => {
    const web = await callWith({ 'x-farebox-project': 'web', 'x-farebox-tags': 'a,b', 'session-id': 's-1' })
    const app = await callWith({ 'x-farebox-project': 'app', 'x-farebox-tags': 'b', 'session-id': 's-2' })
    const long = await callWith({ 'user-agent': 'goose/1', 'session-id': 'x'.repeat(100) })
    const idsOf = async (query: object) => (await list(query)).usage.map(({ id }) => id)
    expect(await idsOf({ project: 'WEB' })).toEqual([web])
    expect(await idsOf({ tag: 'b' })).toEqual([app, web])
    expect(await idsOf({ tag: 'b', project: 'app' })).toEqual([app])
    expect(await idsOf({ tool: 'goose' })).toEqual([long])
    expect(await idsOf({ session: 's-2' })).toEqual([app])
    expect(await idsOf({ session: 'x'.repeat(100) })).toEqual([long])
    expect(await idsOf({ session: 's-2', project: 'web' })).toEqual([])
    expect(await idsOf({ session: 'never' })).toEqual([])
  })

  it('of a session go on page after page', async () => {
    const made: string[] = []
    for (let call = 0; call < 5; call++) made.unshift(await callWith({ 'session-id': 'paged' }))
    await callWith({ 'session-id': 'another' })
    const found: string[] = []
    let before: string | undefined
    do {
      const page = await list({ session: 'paged', limit: '2', ...(before === undefined ? {} : { before }) })
      found.push(...page.usage.map(({ id }) => id))
      before = page.next ?? undefined
    } while (before !== undefined)
    expect(found).toEqual(made)
  })
})

it('sums by tool, project and tag are those of the calls', async () => {
  await callWith({ 'x-farebox-project': 'sums-a', 'x-farebox-tags': 't1,t2' })
  await callWith({ 'x-farebox-project': 'sums-b', 'x-farebox-tags': 't1' })
  const report = async (group: 'tool' | 'project' | 'tag') => {
    const { series, totals } = await house.farebox.admin.call('usageReport', { query: { group, key: name } })
    return [totals.requests, Object.fromEntries(series.map((line) => [line.name, line.totals.requests]))]
  }
  expect(await report('tool')).toEqual([2, { curl: 2 }])
  expect(await report('project')).toEqual([2, { 'sums-a': 1, 'sums-b': 1 }])
  expect(await report('tag')).toEqual([2, { t1: 2, t2: 1 }])
})

it('sums by session are those of its calls, of a time and without its course', async () => {
  await callWith({ 'session-id': 'by-a' })
  await callWith({ 'session-id': 'by-a' })
  await callWith({ 'session-id': 'by-b' })
  await callWith({})
  const query = { group: 'session', key: name, from: '24h' } as const
  const { series, totals } = await house.farebox.admin.call('usageReport', {
    query: { ...query, points: 'none', top: '2' },
  })
  expect(totals.requests).toBe(4)
  expect(series.map((line) => [line.kind, line.totals.requests])).toEqual([
    ['value', 2],
    ['value', 1],
    ['other', 1],
  ])
  expect(series[0]?.name).toBe('by-a')
  const all = await house.farebox.admin.call('usageReport', { query: { ...query, points: 'none' } })
  expect(Object.fromEntries(all.series.map((line) => [line.name, line.totals.requests]))).toEqual({
    'by-a': 2,
    'by-b': 1,
    null: 1,
  })
  const micro = all.series.reduce((sum, line) => sum + Math.round(line.totals.charge_credits * 1e6), 0)
  expect(micro).toBe(Math.round(all.totals.charge_credits * 1e6))
  await expect(house.farebox.admin.call('usageReport', { query })).rejects.toThrow('points=none')
})

it('sums of one session have every call of it, and of the keys that are asked about alone', async () => {
  const { key: other } = await newKey(house)
  for (let call = 0; call < 3; call++) await callWith({ 'session-id': 'the one' })
  await callWith({ 'session-id': 'the one' }, other)
  await callWith({ 'session-id': 'another one' })
  const query = { session: 'the one', from: '400d', points: 'none' } as const
  const sums = (more: object = {}) => house.farebox.admin.call('usageReport', { query: { ...query, ...more } })
  const ofKey = await sums({ key: name })
  const told = await get(house.farebox, '/v1/usage?session=the%20one', key)
  const usage = (await told.json()) as { charge_credits: number }
  expect(ofKey.totals).toMatchObject({ requests: 3, charge_credits: usage.charge_credits })
  expect(ofKey.series).toMatchObject([{ kind: 'all', totals: { requests: 3 }, points: [] }])
  expect(ofKey.refused).toBeNull()
  expect((await sums()).totals.requests).toBe(4)
  expect((await sums({ to: '2020-01-02', from: '2020-01-01' })).totals.requests).toBe(0)
  expect((await sums({ session: 'never' })).totals.requests).toBe(0)
  await expect(sums({ group: 'model' })).rejects.toThrow('no groups')
  await expect(sums({ points: 'all' })).rejects.toThrow('points=none')
})

describe('what a session cost', () => {
  const usageOf = (query: string, by = key) => get(house.farebox, `/v1/usage${query}`, by)

  it('is the sum of the calls of this key in it, to the micro-credit, and nothing of others', async () => {
    const ids: string[] = []
    for (let call = 0; call < 3; call++) ids.push(await callWith({ 'session-id': 'shared' }))
    await callWith({ 'session-id': 'not this one' })
    const { key: other } = await newKey(house)
    await callWith({ 'session-id': 'shared' }, other)
    const charges = await Promise.all(ids.map(async (id) => Number((await receipt(id))['charge_credits'])))
    const micro = charges.reduce((sum, credits) => sum + Math.round(credits * 1e6), 0)
    expect(micro).toBeGreaterThan(0)
    const usage = await usageOf('?session=shared')
    expect(usage.status).toBe(200)
    expect(await usage.json()).toMatchObject({
      object: 'usage',
      session: 'shared',
      requests: 3,
      charge_credits: micro / 1e6,
    })
    expect(await (await usageOf('?session=shared', other)).json()).toMatchObject({ requests: 1 })
    expect(await (await usageOf('?session=never')).json()).toMatchObject({ requests: 0, charge_credits: 0 })
  })

  it('is found by the id that was sent, also where a hash of it is kept', async () => {
    const long = 'y'.repeat(300)
    await callWith({ 'session-id': long })
    expect(await (await usageOf(`?session=${long}`)).json()).toMatchObject({ requests: 1 })
  })

  it.each(['', '?session=', '?session=a&session=b', `?session=${'x'.repeat(1025)}`])(
    'is refused without one session: %s',
    async (query) => {
      await expectError(await usageOf(query), 400, { param: 'session' })
    },
  )

  it('is told to nobody without a key', async () => {
    await expectError(await fetch(`${house.farebox.url}/v1/usage?session=shared`), 401)
  })
})
