import { expect, it } from 'vitest'
import { refuse, type Refusal } from '#core/refusal.ts'
import { OpenExchanges } from '#pipeline/open-exchanges.ts'

/** An exchange that notes what is done to it. */
function exchange(keyId: string, startedAtMs = 0) {
  const stopped: Refusal[] = []
  const looks = { count: 0 }
  return {
    keyId,
    startedAtMs,
    stopped,
    looks,
    stop: (refusal: Refusal) => void stopped.push(refusal),
    look: () => void (looks.count += 1),
  }
}

it('lets every exchange that runs look after its client, and no other', () => {
  const open = new OpenExchanges()
  const [one, two, gone] = [exchange('a'), exchange('b'), exchange('a')]
  for (const each of [one, two, gone]) open.add(each)
  open.remove(gone)
  open.look()
  open.look()
  expect([one.looks.count, two.looks.count, gone.looks.count]).toEqual([2, 2, 0])
})

it('survives exchanges that end while they look', () => {
  const open = new OpenExchanges()
  const last = exchange('b')
  const first = { ...exchange('a'), look: () => open.remove(first) }
  open.add(first)
  open.add(last)
  open.look()
  expect([open.size, last.looks.count]).toEqual([1, 1])
})

it('stops the exchanges of a key, and those that run for too long', () => {
  const open = new OpenExchanges()
  const [old, young, other] = [exchange('a', 10), exchange('a', 20), exchange('b', 20)]
  for (const each of [old, young, other]) open.add(each)
  open.stopOlderThan(20)
  expect([old, young, other].map(({ stopped }) => stopped.map(({ code }) => code))).toEqual([
    ['upstream_timeout'],
    [],
    [],
  ])
  open.stopKey('a')
  expect(young.stopped).toEqual([refuse('key_not_usable', 'The key of this request was blocked.')])
  expect(other.stopped).toEqual([])
})

it('stops what is left after the grace, and what begins afterwards', async () => {
  const open = new OpenExchanges()
  const slow = { ...exchange('a'), stop: () => open.remove(slow) }
  open.add(slow)
  await open.drain(1)
  expect(open.size).toBe(0)
  const late = exchange('a')
  open.add(late)
  expect(late.stopped).toMatchObject([{ code: 'overloaded' }])
})
