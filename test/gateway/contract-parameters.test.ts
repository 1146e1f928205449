import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectError, HELLO, post, startPair, type Pair } from './support.ts'

const CHAT = { model: 'chat', messages: HELLO }
const EMBED = { model: 'embed', input: 'one' }
const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
const NO_STRINGS = [0, 1, true, false, [], {}]

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

const send = (body: object, path = '/v1/chat/completions') => post(pair.farebox, body, { key, path })

/** The member reaches the provider as it was sent. */
async function expectAccepted(body: object, name: string, path?: string): Promise<void> {
  const response = await send(body, path)
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
  expect(pair.upstream.requests).toMatchObject([{ body: { [name]: (body as Record<string, unknown>)[name] } }])
}

/** The refusal names the member, or the part of it that is wrong, and nothing reaches the provider. */
async function expectRefused(body: object, name: string, path?: string): Promise<void> {
  const inside = expect.stringMatching(new RegExp(`^${name}([[.]|$)`))
  const message = await expectError(await send(body, path), 400, { param: inside })
  expect(message).toContain(`'${name}`)
  expect(pair.upstream.requests).toEqual([])
}

describe('a parameter of chat completions', () => {
  const rules: [name: string, accepted: unknown[], refused: unknown[]][] = [
    ['model', [], ['', ...NO_STRINGS]],
    [
      'messages',
      [
        [{ role: 'system', content: 'Be brief.' }, ...HELLO],
        [{ role: 'user', content: '' }],
        [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
        [{ role: 'developer', content: 'Be brief.' }, ...HELLO],
        [
          ...HELLO,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: '4' },
        ],
      ],
      [
        [],
        {},
        'Hello',
        1,
        true,
        [null],
        ['Hello'],
        [[]],
        [{}],
        [{ content: 'Hello' }],
        [{ role: 'user' }],
        [{ role: 'user', content: null }],
        [{ role: 'user', content: 1 }],
        [{ role: 'user', content: {} }],
        [{ role: 'user', content: ['Hello'] }],
        [{ role: 'wizard', content: 'Hello' }],
        [{ role: 1, content: 'Hello' }],
        [...HELLO, { role: 'User', content: 'Hello' }],
      ],
    ],
    ['max_tokens', [1, 999, 1000], [0, -1, 0.5, 1.5, '5', '', true, false, [], [1], {}]],
    ['max_completion_tokens', [1, 1000], [0, -1, 1.5, '5', true, [], {}]],
    ['stream', [true, false], ['true', 'false', '', 1, 0, [], {}]],
    ['stream_options', [{}, { include_usage: false }], ['x', 1, true, []]],
    ['temperature', [0, 0.001, 1, 1.999, 2], [-0.001, 2.001, -1, 3, '1', '', true, false, [], [1], {}]],
    ['top_p', [0, 0.001, 0.5, 0.999, 1], [-0.001, 1.001, -1, 2, '1', true, false, [], {}]],
    ['n', [1, 2, 128], [0, -1, 129, 1.5, '2', true, [], {}]],
    ['tools', [[], [TOOL], [TOOL, TOOL]], [{}, 'f', 1, true, ['f'], [null], [[]], [TOOL, 'f']]],
    [
      'tool_choice',
      ['auto', 'none', 'required', { type: 'function', function: { name: 'f' } }],
      ['', 'any', 'AUTO', 'f', 1, true, false, [], ['auto']],
    ],
  ]

  describe.each(rules)('%s', (name, accepted, refused) => {
    it.each(accepted.map((value) => [value]))('may be %j', async (value) => {
      await expectAccepted({ ...CHAT, [name]: value }, name)
    })

    it.each(refused.map((value) => [value]))('must not be %j', async (value) => {
      await expectRefused({ ...CHAT, [name]: value }, name)
    })
  })

  it.each(rules.slice(2))('%s counts as left out when it is null', async (name) => {
    const response = await send({ ...CHAT, [name]: null })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it.each(['model', 'messages'])('%s is required', async (name) => {
    const { [name]: _left, ...rest } = CHAT as Record<string, unknown>
    await expectRefused(rest, name)
    await expectRefused({ ...CHAT, [name]: null }, name)
  })

  it('is judged when it is one of several that are right', async () => {
    await expectRefused(
      { ...CHAT, temperature: 1, top_p: 0.5, max_tokens: 5, stream: false, tool_choice: 3 },
      'tool_choice',
    )
  })

  it('is left to the provider when Farebox does not know it', async () => {
    await expectAccepted(
      { ...CHAT, logit_bias: { 50256: -100 }, seed: -1, x_unknown: [null, { deep: [1] }] },
      'x_unknown',
    )
  })
})

describe('a parameter of embeddings', () => {
  const path = '/v1/embeddings'
  const many = (count: number) => Array.from({ length: count }, () => 'a')
  const rules: [name: string, accepted: unknown[], refused: unknown[]][] = [
    ['model', [], ['', ...NO_STRINGS]],
    [
      'input',
      ['a', ' ', ['a'], ['a', 'b'], [0], [1, 2, 3], [[1], [2, 3]], many(2048)],
      [
        '',
        [],
        [''],
        ['a', ''],
        [[]],
        [[1], []],
        [null],
        [true],
        [{}],
        ['a', 1],
        [1.5],
        [-1],
        [[1.5]],
        1,
        true,
        {},
        many(2049),
      ],
    ],
    ['encoding_format', ['float', 'base64'], ['', 'hex', 'FLOAT', 1, true, [], {}]],
    ['dimensions', [1, 8, 256], [0, -1, 1.5, '8', true, [], {}]],
  ]

  describe.each(rules)('%s', (name, accepted, refused) => {
    const short = (value: unknown) => JSON.stringify(value).slice(0, 30)

    it.each(accepted.map((value) => [short(value), value]))('may be %s', async (_, value) => {
      await expectAccepted({ ...EMBED, [name]: value }, name, path)
    })

    it.each(refused.map((value) => [short(value), value]))('must not be %s', async (_, value) => {
      await expectRefused({ ...EMBED, [name]: value }, name, path)
    })
  })

  it.each(['model', 'input'])('%s is required', async (name) => {
    const { [name]: _left, ...rest } = EMBED as Record<string, unknown>
    await expectRefused(rest, name, path)
    await expectRefused({ ...EMBED, [name]: null }, name, path)
  })

  it('counts as left out when it is null', async () => {
    const response = await send({ ...EMBED, encoding_format: null, dimensions: null }, path)
    expect(response.status).toBe(200)
  })
})

describe('the kind of a model', () => {
  it('must fit the endpoint', async () => {
    await expectError(await send({ ...CHAT, model: 'embed' }), 400, { param: 'model' })
    await expectError(await send({ ...EMBED, model: 'chat' }, '/v1/embeddings'), 400, { param: 'model' })
    expect(pair.upstream.requests).toEqual([])
  })
})
