// A provider's own models as an administrator is offered them: each with the best that is known about its price and limits,
// and with what would become of it. Adding takes the offers as they are; nothing is made up for what nobody tells.

import { cardMatchFor } from '#catalog/card-entries.ts'
import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { readModelInput, withLearntContext } from '#catalog/models.ts'
import { presetOf } from '#catalog/presets.ts'
import { wholePrice } from '#catalog/prices.ts'
import { modelView } from '#catalog/views.ts'
import type { CardEntry } from '#contract/price-card.ts'
import type { WholePrice } from '#contract/prices.ts'
import type { ModelOffer, ProviderModelsAdd, ProviderModelsAdded } from '#contract/provider-models.ts'
import type { ModelCreate } from '#contract/schemas.ts'
import { isName, nameFrom } from '#contract/visible.ts'
import type { Model, ModelKind, Provider } from '#core/entities.ts'
import { kindByName, type KindSource, type ListedModel } from '#core/listed-model.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { embeddingsOf, familyOf, quirksOf } from '#dialect/dialects.ts'

const FREE: WholePrice = { input: 0, output: 0, cache_read: 0, cache_write: 0 }
/** The contract takes no higher price; nobody asks it. */
const MAX_TOKEN_PRICE = 1_000_000

/** A model that a provider lists, with the kind that an administrator gives it. */
type Listed = ListedModel & { readonly saidKind?: ModelKind | undefined }

export function offersOf(catalog: Catalog, provider: Provider, listed: readonly Listed[]): ModelOffer[] {
  const taken = new Set(catalog.models.map(({ id }) => id))
  return listed.map((model) => {
    const existing = catalog.models.find((candidate) => isServedBy(candidate, provider, model.id))
    const offer = offerOf(provider, model)
    if (existing !== undefined) return { ...offer, id: existing.id, state: 'added', note: null }
    const id = [model.id, `${provider.name}/${model.id}`].find((name) => !taken.has(name) && isModelName(name))
    if (id === undefined && offer.state === 'unsupported') return offer
    if (id === undefined) return { ...offer, state: 'unsupported', note: 'Its name is taken by another model.' }
    taken.add(id)
    return { ...offer, id }
  })
}

type Adding = { readonly listed: readonly ListedModel[]; readonly input: ProviderModelsAdd }

/** Adds the models that were asked for, all at once; says why of those that were not added. */
export async function addOffers(
  context: CatalogContext,
  provider: Provider,
  { listed, input }: Adding,
): Promise<ProviderModelsAdded | Refusal> {
  const offers = offersOf(context.catalog, provider, withSaidKinds(listed, input, provider))
  const { chosen, skipped } = choose(offers, input)
  const models: Model[] = []
  for (const offer of chosen) {
    const limits = limitsFor(offer, input)
    if (limits === undefined) {
      skipped.push({ model: offer.model, reason: reasonFor(offer) })
      continue
    }
    const draft = draftOf(offer, provider, limits)
    const model = readModelInput(context, draft, undefined, (name) => context.catalog.provider(name))
    if (isRefusal(model)) return model
    models.push(model)
  }
  const learnt = learntModels(context.catalog, offers, input)
  const changedAtMs = context.nowMs()
  await commitChanges(
    context,
    [...models, ...learnt].map((model) => ({ type: 'put-model', model, changedAtMs }) as const),
  )
  const shown = (list: readonly Model[]) => list.map((model) => modelView(model, context.catalog))
  if (learnt.length === 0) return { added: shown(models), skipped }
  const isLearnt = (name: string) =>
    offers.some(({ model, id }) => (model === name || id === name) && learnt.some((one) => one.id === id))
  return { added: shown(models), skipped: skipped.filter(({ model }) => !isLearnt(model)), contexts: shown(learnt) }
}

/** Models that are there already, with the context window that their provider tells since. */
function learntModels(catalog: Catalog, offers: readonly ModelOffer[], { models }: ProviderModelsAdd): Model[] {
  return offers.flatMap(({ state, id, model: name, context_window: context }) => {
    const existing = state === 'added' ? catalog.model(id) : undefined
    const isMeant = models === 'all' || models.includes(name) || models.includes(id)
    return (existing && isMeant ? withLearntContext(existing, context ?? undefined) : undefined) ?? []
  })
}

/** Said of models that are named it holds for them; said of all it fills in what nobody says. */
function withSaidKinds(
  listed: readonly ListedModel[],
  { models, kind }: ProviderModelsAdd,
  provider: Provider,
): readonly Listed[] {
  if (kind === undefined) return listed
  if (models === 'all') return listed.map((model) => ({ ...model, kind: model.kind ?? kind }))
  const isNamed = ({ id }: ListedModel) => models.includes(id) || models.includes(`${provider.name}/${id}`)
  return listed.map((model) => (isNamed(model) ? { ...model, saidKind: kind } : model))
}

function offerOf(provider: Provider, model: Listed): ModelOffer {
  const preset = presetOf(provider)
  const match = cardMatchFor(provider, model.id)
  // What somebody else asks for a model of that name is no price to begin with.
  const entry = match?.askedBy === undefined ? match?.entry : undefined
  const { kind, source } = kindOf(model, entry)
  const context = contextOf(model, entry)
  const price = priceOf(model, { entry, isFree: preset?.free ?? false })
  const base = {
    model: model.id,
    id: model.id,
    display_name: shownName(entry, model),
    kind: kind === 'other' ? ('chat' as const) : kind,
    kind_source: source,
    context_window: context ?? null,
    max_output_tokens:
      (kind === 'chat' ? (model.maxOutputTokens ?? entry?.max_output_tokens ?? context) : null) ?? null,
    ...price,
  }
  const unsupported = unsupportedNote(model, provider, kind)
  if (unsupported !== undefined) return { ...base, state: 'unsupported', note: unsupported }
  const note = noteOf(entry)
  if (context === undefined) return { ...base, state: 'no-limits', note: note ?? 'Nobody tells its context window.' }
  return { ...base, state: price.price === null ? 'unpriced' : 'ready', note }
}

/** The card is about this model of this provider, so that it knows better than a list. */
function kindOf(
  { id, kind, saidKind }: Listed,
  entry: CardEntry | undefined,
): { readonly kind: ModelKind | 'other'; readonly source: KindSource } {
  if (saidKind !== undefined) return { kind: saidKind, source: 'administrator' }
  if (entry !== undefined) return { kind: entry.kind, source: 'card' }
  return kind === undefined ? { kind: kindByName(id), source: 'name' } : { kind, source: 'provider' }
}

/** No longer than the price holds: what a prompt costs beyond that would not be charged. */
function contextOf(model: ListedModel, entry: CardEntry | undefined): number | undefined {
  const known = model.contextWindow ?? entry?.context_window
  const priced = entry?.priced_up_to
  return known === undefined || priced === undefined ? known : Math.min(known, priced)
}

function priceOf(
  model: ListedModel,
  { entry, isFree }: { readonly entry: CardEntry | undefined; readonly isFree: boolean },
): Pick<ModelOffer, 'price' | 'price_source'> {
  if (isFree) return { price: FREE, price_source: 'free' }
  if (model.price !== undefined) {
    const { input, output, cacheRead = input, cacheWrite = input } = model.price
    const price = { input, output, cache_read: cacheRead, cache_write: cacheWrite }
    if (Math.max(...Object.values(price)) <= MAX_TOKEN_PRICE) return { price, price_source: 'provider' }
  }
  const price = entry?.price ?? null
  return price === null ? { price, price_source: 'none' } : { price: wholePrice(price), price_source: 'card' }
}

function noteOf(entry: CardEntry | undefined): string | null {
  const limit =
    entry?.priced_up_to === undefined
      ? []
      : [`Its price holds for up to ${entry.priced_up_to} tokens, which is taken as its context window.`]
  const notes = [...limit, ...(entry?.note === undefined ? [] : [entry.note])]
  return notes.length === 0 ? null : notes.join(' ')
}

function unsupportedNote({ id }: ListedModel, provider: Provider, kind: ListedModel['kind']): string | undefined {
  if (kind === 'other') return 'It makes what Farebox does not serve.'
  if (!isName(id)) return 'Its name has characters that cannot be seen.'
  const family = kind === undefined ? undefined : familyOf(kind)
  if (family !== undefined && !quirksOf(provider).routes.includes(family)) return `This provider has no ${family} here.`
  if (kind !== 'embedding' || embeddingsOf(provider) !== undefined) return undefined
  return `A provider that speaks ${provider.dialect} has no embeddings here.`
}

type Choice = { readonly chosen: ModelOffer[]; readonly skipped: { model: string; reason: string }[] }

/** With `all`, what cannot be served and what is there already is not worth a word. */
function choose(offers: readonly ModelOffer[], { models }: ProviderModelsAdd): Choice {
  if (models === 'all') {
    const chosen = offers.filter(({ state }) => state !== 'unsupported' && state !== 'added')
    return { chosen, skipped: [] }
  }
  const chosen: ModelOffer[] = []
  const skipped: Choice['skipped'] = []
  for (const name of new Set(models)) {
    const offer = offers.find(({ model }) => model === name) ?? offers.find(({ id }) => id === name)
    if (offer === undefined) skipped.push({ model: name, reason: 'The provider does not list it.' })
    else if (offer.state === 'unsupported' || offer.state === 'added')
      skipped.push({ model: name, reason: reasonFor(offer) })
    else if (!chosen.includes(offer)) chosen.push(offer)
  }
  return { chosen, skipped }
}

function reasonFor({ state, note, id }: ModelOffer): string {
  if (state === 'added') return `It is already added as '${id}'.`
  if (state === 'no-limits') return 'Its context window is not known. Give one.'
  return note ?? 'It cannot be served here.'
}

type Limits = { readonly contextWindow: number; readonly maxOutputTokens: number }

/** What is told counts; what an administrator says fills in the rest. */
function limitsFor(offer: ModelOffer, input: ProviderModelsAdd): Limits | undefined {
  const contextWindow = offer.context_window ?? input.context_window
  if (contextWindow === undefined) return undefined
  return { contextWindow, maxOutputTokens: offer.max_output_tokens ?? input.max_output_tokens ?? contextWindow }
}

function draftOf(offer: ModelOffer, provider: Provider, { contextWindow, maxOutputTokens }: Limits): ModelCreate {
  return {
    id: offer.id,
    display_name: offer.display_name,
    kind: offer.kind,
    context_window: contextWindow,
    ...(offer.kind === 'chat' ? { max_output_tokens: maxOutputTokens } : {}),
    ...(offer.price === null ? {} : { price: offer.price }),
    targets: [{ provider: provider.name, model: offer.model }],
  }
}

function isServedBy(model: Model, provider: Provider, upstreamModel: string): boolean {
  return model.targets.some((target) => target.providerId === provider.id && target.upstreamModel === upstreamModel)
}

/** A name from elsewhere, within what the contract takes. */
function shownName(entry: CardEntry | undefined, { id, displayName = id }: ListedModel): string {
  return nameFrom(entry?.display_name ?? displayName, 100) || nameFrom(id, 100) || '-'
}

function isModelName(name: string): boolean {
  return name.length <= 200 && /^[\u0021-\u007e]+$/.test(name)
}
