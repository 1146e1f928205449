import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelCreate, ModelEdit } from '#contract/schemas.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, refusal, refused } from './support.ts'

let farebox: Farebox
let ids = 0

beforeAll(async () => {
  farebox = await startFarebox()
  for (const name of ['main', 'other']) await call('addProvider', { body: provider(name) })
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const add = (more: Partial<ModelCreate> = {}) => call('addModel', { body: model(`model-${++ids}`, more) })
function addEmbedding(price: ModelCreate['price']) {
  const targets = [{ provider: 'main', model: 'real' }]
  const body = { id: `model-${++ids}`, kind: 'embedding' as const, context_window: 1000, targets }
  return call('addModel', { body: price === undefined ? body : { ...body, price } })
}
const edit = (id: string, body: ModelEdit) => call('editModel', { id, body })
const shown = async (id: string) => (await call('listModels', {})).find((listed) => listed.id === id)

describe('editing a model', () => {
  it('that is not there is refused', async () => {
    expect(await refusal(edit('nobody', { display_name: 'Nobody' }))).toEqual(refused.notFound)
  })

  it.each<[string, object]>([
    ['display_name', { display_name: '' }],
    ['context_window', { context_window: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['targets', { targets: [] }],
    ['targets.1.provider', { targets: ['main', 'nobody'].map((name) => ({ provider: name, model: 'x' })) }],
    ['targets.0.priority', { targets: [{ provider: 'main', model: 'x', priority: -1 }] }],
    ['price', { price: { input: 1, output: 1 } }],
    ['enabled', { enabled: false }],
    ['id', { id: 'another' }],
    ['kind', { kind: 'film' }],
  ])('is refused for its %s and changes nothing: %j', async (param, wrong) => {
    const before = await add()
    expect(await refusal(edit(before.id, { display_name: 'Changed', ...wrong }))).toEqual(refused.invalid(param))
    expect(await shown(before.id)).toEqual(before)
  })

  it.each<[keyof ModelEdit, ModelEdit]>([
    ['display_name', { display_name: 'Renamed' }],
    ['context_window', { context_window: 2000 }],
    ['max_output_tokens', { max_output_tokens: 200 }],
  ])('changes its %s and leaves everything else, its price version too', async (field, body) => {
    const before = await add()
    const after = { ...before, [field]: body[field] }
    expect(await edit(before.id, body)).toEqual(after)
    expect(await shown(before.id)).toEqual(after)
  })

  it('makes a model for embeddings of it, which has no output', async () => {
    const before = await add()
    const after = { ...before, kind: 'embedding', max_output_tokens: 0 }
    expect(await edit(before.id, { kind: 'embedding' })).toEqual(after)
    expect(await shown(before.id)).toEqual(after)
    expect(await edit(before.id, { kind: 'embedding' })).toEqual(after)
  })

  it('makes a chat model of it once it has an output cap and a price for output', async () => {
    const { id } = await addEmbedding({ input: 1 })
    expect(await refusal(edit(id, { kind: 'chat' }))).toEqual(refused.invalid('max_output_tokens'))
    // Its output would be free.
    expect(await refusal(edit(id, { kind: 'chat', max_output_tokens: 10 }))).toEqual(refused.invalid('kind'))
    await call('priceModel', { id, body: { input: 1, output: 2 } })
    expect(await edit(id, { kind: 'chat', max_output_tokens: 10 })).toMatchObject({
      kind: 'chat',
      max_output_tokens: 10,
    })
  })

  it('makes a chat model of one that costs nothing, or has no price yet', async () => {
    for (const price of [{ input: 0 }, undefined]) {
      const { id } = await addEmbedding(price)
      expect(await edit(id, { kind: 'chat', max_output_tokens: 10 })).toMatchObject({ kind: 'chat' })
    }
  })

  it('with nothing in it changes nothing', async () => {
    const before = await add()
    expect(await edit(before.id, {})).toEqual(before)
  })

  it('replaces all its targets at once', async () => {
    const before = await add({ targets: ['a', 'b'].map((name) => ({ provider: 'main', model: name })) })
    const targets = [{ provider: 'other', model: 'c', priority: 4, weight: 2 }]
    expect(await edit(before.id, { targets })).toEqual({ ...before, targets })
  })

  it('is still there after a restart, and does not enable what was disabled', async () => {
    const { id } = await add({ enabled: false })
    const edited = await edit(id, { display_name: 'Kept', targets: [{ provider: 'other', model: 'z' }] })
    expect(edited.enabled).toBe(false)
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await shown(id)).toEqual(edited)
  })

  it('lets a provider go that it has no target at any more', async () => {
    const { name } = await call('addProvider', { body: provider('passing') })
    const { id } = await add({ targets: [{ provider: name, model: 'x' }] })
    expect(await refusal(call('removeProvider', { id: name }))).toEqual(refused.conflict())
    await edit(id, { targets: [{ provider: 'main', model: 'x' }] })
    expect(await call('removeProvider', { id: name })).toEqual({ secret_forgotten: true })
  })
})
