// Whether this machine's clock is right, by what providers' answers say of the time.

import { describe, expect, it } from 'vitest'
import type { Provider } from '#core/entities.ts'
import { ProviderClocks } from '#provider/clocks.ts'

const NOW = Date.parse('2027-01-02T03:04:05.000Z')
const MINUTE = 60_000

const provider = (name: string, baseUrl = `https://${name}.example/v1`) => ({ name, baseUrl }) as Provider
const FAR = provider('far')
const LOCAL = provider('local', 'http://localhost:11434/v1')

/** Clocks that a test moves, with what they know. */
function opened() {
  const at = { nowMs: NOW, monotonicMs: 1_000 }
  const clocks = new ProviderClocks({ nowMs: () => at.nowMs, monotonicMs: () => at.monotonicMs })
  const says = (whose: Provider, aheadMs: number, more: Readonly<Record<string, string>> = {}) =>
    clocks.note(whose, { date: new Date(at.nowMs - aheadMs).toUTCString(), ...more })
  return { at, clocks, says }
}

describe('the clock of this machine', () => {
  it.each([
    ['ahead', 60],
    ['right', 0],
    ['behind', -60],
  ])('is %s by what an answer says', (_, minutes) => {
    const { clocks, says } = opened()
    says(FAR, minutes * MINUTE)
    expect(clocks.nearest([FAR])).toEqual({ provider: 'far', aheadS: minutes * 60 })
  })

  it('is that of the provider from which it differs least', () => {
    const { clocks, says } = opened()
    const wrong = provider('wrong')
    says(wrong, 600 * MINUTE)
    says(FAR, -MINUTE)
    expect(clocks.nearest([wrong, FAR])).toEqual({ provider: 'far', aheadS: -60 })
    expect(clocks.nearest([wrong])).toEqual({ provider: 'wrong', aheadS: 36_000 })
  })

  it('is not right because a server on this machine has the same', () => {
    const { clocks, says } = opened()
    says(LOCAL, 0)
    expect(clocks.nearest([LOCAL])).toBeUndefined()
    says(FAR, 60 * MINUTE)
    expect(clocks.nearest([LOCAL, FAR])?.provider).toBe('far')
    // What passes on the answers of another machine has its time.
    says(LOCAL, 30 * MINUTE)
    expect(clocks.nearest([LOCAL, FAR])).toEqual({ provider: 'local', aheadS: 1_800 })
  })

  it('is right once it was put right, and not wrong because the machine slept', () => {
    const { at, clocks, says } = opened()
    says(FAR, 60 * MINUTE)
    at.nowMs -= 59 * MINUTE
    at.monotonicMs += MINUTE
    expect(clocks.nearest([FAR])?.aheadS).toBe(0)
    says(FAR, 0)
    at.nowMs += 480 * MINUTE
    at.monotonicMs += MINUTE
    expect(clocks.nearest([FAR])?.aheadS).toBe(0)
  })

  it.each([
    ['nothing', {}],
    ['no time', { date: 'yesterday' }],
    ['several', { date: ['Sat, 02 Jan 2027 03:04:05 GMT', 'x'] }],
    ['what a cache kept', { date: 'Sat, 02 Jan 2027 01:04:05 GMT', age: '7200' }],
  ])('is not known from an answer that says %s', (_, headers) => {
    const { clocks } = opened()
    clocks.note(FAR, headers)
    expect(clocks.nearest([FAR])).toBeUndefined()
  })
})
