// Bills of providers.

import { actionsOf, forAdministrators, forThisMachine, REPORT_REFUSALS } from '#contract/actions/action.ts'

/** Those of reports, and of a provider that is asked. */
const ASKING_REFUSALS = [...REPORT_REFUSALS, 409, 502] as const

export const BILLS = actionsOf('Bills', {
  checkBill: forThisMachine(
    'POST /api/bills/check',
    'Compares a usage or cost report of a provider with the books, and says the cause of each difference.',
    {
      body: 'BillCheckBody',
      response: 'BillCheck',
      example: { provider: 'openai', file: '/home/ada/completions_usage.csv' },
      refusals: ASKING_REFUSALS,
    },
  ),
  settleBill: forThisMachine(
    'POST /api/bills/settle',
    'Corrects what calls were charged by an estimate to what such a report shows, each of them once.',
    {
      body: 'BillSettleBody',
      response: 'BillSettled',
      example: { provider: 'openai', file: '/home/ada/completions_usage.csv', dry_run: true },
      refusals: ASKING_REFUSALS,
    },
  ),
  listBills: forAdministrators(
    'GET /api/bills',
    'Says how the kept reports of all providers agree with the books, day by day.',
    { query: 'BillDaysQuery', response: 'BillDays', refusals: REPORT_REFUSALS },
  ),
  forgetBills: forThisMachine(
    'DELETE /api/bills/reports/{id}',
    'Forgets the kept reports of a provider, and what was said of its account. The books stay as they are.',
    { refusals: [404] },
  ),
  listAccountBalances: forAdministrators(
    'GET /api/bills/balances',
    'Lists what providers said is left on the accounts of their secrets, and how long that lasts. Asks nobody.',
    { response: 'AccountBalanceView[]' },
  ),
  askAccountBalances: forAdministrators(
    'POST /api/bills/balances',
    'Asks providers what is left on the accounts of their secrets, each of them once a minute at most.',
    {
      body: 'AccountBalanceBody',
      response: 'AccountBalanceView[]',
      example: { provider: 'deepseek' },
      refusals: [404],
    },
  ),
  listBillSecrets: forAdministrators(
    'GET /api/bills/secrets',
    "Lists the providers whose reports can be asked for, and which have their administrator's secret; never the secret.",
    { response: 'BillSecretView[]', refusals: [503] },
  ),
  setBillSecret: forThisMachine(
    'PUT /api/bills/secrets/{id}',
    "Keeps the secret of a provider's administrator, with which its reports are read and nothing else is done.",
    {
      body: 'BillSecret',
      response: 'BillSecretView',
      example: { secret: 'sk-admin-example' },
      refusals: [404, 503],
    },
  ),
  removeBillSecret: forThisMachine(
    'DELETE /api/bills/secrets/{id}',
    "Forgets the secret of a provider's administrator; the secrets that calls go with stay.",
    { response: 'BillSecretView', refusals: [404, 503] },
  ),
})
