// Every spelling of a forbidden place, against the transport that carries the calls: nothing is connected to. Names that are
// resolved to such places are refused like the places themselves.

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Network } from '#core/entities.ts'
import { refusalOfFailure, UpstreamFailure } from '#core/failure.ts'
import { NEEDS_LOCAL, NEVER } from '../support/places.ts'
import { caller, names, watchConnections, type Outcome } from './support.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function expectRefused(outcome: Outcome, says: RegExp): void {
  if (!(outcome instanceof UpstreamFailure)) return expect.fail(`it was answered ${outcome.status}`)
  expect(outcome).toMatchObject({ kind: 'address' })
  expect(outcome.message).toMatch(/^The base URL of the provider 'provider' leads to .*\.$/)
  expect(outcome.message).toMatch(says)
  expect(refusalOfFailure(outcome).code).toBe('upstream_error')
}

async function ask(baseUrl: string, network: Network): Promise<Outcome> {
  const { send, connections } = caller({ resolve: names({ 'provider.test': [['127.0.0.1']] }) })
  const outcome = await send({ baseUrl, network })
  await connections.close()
  return outcome
}

describe('a base URL at', () => {
  it.each(NEVER)('%s is never connected to', async (host, says) => {
    const watched = watchConnections()
    for (const [network, scheme, port] of [
      ['local', 'http', ':8080'],
      ['local', 'https', ''],
      ['public', 'https', ':8443'],
    ] as const) {
      expectRefused(await ask(`${scheme}://${host}${port}/v1`, network), says)
    }
    expect(watched.attempts()).toBe(0)
  })

  it.each(NEEDS_LOCAL)('%s is not connected to for a public provider', async (host, says) => {
    const watched = watchConnections()
    const outcome = await ask(`https://${host}:9/v1`, 'public')
    expectRefused(outcome, says)
    expect(outcome).toMatchObject({ message: expect.stringContaining("'network: local'") as string })
    expect(watched.attempts()).toBe(0)
  })

  it('any place is not connected to over http for a public provider', async () => {
    const watched = watchConnections()
    const outcome = await ask('http://api.example.com/v1', 'public')
    expect(outcome).toMatchObject({ kind: 'address' })
    expect(outcome).toMatchObject({ message: expect.stringMatching(/is not https/) as string })
    expect(watched.attempts()).toBe(0)
  })
})

/** What a resolver might answer; scoped addresses come from the system's own. */
const ANSWERS: readonly (readonly [string, RegExp])[] = [
  ['169.254.169.254', /metadata/],
  ['::ffff:169.254.169.254', /metadata/],
  ['::FFFF:A9FE:A9FE', /metadata/],
  ['64:ff9b::a9fe:a9fe', /inside of another/],
  ['2002:a9fe:a9fe::1', /inside of another/],
  ['fe80::1', /link-local/],
  ['fe80::1%eth0', /not an address/],
  ['fd00:ec2::254', /metadata/],
  ['0.0.0.0', /unspecified/],
  ['::', /unspecified/],
  ['224.0.0.1', /multicast/],
  ['255.255.255.255', /reserved/],
  ['0x7f.1', /not an address/],
  ['2130706433', /not an address/],
  ['0177.0.0.1', /not an address/],
  ['127.0.0.1 ', /not an address/],
  ['', /not an address/],
]

describe('a name that resolves to', () => {
  it.each(ANSWERS)('%j is never connected to', async (address, says) => {
    for (const network of ['public', 'local'] as const) {
      const { send, connections } = caller({ resolve: names({ 'provider.test': [[address]] }) })
      expectRefused(await send({ baseUrl: 'https://provider.test/v1', network }), says)
      await connections.close()
    }
  })

  it.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.1'])(
    '%s is not connected to for a public provider',
    async (address) => {
      const { send, connections } = caller({ resolve: names({ 'provider.test': [[address]] }) })
      expectRefused(await send({ baseUrl: 'https://provider.test/v1', network: 'public' }), /network: local/)
      await connections.close()
    },
  )

  it('nothing is not connected to either', async () => {
    const { send, connections } = caller({ resolve: names({ 'provider.test': [[]] }) })
    expectRefused(await send({ baseUrl: 'https://provider.test/v1', network: 'public' }), /no address/)
    await connections.close()
  })
})
