import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GuessThrottle } from '#server/gateway/guess-throttle.ts'

function scene() {
  const clock = { nowMs: 0 }
  const throttle = new GuessThrottle(() => clock.nowMs)
  /** How many of so many wrong keys are answered as wrong. */
  const guess = (address: string, times: number) =>
    Array.from({ length: times }, () => throttle.wrong(address)).filter((refusal) => refusal === undefined).length
  return { clock, throttle, guess }
}

it('tells a source of thirty wrong keys that they are, and then when it may try again', () => {
  const { clock, throttle, guess } = scene()
  expect(guess('192.168.1.7', 100)).toBe(30)
  expect(throttle.wrong('192.168.1.7')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2 })
  expect(guess('192.168.1.8', 1)).toBe(1)
  clock.nowMs += 2000
  expect(guess('192.168.1.7', 100)).toBe(1)
})

it('takes a machine with many addresses of one network for one', () => {
  const { throttle, guess } = scene()
  for (let count = 0; count < 40; count++) guess(`2001:db8:1:2::${count}`, 1)
  expect(throttle.wrong('2001:db8:1:2:ffff:ffff:ffff:ffff')).toMatchObject({ code: 'rate_limited' })
  expect(guess('2001:db8:1:3::1', 1)).toBe(1)
})

it('takes other machines behind mapped addresses for what they are', () => {
  const { guess } = scene()
  expect(guess('::ffff:192.168.1.7', 20)).toBe(20)
  expect(guess('::ffff:c0a8:107', 20)).toBe(10)
  expect(guess('192.168.1.7', 1)).toBe(0)
  expect(guess('::ffff:192.168.1.8', 1)).toBe(1)
})

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
  'never refuses this machine, whose programs share %s',
  (address) => {
    expect(scene().guess(address, 1000)).toBe(1000)
  },
)

it('remembers a bounded number of sources, those of the latest guesses', () => {
  const { guess } = scene()
  guess('10.255.255.1', 40)
  for (let count = 0; count < 10_000; count++) guess(`10.0.${count >> 8}.${count & 255}`, 1)
  expect(guess('10.255.255.1', 1)).toBe(1)
  guess('10.255.255.2', 40)
  expect(guess('10.255.255.2', 1)).toBe(0)
})

it('in whichever order wrong keys come: thirty, and one for every two seconds', () => {
  const step = fc.record({ address: fc.constantFrom('a:b::1', 'a:b::2', 'a:c::1', '10.0.0.1'), afterMs: fc.nat(3000) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 200 }), (steps) => {
      const { clock, guess } = scene()
      let told = 0
      for (const { address, afterMs } of steps) {
        clock.nowMs += afterMs
        const isTold = guess(address, 1) === 1
        if (address.startsWith('a:b') && isTold) told += 1
      }
      expect(told).toBeLessThanOrEqual(30 + clock.nowMs / 2000)
    }),
  )
})
