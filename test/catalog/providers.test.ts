import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openVault } from '#secret/vault.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, refusal, refused } from './support.ts'

let farebox: Farebox
let names = 0

beforeAll(async () => {
  farebox = await startFarebox()
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const freshName = () => `provider-${++names}`
const add = (more: Parameters<typeof provider>[1] = {}) => call('addProvider', { body: provider(freshName(), more) })

async function storedSecrets(providerId: string): Promise<string[]> {
  const vault = openVault({ dataDir: farebox.dataDir, keyFile: undefined })
  return (await vault.list()).filter((secret) => secret.providerId === providerId).map((secret) => secret.origin)
}

describe('a provider', () => {
  it('is added, shown and listed without its secret', async () => {
    const added = await add({ secret: 'sk-very-secret' })
    expect(added).toMatchObject({
      dialect: 'chat-completions',
      base_url: 'https://api.example.com/v1',
      has_secret: true,
      secret_state: 'stored',
    })
    expect(await call('listProviders', {})).toContainEqual(added)
    expect(JSON.stringify(await call('listProviders', {}))).not.toContain('sk-very-secret')
    expect(await storedSecrets(added.id)).toEqual(['https://api.example.com'])
    expect(await readFile(join(farebox.dataDir, 'farebox.db'), 'latin1')).not.toContain('sk-very-secret')
  })

  it('needs a name of its own', async () => {
    const added = await add()
    expect(await refusal(call('addProvider', { body: provider(added.name) }))).toEqual(refused.conflict('name'))
  })

  it.each([
    ['https://api.openai.com/v1', 'max_completion_tokens'],
    ['https://eastus.openai.azure.com/openai/v1', 'max_completion_tokens'],
    ['https://api.deepseek.com', 'max_tokens'],
    ['https://api.openai.com.evil.example', 'max_tokens'],
    ['http://127.0.0.1:11434/v1', 'max_tokens'],
  ])('at %s is sent caps as %s unless told otherwise', async (base_url, field) => {
    expect(await add({ base_url })).toMatchObject({ output_cap_field: field })
    expect(await add({ base_url, output_cap_field: 'max_tokens' })).toMatchObject({ output_cap_field: 'max_tokens' })
  })

  it.each([
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com///', 'https://api.example.com'],
    ['HTTPS://API.Example.com:443/V1', 'https://api.example.com/V1'],
    ['http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
    [' https://api.example.com/v1 ', 'https://api.example.com/v1'],
  ])('has its base URL in one form: %j is %j', async (base_url, stored) => {
    expect(await add({ base_url })).toMatchObject({ base_url: stored })
  })

  it.each([
    [''],
    ['api.example.com/v1'],
    ['ftp://api.example.com'],
    ['file:///etc/passwd'],
    ['javascript:alert(1)'],
    ['https://'],
    ['https://user@api.example.com'],
    ['https://user:pass@api.example.com'],
    ['https://:pass@api.example.com'],
    ['https://api.example.com/v1?key=x'],
    ['https://api.example.com/v1?'],
    ['https://api.example.com/v1#x'],
    ['https://api.example.com/v1#'],
  ])('is refused with the base URL %j', async (base_url) => {
    expect(await refusal(add({ base_url }))).toEqual(refused.invalid('base_url'))
  })

  it('is refused without a base URL, with an unknown dialect, and with an unknown field', async () => {
    const { base_url: _, ...without } = provider('x')
    expect(await refusal(call('addProvider', { body: without }))).toEqual(refused.invalid('base_url'))
    const wrong = { ...provider('x'), dialect: 'telepathy' as 'demo' }
    expect(await refusal(call('addProvider', { body: wrong }))).toEqual(refused.invalid('dialect'))
    const unknown = { ...provider('x'), url: 'https://x' }
    expect(await refusal(call('addProvider', { body: unknown }))).toEqual(refused.invalid('url'))
  })

  it('for demonstration has neither base URL nor secret', async () => {
    const demo = await call('addProvider', { body: { name: freshName(), dialect: 'demo' } })
    expect(demo).toMatchObject({ base_url: '', has_secret: false })
    const body = { name: freshName(), dialect: 'demo', secret: 'x' } as const
    expect(await refusal(call('addProvider', { body }))).toEqual(refused.invalid('secret'))
    expect(await refusal(call('setProviderSecret', { id: demo.name, body: { secret: 'x' } }))).toEqual(
      refused.invalid('secret'),
    )
    expect(await call('removeProvider', { id: demo.name })).toEqual({ secret_forgotten: true })
  })
})

describe('a secret', () => {
  it('is set later, by name or by id, and replaces the one before', async () => {
    const added = await add()
    expect(added.has_secret).toBe(false)
    expect(await call('setProviderSecret', { id: added.name, body: { secret: 'one' } })).toEqual({
      ...added,
      has_secret: true,
      secret_state: 'stored',
    })
    expect(await call('setProviderSecret', { id: added.id, body: { secret: 'two' } })).toEqual({
      ...added,
      has_secret: true,
      secret_state: 'stored',
    })
    const vault = openVault({ dataDir: farebox.dataDir, keyFile: undefined })
    expect(await vault.get({ providerId: added.id, origin: 'https://api.example.com' })).toBe('two')
  })

  it('is refused for a provider that is not there, and when it is empty', async () => {
    expect(await refusal(call('setProviderSecret', { id: 'nobody', body: { secret: 'x' } }))).toEqual(refused.notFound)
    const added = await add()
    expect(await refusal(call('setProviderSecret', { id: added.id, body: { secret: '' } }))).toEqual(
      refused.invalid('secret'),
    )
  })

  it.each([['https://other.example.com/v1'], ['http://api.example.com/v1'], ['https://api.example.com:8443/v1']])(
    'is for one origin: at %s it is gone, asked for again, and not there when the old base URL is back',
    async (elsewhere) => {
      const { name, id } = await add({ secret: 'mine' })
      const apply = (base_url: string) =>
        call('apply', { body: { document: { providers: [provider(name, { base_url, network: 'local' })] } } })
      const shown = async () => (await call('listProviders', {})).find((listed) => listed.id === id)
      const { changes } = await apply(elsewhere)
      expect(changes).toEqual([expect.objectContaining({ action: 'update', note: expect.stringContaining(name) })])
      expect(changes[0]?.fields).toEqual(expect.arrayContaining(['base_url', 'has_secret']))
      expect(changes[0]?.note).toContain('https://api.example.com')
      expect(await shown()).toMatchObject({ base_url: elsewhere, has_secret: false, secret_state: 'none' })
      expect(await storedSecrets(id)).toEqual([])
      await apply('https://api.example.com/v1')
      expect(await shown()).toMatchObject({ has_secret: false })
    },
  )

  it('stays when only the path of the base URL changes', async () => {
    const { name, id } = await add({ secret: 'mine' })
    const moved = provider(name, { base_url: 'https://api.example.com/v2' })
    const { changes } = await call('apply', { body: { document: { providers: [moved] } } })
    expect(changes).toEqual([{ kind: 'provider', name, action: 'update', fields: ['base_url'] }])
    expect(await storedSecrets(id)).toEqual(['https://api.example.com'])
    expect((await call('listProviders', {})).find((listed) => listed.id === id)).toMatchObject({ has_secret: true })
  })

  it('is only announced to go by a dry run', async () => {
    const { name, id } = await add({ secret: 'mine' })
    const moved = provider(name, { base_url: 'https://other.example.com/v1' })
    const { changes } = await call('apply', { body: { document: { providers: [moved] }, dry_run: true } })
    expect(changes[0]?.note).toContain('set one with')
    expect(await storedSecrets(id)).toEqual(['https://api.example.com'])
  })

  it('that is gone from the vault is a state of its provider', async () => {
    const { name, id } = await add({ secret: 'mine' })
    const vaultFile = join(farebox.dataDir, 'secrets.enc')
    const before = await readFile(vaultFile)
    await farebox.stop()
    await openVault({ dataDir: farebox.dataDir, keyFile: undefined }).delete({
      providerId: id,
      origin: 'https://api.example.com',
    })
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    const shown = async () => (await call('listProviders', {})).find((listed) => listed.id === id)?.secret_state
    expect(await shown()).toBe('missing')
    expect((await call('status', {})).attention.join()).toContain(`The secret of provider '${name}' is missing`)
    expect((await call('testProvider', { id })).message).toBe('Its secret is not there any more.')
    expect(await call('moveSecrets', {})).toEqual({ moved: [], missing: [name] })
    await farebox.stop()
    await writeFile(vaultFile, before)
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await shown()).toBe('stored')
  })

  it('that cannot be kept is refused with a reason, and the one before stays', async () => {
    const { id } = await add({ secret: 'before' })
    const keyFile = join(farebox.dataDir, 'vault.key')
    await farebox.stop()
    await chmod(keyFile, 0o644)
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    const set = call('setProviderSecret', { id, body: { secret: 'after' } })
    expect(await refusal(set)).toEqual({ status: 503, type: 'overloaded_error', param: undefined })
    expect(await refusal(add({ secret: 'new' }))).toMatchObject({ status: 503 })
    expect((await call('listProviders', {})).find((listed) => listed.id === id)?.secret_state).toBe('locked')
    expect((await call('status', {})).attention.join()).toContain('Others may read the key file')
    await chmod(keyFile, 0o600)
    const vault = openVault({ dataDir: farebox.dataDir, keyFile: undefined })
    expect(await vault.get({ providerId: id, origin: 'https://api.example.com' })).toBe('before')
    expect((await call('setProviderSecret', { id, body: { secret: 'after' } })).secret_state).toBe('stored')
  })
})

describe('removing a provider', () => {
  it('forgets all its secrets, also those for hosts it had before', async () => {
    const { name, id } = await add({ secret: 'first' })
    const moved = provider(name, { base_url: 'https://other.example.com', secret: 'second' })
    await call('apply', { body: { document: { providers: [moved] } } })
    expect(await storedSecrets(id)).toEqual(['https://other.example.com'])
    const vault = openVault({ dataDir: farebox.dataDir, keyFile: undefined })
    await farebox.stop()
    await vault.set({ providerId: id, origin: 'https://older.example.com' }, 'from an older version')
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    await call('removeProvider', { id: name })
    expect(await storedSecrets(id)).toEqual([])
    expect((await call('listProviders', {})).map((listed) => listed.id)).not.toContain(id)
  })

  it('is refused while a model has it as a target', async () => {
    const { name } = await add()
    const targets = [{ provider: name, model: 'x' }]
    await call('addModel', { body: model('uses-it', { targets }) })
    expect(await refusal(call('removeProvider', { id: name }))).toEqual(refused.conflict())
    await call('removeModel', { id: 'uses-it' })
    expect(await call('removeProvider', { id: name })).toEqual({ secret_forgotten: true })
    expect(await refusal(call('removeProvider', { id: name }))).toEqual(refused.notFound)
  })
})
