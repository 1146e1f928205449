import { expect, it } from 'vitest'
import { GuessThrottle } from '#server/guess-throttle.ts'

function scene() {
  const clock = { nowMs: 0 }
  const throttle = new GuessThrottle(() => clock.nowMs)
  const guess = (address: string, times: number) => {
    for (let count = 0; count < times; count++) throttle.wrong(address)
  }
  return { clock, throttle, guess }
}

it('refuses an address after thirty wrong keys, with the time in which one is forgiven', () => {
  const { clock, throttle, guess } = scene()
  guess('192.168.1.7', 30)
  expect(throttle.check('192.168.1.7')).toBeUndefined()
  guess('192.168.1.7', 1)
  expect(throttle.check('192.168.1.7')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2 })
  expect(throttle.check('192.168.1.8')).toBeUndefined()
  clock.nowMs += 2000
  expect(throttle.check('192.168.1.7')).toBeUndefined()
})

it('takes a machine with many addresses of one network for one', () => {
  const { throttle, guess } = scene()
  for (let count = 0; count < 40; count++) guess(`2001:db8:1:2::${count}`, 1)
  expect(throttle.check('2001:db8:1:2:ffff:ffff:ffff:ffff')).toMatchObject({ code: 'rate_limited' })
  expect(throttle.check('2001:db8:1:3::1')).toBeUndefined()
})

it('takes other machines behind mapped addresses for what they are', () => {
  const { throttle, guess } = scene()
  guess('::ffff:192.168.1.7', 40)
  expect(throttle.check('::ffff:192.168.1.7')).toMatchObject({ code: 'rate_limited' })
  expect(throttle.check('::ffff:192.168.1.8')).toBeUndefined()
})

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
  'never refuses this machine, whose programs share %s',
  (address) => {
    const { throttle, guess } = scene()
    guess(address, 1000)
    expect(throttle.check(address)).toBeUndefined()
  },
)

it('remembers a bounded number of addresses, those of the latest guesses', () => {
  const { throttle, guess } = scene()
  guess('10.255.255.1', 40)
  for (let count = 0; count < 10_000; count++) guess(`10.0.${count >> 8}.${count & 255}`, 1)
  expect(throttle.check('10.255.255.1')).toBeUndefined()
  guess('10.255.255.2', 40)
  expect(throttle.check('10.255.255.2')).toMatchObject({ code: 'rate_limited' })
})
