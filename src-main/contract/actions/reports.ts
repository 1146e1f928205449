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
  listRefused: forHolders(
    'GET /api/refused',
    'Lists calls that were refused before they were admitted, latest first.',
    {
      query: 'RefusedQuery',
      response: 'RefusedList',
      refusals: REPORT_REFUSALS,
    },
  ),
  why: forHolders('GET /api/why/{id}', 'Says why a request ended as it did, and what to do about it.', {
    response: 'WhyView',
    refusals: REPORT_REFUSALS,
  }),
  receipt: forHolders('GET /api/usage/{id}', 'Explains what one call cost.', { response: 'ReceiptView' }),
})
