// A provider at the place where Farebox itself listens would call itself until something breaks. Only a real listener shows
// that it is known by all its names.

import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { addressProblem } from '#core/address.ts'
import { postChat } from '../support/chat.ts'
import { chatModel, setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream } from '../support/upstream.ts'

afterEach(endProcesses)

async function callAt(
  farebox: FareboxProcess,
  name: string,
  baseUrl: string,
): Promise<{ status: number; text: string }> {
  const { admin, url } = farebox
  await admin.call('addProvider', {
    body: { name, dialect: 'chat-completions', base_url: baseUrl, network: 'local', secret: 'sk-x' },
  })
  await admin.call('addModel', { body: chatModel(name, { targets: [{ provider: name, model: name }] }) })
  const { key } = await admin.call('createKey', { body: { name, package: 'plenty' } })
  const response = await postChat({ url, key }, { model: name })
  return { status: response.status, text: await response.text() }
}

describe('Farebox', () => {
  it('does not call itself, whatever it is called', async () => {
    const farebox = await startProcess({ dataDir: join(await temporaryFolder(), 'data') })
    const { port } = new URL(farebox.url)
    await farebox.admin.call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 1000 } })
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    // Some addresses are refused before anybody asks whose they are.
    const reachable = own.filter(({ address }) => addressProblem(address, 'local') === undefined)
    const hosts = reachable.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
    for (const host of new Set([...hosts, '127.0.0.1', '127.1', '127.0.0.2', 'localhost', '[::ffff:7f00:1]'])) {
      const { status, text } = await callAt(farebox, `at-${host}`, `http://${host}:${port}/v1`)
      expect(status, text).toBe(502)
      expect(text, host).toContain('leads to Farebox itself, where no provider may be.')
      const { ok, message } = await farebox.admin.call('testProvider', { id: `at-${host}` })
      expect({ ok, message }).toEqual({ ok: false, message: expect.stringContaining('Farebox itself') as string })
    }
    const status = await farebox.admin.call('status', {})
    expect(status).toMatchObject({ open_exchanges: 0, held_credits: 0 })
    expect(farebox.stderr()).toBe('')
  })

  it('uses no proxy of the environment', async () => {
    const upstream = await startUpstream()
    const nowhere = 'http://127.0.0.1:1'
    const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const env = { ...Object.fromEntries(proxies.map((name) => [name, nowhere])), NODE_USE_ENV_PROXY: '1' }
    const farebox = await startProcess({ dataDir: join(await temporaryFolder(), 'data'), env })
    await setUpUpstream(farebox, upstream.url)
    expect(await farebox.admin.call('testProvider', { id: 'upstream' })).toMatchObject({ ok: true })
    const { key } = await farebox.admin.call('createKey', { body: { name: 'k', package: 'plenty' } })
    expect((await postChat({ url: farebox.url, key })).status).toBe(200)
    await upstream.close()
  })
})
