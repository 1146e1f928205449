// WebSockets over the LAN: the same doors and the same calls as on this machine, over TLS.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { errorIn, openTalk, responseIn } from '../gateway/socket-support.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { certificateOf, startLan, type LanFarebox } from './support.ts'

const CREATE = { type: 'response.create', model: 'chat', input: 'Hello', store: false }

let farebox: LanFarebox
let upstream: Upstream
let url = ''
let ca = ''
let key = ''

beforeEach(async () => {
  upstream = await startUpstream()
  farebox = await startLan()
  await setUpUpstream(farebox, upstream.url)
  key = await farebox.newKey('plenty')
  url = (await farebox.on()).urls[0] ?? ''
  ca = await certificateOf(farebox)
}, 60_000)

afterEach(async () => {
  await farebox.close()
  await upstream.close()
})

it('serves calls and remembers their conversation', async () => {
  const talk = await openTalk(farebox, key, { url, ca })
  const { id } = responseIn((await talk.ask(CREATE)).at(-1))
  const second = await talk.ask({ ...CREATE, input: 'And?', previous_response_id: id })
  expect(second.at(-1)?.type).toBe('response.completed')
  await talk.close()
  expect(await farebox.balance(key)).toMatchObject({ held_credits: 0, total_requests: 2 })
})

it('lets nobody in without a key, from another page or to another host', async () => {
  await expect(openTalk(farebox, undefined, { url, ca })).rejects.toThrow('refused with 401')
  await expect(openTalk(farebox, 'key_wrong', { url, ca })).rejects.toThrow('refused with 401')
  const foreign = { headers: { origin: 'https://example.com' }, url, ca }
  await expect(openTalk(farebox, key, foreign)).rejects.toThrow('refused with 403')
  await expect(openTalk(farebox, key, { headers: { host: 'example.com' }, url, ca })).rejects.toThrow(
    'refused with 403',
  )
})

it('lets an answer finish when the LAN is turned off, and the connection of this machine go on', async () => {
  const over = await openTalk(farebox, key, { url, ca })
  const here = await openTalk(farebox, key)
  upstream.script({ type: 'answer', text: 'word '.repeat(5), delayMs: 20 })
  over.send(CREATE)
  await over.next()
  const off = farebox.admin.call('turnLanOff', {})
  const answer = await over.answer()
  expect(errorIn(answer.at(-1))).toEqual({})
  expect(answer.at(-1)?.type).toBe('response.completed')
  await over.closed
  await off
  expect((await here.ask(CREATE)).at(-1)?.type).toBe('response.completed')
  await here.close()
})
