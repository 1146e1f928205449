import { expect, it } from 'vitest'
import { SharedCalls } from '#fleet/shared-calls.ts'

/** Two gateways, and what PostgreSQL tells both of them when one of them asks for it. */
function scene() {
  const clock = { ms: 1000 }
  const notices: string[] = []
  const faults: unknown[] = []
  const all = ['one', 'other'].map((gatewayId) => {
    const say = async (name: string, [calls]: readonly unknown[]) => {
      if (name === 'look_at_calls') for (const each of all) each.lookedAt(gatewayId)
      else notices.push(`${gatewayId} ${String(calls)}`)
      return {}
    }
    return new SharedCalls<string>({
      seat: { gatewayId, say, inTurn: async (work) => work({} as never) },
      monotonicMs: () => clock.ms,
      shown: (text) => ({ keyId: 'key', view: { text } }),
    })
  })
  const [one, other] = all as [SharedCalls<string>, SharedCalls<string>]
  const deliver = () => {
    for (const text of notices.splice(0)) for (const each of all) each.heard(text, (error) => faults.push(error))
  }
  return { clock, notices, faults, one, other, deliver }
}

it('are told to those who look, by all others, for as long as they do', async () => {
  const { clock, notices, one, other, deliver } = scene()
  other.recorded(['nobody looks'])
  await other.tell()
  expect(notices).toEqual([])
  const seen: unknown[] = []
  const stop = one.listen((calls) => seen.push(...calls))
  await one.tell()
  one.recorded(['own'])
  other.recorded(['first', 'second'])
  for (const each of [one, other]) await each.tell()
  deliver()
  expect(seen).toEqual(['first', 'second'].map((text) => ({ keyId: 'key', view: { text } })))
  // It says again that it looks before the others forget it.
  clock.ms += 10_000
  await one.tell()
  clock.ms += 10_000
  other.recorded(['third'])
  await other.tell()
  deliver()
  expect(seen).toHaveLength(3)
  stop()
  await one.tell()
  clock.ms += 16_000
  other.recorded(['fourth'])
  await other.tell()
  expect(notices).toEqual([])
})

it('are the latest ones where they are more than one notice has room for', async () => {
  const { notices, one, other } = scene()
  one.listen(() => undefined)
  await one.tell()
  const calls = Array.from({ length: 500 }, (_, index) => `${index} ${'ä'.repeat(100)}`)
  other.recorded(calls.slice(0, 400))
  other.recorded(calls.slice(400))
  await other.tell()
  const [notice = ''] = notices
  expect(Buffer.byteLength(notice)).toBeLessThan(8000 - 50)
  const told = JSON.parse(notice.slice('other '.length)) as { view: { text: string } }[]
  expect(told.length).toBeGreaterThan(20)
  expect(told.map(({ view }) => view.text)).toEqual(calls.slice(-told.length))
})

it('do nobody harm where somebody else writes notices that say nothing', () => {
  const { faults, one, notices, deliver } = scene()
  one.listen(() => undefined)
  notices.push('other {', 'other', '')
  deliver()
  expect(faults).toHaveLength(3)
})
