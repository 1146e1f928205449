import { describe, expect, it } from 'vitest'
import { csvText } from '#contract/csv.ts'
import { fileNameOf, memberLines, memberUsage, tokensOf } from '#renderer/data/member-usage.ts'
import { report, totals } from './usage-report.ts'

const ANN = { id: 'm1', name: '=Ann', points: [{ micro: 100_001, requests: 2, input: 10, output: 5 }] }
const LABEL = { name: '=Ann', points: [{ requests: 1 }] }
const NOBODY = { name: null, points: [{ requests: 3 }] }
const PAST = { name: 'Past', points: [{}] }

describe('what members used', () => {
  it('is nothing for those whom the report does not name', () => {
    const usage = memberUsage(report([ANN]))
    expect(usage.of('m1')?.requests).toBe(2)
    expect(usage.of('m2')?.requests).toBe(0)
  })

  it('is not known for them where the report has summed up a rest', () => {
    const usage = memberUsage(report([ANN, { kind: 'other', points: [{ requests: 1 }] }]))
    expect(usage.of('m1')?.requests).toBe(2)
    expect(usage.of('m2')).toBeUndefined()
  })

  it('has beside them the keys of no member, also of one who has the name of a member', () => {
    const usage = memberUsage(report([ANN, LABEL, NOBODY, PAST]))
    expect(usage.nobody.map(({ name, totals: { requests } }) => [name, requests])).toEqual([
      ['=Ann', 1],
      [null, 3],
    ])
  })

  it('has no tokens where nobody counted any', () => {
    expect(tokensOf(totals({ input: 10, output: 5 }))).toBe(15)
    expect(tokensOf(totals({ requests: 2, unknown: 2 }))).toBeUndefined()
  })
})

describe('the file', () => {
  const lines = csvText(memberLines(report([ANN, NOBODY]))).split('\r\n')

  it('says in every line of which time and zone it is, and runs no formula', () => {
    expect(lines[0]).toMatch(/^from,to,time_zone,kind,member,id,requests,.*,charge_credits,/)
    const range = '2026-11-14T23:00:00.000Z,2026-11-21T12:00:00.000Z,Europe/Berlin'
    expect(lines[1]).toBe(`${range},value,'=Ann,m1,2,0,10,0,0,5,0,0.100001,0,0`)
    expect(lines[2]).toBe(`${range},value,,,3,0,0,0,0,0,0,0,0,0`)
    expect(lines).toHaveLength(4)
  })

  it('is named by its days and their zone, whatever the zone is called', () => {
    const range = { from: '2026-11-14T23:00:00.000Z', to: '2026-11-21T23:00:00.000Z' }
    expect(fileNameOf('members', { ...range, time_zone: 'Europe/Berlin' })).toBe(
      'farebox-members-2026-11-15-2026-11-21-Europe-Berlin',
    )
    expect(fileNameOf('members', { ...range, time_zone: 'Etc/GMT+5' })).toContain('Etc-GMT+5')
  })
})
