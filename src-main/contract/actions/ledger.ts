// The ledger.

import { actionsOf, forAdministrators, forMembers, REPORT_REFUSALS } from '#contract/actions/action.ts'

export const LEDGER = actionsOf('Ledger', {
  listLedger: forMembers('GET /api/ledger', 'Lists the entries of the ledger, latest first.', {
    query: 'LedgerQuery',
    response: 'LedgerList',
    refusals: REPORT_REFUSALS,
  }),
  verifyLedger: forAdministrators('GET /api/ledger/verify', 'Recomputes every balance from the entries.', {
    response: 'LedgerReport',
  }),
})
