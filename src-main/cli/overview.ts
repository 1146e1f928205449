// farebox overview: whether it runs, what is left, what it costs and what is wrong, as the dashboard shows it first.

import { creditLines } from '#cli/outlook-text.ts'
import { facts, printable, tableOf, time, view, type Cell, type Columns } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { OverviewView } from '#contract/reports.ts'

const overview = verb({
  name: 'overview',
  usage: '',
  summary: 'shows the state, the credits, what today costs, and what needs attention',
  flags: {},
  async run(client) {
    const answer = await client.call('overview', {})
    const parts = [
      facts({ ...gateway(answer), ...credits(answer), ...today(answer) }),
      attention(answer),
      latest(answer),
    ]
    return view(answer, parts.filter((part) => part !== '').join('\n\n'))
  },
})

export const OVERVIEW_VERBS = [overview]

type Facts = Readonly<Record<string, Cell>>

function gateway({ gateway: state }: OverviewView): Facts {
  return {
    url: state.url,
    ledger: state.ledger,
    'open exchanges': state.open_exchanges,
    'time zone': state.time_zone,
  }
}

function credits({ credits: sum }: OverviewView): Facts {
  const unlimited = sum.unlimited_keys === 0 ? '' : ` and ${sum.unlimited_keys} unlimited`
  return {
    keys: `${sum.keys}${unlimited}`,
    'held credits': sum.held_credits,
    ...creditLines(sum.lowest),
  }
}

function today({ today: { totals, previous, expected_credits }, first_token }: OverviewView): Facts {
  return {
    'credits today': `${totals.charge_credits}, yesterday by now ${previous.charge_credits}`,
    'expected today': expected_credits,
    requests: `${totals.requests}, of which ${totals.failed} failed`,
    'first token p50 ms': first_token.p50_ms,
    'first token p95 ms': first_token.p95_ms,
  }
}

function attention({ attention: items }: OverviewView): string {
  if (items.length === 0) return 'Nothing needs attention.'
  return ['Needs attention:', ...items.map(({ text }) => `- ${printable(text)}`)].join('\n')
}

const CALL_COLUMNS: Columns<OverviewView['latest'][number]> = {
  TIME: (call) => time(call.created_at),
  KEY: (call) => call.key,
  MODEL: (call) => call.model,
  PROVIDER: (call) => call.provider,
  OUTCOME: (call) => call.outcome,
  STATUS: (call) => call.status,
  CREDITS: (call) => call.charge_credits,
  MS: (call) => call.duration_ms,
}

function latest({ latest: calls }: OverviewView): string {
  return tableOf(CALL_COLUMNS, calls, 'There is no usage yet.')
}
