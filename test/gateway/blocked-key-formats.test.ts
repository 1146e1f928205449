// A key that is blocked while its streams run, in every format: they end within a second, and the next request is refused.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, ROUTES, startHouse, type House } from './house.ts'
import { soon, usageOf } from './support.ts'

/** How each format tells that an answer broke off. */
const BROKEN = {
  chat: /"type":"permission_error"/,
  messages: /event: error\ndata: .*permission_error/,
  responses: /event: response\.failed/,
} as const

let house: House
let name = ''
let key = ''

beforeAll(async () => {
  house = await startHouse()
  // The first count of tokens reads a large vocabulary; it is no part of what is measured here.
  const { key: first } = await newKey(house)
  house.upstream.script({ type: 'answer', usage: null })
  await (await ask(house, ['chat', 'chat-completions'], { key: first })).text()
})

beforeEach(async () => {
  house.upstream.forget()
  ;({ key, name } = await newKey(house))
})

afterAll(async () => {
  await expectSoundBooks(house)
  await house.close()
})

describe.each(['revokeKey', 'suspendKey'] as const)('%s', (action) => {
  it.each(ROUTES)('ends a stream of %s from %s within a second', async (...route) => {
    house.upstream.script({ type: 'endless', delayMs: 5 })
    const [format] = route
    const response = await ask(house, route, { key, members: { stream: true } })
    const text = response.text()
    const blockedAtMs = performance.now()
    await house.farebox.admin.call(action, { id: name })
    expect((await ask(house, route, { key })).status).toBe(403)
    expect(await text).toMatch(BROKEN[format])
    expect(performance.now() - blockedAtMs).toBeLessThan(1000)
    await soon(() => house.upstream.requests[0]?.closedAtMs)
    expect((await usageOf(house.farebox, name))[0]).toMatchObject({ outcome: 'cut', status: 200 })
    await soon(async () => (await house.farebox.admin.call('status', {})).open_exchanges === 0)
  })
})
