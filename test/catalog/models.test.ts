import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelCreate, TargetFields } from '#contract/schemas.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, refusal, refused } from './support.ts'

let farebox: Farebox
let ids = 0

beforeAll(async () => {
  farebox = await startFarebox()
  await call('addProvider', { body: provider('main') })
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const freshId = () => `model-${++ids}`
const add = (more: Partial<ModelCreate> = {}) => call('addModel', { body: model(freshId(), more) })
const shown = async (id: string) => (await call('listModels', {})).find((listed) => listed.id === id)

describe('a model', () => {
  it('is added with defaults, shown and listed', async () => {
    const id = freshId()
    const added = await call('addModel', { body: model(id) })
    expect(added).toEqual({
      id,
      display_name: id,
      kind: 'chat',
      context_window: 1000,
      max_output_tokens: 100,
      enabled: true,
      price: { version: 1, input: 1, output: 2, cache_read: 1, cache_write: 1 },
      targets: [{ provider: 'main', model: `real-${id}`, priority: 0, weight: 1 }],
      created_at: expect.any(String) as string,
    })
    expect(await shown(id)).toEqual(added)
  })

  it('is added with everything said', async () => {
    const targets: TargetFields[] = [
      { provider: 'main', model: 'a', priority: 5, weight: 3 },
      { provider: 'main', model: 'b' },
    ]
    const price = { input: 1.25, output: 10, cache_read: 0.125, cache_write: 0 }
    expect(await add({ display_name: 'A 🚀', kind: 'embedding', enabled: false, price, targets })).toMatchObject({
      display_name: 'A 🚀',
      kind: 'embedding',
      enabled: false,
      price: { version: 1, ...price },
      targets: [
        { model: 'a', priority: 5, weight: 3 },
        { model: 'b', priority: 1, weight: 1 },
      ],
    })
  })

  it('for embeddings needs no price for output to be enabled, a chat model does', async () => {
    const price = { input: 3 }
    const added = await add({ kind: 'embedding', price, enabled: true })
    expect(added).toMatchObject({ enabled: true, price: { input: 3, output: 0, cache_read: 3 } })
    expect(await call('priceModel', { id: added.id, body: { input: 4 } })).toMatchObject({
      price: { version: 2, output: 0 },
    })
    const chat = await add()
    expect(await refusal(add({ price }))).toEqual(refused.invalid('price.output'))
    expect(await refusal(call('priceModel', { id: chat.id, body: price }))).toEqual(refused.invalid('price.output'))
    const document = { models: [model(freshId(), { kind: 'embedding', price })] }
    expect(await call('apply', { body: { document } })).toMatchObject({ changes: [{ action: 'create' }] })
    expect(await call('apply', { body: { document } })).toMatchObject({ changes: [{ action: 'none' }] })
  })

  it('for embeddings needs no cap on its output, a chat model does', async () => {
    const { max_output_tokens: _, ...uncapped } = model(freshId())
    expect(await call('addModel', { body: { ...uncapped, kind: 'embedding' } })).toMatchObject({ max_output_tokens: 0 })
    expect(await refusal(call('addModel', { body: { ...uncapped, id: freshId() } }))).toEqual(
      refused.invalid('max_output_tokens'),
    )
  })

  it.each<[string, object]>([
    ['id', { id: '' }],
    ['id', { id: 'has space' }],
    ['context_window', { context_window: 0 }],
    ['context_window', { context_window: 1.5 }],
    ['max_output_tokens', { max_output_tokens: -1 }],
    ['price.input', { price: { input: -1, output: 1 } }],
    ['price.output', { price: { input: 1 } }],
    ['price.thinking', { price: { input: 1, output: 1, thinking: 1 } }],
    ['price', { price: { input: 0.0000001, output: 1 } }],
    ['price', { price: { input: 1, output: 1, cache_write: 1.23456789 } }],
    ['targets', { targets: [] }],
    ['targets.0.provider', { targets: [{ provider: 'nobody', model: 'x' }] }],
    [
      'targets.1.provider',
      {
        targets: [
          { provider: 'main', model: 'x' },
          { provider: 'nobody', model: 'x' },
        ],
      },
    ],
    ['targets.0.weight', { targets: [{ provider: 'main', model: 'x', weight: 0 }] }],
    ['price', { price: undefined, enabled: true }],
    ['tokens', { tokens: 5 }],
  ])('is refused for its %s: %j', async (param, wrong) => {
    expect(await refusal(add(wrong))).toEqual(refused.invalid(param))
  })

  it('needs an id of its own', async () => {
    const { id } = await add()
    expect(await refusal(call('addModel', { body: model(id) }))).toEqual(refused.conflict('id'))
  })

  it.each(['priceModel', 'enableModel', 'disableModel', 'removeModel'] as const)(
    'that is not there: %s',
    async (action) => {
      const input = { id: 'nobody', body: { input: 1, output: 1 } }
      expect(await refusal(call(action, input as never))).toEqual(refused.notFound)
    },
  )

  it('may have an id with a slash, as providers have them', async () => {
    const id = `openai/${freshId()}`
    await call('addModel', { body: model(id) })
    expect(await call('disableModel', { id })).toMatchObject({ id, enabled: false })
    expect(await call('removeModel', { id })).toEqual({})
  })
})

describe('enabling', () => {
  it('is refused without a price, and a price of nothing is a price', async () => {
    const { price: _, ...unpriced } = model(freshId())
    expect(await call('addModel', { body: unpriced })).toMatchObject({ enabled: false, price: null })
    expect(await refusal(call('enableModel', { id: unpriced.id }))).toEqual(refused.invalid('price'))
    await call('priceModel', { id: unpriced.id, body: { input: 0, output: 0 } })
    expect(await call('enableModel', { id: unpriced.id })).toMatchObject({ enabled: true, price: { input: 0 } })
  })

  it('is undone and done again without touching the price', async () => {
    const { id } = await add()
    expect(await call('disableModel', { id })).toMatchObject({ enabled: false, price: { version: 1 } })
    expect(await call('enableModel', { id })).toMatchObject({ enabled: true, price: { version: 1 } })
    expect(await call('enableModel', { id })).toMatchObject({ enabled: true, price: { version: 1 } })
  })
})

describe('a price', () => {
  it('gets a new version when it changes, and keeps its version when it does not', async () => {
    const { id } = await add()
    const versions: (number | undefined)[] = []
    for (const input of [1, 3, 3, 1, 5]) {
      versions.push((await call('priceModel', { id, body: { input, output: 2 } })).price?.version)
    }
    expect(versions).toEqual([1, 2, 2, 3, 4])
  })

  it('takes its cache prices from its input where they are left out', async () => {
    const { id } = await add()
    expect((await call('priceModel', { id, body: { input: 7, output: 2, cache_read: 0.5 } })).price).toEqual({
      version: 2,
      input: 7,
      output: 2,
      cache_read: 0.5,
      cache_write: 7,
    })
  })

  it('of a removed model is not used again, also after a restart', async () => {
    const { id } = await add()
    await call('priceModel', { id, body: { input: 3, output: 2 } })
    await call('removeModel', { id })
    expect(await call('addModel', { body: model(id) })).toMatchObject({ price: { version: 3, input: 1 } })
    await call('removeModel', { id })
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await call('addModel', { body: model(id) })).toMatchObject({ price: { version: 4 } })
  })

  it('of a removed model is not that of one that is added under its id without a price', async () => {
    const id = freshId()
    const { price: _, ...unpriced } = model(id)
    await call('addModel', { body: model(id) })
    await call('removeModel', { id })
    expect(await call('addModel', { body: unpriced })).toMatchObject({ price: null, enabled: false })
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await shown(id)).toMatchObject({ price: null, enabled: false })
    expect(await refusal(call('enableModel', { id }))).toEqual(refused.invalid('price'))
    expect(await call('priceModel', { id, body: { input: 9, output: 9 } })).toMatchObject({ price: { version: 2 } })
  })
})
