// A gateway that answers every action of the admin API with a fixed view, and records what it was asked. It refuses what
// the contract does not know, so that a request of a wrong shape fails the test that made it.

import type { BillCheck } from '#contract/bills.ts'
import type { ProviderSecretView } from '#contract/providers.ts'
import type { AdminRequest, AdminResponse, AdminTransport } from '#cli/client.ts'
import { ADMIN_API, type AdminAction, type Endpoint, type ResponseBody } from '#contract/admin-api.ts'
import { check, firstProblem } from '#contract/validate.ts'

const AT = '2027-01-02T03:04:05.000Z'

const provider: ResponseBody<'addProvider'> = {
  id: 'p-1',
  name: 'openai',
  preset: null,
  dialect: 'chat-completions',
  base_url: 'https://api.openai.com/v1',
  network: 'public',
  secret_header: 'authorization',
  output_cap_field: 'max_tokens',
  on_disconnect: 'cancel',
  quirks: {},
  limits: {},
  time_limits: {},
  headers: {},
  header_secrets: [],
  has_secret: true,
  secret_state: 'stored',
  created_at: AT,
}

const model: ResponseBody<'addModel'> = {
  id: 'gpt-5.5',
  display_name: 'GPT-5.5',
  kind: 'chat',
  context_window: 272_000,
  max_output_tokens: 128_000,
  enabled: true,
  price: { version: 3, input: 1.25, output: 10, cache_read: 0.125, cache_write: 1.25 },
  targets: [{ provider: 'openai', model: 'gpt-5.5', priority: 0, weight: 1 }],
  created_at: AT,
}

const WHOLE_PRICE = { input: 1.25, output: 10, cache_read: 0.125, cache_write: 1.25 }

/** One offer of each state. */
export const OFFERS: ResponseBody<'listProviderModels'>['models'] = [
  offer('gpt-ready', 'ready', { price: WHOLE_PRICE, price_source: 'card', note: 'Half price today.' }),
  offer('gpt-old', 'added', { id: 'old', price: WHOLE_PRICE, price_source: 'card' }),
  offer('gpt-new', 'unpriced'),
  offer('gpt-image', 'unsupported', { note: 'It makes neither text nor embeddings.' }),
  offer('gpt-vague', 'no-limits', { context_window: null, max_output_tokens: null }),
]

function offer(
  name: string,
  state: ResponseBody<'listProviderModels'>['models'][number]['state'],
  more: Partial<ResponseBody<'listProviderModels'>['models'][number]> = {},
): ResponseBody<'listProviderModels'>['models'][number] {
  return {
    model: name,
    id: name,
    display_name: name,
    kind: 'chat',
    kind_source: 'card',
    context_window: 272_000,
    max_output_tokens: 128_000,
    price: null,
    price_source: 'none',
    note: null,
    state,
    ...more,
  }
}

export const CARD: ResponseBody<'priceCard'> = {
  version: 'v-1',
  date: '2026-11-21',
  rows: [
    {
      id: 'gpt-5.5',
      provider: 'openai',
      upstream_model: 'gpt-5.5',
      change: 'changed',
      old: WHOLE_PRICE,
      new: { input: 5, output: 30, cache_read: 0.5, cache_write: 5 },
      jump: false,
      asked_by: null,
      context_window: 1_050_000,
      priced_up_to: 272_000,
      note: null,
      source: 'https://developers.openai.com/api/docs/pricing',
      date: '2026-09-30',
    },
    {
      id: 'same',
      provider: 'openai',
      upstream_model: 'gpt-5',
      change: 'same',
      old: WHOLE_PRICE,
      new: WHOLE_PRICE,
      jump: false,
      asked_by: null,
      context_window: 400_000,
      priced_up_to: null,
      note: null,
      source: 'https://developers.openai.com/api/docs/pricing',
      date: '2026-09-30',
    },
  ],
  not_on_card: ['local'],
}

const SETTINGS_VIEW: ResponseBody<'showSettings'> = {
  settings: [
    {
      name: 'port',
      value: '3273',
      source: 'default',
      environment: 'FAREBOX_PORT',
      flag: '--port',
      is_changeable: false,
      choices: null,
      description: 'The port to listen on.',
    },
  ],
  time_zone: 'Europe/Berlin',
  version: '0.1.0',
  node: '24.21.0',
  data_dir: '/data',
  database_bytes: 4096,
}

const team: ResponseBody<'addPackage'> = {
  id: 'k-1',
  name: 'team',
  type: 'monthly',
  credits: 50,
  timezone: 'Europe/Berlin',
  limits: { requests_per_minute: 60, tokens_per_minute: 200_000, concurrent_requests: null },
  models: 'all',
  valid_until: null,
  keys: 2,
  created_at: AT,
}

const key: ResponseBody<'showKey'> = {
  id: 'key-id',
  name: 'laptop',
  hint: 'a1B2',
  package: 'team',
  owner: null,
  status: 'active',
  expires_at: AT,
  created_at: AT,
  value_since: AT,
  previous_valid_until: null,
  tool: null,
  project: null,
  tags: [],
  balance: {
    total_credits: 50,
    remaining_credits: 49.5,
    used_credits: 0.5,
    held_credits: 0,
    cycle_started_at: AT,
    next_reset_at: null,
    total_requests: 7,
    last_used_at: null,
  },
  outlook: { left_over_credits: null, runs_out_at: '2027-03-04T00:00:00.000Z' },
}

export const USAGE_RECORD: ResponseBody<'usage'>['usage'][number] = {
  id: 'u-1',
  created_at: AT,
  key: 'laptop',
  endpoint: 'chat-completions',
  model: 'gpt-5.5',
  provider: 'openai',
  upstream_model: 'gpt-5.5',
  secret: null,
  stream: true,
  outcome: 'answered',
  status: 200,
  input_tokens: 10,
  cache_read_tokens: 0,
  cache_write_tokens: null,
  output_tokens: 20,
  reasoning_tokens: null,
  usage_source: 'reported',
  price_version: 3,
  charge_credits: 0.000213,
  held_credits: 0.01,
  overrun: false,
  first_byte_ms: 120,
  duration_ms: 900,
  tool: 'zed',
  project: null,
  tags: ['ci', 'night'],
  session: null,
}

export const RECEIPT: ResponseBody<'receipt'> = {
  object: 'receipt',
  id: 'u-1',
  created_at: AT,
  key: 'laptop',
  endpoint: 'chat-completions',
  model: 'gpt-5.5',
  provider: 'openai',
  upstream_model: 'gpt-5.5',
  secret: null,
  stream: true,
  outcome: 'answered',
  status: 200,
  tokens: {
    input: { tokens: 10, source: 'reported' },
    cache_read: { tokens: null, source: 'unknown' },
    cache_write: { tokens: null, source: 'unknown' },
    output: { tokens: 20, source: 'estimated' },
    reasoning: { tokens: null, source: 'unknown' },
  },
  price: { version: 3, input: 1.25, output: 10, cache_read: 0.125, cache_write: 1.25 },
  lines: [
    { type: 'input', tokens: 10, price: 1.25, amount: '0.0000125' },
    { type: 'output', tokens: 20, price: 10, amount: '0.0002' },
    { type: 'rounding', amount: '0.0000005' },
  ],
  charge_credits: 0.000213,
  held_credits: 0.01,
  overrun: false,
  attempts: [
    { outcome: 'refused', status: 400, duration_ms: 80 },
    { provider: 'openai', model: 'gpt', outcome: 'complete', reason: null, status: 200, duration_ms: 820 },
  ],
  first_byte_ms: 120,
  duration_ms: 900,
  tool: null,
  project: null,
  tags: [],
  session: null,
}

const member: ResponseBody<'addMember'> = {
  id: 'm-1',
  name: 'ada',
  role: 'member',
  status: 'active',
  packages: ['team'],
  limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null, credits_per_day: null },
  running_calls: 0,
  credits_today: 0.25,
  has_password: true,
  keys: 2,
  sessions: 1,
  last_seen_at: AT,
  created_at: AT,
}

const totals: ResponseBody<'usageReport'>['totals'] = {
  requests: 3,
  failed: 1,
  input_tokens: 30,
  cache_read_tokens: 4,
  cache_write_tokens: 0,
  output_tokens: 60,
  reasoning_tokens: 5,
  charge_credits: 0.25,
  estimated_usage: 0,
  unknown_usage: 0,
}
const NO_TOTALS = {
  ...totals,
  requests: 0,
  failed: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  charge_credits: 0,
}

/** Two days in a zone in which neither begins at midnight UTC, with one group of its own and the rest. */
export const REPORT: ResponseBody<'usageReport'> = {
  from: '2026-12-31T23:00:00.000Z',
  to: '2027-01-02T23:00:00.000Z',
  time_zone: 'Europe/Berlin',
  rollup: 'day',
  group: 'model',
  intervals: ['2026-12-31T23:00:00.000Z', '2027-01-01T23:00:00.000Z'],
  series: [
    { kind: 'value', id: '=gpt-5.5', name: '=gpt-5.5', totals, previous: NO_TOTALS, points: [NO_TOTALS, totals] },
    { kind: 'other', id: null, name: null, totals, previous: totals, points: [totals, NO_TOTALS] },
  ],
  totals: { ...totals, requests: 6, failed: 2, charge_credits: 0.5, estimated_usage: 2, unknown_usage: 1 },
  previous: { ...totals, charge_credits: 0.75 },
  refused: 3,
}

export const AUDIT_ENTRY: ResponseBody<'listAudit'>['entries'][number] = {
  id: 'a-1',
  at: AT,
  actor: 'command line',
  action: 'topUpKey',
  subject: 'laptop',
  outcome: 'done',
  status: 200,
  source: null,
  count: 1,
  last_at: AT,
  details: { credits: 5, reason: 'March' },
}

export const LEDGER_ENTRY: ResponseBody<'listLedger'>['entries'][number] = {
  seq: 17,
  created_at: AT,
  key: 'laptop',
  kind: 'settle',
  amount_credits: -0.000213,
  charge_credits: 0.000213,
  available_credits: 49.5,
  request_id: 'u-1',
  model: 'gpt-5.5',
  reason: null,
  cycle_started_at: AT,
}

export const LAN: ResponseBody<'showLan'> = {
  state: 'on',
  problem: null,
  urls: ['https://farebox.test:3273', 'https://192.168.1.5:3273'],
  is_public: false,
  settings: {
    address: null,
    interface: 'eth0',
    port: 3273,
    names: ['farebox.test'],
    administration: false,
    certificate_file: null,
    key_file: null,
  },
  certificate: {
    fingerprint: 'AA:BB',
    source: 'farebox',
    names: ['192.168.1.5', 'farebox.test'],
    expires_at: '2028-11-20T00:00:00.000Z',
  },
  interfaces: [{ name: 'eth0', address: '192.168.1.5', is_public: false }],
}

export const WAITING: ResponseBody<'listWaiting'> = {
  waiting: [
    {
      id: 'u-2',
      key: 'laptop',
      member: 'ada',
      model: 'gpt-5.5',
      reason: 'member_limit',
      limit: 'requests_per_minute',
      provider: null,
      place: 1,
      since: '2027-01-02T03:04:05.000Z',
      expected_at: '2027-01-02T03:04:12.000Z',
      until: '2027-01-02T03:04:35.000Z',
    },
  ],
  waiting_calls: 1,
  running: [{ key: 'ci', member: null, calls: 3, oldest_at: '2027-01-02T03:04:00.000Z' }],
  running_calls: 3,
}

export const OVERVIEW: ResponseBody<'overview'> = {
  gateway: {
    url: 'http://127.0.0.1:3273',
    version: '0.1.0',
    started_at: AT,
    ledger: 'ok',
    open_exchanges: 2,
    time_zone: 'Europe/Berlin',
    lan: { state: 'off', urls: [] },
  },
  credits: {
    keys: 3,
    unlimited_keys: 1,
    held_credits: 0.18,
    lowest: [key],
  },
  today: { totals, previous: NO_TOTALS, expected_credits: 3.9 },
  own_limits: null,
  first_token: { p50_ms: 600, p95_ms: null },
  attention: [
    { kind: 'secret', subject: 'openai', at: null, page: 'providers', text: "The secret of 'openai' is locked." },
  ],
  latest: [USAGE_RECORD],
}

const SECRET_VIEW: ProviderSecretView = {
  label: 'second',
  weight: 2,
  limits: { credits_per_day: 20 },
  secret_state: 'stored',
  state: 'refused',
  left_out_until: AT,
  last_failure: { reason: 'secret', status: 401, at: AT },
  concurrent_requests: 0,
  credits_today: 1.5,
  created_at: AT,
}

const USED = { input: 5, cache_read: 0, cache_write: 0, output: 7 }
const BALANCES = [
  {
    provider: 'deepseek',
    secret: null,
    balances: [{ currency: 'CNY', amount: '110.5', days_left: 8.6 }],
    said_at: AT,
    problem: null,
    ask_again_at: null,
  },
]
const TIME = { from: '2026-10-01T10:00:00.000Z', to: '2026-10-01T11:00:00.000Z' }
const BILL_CHECK: BillCheck = {
  provider: 'openai',
  ...TIME,
  made_at: '2026-10-02T00:00:00.000Z',
  columns: {
    format: 'OpenAI, usage',
    read: [
      { column: 'model', meaning: 'model', example: 'gpt-4o' },
      { column: 'user_id', meaning: null, example: null },
    ],
    separator: ';',
    decimal_mark: ',',
    lines: 12,
    other_lines: 3,
  },
  tokens: {
    compared: 3,
    differing: 1,
    differences: [
      {
        ...TIME,
        model: 'gpt',
        ours: USED,
        theirs: { ...USED, output: 9 },
        causes: ['estimated'],
        calls: ['u-1'],
        call_count: 3,
      },
    ],
  },
  money: {
    compared: 2,
    differing: 1,
    differences: [
      {
        ...TIME,
        model: null,
        ours: '1',
        theirs: '1.5',
        of_tokens: '0',
        currency: 'USD',
        causes: ['rounding'],
        calls: [],
        call_count: 0,
      },
    ],
  },
  unexplained: 0,
}

export const ANSWERS = {
  pause: { paused_until: AT },
  resume: { paused_until: null },
  status: {
    state: 'running',
    version: '0.1.0',
    url: 'http://127.0.0.1:3273',
    pid: 42,
    data_dir: '/data',
    started_at: AT,
    ledger: 'ok',
    ledger_check: 'checked',
    ledger_checked_at: AT,
    secrets: 'vault',
    lan: { state: 'off', urls: [], problem: null, certificate_expires_at: null },
    attention: [],
    open_exchanges: 0,
    held_credits: 0,
    providers: 1,
    models: 1,
    packages: 1,
    keys: 1,
    targets: [],
    provider_use: [],
    secrets_left_out: [],
  },
  apply: {
    dry_run: false,
    changes: [
      { kind: 'provider', name: 'openai', action: 'create', fields: [] },
      { kind: 'model', name: 'gpt-5.5', action: 'update', fields: ['price', 'targets'] },
      { kind: 'package', name: 'team', action: 'none', fields: [] },
    ],
  },
  listPresets: [
    {
      id: 'openai',
      display_name: 'OpenAI',
      dialect: 'responses',
      dialects: { responses: { base_url: 'https://api.openai.com/v1' } },
      network: 'public',
      secret: 'required',
      key_url: 'https://platform.openai.com/api-keys',
      free: false,
      model_list: { prices: 'none' },
      source: 'https://developers.openai.com/api/docs',
      written: '2026-11-21',
    },
  ],
  showFleet: {
    is_shared: true,
    is_serving: true,
    gateways: [
      {
        id: '018f0000-0000-7000-8000-000000000001',
        place: 'one:/data',
        version: '0.1.0',
        state: 'running',
        is_this: true,
        last_seen_at: AT,
        calls_until: AT,
        changes_behind: 0,
        leased_credits: 0.5,
        leased_keys: 1,
        charged_credits: 3,
        doubt_credits: 0,
        doubt_keys: 0,
        calls_last_minute: 120,
        first_byte_p50_ms: 210,
        first_byte_p95_ms: 900,
      },
    ],
  },
  settleGateway: { id: '018f0000-0000-7000-8000-000000000002', as: 'charged', credits: 0.25 },
  setProject: {
    name: 'apollo',
    credits_per_day: 2.5,
    credits_per_month: null,
    credits_today: 0.25,
    credits_this_month: 1,
    held_credits: 0,
    created_at: AT,
  },
  listProviders: [provider],
  addProvider: provider,
  editProvider: provider,
  setProviderSecret: provider,
  testProvider: { ok: true, message: 'It answered in 80 ms.', problem: null, advice: null },
  discover: {
    servers: [
      {
        id: 'ollama',
        name: 'Ollama',
        base_url: 'http://127.0.0.1:11434/v1',
        state: 'found',
        version: '0.12.6',
        provider: 'ollama',
        name_here: 'ollama',
        models: [
          {
            name: 'llama3.1:8b',
            kind: 'chat',
            kind_source: 'provider',
            context_window: 131_072,
            model: 'llama3.1:8b',
            tells_context: false,
          },
          { name: 'new', kind: 'chat', kind_source: 'name', context_window: null, model: null, tells_context: false },
        ],
      },
      {
        id: 'lm-studio',
        name: 'LM Studio',
        base_url: 'http://127.0.0.1:1234/v1',
        state: 'needs-key',
        version: null,
        provider: null,
        name_here: 'lm-studio-1234',
        models: [],
      },
    ],
    added: { providers: [], models: [], contexts: [] },
  },
  listProviderModels: { provider: 'openai', models: OFFERS },
  addProviderModels: { added: [model], skipped: [{ model: 'gpt-vague', reason: 'Nobody tells its context window.' }] },
  removeProvider: { secret_forgotten: true },
  listProviderSecrets: [SECRET_VIEW],
  addProviderSecret: [SECRET_VIEW],
  editProviderSecret: [SECRET_VIEW],
  removeProviderSecret: { secret_forgotten: true },
  addDemo: {
    made: [
      { kind: 'provider', name: 'demo' },
      { kind: 'model', name: 'demo-chat' },
    ],
    key: { id: 'key-id', name: 'first', key: 'key_0123456789', expires_at: null },
  },
  exportSecrets: { file: '/backups/monday.db.secrets', exported: ['openai'], missing: ['gone'] },
  importSecrets: { imported: ['openai'], skipped: ['elsewhere'] },
  moveSecrets: { moved: ['openai'], missing: [] },
  resealSecrets: { resealed: 2, unreadable: 0 },
  listModels: [model],
  addModel: model,
  editModel: model,
  priceModel: model,
  enableModel: model,
  disableModel: { ...model, enabled: false },
  removeModel: {},
  priceCard: CARD,
  applyPriceCard: { applied: [model] },
  listPriceCards: [{ version: null, date: '2026-11-23', entries: 120 }],
  fetchPriceCard: { version: 3, date: '2026-11-23', entries: 121, is_new: true },
  listPackages: [team],
  addPackage: team,
  editPackage: team,
  removePackage: {},
  listKeys: [key],
  createKey: { id: 'key-id', name: 'laptop', key: 'key_0123456789', expires_at: null },
  showKey: key,
  suspendKey: { ...key, status: 'suspended' },
  resumeKey: key,
  extendKey: key,
  topUpKey: key,
  adjustKey: key,
  moveKey: key,
  rotateKey: { id: 'key-id', name: 'laptop', key: 'key_9876543210', expires_at: AT, previous_valid_until: AT },
  revokeKey: { ...key, status: 'revoked' },
  usage: { usage: [USAGE_RECORD], next: null },
  receipt: RECEIPT,
  usageReport: REPORT,
  overview: OVERVIEW,
  listWaiting: WAITING,
  listMembers: [member],
  addMember: member,
  editMember: { ...member, status: 'suspended' },
  setMemberPassword: member,
  showLan: LAN,
  setLan: LAN,
  turnLanOff: LAN,
  showLanCertificate: {
    fingerprint: 'AA:BB',
    source: 'farebox',
    certificate: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
  },
  removeMember: {},
  listInvites: [{ member: 'ada', id: 'm-1', created_at: AT, expires_at: AT }],
  createInvite: {
    member: 'ada',
    link: `https://192.168.1.5:3273/#invite=${'c'.repeat(43)}`,
    address: 'https://192.168.1.5:3273',
    fingerprint: 'AA:BB',
    expires_at: AT,
  },
  withdrawInvite: {},
  listAudit: { entries: [AUDIT_ENTRY], next: 'a-0' },
  showSettings: SETTINGS_VIEW,
  setSetting: SETTINGS_VIEW,
  listLedger: { entries: [LEDGER_ENTRY], next: '16' },
  checkBill: BILL_CHECK,
  listAccountBalances: BALANCES,
  askAccountBalances: BALANCES,
  listBillSecrets: [{ provider: 'openai', origin: 'https://api.openai.com', has_secret: true, has_reports: true }],
  setBillSecret: {
    provider: 'openai',
    origin: 'https://api.openai.com',
    has_secret: true,
    has_reports: true,
    tried: { problem: null },
  },
  removeBillSecret: { provider: 'openai', origin: 'https://api.openai.com', has_secret: false, has_reports: true },
  settleBill: {
    dry_run: false,
    corrections: [
      { call: 'u-1', key: 'laptop', credits: -0.5, reason: 'Bill of openai', state: 'made' as const, message: null },
    ],
  },
  verifyLedger: { ok: true, keys: 1, entries: 9, open_holds: 0, usage_records: 7, problems: [] },
  backUp: {
    file: '/backups/monday.db',
    bytes: 4096,
    keys: 1,
    entries: 9,
    open_holds: 2,
    usage_records: 7,
    without_secrets: ['openai'],
  },
} satisfies { readonly [Action in AdminAction]?: ResponseBody<Action> }

export type FakeGateway = { readonly requests: AdminRequest[]; readonly transport: AdminTransport }
export type Answer = (request: AdminRequest) => AdminResponse | undefined

/** Answers with `answer` where it has something to say, and else with the fixed views. */
export function fakeGateway(answer: Answer = () => undefined): FakeGateway {
  const requests: AdminRequest[] = []
  const transport: AdminTransport = async (request) => {
    requests.push(request)
    return answer(request) ?? fixedAnswer(request)
  }
  return { requests, transport }
}

export function refusal(status: number, type: string, message: string, param?: string): AdminResponse {
  return { status, body: { error: { message, type, code: status, ...(param === undefined ? {} : { param }) } } }
}

function fixedAnswer({ method, path, body }: AdminRequest): AdminResponse {
  const { pathname, searchParams } = new URL(path, 'http://gateway')
  const action = actionOf(method, pathname)
  if (action === undefined) return refusal(404, 'not_found_error', `There is no ${method} ${pathname}.`)
  const endpoint: Endpoint = ADMIN_API[action]
  const wrong =
    problemOf(endpoint.body, body) ??
    problemOf(endpoint.query, endpoint.query === undefined ? undefined : Object.fromEntries(searchParams))
  if (wrong !== undefined) return refusal(400, 'invalid_request_error', wrong)
  const answers: { readonly [Action in AdminAction]?: unknown } = ANSWERS
  return { status: 200, body: structuredClone(answers[action]) }
}

function actionOf(method: string, pathname: string): AdminAction | undefined {
  for (const [action, endpoint] of Object.entries(ADMIN_API)) {
    const pattern = new RegExp(`^${endpoint.path.replace('{id}', '[^/]+')}$`)
    if (endpoint.method === method && pattern.test(pathname) && isAction(action)) return action
  }
  return undefined
}

function isAction(name: string): name is AdminAction {
  return Object.hasOwn(ADMIN_API, name)
}

function problemOf(schema: Endpoint['body'], value: unknown): string | undefined {
  if (schema === undefined) return value === undefined ? undefined : 'The request takes no body.'
  const checked = check(schema, value)
  return checked.type === 'valid' ? undefined : firstProblem(checked.problems).message
}
