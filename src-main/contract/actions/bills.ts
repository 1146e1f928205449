// Bills of providers.

import { actionsOf, forThisMachine, REPORT_REFUSALS } from '#contract/actions/action.ts'

export const BILLS = actionsOf('Bills', {
  checkBill: forThisMachine(
    'POST /api/bills/check',
    'Compares a usage or cost report of a provider with the books, and says the cause of each difference.',
    {
      body: 'BillCheckBody',
      response: 'BillCheck',
      example: { provider: 'openai', file: '/home/ada/completions_usage.csv' },
      refusals: REPORT_REFUSALS,
    },
  ),
  settleBill: forThisMachine(
    'POST /api/bills/settle',
    'Corrects what calls were charged by an estimate to what such a report shows, each of them once.',
    {
      body: 'BillSettleBody',
      response: 'BillSettled',
      example: { provider: 'openai', file: '/home/ada/completions_usage.csv', dry_run: true },
      refusals: REPORT_REFUSALS,
    },
  ),
})
