import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressProblem, classOfAddress, namesThisMachine, parseAddress, type AddressClass } from '#core/address.ts'

/** The first and last addresses of ranges, and their neighbours outside. */
const BOUNDS: readonly (readonly [string, AddressClass])[] = [
  ['0.255.255.255', 'unspecified'],
  ['1.0.0.0', 'global'],
  ['9.255.255.255', 'global'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['11.0.0.0', 'global'],
  ['100.63.255.255', 'global'],
  ['100.64.0.0', 'private'],
  ['100.100.100.199', 'private'],
  ['100.100.100.200', 'metadata'],
  ['100.100.100.201', 'private'],
  ['100.127.255.255', 'private'],
  ['100.128.0.0', 'global'],
  ['126.255.255.255', 'global'],
  ['127.0.0.0', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['128.0.0.0', 'global'],
  ['168.63.129.15', 'global'],
  ['168.63.129.16', 'metadata'],
  ['168.63.129.17', 'global'],
  ['169.253.255.255', 'global'],
  ['169.254.0.0', 'link-local'],
  ['169.254.169.253', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['169.254.255.255', 'link-local'],
  ['169.255.0.0', 'global'],
  ['172.15.255.255', 'global'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', 'global'],
  ['191.255.255.255', 'global'],
  ['192.0.0.0', 'reserved'],
  ['192.0.1.0', 'global'],
  ['192.0.2.255', 'reserved'],
  ['192.0.3.0', 'global'],
  ['192.167.255.255', 'global'],
  ['192.168.0.0', 'private'],
  ['192.168.255.255', 'private'],
  ['192.169.0.0', 'global'],
  ['198.17.255.255', 'global'],
  ['198.18.0.0', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['198.20.0.0', 'global'],
  ['223.255.255.255', 'global'],
  ['224.0.0.0', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.0', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['8.8.8.8', 'global'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::2', 'reserved'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:8.8.8.8', 'global'],
  ['::FFFF:7f00:1', 'loopback'],
  ['64:ff9b::8.8.8.8', 'global'],
  ['64:ff9b::7f00:1', 'tunnel'],
  ['64:ff9b::c0a8:1', 'tunnel'],
  ['64:ff9b:1::8.8.8.8', 'reserved'],
  ['1fff:ffff::', 'reserved'],
  ['2000::1', 'global'],
  ['2001:4860:4860::8888', 'global'],
  ['2001:200::1', 'global'],
  ['2001:1ff::1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['2001:db9::1', 'global'],
  ['2001:0:1::1', 'tunnel'],
  ['2002:808:808::1', 'tunnel'],
  ['2003::1', 'global'],
  ['2606:4700::1111', 'global'],
  ['2606:4700::5efe:808:808', 'tunnel'],
  ['2606:4700::5eff:808:808', 'global'],
  ['3ffe::1', 'reserved'],
  ['3fff:fff:ffff::1', 'reserved'],
  ['3fff:1000::1', 'global'],
  ['4000::1', 'reserved'],
  ['fbff::1', 'reserved'],
  ['fc00::', 'private'],
  ['fd00:ec1::254', 'private'],
  ['fd00:ec2::254', 'metadata'],
  ['fd20:ce::253', 'private'],
  ['fd20:ce::254', 'metadata'],
  ['fdff:ffff::1', 'private'],
  ['fe7f::1', 'reserved'],
  ['fe80::', 'link-local'],
  ['febf:ffff::1', 'link-local'],
  ['fec0::1', 'reserved'],
  ['ff00::', 'multicast'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
]

describe('an address', () => {
  it.each(BOUNDS)('%s is %s', (address, kind) => {
    expect(classOfAddress(address)).toBe(kind)
  })

  it.each([
    '',
    ' ',
    ':',
    ':::',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4 ',
    '0x7f.0.0.1',
    '127.0.0.-1',
    '127.0.0.1e0',
    '１.2.3.4',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '1:2:3:4:5:6:7::8',
    '12345::',
    'g::',
    ':1',
    '1:',
    '::1.2.3',
    '::1.2.3.4:5',
    '1.2.3.4::',
    '[::1]',
    'fe80::1%eth0',
    '2606:4700::1%1',
    'example.com',
  ])('%j is unreadable, and no provider may be there', (address) => {
    expect(parseAddress(address)).toBeUndefined()
    expect(classOfAddress(address)).toBe('unreadable')
    expect(addressProblem(address, 'local')).toMatch(/not an address/)
  })
})

describe('a provider', () => {
  it('may be at a public address whatever its network, and near by only if that was said', () => {
    for (const address of ['8.8.8.8', '2606:4700::1111', '64:ff9b::808:808']) {
      expect(addressProblem(address, 'public')).toBeUndefined()
      expect(addressProblem(address, 'local')).toBeUndefined()
    }
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', '192.168.0.9', 'fd12::1', '100.64.0.1']) {
      expect(addressProblem(address, 'public')).toMatch(/network: local/)
      expect(addressProblem(address, 'local')).toBeUndefined()
    }
  })

  it('names this machine in any of the ways to do so', () => {
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.9]'])
      expect(namesThisMachine(new URL(`http://${host}/v1`)), host).toBe(true)
    for (const host of ['localhost.example.com', 'notlocalhost', '128.0.0.1', '10.0.0.1', '[::2]', '127.0.0.1.example'])
      expect(namesThisMachine(new URL(`http://${host}/v1`)), host).toBe(false)
  })
})

// The platform reads and compares addresses too, with code of its own: both must agree on everything.

const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'))
const group = fc.oneof(
  fc.constantFrom('0', 'ffff', 'fe80', 'fd00', 'ec2', '64', 'ff9b', '2001', 'db8', '2002', '5efe', 'a9fe', '7f00', '1'),
  fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16)),
)
const ipv6 = fc
  .tuple(fc.array(group, { maxLength: 8 }), fc.array(group, { maxLength: 8 }), fc.option(ipv4, { nil: undefined }))
  .map(([left, right, tail]) => {
    const end = tail === undefined ? right : [...right, tail]
    return left.length + end.length >= 8 ? [...left, ...end].join(':') : `${left.join(':')}::${end.join(':')}`
  })
const mapped = ipv4.map((address) => `::ffff:${address}`)
const likely = fc.oneof(
  ipv4,
  ipv6,
  mapped,
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefF:.x%'.split('')), maxLength: 24 }),
)

const FORBIDDEN = new BlockList()
const NEAR = new BlockList()
for (const [list, ranges] of [
  [NEAR, '127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 ::1/128 fc00::/7'],
  [
    FORBIDDEN,
    '0.0.0.0/8 100.100.100.200/32 168.63.129.16/32 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 ' +
      '198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 fd00:ec2::/32 fd20:ce::254/128 fd00:42::42/128 2001::/23 2001:db8::/32 ' +
      '2002::/16 3ffe::/16 3fff::/20 ::/128 ::/96 ::ffff:0:0:0/96 fe80::/10 fec0::/10 ff00::/8 4000::/2 100::/8',
  ],
] as const) {
  for (const range of ranges.split(' ')) {
    const [address = '', length = ''] = range.split('/')
    list.addSubnet(address, Number(length), address.includes(':') ? 'ipv6' : 'ipv4')
  }
}

describe('every text', () => {
  it('is read as an address exactly when the platform reads it as one, but for those with a zone', () => {
    fc.assert(
      fc.property(likely, (text) => {
        expect(parseAddress(text) !== undefined, text).toBe(isIP(text) !== 0 && !text.includes('%'))
      }),
      { numRuns: 20_000 },
    )
  })

  it('that is a forbidden address to the platform is one here, and likewise one near by', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6, mapped), (address) => {
        const version = isIP(address)
        if (version === 0) return
        const family = version === 4 ? 'ipv4' : 'ipv6'
        const kind = classOfAddress(address)
        const isNear = NEAR.check(address, family)
        if (FORBIDDEN.check(address, family) && !(isNear && address === '::1')) {
          expect(['global', 'private', ...(isNear ? [] : ['loopback'])], address).not.toContain(kind)
        } else if (isNear) expect(['loopback', 'private', 'tunnel'], address).toContain(kind)
      }),
      { numRuns: 20_000 },
    )
  })
})
