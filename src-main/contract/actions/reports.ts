// What happened and what happens: calls, sums, receipts.

import { actionsOf, forHolders, forMembers, REPORT_REFUSALS } from '#contract/actions/action.ts'

export const REPORTS = actionsOf('Overview and usage', {
  usage: forHolders('GET /api/usage', 'Lists calls, latest first.', {
    query: 'UsageQuery',
    response: 'UsageList',
    refusals: REPORT_REFUSALS,
  }),
  usageReport: forHolders('GET /api/usage-report', 'Sums up the usage by group and time.', {
    query: 'UsageReportQuery',
    response: 'UsageReport',
    refusals: REPORT_REFUSALS,
  }),
  overview: forHolders('GET /api/overview', 'Shows the state, the credits, today, and what needs attention.', {
    response: 'OverviewView',
    refusals: REPORT_REFUSALS,
  }),
  listWaiting: forMembers(
    'GET /api/waiting',
    'Lists the calls that wait, with what they wait for, and counts those that run.',
    { response: 'WaitingView' },
  ),
  receipt: forHolders('GET /api/usage/{id}', 'Explains what one call cost.', { response: 'ReceiptView' }),
})
