// The price card.

import { actionsOf, forAdministrators } from '#contract/actions/action.ts'

export const PRICES = actionsOf('Prices', {
  priceCard: forAdministrators('GET /api/price-card', 'Compares the prices of the models with the price card.', {
    query: 'CardQuery',
    response: 'CardComparison',
  }),
  applyPriceCard: forAdministrators('POST /api/price-card', 'Gives models the prices of the card.', {
    body: 'CardApply',
    response: 'CardApplied',
    example: { version: 'v-1', ids: ['gpt-5.5'] },
  }),
})
