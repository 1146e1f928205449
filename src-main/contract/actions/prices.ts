// The price card.

import { actionsOf, forAdministrators } from '#contract/actions/action.ts'

export const PRICES = actionsOf('Prices', {
  priceCard: forAdministrators('GET /api/price-card', 'Compares the prices of the models with the price card.', {
    query: 'CardQuery',
    response: 'CardComparison',
    refusals: [404, 409, 502],
  }),
  applyPriceCard: forAdministrators('POST /api/price-card', 'Gives models the prices of the card.', {
    body: 'CardApply',
    response: 'CardApplied',
    example: { version: 'v-1', ids: ['gpt-5.5'] },
    refusals: [404, 409, 502],
  }),
  listPriceCards: forAdministrators(
    'GET /api/price-card/versions',
    'Lists the versions of the price card that were fetched from the feed, and the one that came with Farebox.',
    { response: 'CardVersion[]' },
  ),
  fetchPriceCard: forAdministrators(
    'POST /api/price-card/fetch',
    'Fetches the price card from its feed and keeps it as one more version. No price changes by it.',
    { response: 'CardFetched', refusals: [409, 502] },
  ),
})
