// Conversations that go on by `thread`: they are sent only to providers that keep them. Any other one would answer without what was
// said before, and nobody would notice.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ask, formatOf, startFormats } from './formats.ts'
import type { Pair } from './support.ts'

const CONTINUED = { thread: { type: 'continue', previous_message_id: 'msg_1' } }

let pair: Pair
let key = ''

beforeAll(async () => {
  pair = await startFormats()
  key = await pair.farebox.newKey('plenty')
})

beforeEach(() => pair.upstream.forget())
afterAll(() => pair.close())

const go = (members: object) => ask(pair, formatOf('messages'), { key, members: { model: 'messages', ...members } })

it('are refused in words after which the SDK sends the whole conversation', async () => {
  const response = await go(CONTINUED)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: {
      type: 'invalid_request_error',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    },
  })
  expect(pair.upstream.requests).toEqual([])
})

it.each([false, null])('are not meant by %j', async (thread) => {
  expect((await go({ thread })).status).toBe(200)
})

it('go to a provider that keeps them, as they came', async () => {
  const body = { quirks: { keeps_threads: true } }
  expect(await pair.farebox.admin.call('editProvider', { id: 'messages', body })).toMatchObject(body)
  expect((await go(CONTINUED)).status).toBe(200)
  expect(pair.upstream.requests[0]?.body).toMatchObject(CONTINUED)
})
