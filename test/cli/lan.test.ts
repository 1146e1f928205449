// What the verbs of the LAN print, and what they refuse before anything is asked.

import { describe, expect, it } from 'vitest'
import type { ResponseBody } from '#contract/admin-api.ts'
import { fakeGateway, LAN } from './fake-gateway.ts'
import { run } from './fake-host.ts'

async function printed(answer: Partial<ResponseBody<'showLan'>>, typed = ['lan', 'status']): Promise<string> {
  const gateway = fakeGateway(({ path }) =>
    path === '/api/lan' ? { status: 200, body: { ...LAN, ...answer } } : undefined,
  )
  return (await run(typed, { gateway })).stdout
}

describe('farebox lan', () => {
  it('says where it is reached and by which certificate', async () => {
    const text = await printed({})
    expect(text).toMatch(/^LAN +on$/m)
    expect(text).toContain('https://farebox.test:3273')
    expect(text).toContain('https://192.168.1.5:3273')
    expect(text).toMatch(/^SHA-256 +AA:BB$/m)
    expect(text).toMatch(/^certificate until +2028-11-20 00:00 UTC$/m)
    expect(text).toMatch(/^administration +off$/m)
  })

  it('says what can be chosen while it is off: an interface once, and its other addresses', async () => {
    const off = { state: 'off', urls: [], certificate: null, settings: null } as const
    const interfaces = [...LAN.interfaces, { name: 'eth0', address: 'fd00::5', is_public: false }]
    const text = await printed({ ...off, urls: [], interfaces })
    expect(text).toContain('  --interface eth0  (192.168.1.5)\n  --address fd00::5  (eth0 too)')
    expect(await printed({ ...off, urls: [], interfaces: [] })).toContain('no network')
  })

  it('says why it is not on, and warns of an address of the internet', async () => {
    const problem = 'This machine does not have the address 192.168.1.5 now.'
    expect(await printed({ state: 'failed', urls: [], problem })).toContain(`\n${problem}\n`)
    expect(await printed({ is_public: true })).toContain('address of the internet')
    expect(await printed({ is_public: true, state: 'off', urls: [] })).not.toContain('internet')
  })

  it('prints the certificate as a file has it', async () => {
    const text = await printed({}, ['lan', 'certificate'])
    expect(text).toBe('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')
  })

  it.each([
    ['lan on --administration yes', '--administration takes on or off.'],
    ['lan on --port many', '--port takes a number.'],
    ['lan on --port 65536', '--port must be'],
    ['lan on --port 1.5', '--port must be'],
    ['lan on eth0', 'takes nothing but flags'],
    ['lan', "'lan' has no such verb."],
    ['lan up', "'lan' has no such verb."],
  ])('is refused before anything is asked: %s', async (typed, message) => {
    const ran = await run(typed.split(' '))
    expect(ran).toMatchObject({ exitCode: 2, requests: [] })
    expect(ran.stderr).toContain(message)
  })
})
