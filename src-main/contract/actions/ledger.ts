// The ledger.

import { actionsOf, forAdministrators, forMembers } from '#contract/actions/action.ts'

export const LEDGER = actionsOf('Ledger', {
  listLedger: forMembers('GET /api/ledger', 'Lists the entries of the ledger, latest first.', {
    query: 'LedgerQuery',
    response: 'LedgerList',
  }),
  verifyLedger: forAdministrators('GET /api/ledger/verify', 'Recomputes every balance from the entries.', {
    response: 'LedgerReport',
  }),
})
