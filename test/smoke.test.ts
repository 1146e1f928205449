import { afterEach, beforeEach, expect, it } from 'vitest'
import { setUpUpstream, startFarebox, type Farebox } from './support/farebox.ts'
import { startUpstream, type Upstream } from './support/upstream.ts'

let upstream: Upstream
let farebox: Farebox

beforeEach(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox()
  await setUpUpstream(farebox, upstream.url)
})

afterEach(async () => {
  await farebox.close()
  await upstream.close()
})

it('charges a chat completion what its usage costs, to the micro-credit', async () => {
  const key = await farebox.newKey('plenty')
  const response = await fetch(`${farebox.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(response.status).toBe(200)
  // 19 input tokens at 1 and 10 output tokens at 2 credits per million.
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.000039, held_credits: 0, total_requests: 1 })
})
