// Uploads that stand still keep nobody out: whoever hardly sends anything gives way to the next one, and is told so.

import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { expectError, type Pair } from '../gateway/support.ts'
import { BOUNDARY, fieldHead, fileHead, FORM_CALLS, FORM_MODELS, sendForm, type FormCall } from './form-calls.ts'
import { freshKey, startPassed } from './support.ts'

let pair: Pair
const [honest] = FORM_CALLS as readonly [FormCall]
const OF_KEY = 8

beforeAll(async () => {
  pair = await startPassed()
  await pair.farebox.admin.call('apply', { body: { document: { models: [...FORM_MODELS] } } })
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** A form whose file has begun and does not go on. */
function stall(key: string): ClientRequest {
  const sent = request(`${pair.farebox.url}/v1/audio/transcriptions`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': 1_000_000,
    },
  })
  sent.on('error', () => undefined)
  sent.write(`--${BOUNDARY}\r\n${fieldHead('model')}\r\n\r\near\r\n--${BOUNDARY}\r\n${fileHead()}\r\n\r\nsome`)
  return sent
}

it('gives the place of the slowest to the next upload of its key', async () => {
  const own = await freshKey(pair)
  const stalled = Array.from({ length: OF_KEY }, () => stall(own.key))
  const answers = stalled.map(async (one) => {
    const [answer] = (await once(one, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: await text(answer) }
  })
  const tell = async () => {
    pair.upstream.script(honest.answer)
    const response = await sendForm(pair, honest, own.key)
    if (response.status !== 200) await expectError(response, 503)
    else await response.arrayBuffer()
    pair.upstream.forget()
    return response.status
  }
  // They arrive one after the other; once all have, the next one finds no place, because none is slow yet.
  await expect.poll(tell).toBe(503)
  await expect.poll(tell).toBe(200)
  const first = await Promise.race(answers)
  expect(first).toMatchObject({ status: 503, retryAfter: '5' })
  expect(first.body).toContain('hardly came on')
  for (const one of stalled) one.destroy()
  await Promise.allSettled(answers)
  const standing = { held_credits: 0, used_credits: honest.charge }
  await expect.poll(() => pair.farebox.balance(own.key)).toMatchObject(standing)
})
