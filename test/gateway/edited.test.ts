// A change of a model or a provider holds for the very next call; a call that is running ends as it was admitted.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { chat, startPair, type Pair } from './support.ts'

let pair: Pair
let other: Upstream
let key: string

beforeEach(async () => {
  pair = await startPair()
  other = await startUpstream()
  key = await pair.farebox.newKey('plenty')
})

afterEach(async () => {
  await pair.close()
  await other.close()
})

const call: Pair['farebox']['admin']['call'] = (action, input) => pair.farebox.admin.call(action, input)
const targetState = async () => (await call('status', {})).targets.map(({ model, state }) => [model, state])

/** Fails often enough for the only target of the model to be left out. */
async function makeSick(): Promise<void> {
  pair.upstream.script({ type: 'status', status: 500 })
  await expect
    .poll(async () => {
      await (await chat(pair.farebox, key)).text()
      return (await targetState())[0]
    })
    .toEqual(['real-chat', 'open'])
}

describe('an edited provider', () => {
  it('is called at its new place by the next call, without the secret of the old one', async () => {
    expect((await chat(pair.farebox, key)).status).toBe(200)
    await call('editProvider', { id: 'upstream', body: { base_url: other.url } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
    expect(pair.upstream.requests).toHaveLength(1)
    expect(pair.upstream.requests[0]?.headers.authorization).toBe('Bearer sk-upstream-secret')
    expect(other.requests).toHaveLength(1)
    expect(JSON.stringify(other.requests[0]?.headers)).not.toContain('sk-upstream-secret')
  })

  it('lets a stream that is running come to its end', async () => {
    pair.upstream.script({ type: 'answer', headersAfterMs: 300 })
    const running = chat(pair.farebox, key, { stream: true })
    await expect.poll(() => pair.upstream.requests.length).toBe(1)
    await call('editProvider', { id: 'upstream', body: { base_url: other.url } })
    const response = await running
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('data: [DONE]')
    expect(other.requests).toHaveLength(0)
  })

  it('is sound until it shows otherwise, unless only its limits were changed', async () => {
    await makeSick()
    await call('editProvider', { id: 'upstream', body: { limits: { concurrent_requests: 5 } } })
    expect(await targetState()).toContainEqual(['real-chat', 'open'])
    await call('editProvider', { id: 'upstream', body: { base_url: other.url } })
    expect(await targetState()).toEqual([
      ['real-chat', 'ok'],
      ['real-embed', 'ok'],
    ])
  })

  it('is held to its new limits at once', async () => {
    await call('editProvider', { id: 'upstream', body: { limits: { requests_per_minute: 1 } } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
    expect((await chat(pair.farebox, key)).status).toBe(503)
    await call('editProvider', { id: 'upstream', body: { limits: {} } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})

describe('an edited model', () => {
  it('is asked for at its new targets by the next call', async () => {
    await call('addProvider', { body: { name: 'other', dialect: 'chat-completions', base_url: other.url } })
    await call('editModel', { id: 'chat', body: { targets: [{ provider: 'other', model: 'elsewhere' }] } })
    expect((await chat(pair.farebox, key)).status).toBe(200)
    expect(pair.upstream.requests).toHaveLength(0)
    expect(other.requests[0]?.body.model).toBe('elsewhere')
  })

  it('has its new maximum as the cap of the next call', async () => {
    await call('editModel', { id: 'chat', body: { max_output_tokens: 7 } })
    const response = await chat(pair.farebox, key)
    expect(response.headers.get('x-farebox-adjusted')).toBe('max_tokens=7')
  })

  it('finds a target sound again that it left and came back to', async () => {
    await makeSick()
    const targets = [{ provider: 'upstream', model: 'real-chat' }]
    await call('editModel', { id: 'chat', body: { targets } })
    expect(await targetState()).toContainEqual(['real-chat', 'open'])
    await call('editModel', { id: 'chat', body: { targets: [{ provider: 'upstream', model: 'another' }] } })
    await call('editModel', { id: 'chat', body: { targets } })
    expect(await targetState()).toContainEqual(['real-chat', 'ok'])
  })
})
