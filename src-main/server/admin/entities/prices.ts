// The price card.

import { applyPriceCard, comparePriceCard } from '#catalog/price-card.ts'
import { isRefusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const PRICE_AUDIT: AuditRules = { kept: ['version', 'ids', 'confirm_jumps', 'card'] }

export function priceHandlers({ context, inTurn, priceFeed }: EntityDeps): HandlersOf<'prices'> {
  return {
    priceCard: ({ query }) => {
      const card = priceFeed.card(query.card === undefined ? undefined : Number(query.card))
      return isRefusal(card) ? card : comparePriceCard(context, query, card)
    },
    applyPriceCard: ({ body }) =>
      inTurn(async () => {
        const card = priceFeed.card(body.card)
        return isRefusal(card) ? card : applyPriceCard(context, body, card)
      }),
    listPriceCards: () => priceFeed.versions(),
    fetchPriceCard: () => inTurn(() => priceFeed.fetchCard()),
  }
}
