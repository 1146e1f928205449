// The data of the pages of models and providers: forms, filters, offers, the price card, and what was found on this machine.

import { describe, expect, it } from 'vitest'
import type { CardComparison } from '#contract/price-card.ts'
import type { ModelOffer } from '#contract/provider-models.ts'
import type { ProviderView } from '#contract/providers.ts'
import type { ModelView, PackageView } from '#contract/schemas.ts'
import { cardChanges, hostOf, jumpingIds, preselected } from '#renderer/data/card-list.ts'
import {
  addableServers,
  discoveryBody,
  isAddable,
  newModels,
  placeOf,
  type LocalServer,
} from '#renderer/data/discovered.ts'
import { EMPTY_MODEL, modelCreateBody, modelEditBody, modelFormOf, readTokens } from '#renderer/data/model-form.ts'
import { concernedBy, filteredModels, providersOf, stateOf } from '#renderer/data/model-list.ts'
import { canBeAdded, filteredOffers, isKindOpen, needsLimits, offersBody } from '#renderer/data/offer-list.ts'
import { filteredRows, providerRows } from '#renderer/data/provider-list.ts'
import { healthOf, modelsOnlyAt, worstOf, type TargetHealth } from '#renderer/data/target-health.ts'

const AT = '2026-11-21T12:00:00.000Z'
const PRICE = { version: 1, input: 1, output: 2, cache_read: 1, cache_write: 1 }

function model(id: string, change: Partial<ModelView> = {}): ModelView {
  const targets = [{ provider: 'main', model: id, priority: 0, weight: 1 }]
  const own = { id, display_name: id, kind: 'chat', context_window: 1000, max_output_tokens: 100, enabled: true }
  return { ...own, price: PRICE, targets, created_at: AT, ...change }
}

function at(provider: string, name = 'm', priority = 0) {
  return { provider, model: name, priority, weight: 1 }
}

describe('a number of tokens', () => {
  it.each([
    ['200000', 200_000],
    ['200k', 200_000],
    ['1M', 1_000_000],
    ['64,000', 64_000],
    ['64.000', 64_000],
    ['1 000 000', 1_000_000],
    [' 7 ', 7],
    ['1000000000', 1_000_000_000],
  ])('is read from %s', (text, tokens) => {
    expect(readTokens(text)).toBe(tokens)
  })

  it.each(['', '0', '-5', '1.5', '1,5k', '64,00', '1000M1', '1000000001', '2000M', 'many', '1e6'])(
    'is not read from %j',
    (text) => {
      expect(readTokens(text)).toBeUndefined()
    },
  )
})

describe('the form of a model', () => {
  const form = { ...EMPTY_MODEL, id: ' m ', contextWindow: '8k', maxOutput: '1k', provider: 'main' }

  it('makes a model with the same name at its provider, and without a price where none was typed', () => {
    expect(modelCreateBody(form, 'en')).toEqual({
      id: 'm',
      kind: 'chat',
      context_window: 8000,
      max_output_tokens: 1000,
      targets: [{ provider: 'main', model: 'm' }],
    })
  })

  it('sends no output limit of an embedding model, whatever was typed before', () => {
    const body = modelCreateBody({ ...form, kind: 'embedding', maxOutput: 'x' }, 'en')
    expect(body).toMatchObject({ kind: 'embedding' })
    expect(body).not.toHaveProperty('max_output_tokens')
  })

  it.each([
    { id: '' },
    { contextWindow: '' },
    { maxOutput: 'x' },
    { provider: '' },
    { price: { ...form.price, input: '1' } },
  ])('makes nothing of %j', (change) => {
    expect(modelCreateBody({ ...form, ...change }, 'en')).toBeUndefined()
  })

  it('takes an empty price of cached input for that of input', () => {
    const price = { input: '1,25', output: '10', cache_read: '', cache_write: '0' }
    expect(modelCreateBody({ ...form, price }, 'de')?.price).toEqual({
      input: 1.25,
      output: 10,
      cache_read: 1.25,
      cache_write: 0,
    })
  })

  it('sends of an edit what was changed, and nothing of what was not', () => {
    const before = model('m', { display_name: 'M' })
    const same = modelFormOf(before)
    expect(modelEditBody(same, before)).toEqual({})
    expect(modelEditBody({ ...same, contextWindow: '2k' }, before)).toEqual({ context_window: 2000 })
    expect(modelEditBody({ ...same, displayName: ' ' }, before)).toBeUndefined()
    const embedding = model('e', { kind: 'embedding', max_output_tokens: 0 })
    expect(modelEditBody(modelFormOf(embedding), embedding)).toEqual({})
  })
})

describe('the list of models', () => {
  const models = [
    model('open'),
    model('shut', { enabled: false }),
    model('bare', { enabled: false, price: null, targets: [at('spare', 'upstream-name')] }),
    model('vector', { kind: 'embedding' }),
  ]
  const ids = (filter: Parameters<typeof filteredModels>[1]) => filteredModels(models, filter).map(({ id }) => id)

  it('says that a model has no price before it says that it is disabled', () => {
    expect(models.map(stateOf)).toEqual(['enabled', 'disabled', 'unpriced', 'enabled'])
  })

  it('is narrowed by words, state, kind and provider together', () => {
    expect(ids({ q: 'UPSTREAM spare' })).toEqual(['bare'])
    expect(ids({ state: 'disabled' })).toEqual(['shut', 'bare'])
    expect(ids({ state: 'unpriced' })).toEqual(['bare'])
    expect(ids({ kind: 'embedding', provider: 'main' })).toEqual(['vector'])
    expect(ids({ kind: 'embedding', provider: 'spare' })).toEqual([])
    expect(providersOf(models)).toEqual(['main', 'spare'])
  })

  it('knows which packages and keys lose a model that is removed', () => {
    const entity = (name: string, allowed: PackageView['models'], keys: number): PackageView => ({
      id: name,
      name,
      type: 'monthly',
      credits: 1,
      timezone: 'UTC',
      valid_until: null,
      created_at: AT,
      limits: { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null },
      models: allowed,
      keys,
    })
    const packages = [entity('every', 'all', 2), entity('some', ['open'], 3), entity('others', ['shut'], 9)]
    const { named, all, keys } = concernedBy('open', packages)
    expect([named.map(({ name }) => name), all.map(({ name }) => name), keys]).toEqual([['some'], ['every'], 5])
  })
})

describe('the models that a provider lists', () => {
  const offer = (id: string, state: ModelOffer['state']): ModelOffer => ({
    model: id,
    id,
    display_name: id.toUpperCase(),
    kind: 'chat',
    kind_source: 'name',
    context_window: null,
    max_output_tokens: null,
    price: null,
    price_source: 'none',
    note: null,
    state,
  })
  const offers = [offer('a', 'ready'), offer('b', 'no-limits'), offer('c', 'added'), offer('d', 'unsupported')]

  it('can be added unless they are there already or not served', () => {
    expect(offers.filter(canBeAdded).map(({ model: name }) => name)).toEqual(['a', 'b'])
    expect(filteredOffers(offers, 'D').map(({ model: name }) => name)).toEqual(['d'])
  })

  it('are not sent before the size of what is chosen is said', () => {
    const [none, both] = [new Set<string>(), new Set(['a', 'b'])]
    const empty = { kind: '', context: '', maxOutput: '' } as const
    expect(offersBody(offers, none, empty)).toBeUndefined()
    expect(offersBody(offers, new Set(['c', 'd']), empty)).toBeUndefined()
    expect(offersBody(offers, new Set(['a']), { ...empty, context: 'x', maxOutput: 'x' })).toEqual({ models: ['a'] })
    expect(needsLimits(offers, both)).toBe(true)
    expect(offersBody(offers, both, empty)).toBeUndefined()
    expect(offersBody(offers, both, { ...empty, context: '8k', maxOutput: 'x' })).toBeUndefined()
    expect(offersBody(offers, both, { ...empty, context: '8k' })).toEqual({
      models: ['a', 'b'],
      context_window: 8000,
    })
    expect(offersBody(offers, both, { ...empty, context: '8k', maxOutput: '1k' })).toMatchObject({
      max_output_tokens: 1000,
    })
  })

  it('can be said to be of a kind where nobody else says it', () => {
    const texts = { kind: 'embedding', context: '', maxOutput: '' } as const
    const told = { ...offer('told', 'ready'), kind_source: 'provider' } as const
    const of = (...names: string[]) => [[...offers, told], new Set(names)] as const
    expect([isKindOpen(...of('a')), isKindOpen(...of('a', 'told')), isKindOpen(...of())]).toEqual([true, false, false])
    expect(offersBody(...of('a'), texts)).toEqual({ models: ['a'], kind: 'embedding' })
    expect(offersBody(...of('a', 'told'), texts)).toEqual({ models: ['a', 'told'] })
    expect(offersBody(...of('a'), { ...texts, kind: '' })).toEqual({ models: ['a'] })
  })
})

describe('the price card', () => {
  const row = (id: string, change: 'new' | 'changed' | 'same', jump = false): CardComparison['rows'][number] => ({
    id,
    provider: 'p',
    upstream_model: id,
    change,
    old: null,
    new: PRICE,
    jump,
    asked_by: null,
    context_window: 1,
    priced_up_to: null,
    note: null,
    source: 'https://prices.example/page',
    date: '2026-11-21',
  })
  const card = {
    version: 'v',
    date: '2026-11-21',
    rows: [row('a', 'new'), row('b', 'same'), row('c', 'changed', true)],
  }

  it('shows what would change, and chooses all of it but the jumps and what another provider asks', () => {
    const changes = cardChanges({ ...card, not_on_card: [] })
    expect(changes.map(({ id }) => id)).toEqual(['a', 'c'])
    expect(preselected(changes)).toEqual(['a'])
    expect(preselected([...changes, { ...row('d', 'new'), asked_by: 'OpenAI' }])).toEqual(['a'])
    expect(jumpingIds(changes, ['a'])).toEqual([])
    expect(jumpingIds(changes, ['a', 'c'])).toEqual(['c'])
  })

  it('names its source by the host', () => {
    expect([hostOf('https://prices.example/page'), hostOf('no address')]).toEqual(['prices.example', 'no address'])
  })
})

describe('what was found on this machine', () => {
  const server = (change: Partial<LocalServer>): LocalServer => ({
    id: 'ollama',
    name: 'Ollama',
    base_url: 'http://127.0.0.1:11434/v1',
    state: 'found',
    version: null,
    provider: null,
    name_here: 'ollama',
    models: [],
    ...change,
  })
  const found = (name: string, served: string | null) =>
    ({ name, kind: 'chat', kind_source: 'name', context_window: null, model: served, tells_context: false }) as const

  it('can be added where it answers and has something new', () => {
    expect(isAddable(server({}))).toBe(true)
    expect(isAddable(server({ state: 'needs-key' }))).toBe(false)
    expect(isAddable(server({ state: 'not-found' }))).toBe(false)
    expect(isAddable(server({ provider: 'ollama', models: [found('a', 'a')] }))).toBe(false)
    const tells = { ...found('a', 'a'), tells_context: true }
    expect(isAddable(server({ provider: 'ollama', models: [tells] }))).toBe(true)
    const grown = server({ id: 'vllm', provider: 'vllm', models: [found('a', 'a'), found('b', null)] })
    expect(newModels(grown)).toBe(1)
    expect(addableServers([server({ state: 'not-found' }), grown])).toEqual([placeOf(grown)])
  })

  it('is added by its place, so that of two servers of one kind one can be left out', () => {
    const at = (id: LocalServer['id'], port: string) => server({ id, base_url: `http://127.0.0.1${port}/v1` })
    const servers = [at('llama-cpp', ':8080'), at('llama-cpp', ':9931'), at('vllm', ''), at('ollama', ':11434')]
    const chosen = [at('llama-cpp', ':9931'), at('vllm', '')].map(placeOf)
    expect(discoveryBody(servers, chosen)).toEqual({
      add: ['llama-cpp', 'vllm'],
      ports: { 'llama-cpp': [9931], vllm: [80] },
    })
    expect(discoveryBody(servers, addableServers(servers)).ports).toMatchObject({ 'llama-cpp': [8080, 9931] })
  })
})

describe('the list of providers', () => {
  const provider = (name: string, change: Partial<ProviderView> = {}): ProviderView => ({
    id: name,
    name,
    preset: null,
    dialect: 'messages',
    base_url: `https://${name}.example/v1`,
    network: 'public',
    secret_header: 'x-api-key',
    output_cap_field: 'max_tokens',
    on_disconnect: 'cancel',
    quirks: {},
    limits: {},
    time_limits: {},
    headers: {},
    header_secrets: [],
    has_secret: true,
    secret_state: 'stored',
    created_at: AT,
    ...change,
  })
  const health = (name: string, state: TargetHealth['state']): TargetHealth => ({
    provider: name,
    model: 'm',
    state,
    failures: 0,
    left_out_until: null,
    last_failure: null,
    ignored_cap: null,
  })
  const providers = [
    provider('well'),
    provider('ill'),
    provider('locked', { secret_state: 'locked' }),
    provider('idle', { network: 'local', base_url: 'http://127.0.0.1:8000/v1' }),
  ]
  const models = [model('shared', { targets: [at('well'), at('ill', 'm', 1)] }), model('own', { targets: [at('ill')] })]
  const targets = [health('well', 'ok'), health('ill', 'ok'), health('ill', 'cooling')]
  const rows = providers.map((one) => ({
    provider: one,
    targets: targets.filter((target) => target.provider === one.name),
    worst: worstOf(targets.filter((target) => target.provider === one.name).map(({ state }) => state)),
    use: undefined,
    models,
  }))

  it('has the health and the models of each, and nothing of either while they are read', () => {
    const [first, second] = providerRows(providers, undefined, undefined)
    expect([first?.worst, first?.models, second?.targets]).toEqual([undefined, undefined, []])
    const known = providerRows(providers, models, undefined)
    expect(known.map((one) => one.models?.map(({ id }) => id))).toEqual([['shared'], ['shared', 'own'], [], []])
  })

  it('shows what needs attention: secrets out of reach, and targets that are left out', () => {
    const names = (filter: Parameters<typeof filteredRows>[1]) =>
      filteredRows(rows, filter).map(({ provider: { name } }) => name)
    expect(names({ state: 'attention' })).toEqual(['ill', 'locked'])
    expect(names({ state: 'local' })).toEqual(['idle'])
    expect(names({ q: '127.0.0.1 MESSAGES' })).toEqual(['idle'])
  })

  it('knows the worst of several states, and which models nobody else serves', () => {
    expect(worstOf([])).toBeUndefined()
    expect(worstOf(['ok', 'unknown', 'half-open'])).toBe('half-open')
    expect(worstOf(['cooling', 'open'])).toBe('open')
    expect(modelsOnlyAt('ill', models).map(({ id }) => id)).toEqual(['own'])
    expect(healthOf(at('well'), targets)?.state).toBe('ok')
    expect(healthOf(at('well', 'another'), targets)).toBeUndefined()
  })
})
