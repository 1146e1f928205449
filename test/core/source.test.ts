import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { siteOf, sourceOf } from '#core/source.ts'

describe('the source of an address', () => {
  it.each([
    ['192.168.1.7', '192.168.1.7'],
    ['::ffff:192.168.1.7', '192.168.1.7'],
    ['::FFFF:c0a8:107', '192.168.1.7'],
    ['0:0:0:0:0:ffff:192.168.1.7', '192.168.1.7'],
    ['64:ff9b::192.168.1.7', '192.168.1.7'],
    ['2001:db8:1:2::5', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.255.3.4', '127.255.3.4'],
    ['::ffff:127.9.9.9', '127.9.9.9'],
    ['::1', '127.0.0.1'],
    ['', ''],
    ['not an address', 'not an address'],
  ])('of %s is %s', (address, source) => {
    expect(sourceOf(address)).toBe(source)
  })

  it('is one for all addresses of a network, and another one for those beside it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n << 120n, max: (1n << 128n) - 1n }),
        fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
        (value, host) => {
          const network = value >> 64n
          expect(sourceOf(spelled((network << 64n) | host))).toBe(sourceOf(spelled(value)))
          expect(sourceOf(spelled(((network ^ 1n) << 64n) | host))).not.toBe(sourceOf(spelled(value)))
        },
      ),
    )
  })

  it('belongs to a site, which for IPv4 is itself', () => {
    expect(siteOf(sourceOf('2001:db8:1:2::5'))).toBe('2001:db8:1::/48')
    expect(siteOf(sourceOf('2001:db8:1:3::5'))).toBe('2001:db8:1::/48')
    expect(siteOf('192.168.1.7')).toBe('192.168.1.7')
    expect([siteOf('127.0.0.1'), siteOf('127.4.5.6')]).toEqual(['127.0.0.0/8', '127.0.0.0/8'])
  })
})

function spelled(value: bigint): string {
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(':')
}
