// The places where a provider may not be are refused when it is made already, as far as its base URL shows them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdminError } from '#cli/client.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { NEEDS_LOCAL, NEVER, NO_HOST } from '../support/places.ts'
import { provider, refusal, refused } from './support.ts'

let farebox: Farebox
let names = 0

beforeAll(async () => {
  farebox = await startFarebox()
})

afterAll(async () => {
  expect(await farebox.admin.call('listProviders', {})).toHaveLength(added)
  await farebox.close()
})

let added = 0

const add = (more: Partial<ProviderCreate>) =>
  farebox.admin.call('addProvider', { body: provider(`provider-${++names}`, more) })

async function expectRefused(more: Partial<ProviderCreate>, says: RegExp): Promise<void> {
  expect(await refusal(add(more))).toEqual(refused.invalid('base_url'))
  const said = await add(more).catch((error: unknown) => (error instanceof AdminError ? error.message : ''))
  expect(said).toMatch(says)
}

describe('a provider', () => {
  it.each(NEVER)('is refused at %s, whatever its network', async (host, says) => {
    await expectRefused({ base_url: `https://${host}/v1`, network: 'public' }, says)
    await expectRefused({ base_url: `http://${host}:8080/v1`, network: 'local' }, says)
    await expectRefused({ base_url: `https://${host}/v1` }, says)
  })

  it.each(NEEDS_LOCAL)('at %s is refused in the public network', async (host, says) => {
    await expectRefused({ base_url: `https://${host}/v1`, network: 'public' }, says)
    await expectRefused({ base_url: `https://${host}/v1`, network: 'public' }, /'network: local'/)
    expect(await add({ base_url: `http://${host}/v1`, network: 'local' })).toMatchObject({ network: 'local' })
    added += 1
  })

  it.each(NO_HOST)('is refused at %j, which is no host', async (host) => {
    await expectRefused({ base_url: `http://${host}/v1`, network: 'local' }, /is not a URL/)
  })

  it('is local without saying so at this machine, and nowhere else', async () => {
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '127.1', '[::1]', '[::ffff:7f00:1]']) {
      expect(await add({ base_url: `http://${host}:11434/v1` }), host).toMatchObject({ network: 'local' })
      added += 1
    }
    for (const host of ['10.0.0.1', '192.168.1.1', '[fd12::1]']) {
      await expectRefused({ base_url: `https://${host}/v1` }, /a private network/)
    }
  })

  it('sends nothing over http unless it is local', async () => {
    await expectRefused({ base_url: 'http://api.example.com/v1' }, /is not https.*'network: local'/)
    expect(await add({ base_url: 'http://api.example.com/v1', network: 'local' })).toMatchObject({ network: 'local' })
    added += 1
  })
})
