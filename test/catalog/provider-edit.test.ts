import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProviderEdit } from '#contract/providers.ts'
import { openVault } from '#secret/vault.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { provider, refusal, refused } from './support.ts'

let farebox: Farebox
let names = 0

beforeAll(async () => {
  farebox = await startFarebox()
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const add = (more: Parameters<typeof provider>[1] = {}) =>
  call('addProvider', { body: provider(`provider-${++names}`, more) })
const edit = (id: string, body: ProviderEdit) => call('editProvider', { id, body })
const shown = async (id: string) => (await call('listProviders', {})).find((listed) => listed.id === id)
const vault = () => openVault({ dataDir: farebox.dataDir, keyFile: undefined })

async function storedSecrets(providerId: string): Promise<string[]> {
  return (await vault().list()).filter((secret) => secret.providerId === providerId).map((secret) => secret.origin)
}

describe('editing a provider', () => {
  it('that is not there is refused', async () => {
    expect(await refusal(edit('nobody', {}))).toEqual(refused.notFound)
  })

  it.each<[string, object]>([
    ['base_url', { base_url: '' }],
    ['base_url', { base_url: 'api.example.com' }],
    ['base_url', { base_url: 'https://user:pass@api.example.com' }],
    ['base_url', { base_url: 'https://api.example.com/v1?key=x' }],
    ['base_url', { base_url: 'http://api.example.com' }],
    ['base_url', { base_url: 'http://127.0.0.1:11434/v1' }],
    ['base_url', { base_url: 'http://169.254.169.254', network: 'local' }],
    ['network', { network: 'everywhere' }],
    ['on_disconnect', { on_disconnect: 'wait' }],
    ['limits.credits_per_day', { limits: { credits_per_day: 0.0000001 } }],
    ['limits.requests', { limits: { requests: 1 } }],
    ['time_limits.connect_ms', { time_limits: { connect_ms: 0 } }],
    ['quirks.max_stops', { quirks: { max_stops: -1 } }],
    ['secret', { secret: 'sk-new' }],
    ['name', { name: 'another' }],
    ['dialect', { dialect: 'messages' }],
  ])('is refused for its %s and changes nothing: %j', async (param, wrong) => {
    const before = await add({ secret: 'mine' })
    expect(await refusal(edit(before.id, { output_cap_field: 'max_completion_tokens', ...wrong }))).toEqual(
      refused.invalid(param),
    )
    expect(await shown(before.id)).toEqual(before)
    expect(await storedSecrets(before.id)).toEqual(['https://api.example.com'])
  })

  it('cannot take away what its base URL needs', async () => {
    const local = await add({ base_url: 'http://127.0.0.1:11434/v1' })
    expect(await refusal(edit(local.id, { network: 'public' }))).toEqual(refused.invalid('network'))
    expect(await shown(local.id)).toEqual(local)
  })

  it.each<[string, ProviderEdit]>([
    ['base_url', { base_url: 'https://api.example.com' }],
    ['network', { network: 'local' }],
    ['secret_header', { secret_header: 'x-api-key' }],
  ])('of the demo is refused for its %s', async (param, body) => {
    const demo = await call('addProvider', { body: { name: `demo-${++names}`, dialect: 'demo' } })
    expect(await refusal(edit(demo.id, body))).toEqual(refused.invalid(param))
    expect(await edit(demo.id, { limits: { concurrent_requests: 2 } })).toEqual({
      ...demo,
      limits: { concurrent_requests: 2 },
    })
  })

  it.each<[string, ProviderEdit]>([
    ['base_url', { base_url: 'https://api.example.com/v2' }],
    ['network', { network: 'local' }],
    ['secret_header', { secret_header: 'api-key' }],
    ['output_cap_field', { output_cap_field: 'max_completion_tokens' }],
    ['on_disconnect', { on_disconnect: 'drain' }],
  ])('changes its %s and leaves everything else, its secret too', async (_field, body) => {
    const before = await add({ secret: 'mine', limits: { requests_per_minute: 5 }, quirks: { max_stops: 1 } })
    expect(await edit(before.name, body)).toEqual({ ...before, ...body })
    expect(await shown(before.id)).toEqual({ ...before, ...body })
    expect(await storedSecrets(before.id)).toEqual(['https://api.example.com'])
  })

  it('replaces quirks, limits and time limits as a whole, and an empty object clears them', async () => {
    const before = await add({
      quirks: { max_stops: 1, top_k: true },
      limits: { requests_per_minute: 5, credits_per_day: 1.5 },
      time_limits: { connect_ms: 100, silence_ms: 100 },
    })
    const other = { quirks: { json_schema: false }, limits: { credits_per_day: 0.25 }, time_limits: { silence_ms: 7 } }
    expect(await edit(before.id, other)).toEqual({ ...before, ...other })
    expect(await edit(before.id, { limits: {} })).toEqual({ ...before, ...other, limits: {} })
    const cleared = { ...before, quirks: {}, limits: {}, time_limits: {} }
    expect(await edit(before.id, { quirks: {}, time_limits: {} })).toEqual(cleared)
  })

  it('is still there after a restart', async () => {
    const { id } = await add({ secret: 'mine' })
    const edited = await edit(id, { base_url: 'https://api.example.com/v3', limits: { concurrent_requests: 3 } })
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await shown(id)).toEqual(edited)
  })
})

describe('the secret of an edited provider', () => {
  it.each([['https://other.example.com/v1'], ['https://api.example.com:8443/v1']])(
    'is forgotten when it goes to %s, and not there when it comes back',
    async (elsewhere) => {
      const before = await add({ secret: 'mine' })
      const gone = { has_secret: false, secret_state: 'none' }
      expect(await edit(before.id, { base_url: elsewhere })).toEqual({ ...before, base_url: elsewhere, ...gone })
      expect(await storedSecrets(before.id)).toEqual([])
      expect(await edit(before.id, { base_url: before.base_url })).toEqual({ ...before, ...gone })
      expect(await storedSecrets(before.id)).toEqual([])
    },
  )

  it('can be set for the new place', async () => {
    const { id } = await add({ secret: 'old' })
    await edit(id, { base_url: 'https://other.example.com/v1' })
    expect(await call('setProviderSecret', { id, body: { secret: 'new' } })).toMatchObject({ secret_state: 'stored' })
    expect(await vault().get({ providerId: id, origin: 'https://other.example.com' })).toBe('new')
    expect(await storedSecrets(id)).toEqual(['https://other.example.com'])
  })

  it('is not used at the new place while the store cannot forget it, and goes later', async () => {
    const { id } = await add({ secret: 'mine' })
    const keyFile = join(farebox.dataDir, 'vault.key')
    await farebox.stop()
    await chmod(keyFile, 0o644)
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    const moved = await edit(id, { base_url: 'https://other.example.com/v1' })
    expect(moved).toMatchObject({ has_secret: false, secret_state: 'none' })
    await chmod(keyFile, 0o600)
    const { id: another } = await add({ secret: 'x' })
    await edit(another, { base_url: 'https://other.example.com/v1' })
    await expect.poll(() => storedSecrets(id)).toEqual([])
  })
})
