import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplyDocument } from '#contract/schemas.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, refusal, topup } from './support.ts'

let farebox: Farebox

beforeEach(async () => {
  farebox = await startFarebox()
})

afterEach(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const apply = async (document: ApplyDocument) => (await call('apply', { body: { document } })).changes
const tryOut = (document: ApplyDocument) => call('apply', { body: { document, dry_run: true } })

async function everything() {
  return [await call('listProviders', {}), await call('listModels', {}), await call('listPackages', {})]
}

const DOCUMENT: ApplyDocument = {
  providers: [provider('main', { secret: 'sk-1' }), provider('spare', { base_url: 'http://127.0.0.1:11434/v1' })],
  models: [
    model('chat', {
      targets: [
        { provider: 'main', model: 'a' },
        { provider: 'spare', model: 'b' },
      ],
    }),
    model('embed', { kind: 'embedding', price: { input: 0.02, output: 0 }, enabled: false }),
  ],
  packages: [
    topup('try', { timezone: 'UTC' }),
    {
      name: 'team',
      type: 'monthly',
      credits: 50,
      timezone: 'Europe/Berlin',
      models: ['chat'],
      valid_until: '2030-12-31',
    },
  ],
}

function first<Item>(items: readonly Item[] | undefined): Item {
  return items?.[0] ?? expect.fail('there is none')
}

describe('applying a document', () => {
  it('creates what is missing, in one go', async () => {
    expect(await apply(DOCUMENT)).toEqual([
      { kind: 'provider', name: 'main', action: 'create', fields: [] },
      { kind: 'provider', name: 'spare', action: 'create', fields: [] },
      { kind: 'model', name: 'chat', action: 'create', fields: [] },
      { kind: 'model', name: 'embed', action: 'create', fields: [] },
      { kind: 'package', name: 'try', action: 'create', fields: [] },
      { kind: 'package', name: 'team', action: 'create', fields: [] },
    ])
    expect(await call('listProviders', {})).toMatchObject([
      { name: 'main', has_secret: true },
      { name: 'spare', has_secret: false },
    ])
  })

  it('again changes nothing, also after a restart', async () => {
    await apply(DOCUMENT)
    const before = await everything()
    for (let count = 0; count < 2; count++) {
      expect((await apply(DOCUMENT)).map((change) => change.action)).toEqual(Array.from({ length: 6 }, () => 'none'))
      expect(await everything()).toEqual(before)
      await farebox.stop()
      farebox = await startFarebox({ dataDir: farebox.dataDir })
    }
  })

  it('to try it out tells the same and changes nothing', async () => {
    const tried = await tryOut(DOCUMENT)
    expect(tried.dry_run).toBe(true)
    expect(await everything()).toEqual([[], [], []])
    expect(await apply(DOCUMENT)).toEqual(tried.changes)
    const changed = { ...DOCUMENT, packages: [topup('try', { credits: 11, timezone: 'UTC' })] }
    const before = await everything()
    expect((await tryOut(changed)).changes).toContainEqual({
      kind: 'package',
      name: 'try',
      action: 'update',
      fields: ['credits'],
    })
    expect(await everything()).toEqual(before)
  })

  it('to try it out does not use up price versions', async () => {
    await apply(DOCUMENT)
    const dearer = { models: [model('chat', { price: { input: 9, output: 9 } })] }
    for (let count = 0; count < 3; count++) await tryOut(dearer)
    await apply(dearer)
    expect(first(await call('listModels', {})).price?.version).toBe(2)
  })

  it('leaves alone what it does not name', async () => {
    await apply(DOCUMENT)
    const before = await everything()
    expect(await apply({})).toEqual([])
    expect(await apply({ packages: [topup('new')] })).toHaveLength(1)
    const [providers, models, packages] = await everything()
    expect([providers, models]).toEqual(before.slice(0, 2))
    expect(packages).toHaveLength(3)
  })

  it.each<[string, ApplyDocument, string[]]>([
    [
      'base_url',
      { providers: [provider('main', { base_url: 'https://api.example.com/v2', secret: 'sk-1' })] },
      ['base_url'],
    ],
    ['secret', { providers: [provider('main', { secret: 'sk-2' })] }, ['secret']],
    ['secret', { providers: [provider('spare', { base_url: 'http://127.0.0.1:11434/v1', secret: 'x' })] }, ['secret']],
    [
      'price',
      { models: [model('embed', { kind: 'embedding', price: { input: 0.03, output: 0 }, enabled: false })] },
      ['price'],
    ],
    [
      'enabled',
      { models: [model('embed', { kind: 'embedding', price: { input: 0.02, output: 0 }, enabled: true })] },
      ['enabled'],
    ],
    ['targets', { models: [model('chat')] }, ['targets']],
    ['credits', { packages: [topup('try', { credits: 20 })] }, ['credits']],
    ['limits', { packages: [topup('try', { limits: { requests_per_minute: 5 } })] }, ['limits']],
    [
      'several',
      { packages: [topup('try', { credits: 3, models: ['chat'], timezone: 'Asia/Tokyo' })] },
      ['credits', 'timezone', 'models'],
    ],
  ])('updates what differs and says which fields: %s', async (_, document, fields) => {
    await apply(DOCUMENT)
    expect(await apply(document)).toEqual([expect.objectContaining({ action: 'update', fields })])
    expect(await apply(document)).toEqual([expect.objectContaining({ action: 'none', fields: [] })])
  })

  it('keeps what an update does not mention', async () => {
    await apply(DOCUMENT)
    const { price: _, ...unpriced } = model('embed', { kind: 'embedding' })
    await apply({ models: [unpriced] })
    expect((await call('listModels', {})).find(({ id }) => id === 'embed')).toMatchObject({
      enabled: false,
      price: { version: 1, input: 0.02 },
    })
    const { credits: __, ...team } = { name: 'team', type: 'monthly' as const, credits: 0 }
    await apply({ packages: [team] })
    expect((await call('listPackages', {})).find(({ name }) => name === 'team')).toMatchObject({
      credits: 50,
      models: ['chat'],
    })
  })
})

describe('a document that is wrong', () => {
  it.each<[string, ApplyDocument]>([
    ['providers.0.base_url', { providers: [provider('x', { base_url: 'nope' })] }],
    ['providers.1.secret', { providers: [provider('x'), { name: 'demo', dialect: 'demo', secret: 'x' }] }],
    ['models.0.targets.0.provider', { models: [model('x', { targets: [{ provider: 'nobody', model: 'x' }] })] }],
    ['models.0.price', { providers: [provider('main')], models: [model('x', { price: { input: 1e-7, output: 1 } })] }],
    ['packages.1.timezone', { packages: [topup('x'), topup('y', { timezone: 'Nowhere' })] }],
    ['packages.0.models', { packages: [topup('x', { models: ['none'] })] }],
    ['packages.0.valid_until', { packages: [topup('x', { valid_until: '2027-02-30' })] }],
    ['providers.1.name', { providers: [provider('x'), provider('x')] }],
    [
      'models.1.id',
      { providers: [provider('main')], models: [model('x'), model('x', { price: { input: 5, output: 5 } })] },
    ],
    ['packages.1.name', { packages: [topup('x'), topup('x', { credits: 5 })] }],
  ])('changes nothing at all, and is told where it is wrong: %s', async (param, document) => {
    const good = { providers: [provider('good'), ...(document.providers ?? [])] }
    const shifted = param.replace(/^providers\.(\d)/, (_, index) => `providers.${Number(index) + 1}`)
    expect(await refusal(call('apply', { body: { document: { ...document, ...good } } }))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      param: shifted,
    })
    expect(await everything()).toEqual([[], [], []])
  })

  it('may not reset what was used: applying it again would do so again', async () => {
    const document = { packages: [{ ...topup('x'), reset_used: true }] }
    expect(await refusal(call('apply', { body: { document } }))).toMatchObject({
      param: 'document.packages.0.reset_used',
    })
  })

  it('is refused for a field that nobody knows, wherever it stands', async () => {
    const document = { packages: [{ ...topup('x'), budget: 5 }] }
    expect(await refusal(call('apply', { body: { document } }))).toMatchObject({ param: 'document.packages.0.budget' })
  })

  it('may refer to what it makes itself', async () => {
    const document = {
      providers: [provider('main')],
      models: [model('new')],
      packages: [topup('new', { models: ['new'] })],
    }
    expect(await apply(document)).toHaveLength(3)
  })
})
