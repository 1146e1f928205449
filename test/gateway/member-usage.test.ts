// What members used: reports and lists by whose the keys are, with the keys of nobody and of those who were removed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UsageReport, UsageReportQuery } from '#contract/reports.ts'
import { PASSWORD } from '../support/password.ts'
import { newMember, signIn, signInWithKey, type Visitor } from '../support/visitor.ts'
import { chat, manualClock, startPair, type Pair } from './support.ts'

// Hashing takes its time on purpose, and more of it on a machine that has other work.
const PATIENCE = { timeout: 120_000 }

let pair: Pair
let ann: Visitor
let holder: Visitor
let annId: string

const admin = () => pair.farebox.admin
const keyOf = (name: string, owner?: string) =>
  admin().call('createKey', { body: { name, package: 'plenty', ...(owner === undefined ? {} : { owner }) } })
const calls = async (key: string, count: number) => {
  for (let made = 0; made < count; made++) await (await chat(pair.farebox, key)).text()
}
const BY_MEMBER = { group: 'member', from: 'month', rollup: 'day', points: 'none', top: '999' } as const
/** Groups that only had calls in the time before are left out. */
const sums = ({ series }: UsageReport) =>
  series.map(({ id, name, totals }) => [id, name, totals.requests] as const).filter(([, , requests]) => requests > 0)

beforeAll(async () => {
  // A month whose first day is still the day before in UTC.
  const clock = manualClock('2027-03-31T12:00:00.000Z')
  pair = await startPair({ clock })
  // Before there is a member of that name, the key is nobody's, whatever it says.
  const early = await keyOf('early', 'Ann')
  await newMember(pair.farebox, 'Ann', { packages: 'all' })
  await newMember(pair.farebox, 'Gone', { packages: 'all' })
  await newMember(pair.farebox, 'Idle', { packages: 'all' })
  annId = (await admin().call('listMembers', {})).find(({ name }) => name === 'Ann')?.id ?? ''
  await calls((await keyOf('last month', 'Ann')).key, 1)
  clock.advance(2 * 86_400_000)
  const [one, two, gone, nobody] = [
    await keyOf('one', 'Ann'),
    await keyOf('two', 'Ann'),
    await keyOf('gone', 'Gone'),
    await keyOf('free'),
  ]
  await calls(one.key, 4)
  await calls(two.key, 3)
  await calls(early.key, 1)
  await calls(gone.key, 5)
  await calls(nobody.key, 2)
  ann = await signIn(pair.farebox, { name: 'Ann', password: PASSWORD })
  holder = await signInWithKey(pair.farebox, one.key)
  await admin().call('revokeKey', { id: 'gone' })
  await admin().call('removeMember', { id: 'Gone' })
  // A new member of the old name has none of its calls.
  await admin().call('addMember', { body: { name: 'Gone' } })
}, 120_000)
afterAll(() => pair.close())

describe('a report by member', PATIENCE, () => {
  it('tells members apart by who they are, and keys of no member by whom they name', async () => {
    const report = await admin().call('usageReport', { query: BY_MEMBER })
    expect(sums(report)).toEqual([
      [annId, 'Ann', 7],
      [null, 'Gone', 5],
      [null, null, 2],
      [null, 'Ann', 1],
    ])
    expect(report.totals.requests).toBe(15)
    expect(report.series.every(({ points }) => points.length === 0)).toBe(true)
  })

  it('of a month begins with its first day in the zone of the report', async () => {
    const { from, time_zone: zone, intervals } = await admin().call('usageReport', { query: BY_MEMBER })
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    expect(format.format(Date.parse(from))).toBe('01/04/2027, 00:00')
    expect(intervals[0]).toBe(from)
  })

  it('has its course of time unless that is left out, with the same sums', async () => {
    const query: UsageReportQuery = { ...BY_MEMBER, points: 'all', top: '50' }
    const report = await admin().call('usageReport', { query })
    const without = await admin().call('usageReport', { query: BY_MEMBER })
    expect(sums(report)).toEqual(sums(without))
    for (const { points, totals } of report.series) {
      expect(points.reduce((sum, { requests }) => sum + requests, 0)).toBe(totals.requests)
    }
  })

  it('sums up what does not stand by itself', async () => {
    const { series } = await admin().call('usageReport', { query: { ...BY_MEMBER, top: '1' } })
    expect(series.map(({ kind, totals }) => [kind, totals.requests])).toEqual([
      ['value', 7],
      ['other', 8],
    ])
  })

  it('is of one member where one is named, by name or id', async () => {
    for (const member of ['Ann', 'ann', annId]) {
      const report = await admin().call('usageReport', { query: { ...BY_MEMBER, group: 'key', member } })
      expect(sums(report).map(([, name, requests]) => [name, requests])).toEqual([
        ['one', 4],
        ['two', 3],
      ])
    }
    const { usage } = await admin().call('usage', { query: { member: 'Ann', since: 'month' } })
    expect(usage).toHaveLength(7)
    expect((await admin().call('usage', { query: { member: 'Idle' } })).usage).toEqual([])
    expect((await admin().call('usage', { query: { member: 'Ann', key: 'free' } })).usage).toEqual([])
    expect((await admin().call('usageReport', { query: { ...BY_MEMBER, member: 'Gone' } })).totals.requests).toBe(0)
  })

  it('shows a member and the holder of a key what is theirs, under their own name', async () => {
    expect(sums(await ann.call('usageReport', { query: BY_MEMBER }))).toEqual([[annId, 'Ann', 7]])
    expect(sums(await holder.call('usageReport', { query: BY_MEMBER }))).toEqual([[annId, 'Ann', 4]])
    expect((await ann.call('usage', { query: { member: 'Ann', since: 'month' } })).usage).toHaveLength(7)
  })

  it.each(['usage', 'usageReport'] as const)(
    'of another member is refused by %s like one of nobody',
    async (action) => {
      await expect(admin().call(action, { query: { member: 'nobody' } })).rejects.toMatchObject({ status: 404 })
      for (const [visitor, member] of [
        [ann, 'Idle'],
        [ann, 'nobody'],
        [holder, 'Idle'],
        [holder, 'Ann'],
        [holder, 'nobody'],
      ] as const) {
        const answer = await visitor.send(action, { query: { member } })
        expect([answer.status, await answer.text()]).toEqual([
          404,
          expect.stringContaining(`There is no member '${member}'.`),
        ])
      }
    },
  )

  it.each([{ points: 'some' }, { group: 'members' }, { from: 'months' }, { top: '1000' }])(
    'is refused with %j',
    async (query) => {
      await expect(admin().call('usageReport', { query: query as UsageReportQuery })).rejects.toMatchObject({
        status: 400,
      })
    },
  )
})
