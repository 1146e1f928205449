// What the audit log keeps of a request. Only fields that are named here are kept: a field that somebody adds to the contract
// tomorrow, and that may hold a secret, is left out until it is looked at.

import type { AdminAction, Route } from '#contract/admin-routes.ts'
import type { Catalog } from '#catalog/catalog.ts'

/** Fields that never hold a secret, wherever they stand. */
const KEPT_FIELDS = new Set(
  [
    // Whom or what it is about.
    ['name', 'id', 'owner', 'package', 'packages', 'provider', 'providers', 'model', 'models', 'ids', 'targets'],
    // Members.
    ['role', 'status', 'everywhere'],
    // Packages and keys.
    [
      'type',
      'credits',
      'timezone',
      'limits',
      'valid_until',
      'reset_used',
      'expires',
      'overlap',
      'reason',
      'idempotency_id',
    ],
    ['requests_per_minute', 'tokens_per_minute', 'concurrent_requests'],
    // Models and prices.
    ['display_name', 'kind', 'context_window', 'max_output_tokens', 'enabled', 'price', 'priority', 'weight'],
    ['input', 'output', 'cache_read', 'cache_write', 'confirm_jump', 'confirm_jumps', 'version'],
    // Providers.
    ['preset', 'dialect', 'base_url', 'network', 'secret_header', 'output_cap_field', 'on_disconnect', 'quirks'],
    ['headers', 'header_secrets'],
    ['time_limits', 'credits_per_day', 'connect_ms', 'first_byte_ms', 'silence_ms', 'add', 'ports'],
    [
      'stream_usage',
      'reasoning_field',
      'tool_ids',
      'system_role',
      'later_system',
      'parallel_tool_calls',
      'cache_marks',
    ],
    ['top_k', 'max_stops', 'json_schema', 'reasoning_effort', 'user_after_tool', 'keeps_threads', 'stops_streams_only'],
    ['dry_run', 'file', 'force'],
    // The LAN.
    ['address', 'interface', 'port', 'names', 'administration', 'certificate_file', 'key_file', 'new_certificate'],
  ].flat(),
)
/** What people paste into the wrong field. */
const LOOKS_SECRET = /key_[A-Za-z0-9]{20,}|sk-[\w-]{16,}/
const MOST_LETTERS = 200
const MOST_ITEMS = 20
const MOST_DETAIL_LETTERS = 4000

/** Reading is not noted, and neither is a change that is only tried out. */
export function isNoted(route: Route, body: unknown): boolean {
  return route.method !== 'GET' && !(isRecord(body) && body['dry_run'] === true)
}

/** What was asked for, as a JSON object. `body` and `query` were checked against their schemas, or are left out. */
export function detailsOf(action: AdminAction, body: unknown, query?: unknown): string {
  // What somebody types as their name may be their password, one field too early.
  if (action === 'signIn' || action === 'acceptInvite') return '{}'
  const asked = { ...(isRecord(query) ? query : {}), ...(isRecord(body) ? body : {}) }
  const text = JSON.stringify(action === 'apply' ? namesIn(asked['document']) : keep(asked, ''))
  return text.length <= MOST_DETAIL_LETTERS ? text : '{"truncated":true}'
}

/**
 * What is changed, as it is called now. A name that nothing has is not repeated: people paste keys where names belong.
 */
export function subjectOf({ path }: Route, id: string, catalog: Catalog): string | undefined {
  switch (path.split('/')[2]) {
    case 'keys':
      return catalog.key(id)?.name
    case 'providers':
      return catalog.provider(id)?.name
    case 'models':
      return catalog.model(id)?.id
    case 'packages':
      return catalog.package(id)?.name
    case 'members':
    case 'invites':
      return catalog.member(id)?.name
    default:
      return undefined
  }
}

/** Of headers their names, whatever is said about their values. */
const NAMES_ALONE = ['headers', 'header_secrets']

function keep(value: unknown, field: string): unknown {
  if (NAMES_ALONE.includes(field)) return isRecord(value) ? Object.keys(value).slice(0, MOST_ITEMS).map(shortened) : []
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => keep(item, field))
  if (isRecord(value)) {
    const members = Object.entries(value).filter(([name]) => KEPT_FIELDS.has(name))
    return Object.fromEntries(members.map(([name, member]) => [name, keep(member, name)]))
  }
  if (typeof value !== 'string') return value
  if (field === 'base_url') return originOf(value)
  return shortened(value)
}

function shortened(text: string): string {
  return LOOKS_SECRET.test(text) ? 'left out' : text.slice(0, MOST_LETTERS)
}

/** Some providers have people put a secret into the path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

/** Of a whole document its names, so that nothing of what it holds has to be gone through. */
function namesIn(document: unknown): Readonly<Record<string, unknown>> {
  const lists = isRecord(document) ? Object.entries(document) : []
  return Object.fromEntries(
    lists.map(([list, items]) => [list, Array.isArray(items) ? items.slice(0, MOST_ITEMS).map(nameOf) : []]),
  )
}

function nameOf(item: unknown): unknown {
  return isRecord(item) ? keep(item['name'] ?? item['id'] ?? null, 'name') : null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
