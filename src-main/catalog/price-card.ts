// The price card beside the models at hand: what it would change is shown first, and applied only as it was shown. The card
// never touches a price by itself.

import { isDeepStrictEqual } from 'node:util'
import { cardMatchFor } from '#catalog/card-entries.ts'
import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import type { Catalog } from '#catalog/catalog.ts'
import { repriced } from '#catalog/models.ts'
import { creditsOf, wholePrice } from '#catalog/prices.ts'
import { loadPriceCard } from '#catalog/resources.ts'
import { modelView } from '#catalog/views.ts'
import type { CardApplied, CardApply, CardComparison, CardQuery, CardRow, PriceCard } from '#contract/price-card.ts'
import type { Model } from '#core/entities.ts'
import { isPriceJump } from '#core/pricing.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** What the card says about the models, for all providers or for those at one. */
export function comparePriceCard(
  context: CatalogContext,
  { provider }: CardQuery,
  card: PriceCard = loadPriceCard(),
): CardComparison | Refusal {
  if (provider !== undefined && context.catalog.provider(provider) === undefined) {
    return refuse('not_found', `There is no provider '${provider}'.`)
  }
  const name = provider === undefined ? undefined : context.catalog.provider(provider)?.name
  const { rows, notOnCard } = compare(context, card)
  return {
    // Of everything, so that what was reviewed for one provider is not outdated by nothing but the filter.
    version: versionOf(context, rows),
    date: card.date,
    rows: rows.filter((row) => name === undefined || row.provider === name),
    not_on_card: notOnCard.filter((row) => name === undefined || row.provider === name).map(({ id }) => id),
  }
}

/** Gives models the prices that were shown. Refused where anything of what was shown has changed meanwhile. */
export async function applyPriceCard(
  context: CatalogContext,
  input: CardApply,
  card: PriceCard = loadPriceCard(),
): Promise<CardApplied | Refusal> {
  const { rows } = compare(context, card)
  if (input.version !== versionOf(context, rows)) {
    const says = 'The comparison with the price card has changed in the meantime. Look at it again.'
    return refuse('conflict', says, { param: 'version' })
  }
  const models: Model[] = []
  for (const [index, id] of input.ids.entries()) {
    const row = rows.find((candidate) => candidate.id === id)
    const model = context.catalog.model(id)
    if (row === undefined || model === undefined) {
      return refuse('invalid_request', `The price card has no price for '${id}'.`, { param: `ids.${index}` })
    }
    if (row.jump && input.confirm_jumps !== true) {
      const says = `The price of '${id}' would change more than a hundredfold. Confirm that if it is meant.`
      return refuse('invalid_request', says, { param: 'confirm_jumps' })
    }
    const changed = repriced(context, model, row.new)
    if (isRefusal(changed)) return changed
    if (changed !== model && !models.some(({ id: known }) => known === id)) models.push(changed)
  }
  const changedAtMs = context.nowMs()
  await commitChanges(
    context,
    models.map((model) => ({ type: 'put-model', model, changedAtMs }) as const),
  )
  return { applied: models.map((model) => modelView(model, context.catalog)) }
}

type Place = { readonly id: string; readonly provider: string }

function compare({ catalog }: CatalogContext, card: PriceCard): { rows: CardRow[]; notOnCard: Place[] } {
  const rows: CardRow[] = []
  const notOnCard: Place[] = []
  for (const model of catalog.models) {
    const row = rowOf(catalog, model, card)
    if (row.type === 'row') rows.push(row.row)
    else notOnCard.push(row)
  }
  return { rows, notOnCard }
}

type RowOrPlace = { readonly type: 'row'; readonly row: CardRow } | ({ readonly type: 'place' } & Place)

/** By the target that serves the model: the others cost what they cost only when they do. */
function rowOf(catalog: Catalog, model: Model, card: PriceCard): RowOrPlace {
  const target = model.targets.toSorted((left, right) => left.priority - right.priority)[0]
  const provider = target && catalog.provider(target.providerId)
  const place = { type: 'place', id: model.id, provider: provider?.name ?? '' } as const
  if (target === undefined || provider === undefined) return place
  const match = cardMatchFor(provider, target.upstreamModel, card.entries)
  if (match === undefined || match.entry.price === null) return place
  const { entry, askedBy } = match
  const before = model.price === undefined ? null : creditsOf(model.price)
  const after = wholePrice(match.entry.price)
  return {
    type: 'row',
    row: {
      id: model.id,
      provider: provider.name,
      upstream_model: target.upstreamModel,
      change: before === null ? 'new' : isDeepStrictEqual(before, after) ? 'same' : 'changed',
      old: before,
      new: after,
      jump: before !== null && isPriceJump(before, after),
      asked_by: askedBy ?? null,
      context_window: model.contextWindow,
      priced_up_to: entry.priced_up_to ?? null,
      note: entry.note ?? null,
      source: entry.source,
      date: entry.date,
    },
  }
}

function versionOf(context: CatalogContext, rows: readonly CardRow[]): string {
  return context.hashKey(JSON.stringify(rows))
}
