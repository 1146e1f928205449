// Every passed endpoint, answered as it should be: the client gets the provider's own bytes, the provider the client's, and the charge is
// what the provider's report comes to.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import type { Pair } from '../gateway/support.ts'
import { answerBytes, call, expectCharged, freshKey, startPassed } from './support.ts'
import { CALLS } from './routes.ts'

let pair: Pair

beforeAll(async () => {
  pair = await startPassed()
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

describe.each(CALLS.map((one) => [one.name, one] as const))('%s', (_name, one) => {
  it.each(['whole', 'byte-by-byte', 'inside-characters'] as const)(
    'passes an answer on that comes %s',
    async (chunking) => {
      pair.upstream.forget()
      pair.upstream.script({ ...one.answer, chunking })
      const own = await freshKey(pair)
      const response = await call(pair, one, own.key)
      const text = Buffer.from(await response.arrayBuffer())
      expect(`${response.status} ${text.toString()}`).toBe(`200 ${one.gets ?? answerBytes(one).toString()}`)
      await expectCharged(pair, own, { outcome: 'answered', status: 200, charge_credits: one.charge })
    },
  )

  it('sends the request on with the name that the provider has for the model', async () => {
    pair.upstream.forget()
    pair.upstream.script(one.answer)
    const { key } = await freshKey(pair)
    await (await call(pair, one, key)).arrayBuffer()
    const [sent] = pair.upstream.requests
    expect(sent?.path).toBe(one.path.startsWith('/v1') ? one.path : `/v1${one.path}`)
    expect(sent?.body).toEqual({ model: `real-${one.model}`, ...one.request, ...one.sent })
  })
})

describe('completions', () => {
  const [whole, streamed] = CALLS
  if (whole === undefined || streamed === undefined) throw new Error('there are no completions')

  it('have the cap that the format says where a request says none', async () => {
    pair.upstream.forget()
    pair.upstream.script(whole.answer)
    const { key } = await freshKey(pair)
    const response = await call(pair, { ...whole, request: { prompt: 'Hello' } }, key)
    expect(response.headers.get('x-farebox-adjusted')).toBeNull()
    expect(pair.upstream.requests[0]?.body).toMatchObject({ max_tokens: 16 })
  })

  it('are asked for their usage in a stream, which the client does not see that did not ask for it', async () => {
    pair.upstream.forget()
    pair.upstream.script(streamed.answer)
    const own = await freshKey(pair)
    const response = await call(pair, streamed, own.key, { stream_options: undefined })
    expect(await response.text()).not.toContain('usage')
    expect(pair.upstream.requests[0]?.body).toMatchObject({ stream_options: { include_usage: true } })
    await expectCharged(pair, own, { charge_credits: streamed.charge })
  })

  it('are passed on when they are longer than what is read where it is used', async () => {
    pair.upstream.forget()
    pair.upstream.script(whole.answer)
    const own = await freshKey(pair)
    const prompt = 'a '.repeat(700_000)
    const response = await call(pair, { ...whole, request: { prompt } }, own.key)
    expect(response.status).toBe(200)
    expect(pair.upstream.requests[0]?.body).toMatchObject({ prompt })
    await expectCharged(pair, own, { charge_credits: whole.charge })
  })

  it('are held for every prompt and for all of which the best are taken', async () => {
    const { key } = await pair.farebox.admin.call('createKey', { body: { name: 'held', package: 'plenty' } })
    pair.upstream.script({ ...whole.answer, stall: { at: { byte: 1 }, ms: Infinity } })
    const abort = new AbortController()
    const asked = fetch(`${pair.farebox.url}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', prompt: ['a', 'b', 'c'], best_of: 4, n: 2, max_tokens: 100 }),
      signal: abort.signal,
    }).catch(() => undefined)
    // 12 answers of 100 tokens at 2 credits per million, and the input.
    await expect
      .poll(async () => Number((await pair.farebox.balance(key))['held_credits']))
      .toBeGreaterThan((12 * 100 * 2) / 1e6)
    abort.abort()
    await asked
    await expect.poll(() => pair.farebox.admin.call('status', {})).toMatchObject({ held_credits: 0, open_exchanges: 0 })
  })
})

it("reranking is served where Cohere's SDK asks for it", async () => {
  const one = CALLS.find(({ name }) => name === 'rerank by searches')
  if (one === undefined) throw new Error('there is no reranking by searches')
  pair.upstream.forget()
  pair.upstream.script(one.answer)
  const own = await freshKey(pair)
  const response = await call(pair, { ...one, path: '/v2/rerank' }, own.key)
  expect(await response.json()).toMatchObject({ results: [{ index: 0, relevance_score: 0.1 }] })
  expect(pair.upstream.requests[0]?.path).toBe('/v1/rerank')
  await expectCharged(pair, own, { outcome: 'answered', charge_credits: one.charge })
})
