// What the shell of the dashboard asks for, answered for somebody in a role. Pages add answers of their own.

import type { ResponseBody } from '#contract/admin-api.ts'

const AT = '2026-11-21T12:00:00.000Z'

const SESSION = {
  role: 'administrator',
  name: null,
  signed_in_at: AT,
  expires_at: '2026-11-22T00:00:00.000Z',
  idle_at: '2026-11-21T12:30:00.000Z',
} as const satisfies ResponseBody<'showSession'>

const TOTALS = {
  requests: 0,
  failed: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  charge_credits: 0,
  estimated_usage: 0,
  unknown_usage: 0,
}

const KEY = {
  id: 'key-id',
  name: 'laptop',
  hint: 'a1B2',
  package: 'team',
  owner: null,
  status: 'active',
  expires_at: null,
  created_at: AT,
  value_since: AT,
  previous_valid_until: null,
  balance: {
    total_credits: 50,
    remaining_credits: 41.2,
    used_credits: 8.8,
    held_credits: 0.18,
    cycle_started_at: AT,
    next_reset_at: null,
    total_requests: 3,
    last_used_at: null,
  },
  outlook: null,
  tool: null,
  project: null,
  tags: [],
} as const satisfies ResponseBody<'showKey'>

const OVERVIEW = {
  gateway: {
    url: 'http://127.0.0.1:3273',
    version: '0.1.0',
    started_at: AT,
    ledger: 'ok',
    open_exchanges: 0,
    time_zone: 'Europe/Berlin',
    lan: { state: 'off', urls: [] },
  },
  credits: {
    keys: 1,
    unlimited_keys: 0,
    held_credits: 0.18,
    lowest: [KEY],
  },
  today: { totals: TOTALS, previous: TOTALS, expected_credits: null },
  own_limits: null,
  first_token: { p50_ms: 600, p95_ms: 2100 },
  attention: [],
  latest: [],
} as const satisfies ResponseBody<'overview'>

export function shellAnswers(role: 'administrator' | 'member'): Readonly<Record<string, unknown>> {
  const session = { ...SESSION, role, name: role === 'member' ? 'ada' : null }
  return {
    'GET /api/session': session,
    'POST /api/session': { token: 'token-of-the-answers', session },
    'DELETE /api/session': {},
    'GET /api/overview': OVERVIEW,
    'GET /api/waiting': { waiting: [], waiting_calls: 0, running: [], running_calls: 0 },
    'GET /api/keys': [],
    'GET /api/packages': [],
    'GET /api/ledger': { entries: [], next: null },
  }
}
