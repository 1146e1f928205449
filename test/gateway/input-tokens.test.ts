// POST /v1/responses/input_tokens: what a request of the responses format comes to, with the answers that it names, and free.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectFormatError, MODELS, startFormats } from './formats.ts'
import { post, type Pair } from './support.ts'

const PATH = '/v1/responses/input_tokens'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats({ packages: [{ name: 'empty', type: 'topup', credits: 0 }] })
})

beforeEach(async () => {
  pair.upstream.forget()
  key = await pair.farebox.newKey('plenty')
})

afterAll(async () => {
  expect(pair.farebox.log).toEqual([])
  await pair.close()
})

function count(model: string, members: object = {}, path = PATH): Promise<Response> {
  return post(pair.farebox, { model, input: 'Hello', ...members }, { key, path })
}

async function counted(response: Response): Promise<number> {
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(/^200 \{"object":"response\.input_tokens","input_tokens":\d+\}$/)
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  return (JSON.parse(text) as { input_tokens: number }).input_tokens
}

describe.each(MODELS)('a count for %s', (model) => {
  it('is a number that grows with what is asked, and needs and takes no credits', async () => {
    key = await pair.farebox.newKey('empty')
    pair.upstream.script({ type: 'status', status: 404 })
    const small = await counted(await count(model))
    const large = await counted(await count(model, { instructions: 'Be brief, and say no more than you have to.' }))
    expect(large).toBeGreaterThan(small)
    await counted(await count(model, {}, '/responses/input_tokens'))
    expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0, total_requests: 0 })
  })

  it('refuses what responses refuse, and what nobody knows', async () => {
    await expectFormatError(await count(model, { input: [] }), 'responses', 400, { param: 'input' })
    pair.upstream.script({ type: 'status', status: 404 })
    const named = await count(model, { input: [{ type: 'item_reference', id: 'msg_1' }] })
    expect(named.status).toBe(404)
    const { error } = (await named.json()) as { error: object }
    const message = expect.stringContaining("'msg_1' not found")
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 404, param: 'input[0].id', message })
  })

  it('counts the answers that are named', async () => {
    const said = 'A word and another. '.repeat(50)
    pair.upstream.script({ type: 'answer', text: said })
    const first = await post(pair.farebox, { model, input: 'Hello' }, { key, path: '/v1/responses' })
    const { id, output } = (await first.json()) as { id: string; output: { id: string }[] }
    // Also before a provider who knows the answer and cannot count.
    pair.upstream.script({ type: 'status', status: 404 })
    const bare = await counted(await count(model))
    const named = {
      input: [
        { role: 'user', content: 'Hello' },
        { type: 'item_reference', id: output.at(-1)?.id },
      ],
    }
    const least = model === 'demo' ? bare : bare + 150
    expect(await counted(await count(model, named))).toBeGreaterThan(least)
    expect(await counted(await count(model, { previous_response_id: id }))).toBeGreaterThan(least)
  })
})

describe('a provider of responses', () => {
  it('is asked with the body as it came but for the model', async () => {
    expect(await counted(await count('responses', { tools: [], x_unknown: 1 }))).toBe(19)
    const [asked] = pair.upstream.requests
    expect(asked?.path).toBe('/v1/responses/input_tokens')
    expect(asked?.text).toBe('{"model":"gpt-5.2","input":"Hello","tools":[],"x_unknown":1}')
  })

  it('that refuses the request is quoted', async () => {
    const error = { message: 'Wrong.', type: 'invalid_request_error', param: 'tools' }
    pair.upstream.script({ type: 'status', status: 400, error })
    const refused = await count('responses')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { ...error, code: 400 } })
  })
})
