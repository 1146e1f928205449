// What some coding tools do all day: begin a stream, and abort it. A thousand times over, nothing may stay behind.

import { afterEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { ask, startHouse, type House, type Route } from './house.ts'

const CYCLES = 1000
const LIMIT = 8
const ROUTES: readonly Route[] = [
  ['chat', 'chat-completions'],
  ['messages', 'messages'],
  ['responses', 'responses'],
  ['messages', 'chat-completions'],
]

let house: House

afterEach(async () => {
  await expectSoundBooks(house)
  await house.close()
})

describe.each([
  ['where requests wait for their turn', 'true', 12],
  ['where they are refused at once', 'false', LIMIT],
] as const)('a thousand streams that are aborted, %s', (_how, waits, atOnce) => {
  it('leave no slot used, nothing held and no socket open', async () => {
    const limits = { concurrent_requests: LIMIT }
    house = await startHouse({
      env: { RATE_LIMIT_WAIT: waits },
      packages: [{ name: 'limited', type: 'topup', credits: 1000, limits }],
    })
    house.upstream.script({ type: 'endless', delayMs: 5 })
    const { admin } = house.farebox
    // The member has the same limit as the key, so that a slot that one of them does not get back shows.
    await admin.call('addMember', { body: { name: 'mia', limits } })
    const name = 'of mia'
    const { key } = await admin.call('createKey', { body: { name, package: 'limited', owner: 'mia' } })
    let begun = 0
    const worker = async (index: number) => {
      for (let cycle = index; cycle < CYCLES; cycle += atOnce) if (await abortOne(key, cycle)) begun += 1
    }
    await Promise.all(Array.from({ length: atOnce }, (_, index) => worker(index)))
    expect(begun).toBe(CYCLES)

    const patience = { interval: 50, timeout: 30_000 }
    const running = () => house.upstream.requests.filter(({ closedAtMs }) => closedAtMs === undefined).length
    await expect.poll(running, patience).toBe(0)
    const status = () => admin.call('status', {})
    await expect.poll(status, patience).toMatchObject({ open_exchanges: 0, held_credits: 0 })
    await expect.poll(() => house.upstream.openSockets(), patience).toBe(0)
    expect(await admin.call('listMembers', {})).toMatchObject([{ running_calls: 0 }])
    await expectFreeSlots(key)
    const { balance } = await admin.call('showKey', { id: name })
    expect(balance).toMatchObject({ held_credits: 0, total_requests: CYCLES + LIMIT })
  }, 120_000)
})

/** Begins a stream, reads its first bytes or leaves before them, and is gone. */
async function abortOne(key: string, cycle: number): Promise<boolean> {
  const route = ROUTES[cycle % ROUTES.length] ?? ROUTES[0]
  if (route === undefined) throw new Error('there are routes')
  for (;;) {
    const leaving = new AbortController()
    const response = await ask(house, route, { key, members: { stream: true }, signal: leaving.signal })
    if (response.status === 200) {
      await response.body?.getReader().read()
      leaving.abort()
      return true
    }
    // The slot of a stream that was aborted a moment ago is free only when Farebox has seen that.
    expect(response.status).toBe(429)
    await response.text()
  }
}

/** As many calls at a time as the limit allows get in; a slot that was not given back would keep one out. */
async function expectFreeSlots(key: string): Promise<void> {
  house.upstream.script({ type: 'answer', headersAfterMs: 50 })
  const calls = Array.from({ length: LIMIT }, () => ask(house, ['chat', 'chat-completions'], { key }))
  for (const call of calls) {
    const response = await call
    await response.text()
    expect(response.status).toBe(200)
  }
}
