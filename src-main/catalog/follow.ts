// Brings a catalogue to the gateways that share it, and makes here what other gateways have changed.

import type { CatalogContext } from '#catalog/context.ts'
import { NO_CHANGE, type SharedChange } from '#catalog/shared.ts'
import type { Key } from '#core/entities.ts'
import { microCredits } from '#core/money.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

/** Everything that this gateway is set up with, as one change. */
export function wholeCatalog({ catalog, ledger, nowMs }: CatalogContext): SharedChange {
  const changedAtMs = nowMs()
  const rows: CatalogChange[] = [
    ...catalog.members.map((member) => ({ type: 'put-member', member }) as const),
    ...catalog.providers.map((provider) => ({ type: 'put-provider', provider }) as const),
    ...catalog.models.map((model) => ({ type: 'put-model', model, changedAtMs }) as const),
    ...catalog.packages.map((entity) => ({ type: 'put-package', package: entity }) as const),
    ...catalog.keys.map((key) => ({ type: 'put-key', key }) as const),
    ...catalog.invites.map((invite) => ({ type: 'put-invite', invite }) as const),
    ...catalog.projects.map((project) => ({ type: 'put-project', project }) as const),
  ]
  return { ...NO_CHANGE, rows, openings: catalog.keys.map(({ id }) => ledger.rowOf(id)) }
}

/** So many rows in one change: PostgreSQL ends at 256 MB in a value, and whoever follows has each change in memory as a whole. */
const PIECE_ROWS = 10_000

/** The same as several changes, in their order; one where it is small. */
export function inPieces(change: SharedChange, size: number = PIECE_ROWS): SharedChange[] {
  const { rows, openings } = change
  if (rows.length <= size) return [change]
  const openingOf = new Map(openings.map((opening) => [opening[0], opening]))
  const pieces: SharedChange[] = []
  for (let from = 0; from < rows.length; from += size) {
    const some = rows.slice(from, from + size)
    const opened = some.flatMap((row) => {
      const opening = row.type === 'put-key' ? openingOf.get(row.key.id) : undefined
      return opening === undefined ? [] : [opening]
    })
    pieces.push({ ...NO_CHANGE, rows: some, openings: opened })
  }
  return pieces
}

/** A change of the shared catalogue, and the number that the catalogue has with it. */
export type FollowedChange = { readonly version: number; readonly change: SharedChange }

export type Follower = Pick<
  CatalogContext,
  | 'catalog'
  | 'ledger'
  | 'nowMs'
  | 'write'
  | 'keyBlocked'
  | 'memberLimitsChanged'
  | 'projectLimitsChanged'
  | 'targetsChanged'
>

/**
 * Makes changes of other gateways here, in their order, as if one by one: those that follow each other and are of rows alone in one transaction, which notes the
 * version too, since not all of it could be made again. Waits for `made` with each version that is reached. Throws what the first change says that cannot be made; what
 * is before it holds then, and nothing after it.
 */
export async function followShared(
  context: Follower,
  changes: readonly FollowedChange[],
  made: (version: number) => Promise<void>,
): Promise<void> {
  for (const { kind, run } of runsOf(changes)) {
    if (kind === 'rows') await makeTogether(context, run, made)
    else if (kind === 'adjustments') await adjustTogether(context, run, made)
    else
      for (const { version, change } of run) {
        await makeWithAccounts(context, change)
        await made(version)
      }
  }
}

type Run = { readonly kind: 'rows' | 'adjustments' | 'accounts'; readonly run: FollowedChange[] }

/** Those of one kind that follow each other. */
function runsOf(changes: readonly FollowedChange[]): Run[] {
  const runs: Run[] = []
  for (const one of changes) {
    const { rows, openings, terms, adjustments } = one.change
    const hasRows = rows.length > 0 || openings.length > 0
    const kind = terms.length > 0 || (hasRows && adjustments.length > 0) ? 'accounts' : hasRows ? 'rows' : 'adjustments'
    const last = runs.at(-1)
    if (last?.kind === kind) last.run.push(one)
    else runs.push({ kind, run: [one] })
  }
  return runs
}

/** What is made again has no effect. */
async function adjustTogether(
  context: Follower,
  changes: readonly FollowedChange[],
  made: (version: number) => Promise<void>,
): Promise<void> {
  const all = changes.flatMap(({ change }) => change.adjustments)
  try {
    const exact = all.map(({ amountMicro, ...rest }) => ({ ...rest, amountMicro: microCredits(amountMicro) }))
    await context.ledger.adjustTogether(exact)
  } catch (error) {
    if (changes.length === 1) throw error
    // Which of them it is shows when they are made one by one.
    for (const one of changes) await adjustTogether(context, [one], made)
    return
  }
  await made(changes.at(-1)?.version ?? 0)
}

async function makeTogether(
  context: Follower,
  changes: readonly FollowedChange[],
  made: (version: number) => Promise<void>,
): Promise<void> {
  const last = changes.at(-1)
  if (last === undefined) return
  try {
    await writeTogether(context, changes, last.version)
  } catch (error) {
    if (changes.length === 1) throw error
    // Which of them it is shows when they are made one by one.
    for (const one of changes) await makeTogether(context, [one], made)
    return
  }
  const news = new News(context)
  for (const { change } of changes) news.accept(change)
  news.tell()
  await made(last.version)
}

async function writeTogether(context: Follower, changes: readonly FollowedChange[], version: number): Promise<void> {
  const opened = openingsOf(
    context,
    changes.flatMap(({ change }) => change.openings),
  )
  try {
    await context.write(
      changes.flatMap(({ change }) => change.rows),
      opened,
      version,
    )
  } catch (error) {
    forget(context, opened)
    throw error
  }
}

/** What has been made is made again without effect. */
async function makeWithAccounts(context: Follower, change: SharedChange): Promise<void> {
  const { ledger } = context
  const { openings, rows, terms, adjustments } = change
  const opened = openingsOf(context, openings)
  try {
    if (terms.length > 0) await ledger.changeTermsTogether(terms, rows)
    else if (rows.length > 0) await context.write(rows, opened)
  } catch (error) {
    forget(context, opened)
    throw error
  }
  const news = new News(context)
  news.accept(change)
  for (const { keyId, amountMicro, reason, id } of adjustments) {
    await ledger.adjust(keyId, { amountMicro: microCredits(amountMicro), reason, id })
  }
  news.tell()
}

/** Opens the accounts of new keys, to be written with these. */
function openingsOf({ ledger }: Follower, openings: SharedChange['openings']): LedgerBatch {
  const batches = openings.flatMap((row) => ledger.adopt(row) ?? [])
  return {
    entries: batches.flatMap(({ entries }) => entries),
    usage: [],
    balances: batches.flatMap(({ balances }) => balances),
  }
}

function forget({ ledger }: Follower, { balances }: LedgerBatch): void {
  for (const [keyId] of balances) ledger.forget(keyId)
}

/** What the rest of the program is told of changes that are on disk, as the makers of such changes tell it: once of all of them, however many there are. */
class News {
  readonly #context: Follower
  /** Keys that were not active after one of the changes, be they so again. */
  readonly #blocked = new Set<string>()
  readonly #members = new Set<string>()
  readonly #projects = new Set<string>()
  /** Those that were there before. */
  readonly #providers = new Set<string>()

  constructor(context: Follower) {
    this.#context = context
  }

  /** Takes a change over into the catalogue in memory. */
  accept({ rows }: SharedChange): void {
    const { catalog, nowMs } = this.#context
    const suspended = new Set<string>()
    for (const row of rows) {
      if (row.type === 'put-provider' && catalog.providers.some(({ id }) => id === row.provider.id)) {
        this.#providers.add(row.provider.id)
      }
      catalog.accept(row)
    }
    for (const row of rows) {
      if (row.type === 'put-key' && catalog.statusOf(row.key, nowMs()) !== 'active') this.#blocked.add(row.key.id)
      if (row.type === 'put-project') this.#projects.add(row.project.id)
      if (row.type !== 'put-member') continue
      this.#members.add(row.member.id)
      if (row.member.status === 'suspended') suspended.add(row.member.id)
    }
    if (suspended.size > 0) this.#blockKeysOf(suspended, () => true)
  }

  tell(): void {
    const { catalog, nowMs, keyBlocked, memberLimitsChanged, projectLimitsChanged, targetsChanged } = this.#context
    if (this.#members.size > 0) this.#blockKeysOf(this.#members, (key) => catalog.statusOf(key, nowMs()) !== 'active')
    for (const keyId of this.#blocked) keyBlocked(keyId)
    for (const memberId of this.#members) memberLimitsChanged(memberId)
    for (const projectId of this.#projects) projectLimitsChanged(projectId)
    if (this.#providers.size > 0) targetsChanged(catalog.targetsAt(this.#providers))
  }

  /** One look at all keys, however many members it is about. */
  #blockKeysOf(members: ReadonlySet<string>, isBlocked: (key: Key) => boolean): void {
    for (const key of this.#context.catalog.keys) {
      if (members.has(key.memberId ?? '') && isBlocked(key)) this.#blocked.add(key.id)
    }
  }
}
