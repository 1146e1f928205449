// The one connection of a gateway to PostgreSQL. It is opened again whenever it was lost; what was asked meanwhile is refused at once,
// and of what was under way nobody knows whether it was done.

import type { Client, ClientConfig } from 'pg'
import type { Sum } from '#fleet/lease-book.ts'
import { SCHEMA_VERSION, upgradeFrom } from '#fleet/schema.ts'

/** No statement of ours takes longer, unless the server hangs. */
const STATEMENT_MS = 5000
const CONNECT_MS = 5000
/** For so long a server that hears nothing may keep a line that is over. */
const HANG_UP_MS = 1000
/** But for a whole catalogue at once. */
const PATIENCE_MS = 300_000
/** Longer than any statement of another gateway is under way. */
const LATELY_MS = 15_000
/** Up to so many changes at once, and no more once they are so many bytes, as PostgreSQL keeps them: one of them can be a whole catalogue. */
const MAX_CHANGES = 1000
const MAX_CHANGES_BYTES = 2_000_000
const CHANGES = `SELECT version, farebox.mark_of(made_at) AS mark, body, (SELECT version FROM farebox.state) AS latest FROM (
    SELECT *, sum(pg_column_size(body)) OVER (ORDER BY version) - pg_column_size(body) AS bytes_before FROM (
      SELECT version, made_at, body FROM farebox.change WHERE version > $1 ORDER BY version LIMIT ${MAX_CHANGES}) next) sized
  WHERE bytes_before < ${MAX_CHANGES_BYTES} ORDER BY version`
const VERSION_OF = 'SELECT schema_version AS version FROM farebox.state'

/** PostgreSQL could not be asked, or did not answer. */
export class FleetUnreachable extends Error {
  constructor(cause: unknown) {
    super('the shared database cannot be reached', { cause })
    this.name = 'FleetUnreachable'
  }
}

export type ConnectionOptions = {
  readonly url: string
  /** Read at each try, since it may have been changed. */
  readonly password: () => string | undefined
  readonly onNotice: (text: string) => void
  readonly onLost: () => void
}

/** What a function of the schema answers; `error` where it did nothing. */
export type Answer = Readonly<Record<string, unknown>>
export type Value = string | number | null

/** One cycle of one key, in micro-credits. */
export type SharedAccount = {
  readonly keyId: string
  readonly cycle: number
  /** Also what is leased; below 0 where something is owed. */
  readonly leftMicro: number
}

/** How many calls a key has had, and when the last one began, in UTC epoch milliseconds. */
export type KeyUse = readonly [keyId: string, requests: number, lastUsedAtMs: number]

/** Which change of the catalogue, and by whom; `mark` tells it from another one that has its number in another state of these books. */
export type MadeChange = { readonly version: number; readonly mark: string; readonly gatewayId: string }

export type ChangesPage = {
  readonly changes: readonly { readonly version: number; readonly mark: string; readonly body: unknown }[]
  readonly hasMore: boolean
}

export type UsagePlace = { readonly startedAtMs: number; readonly parts: string }
export type ToldHour = UsagePlace & { readonly sums: Readonly<Record<string, number>> }

export class Connection {
  readonly #options: ConnectionOptions
  #client: Client | undefined
  #timeoutMs = STATEMENT_MS

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Connects, and brings the tables to this version. Rejects with FleetUnreachable. */
  async open(): Promise<void> {
    const { url, password, onNotice } = this.#options
    const { default: pg } = await import('pg')
    const secret = password()
    const config: ClientConfig = {
      connectionString: url,
      ...(secret !== undefined && { password: secret }),
      application_name: 'farebox',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS,
      statement_timeout: STATEMENT_MS,
      // A machine that vanished in the middle of preparing tables would keep all others from it.
      idle_in_transaction_session_timeout: STATEMENT_MS,
      keepAlive: true,
    }
    const client = new pg.Client(config)
    client.on('error', () => this.#lose(client))
    client.on('end', () => this.#lose(client))
    client.on('notification', ({ payload = '' }) => onNotice(payload))
    try {
      await client.connect()
      await prepareTables(client)
      await client.query('LISTEN farebox')
      this.#timeoutMs = STATEMENT_MS
      this.#client = client
    } catch (error) {
      void hangUp(client)
      throw new FleetUnreachable(error)
    }
  }

  /** Calls one function of the schema and returns the object that it answers. Rejects with FleetUnreachable. */
  async call(name: string, values: readonly Value[]): Promise<Answer> {
    const marks = values.map((_, index) => `$${index + 1}`).join()
    const [row] = await this.#query(name, `SELECT farebox.${name}(${marks}) AS answer`, values)
    // The functions answer with objects, or with nothing.
    return (row?.answer ?? {}) as Answer
  }

  /** Has what asks for, or brings, very much wait for it. Rejects as the work does. */
  async patiently<Result>(work: () => Promise<Result>): Promise<Result> {
    const wait = async (ms: number) => {
      this.#timeoutMs = ms
      await this.#query('patience', "SELECT set_config('statement_timeout', $1, false)", [String(ms)])
    }
    await wait(PATIENCE_MS)
    const result = await work()
    await wait(STATEMENT_MS)
    return result
  }

  /** Has what is asked and brought be one transaction. Where the work rejects nothing of it is kept, and the connection is over. */
  async together<Result>(work: () => Promise<Result>): Promise<Result> {
    const client = this.#client
    await this.#query('begin', 'BEGIN', [])
    try {
      const result = await work()
      await this.#query('commit', 'COMMIT', [])
      return result
    } catch (error) {
      if (client !== undefined) this.#lose(client)
      throw error
    }
  }

  /** The next changes of the catalogue after a version, in their order, and whether there are more after them. */
  async changesAfter(version: number): Promise<ChangesPage> {
    const rows = await this.#query('changes', CHANGES, [version])
    const changes = rows.map((row) => ({ version: Number(row.version), mark: String(row.mark), body: row.body }))
    const last = rows.at(-1)
    return { changes, hasMore: Number(last?.version) < Number(last?.latest) }
  }

  /** undefined where nobody has made it. */
  async changeAt(version: number): Promise<MadeChange | undefined> {
    const sql = 'SELECT farebox.mark_of(made_at) AS mark, gateway FROM farebox.change WHERE version = $1'
    const [row] = await this.#query('change', sql, [version])
    return row && { version, mark: String(row.mark), gatewayId: String(row.gateway) }
  }

  /** All balances. */
  async accounts(): Promise<SharedAccount[]> {
    const sql = 'SELECT key_id, cycle, free + leased - owed AS left_over FROM farebox.account'
    const rows = await this.#query('accounts', sql, [])
    return rows.map((row) => ({
      keyId: String(row.key_id),
      cycle: Number(row.cycle),
      leftMicro: Number(row.left_over),
    }))
  }

  /** What the other gateways have charged, where it changed in so many milliseconds, or before and was not to be seen then. */
  async changedElsewhere(gatewayId: string, inMs: number): Promise<Sum[]> {
    const changed = 'SELECT DISTINCT key_id, cycle FROM farebox.charged WHERE changed_at > now() - $2::interval'
    return sumsIn(await this.#query('changed', elsewhereOf(changed), [gatewayId, `${LATELY_MS + inMs} ms`]))
  }

  /** What they have charged these keys, each in the last cycle that anybody has begun. */
  async chargedElsewhere(gatewayId: string, keyIds: readonly string[]): Promise<Sum[]> {
    const asked = `SELECT id AS key_id, (SELECT max(cycle) FROM farebox.account WHERE key_id = id) AS cycle
      FROM jsonb_array_elements_text($2) id`
    return sumsIn(await this.#query('elsewhere', elsewhereOf(asked), [gatewayId, JSON.stringify(keyIds)]))
  }

  /** How the other gateways have used keys, where a gateway told it in so many milliseconds, or before and it was not to be seen then. */
  async changedUse(gatewayId: string, inMs: number): Promise<KeyUse[]> {
    const changed = 'SELECT DISTINCT key_id FROM farebox.key_use WHERE changed_at > now() - $2::interval'
    return usesIn(await this.#query('changed use', useOf(changed), [gatewayId, `${LATELY_MS + inMs} ms`]))
  }

  /** How they have used these keys. */
  async useElsewhere(gatewayId: string, keyIds: readonly string[]): Promise<KeyUse[]> {
    const asked = 'SELECT jsonb_array_elements_text($2)'
    return usesIn(await this.#query('use', useOf(asked), [gatewayId, JSON.stringify(keyIds)]))
  }

  /** What the calls of a gateway add up to by hours, as far as it told anything else after one of its tellings; a page after a place, in their order. */
  async usageOf(
    gatewayId: string,
    told: number,
    { startedAtMs, parts }: UsagePlace,
    most: number,
  ): Promise<ToldHour[]> {
    const sql = `SELECT started_at, parts, sums FROM farebox.usage_hour WHERE gateway = $1 AND changed > $2
      AND (started_at, parts) > ($3::bigint, $4::text) ORDER BY started_at, parts LIMIT $5`
    const rows = await this.#query('usage', sql, [gatewayId, told, startedAtMs, parts, most])
    // What another gateway's `tell_usage` was given.
    return rows.map((row) => ({
      startedAtMs: Number(row.started_at),
      parts: String(row.parts),
      sums: row.sums as ToldHour['sums'],
    }))
  }

  /** Within a bound: a line that loses what is said has no end. */
  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    if (client !== undefined) await hangUp(client)
  }

  async #query(name: string, text: string, values: readonly Value[]): Promise<Answer[]> {
    const client = this.#client
    if (client === undefined) throw new FleetUnreachable(undefined)
    try {
      const query = { name, text, values: values.map(storable), query_timeout: this.#timeoutMs }
      const { rows } = await client.query<Record<string, unknown>>(query)
      return rows
    } catch (error) {
      // Nobody can say what became of it: what is true is read anew, over a connection of its own.
      this.#lose(client)
      throw new FleetUnreachable(error)
    }
  }

  #lose(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    void hangUp(client)
    this.#options.onLost()
  }
}

/** PostgreSQL has texts of whole characters that are not 0, also in JSON: what else a client sends is refused, again and again. */
const UNSTORABLE = /^\\u(?:0000|d[89a-f])/
const ESCAPES = /\\(?:u[0-9a-f]{4}|[^])/g

function storable(value: Value): Value {
  if (typeof value !== 'string') return value
  // JSON that was written here names halves of characters, and only these, in this way.
  const whole = value.includes('\\u')
    ? value.replace(ESCAPES, (escape) => (UNSTORABLE.test(escape) ? '\\ufffd' : escape))
    : value
  return whole.replaceAll('\0', '\ufffd')
}

/** Resolves when a connection is over, and makes it so after a while. */
async function hangUp(client: Client): Promise<void> {
  // It has one, of which its types do not tell.
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  const cut = setTimeout(() => connection.stream.destroy(), HANG_UP_MS)
  await client.end().catch(() => undefined)
  clearTimeout(cut)
}

/** Looks them up one by one in the key of the table: years of charges are in it, and few of them are asked for. */
function elsewhereOf(cycles: string): string {
  return `WITH others AS MATERIALIZED (SELECT array_agg(id) AS ids FROM farebox.gateway WHERE id <> $1)
    SELECT key_id, cycle, amount FROM (SELECT key_id, cycle, (SELECT sum(c.amount) FROM farebox.charged c
      WHERE c.gateway = ANY ((SELECT ids FROM others)::text[]) AND c.key_id = asked.key_id AND c.cycle = asked.cycle) AS amount
    FROM (${cycles}) asked) found WHERE amount > 0`
}

function sumsIn(rows: readonly Answer[]): Sum[] {
  return rows.map((row) => [String(row.key_id), Number(row.cycle), Number(row.amount)])
}

function useOf(keys: string): string {
  return `SELECT key_id, sum(requests) AS requests, max(last_used_at) AS last_used_at FROM farebox.key_use
    WHERE gateway <> $1 AND key_id IN (${keys}) GROUP BY key_id`
}

function usesIn(rows: readonly Answer[]): KeyUse[] {
  return rows.map((row) => [String(row.key_id), Number(row.requests), Number(row.last_used_at)])
}

/** Where many begin at once on older tables, one after the other. */
async function prepareTables(client: Client): Promise<void> {
  if ((await versionIn(client)) >= SCHEMA_VERSION) return
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock(327300023)')
  const found = await versionIn(client)
  if (found < SCHEMA_VERSION) await client.query(upgradeFrom(found))
  await client.query('COMMIT')
}

/** Of the tables; 0 for none. A later one than ours is of a later program, whose functions answer the same questions. */
async function versionIn(client: Client): Promise<number> {
  const { rows } = await client.query<{ found: string | null }>("SELECT to_regclass('farebox.state') AS found")
  const state = rows[0]?.found === null ? undefined : await client.query<{ version: number }>(VERSION_OF)
  return state?.rows[0]?.version ?? 0
}
