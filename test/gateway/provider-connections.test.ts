// What a provider is set up with holds for its connections: its own time limits, and no connection longer than there is a
// provider.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { chatModel, setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let farebox: Farebox
let upstream: Upstream
let key: string

beforeEach(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox()
  await setUpUpstream(farebox, upstream.url)
  key = await farebox.newKey('plenty')
})

afterEach(async () => {
  await farebox.close()
  await upstream.close()
})

describe('the connections of a provider', () => {
  it('end when it is removed', async () => {
    expect((await postChat({ url: farebox.url, key })).status).toBe(200)
    expect(upstream.openSockets()).toBe(1)
    for (const id of ['chat', 'embed']) await farebox.admin.call('removeModel', { id })
    await farebox.admin.call('removeProvider', { id: 'upstream' })
    await expect.poll(() => upstream.openSockets()).toBe(0)
  })

  it('end when it goes to another place, and calls go there', async () => {
    expect((await postChat({ url: farebox.url, key })).status).toBe(200)
    const other = await startUpstream()
    await setUpUpstream(farebox, other.url)
    expect((await postChat({ url: farebox.url, key })).status).toBe(200)
    expect(other.requests).toHaveLength(1)
    await expect.poll(() => upstream.openSockets()).toBe(0)
    await other.close()
  })

  it('are given up after its own time limits', async () => {
    const provider = { name: 'hasty', dialect: 'chat-completions', base_url: upstream.url } as const
    await farebox.admin.call('addProvider', { body: { ...provider, time_limits: { first_byte_ms: 100 } } })
    await farebox.admin.call('addModel', { body: chatModel('hasty', { targets: [{ provider: 'hasty', model: 'm' }] }) })
    upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const startedAtMs = performance.now()
    const response = await postChat({ url: farebox.url, key }, { model: 'hasty' })
    expect(response.status).toBe(504)
    expect(await response.text()).toContain("The provider 'hasty' did not begin to answer in time.")
    expect(performance.now() - startedAtMs).toBeLessThan(5_000)
    expect(await farebox.balance(key)).toMatchObject({ held_credits: 0 })
  })
})
