// What the audit log keeps of a request. Only fields that are named here are kept: a field that somebody adds to the contract
// tomorrow, and that may hold a secret, is left out until it is looked at.

import type { Catalog } from '#catalog/catalog.ts'
import type { Route } from '#contract/admin-routes.ts'
import { isRecord } from '#dialect/request-body.ts'

/** What the log says of the actions of an entity. */
export type AuditRules = {
  /** Fields that are kept, wherever in a body or a query they stand: none that can hold a secret. */
  readonly kept: readonly string[]
  /** A member of the body that is a whole document: of its lists the names are kept, and nothing else of the body. */
  readonly listsOf?: string
  /** What an id of a path means, as it is called now. A name that nothing has is not repeated: people paste keys where names belong. */
  readonly subject?: (catalog: Catalog, id: string) => string | undefined
}

/** What people paste into the wrong field. */
const LOOKS_SECRET =
  /key_[A-Za-z0-9]{20,}|(?:sk-|gh[oprsu]_|github_pat_|xox[a-z]-|AIza|glpat-|hf_|gsk_|xai-|whsec_|eyJ)[\w-]{16,}/
const MAX_LETTERS = 200
const MAX_ITEMS = 20
const MAX_DETAIL_LETTERS = 4000

/** Names of fields with spaces between them, in groups that belong together. */
export function fields(...groups: readonly string[]): string[] {
  return groups.flatMap((group) => group.split(' '))
}

/** Reading is not noted, and neither is a change that is only tried out. */
export function isNoted(route: Route, body: unknown): boolean {
  return route.method !== 'GET' && !(isRecord(body) && body['dry_run'] === true)
}

/** How that is named which an action has made. Undefined for an action that makes nothing with a name. */
export function nameMade({ access, method, path }: Route, body: unknown): string | undefined {
  if (access === 'public' || method !== 'POST' || path.includes('{id}') || !isRecord(body)) return undefined
  const name = body['name'] ?? body['id']
  return typeof name === 'string' ? shortened(name) : undefined
}

/** What was asked for, as a JSON object. `body` and `query` were checked against their schemas, or are left out. */
export function detailsOf({ kept, listsOf = '' }: AuditRules, body: unknown, query?: unknown): string {
  const asked = { ...(isRecord(query) ? query : {}), ...(isRecord(body) ? body : {}) }
  const document = asked[listsOf]
  const text = JSON.stringify(document === undefined ? keep(asked, new Set(kept)) : namesIn(document))
  return text.length <= MAX_DETAIL_LETTERS ? text : '{"truncated":true}'
}

/** Of headers their names, whatever is said about their values. */
const NAMES_ALONE = ['headers', 'header_secrets']

function keep(value: unknown, kept: ReadonlySet<string>, field = ''): unknown {
  if (NAMES_ALONE.includes(field)) return isRecord(value) ? Object.keys(value).slice(0, MAX_ITEMS).map(shortened) : []
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => keep(item, kept, field))
  if (isRecord(value)) {
    const members = Object.entries(value).filter(([name]) => kept.has(name))
    return Object.fromEntries(members.map(([name, member]) => [name, keep(member, kept, name)]))
  }
  if (typeof value !== 'string') return value
  return field === 'base_url' ? originOf(value) : shortened(value)
}

function shortened(text: string): string {
  return LOOKS_SECRET.test(text) ? 'left out' : text.slice(0, MAX_LETTERS)
}

/** Some providers have people put a secret into the path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

/** Of a whole document its names, so that nothing of what it holds has to be gone through. */
function namesIn(document: unknown): Readonly<Record<string, unknown>> {
  const lists = isRecord(document) ? Object.entries(document) : []
  return Object.fromEntries(
    lists.map(([list, items]) => [list, Array.isArray(items) ? items.slice(0, MAX_ITEMS).map(nameOf) : []]),
  )
}

function nameOf(item: unknown): unknown {
  const name = isRecord(item) ? (item['name'] ?? item['id']) : undefined
  return typeof name === 'string' ? shortened(name) : null
}
