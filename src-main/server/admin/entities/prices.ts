// The price card.

import { applyPriceCard, comparePriceCard } from '#catalog/price-card.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const PRICE_AUDIT: AuditRules = { kept: ['version', 'ids', 'confirm_jumps'] }

export function priceHandlers({ context, inTurn }: EntityDeps): HandlersOf<'prices'> {
  return {
    priceCard: ({ query }) => comparePriceCard(context, query),
    applyPriceCard: ({ body }) => inTurn(() => applyPriceCard(context, body)),
  }
}
