import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isPriceJump } from '#core/pricing.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, refusal, refused } from './support.ts'

let farebox: Farebox

beforeAll(async () => {
  farebox = await startFarebox()
  for (const preset of ['openai', 'anthropic']) await call('addProvider', { body: { name: preset, preset } })
  await call('addProvider', {
    body: { name: 'main', dialect: 'chat-completions', base_url: 'https://api.example.com/v1' },
  })
})
afterEach(async () => {
  for (const { id } of await call('listModels', {})) await call('removeModel', { id })
})
afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const compare = (query: { provider?: string } = {}) => call('priceCard', { query })
const LUNA = {
  input: 0.1,
  output: 0.5,
  cache_read: 0.01,
  cache_write: 0.125,
  steps: [{ above: 272_000, input: 0.2, output: 0.75, cache_read: 0.02, cache_write: 0.25 }],
}

/** A model with a target at a provider of the card; without a price unless one is given. */
async function add(id: string, upstream: string, price?: { input: number; output: number }, provider = 'openai') {
  const { price: _, ...unpriced } = model(id, { targets: [{ provider, model: upstream }], context_window: 400_000 })
  await call('addModel', { body: price === undefined ? unpriced : { ...unpriced, price } })
}

describe('the comparison with the price card', () => {
  it('shows what is new, changed and the same, from the old price to the new', async () => {
    await add('unpriced', 'gpt-6-luna')
    await add('dear', 'gpt-5', { input: 2, output: 20 })
    await call('addModel', {
      body: model('alike', { price: LUNA, targets: [{ provider: 'openai', model: 'gpt-6-luna' }] }),
    })
    await add('off', 'gpt-1')
    const { rows, not_on_card } = await compare()
    expect(rows).toMatchObject([
      {
        id: 'unpriced',
        change: 'new',
        old: null,
        new: LUNA,
        jump: false,
        priced_up_to: null,
        context_window: 400_000,
      },
      {
        id: 'dear',
        change: 'changed',
        old: { input: 2, output: 20, cache_read: 2, cache_write: 2 },
        new: { input: 1.25, output: 10, cache_read: 0.125, cache_write: 1.25 },
        source: 'https://developers.openai.com/api/docs/pricing',
      },
      { id: 'alike', change: 'same', old: LUNA, new: LUNA },
    ])
    expect(not_on_card).toEqual(['off'])
    expect(rows.map((row) => row.asked_by)).toEqual([null, null, null])
  })

  it('says how long prompts may be for a price that is known for no longer ones', async () => {
    await add('short', 'gpt-5.5')
    expect((await compare()).rows).toMatchObject([{ id: 'short', priced_up_to: 272_000 }])
  })

  it('has no row for a model whose price the card does not know', async () => {
    await add('promoted', 'gpt-5.6-sol')
    expect(await compare()).toMatchObject({ rows: [], not_on_card: ['promoted'] })
  })

  it('is by the address of a provider that is of no preset, and says whose price it is where it goes by the name alone', async () => {
    const typed = { dialect: 'chat-completions', base_url: 'https://api.openai.com/v1' } as const
    await call('addProvider', { body: { name: 'typed', ...typed } })
    await call('addProvider', { body: { name: 'free', preset: 'ollama' } })
    await add('by-address', 'gpt-6-luna', undefined, 'typed')
    await add('by-name', 'gpt-6-luna', undefined, 'main')
    await add('costs-nothing', 'gpt-6-luna', undefined, 'free')
    await add('resembles', 'gpt-6-lunar', undefined, 'main')
    const { rows, not_on_card, version } = await compare()
    expect(rows).toMatchObject([
      { id: 'by-address', new: LUNA, asked_by: null },
      { id: 'by-name', provider: 'main', new: LUNA, asked_by: 'OpenAI' },
    ])
    expect(not_on_card).toEqual(['costs-nothing', 'resembles'])
    const { applied } = await call('applyPriceCard', { body: { version, ids: ['by-name'] } })
    expect(applied).toMatchObject([{ id: 'by-name', price: LUNA }])
  })

  it('goes by the target that serves the model', async () => {
    const targets = [
      { provider: 'openai', model: 'gpt-5', priority: 5 },
      { provider: 'anthropic', model: 'claude-opus-5-5', priority: 1 },
    ]
    await call('addModel', { body: model('both', { targets }) })
    expect((await compare()).rows).toMatchObject([{ id: 'both', provider: 'anthropic', new: { input: 4 } }])
  })

  it('is of one provider where one is named', async () => {
    await add('a', 'gpt-5')
    await add('b', 'claude-opus-5-5', undefined, 'anthropic')
    const all = await compare()
    const one = await compare({ provider: 'anthropic' })
    expect(one.rows.map(({ id }) => id)).toEqual(['b'])
    expect(one.version).toBe(all.version)
    expect(await refusal(compare({ provider: 'nobody' }))).toEqual(refused.notFound)
  })

  it('marks a price that jumps', async () => {
    await add('per-thousand', 'gpt-5', { input: 0.00125, output: 0.01 })
    await add('near', 'gpt-5', { input: 0.0125, output: 0.1 })
    expect((await compare()).rows).toMatchObject([
      { id: 'per-thousand', jump: true },
      { id: 'near', jump: false },
    ])
  })
})

describe('applying the price card', () => {
  const apply = (version: string, ids: string[], more: object = {}) =>
    call('applyPriceCard', { body: { version, ids, ...more } })

  it('gives the named models their new prices, each with a version, and leaves the others', async () => {
    await add('a', 'gpt-5', { input: 2, output: 20 })
    await add('b', 'gpt-6-luna')
    await add('c', 'gpt-5')
    const { version } = await compare()
    const { applied } = await apply(version, ['a', 'b'])
    expect(applied).toMatchObject([
      { id: 'a', price: { version: 2, input: 1.25, output: 10 } },
      { id: 'b', price: { version: 1, ...LUNA }, enabled: false },
    ])
    const listed = await call('listModels', {})
    expect(listed.find(({ id }) => id === 'c')?.price).toBeNull()
    expect((await compare()).rows.map(({ id, change }) => [id, change])).toEqual([
      ['a', 'same'],
      ['b', 'same'],
      ['c', 'new'],
    ])
  })

  it('changes nothing for a price that is the same, or named twice', async () => {
    await add('a', 'gpt-6-luna')
    const first = await compare()
    const { applied } = await apply(first.version, ['a', 'a'])
    expect(applied).toHaveLength(1)
    const second = await compare()
    expect(await apply(second.version, ['a'])).toEqual({ applied: [] })
    expect((await call('listModels', {}))[0]?.price).toEqual(applied[0]?.price)
  })

  it('is refused once the comparison would be another', async () => {
    await add('a', 'gpt-5')
    const { version } = await compare()
    await call('priceModel', { id: 'a', body: { input: 3, output: 4 } })
    expect(await refusal(apply(version, ['a']))).toEqual(refused.conflict('version'))
    expect((await call('listModels', {}))[0]?.price).toMatchObject({ input: 3 })
    expect(await refusal(apply('made-up', ['a']))).toEqual(refused.conflict('version'))
  })

  it('is refused as a whole for a model that is not in it', async () => {
    await add('a', 'gpt-5')
    await add('off', 'gpt-1')
    const { version } = await compare()
    expect(await refusal(apply(version, ['a', 'off']))).toEqual(refused.invalid('ids.1'))
    expect(await refusal(apply(version, ['nobody']))).toEqual(refused.invalid('ids.0'))
    expect((await call('listModels', {})).map(({ price }) => price)).toEqual([null, null])
  })

  it('wants a jump to be confirmed', async () => {
    await add('a', 'gpt-5', { input: 0.00125, output: 0.01 })
    const { version } = await compare()
    expect(await refusal(apply(version, ['a']))).toEqual(refused.invalid('confirm_jumps'))
    expect((await apply(version, ['a'], { confirm_jumps: true })).applied).toMatchObject([{ price: { input: 1.25 } }])
  })
})

describe('a price that jumps', () => {
  it.each([
    [{ input: 100, output: 2 }, true],
    [{ input: 1, output: 200 }, true],
    [{ input: 101, output: 2 }, false],
    [{ input: 1, output: 0.01 }, false],
    [{ input: 1, output: 2, cache_read: 0.001 }, false],
    [{ input: 0, output: 0 }, true],
  ])('from 1 and 2 to %j is taken at once: %s', async (price, isTaken) => {
    await add('a', 'gpt-1', { input: 1, output: 2 })
    const set = (more: object = {}) => call('priceModel', { id: 'a', body: { ...price, ...more } })
    if (!isTaken) expect(await refusal(set())).toEqual(refused.invalid('confirm_jump'))
    else expect(await set()).toMatchObject({ price })
    expect(await set({ confirm_jump: true })).toMatchObject({ price })
  })

  it('is none for a first price, or for one that comes from 0', async () => {
    await add('a', 'gpt-1')
    expect(await call('priceModel', { id: 'a', body: { input: 0, output: 0 } })).toMatchObject({ price: { input: 0 } })
    expect(await call('priceModel', { id: 'a', body: { input: 500, output: 500 } })).toMatchObject({
      price: { input: 500 },
    })
  })

  it('is more than a hundredfold, either way', () => {
    expect(isPriceJump([1], [100])).toBe(false)
    expect(isPriceJump([1], [101])).toBe(true)
    expect(isPriceJump([101], [1])).toBe(true)
    expect(isPriceJump([], [7])).toBe(false)
  })
})
