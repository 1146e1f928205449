// Gives a data folder a year of calls: a million of them by 100 keys to 30 models at 5 providers, with the ledger entries that belong
// to them. The rows are those that calls leave; the roll-ups are filled by the program's own code.
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { uuidV7Generator } from '#core/uuid.ts'
import { attributionIds } from '#ledger/attribution-ids.ts'
import { summariseNext } from '#ledger/summary.ts'
import { UsageRollups } from '#store/usage-rollups.ts'

export type Year = {
  readonly calls: number
  readonly keys: number
  readonly models: number
  readonly providers: number
  /** How many sessions the calls are of. */
  readonly sessions: number
  readonly endMs: number
}

const YEAR_MS = 365 * 86_400_000
const TOKENS = { input: 1200, output: 300 }
const GRANT_MICRO = 1_000_000_000_000

/** Fills a folder that Farebox has set up and that nothing runs on. Returns how long the roll-ups took, in milliseconds. */
export function fillYear(dataFolder: string, year: Year): number {
  const db = new Database(join(dataFolder, 'farebox.db'))
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = OFF')
    db.transaction(() => {
      addCatalogue(db, year)
      addCalls(db, year)
      addBalances(db)
      db.exec('DELETE FROM usage_rollup')
    })()
    while (db.transaction(() => summariseNext(db))() === 0);
    const startedAtMs = performance.now()
    new UsageRollups(db, Intl.DateTimeFormat().resolvedOptions().timeZone).open()
    const tookMs = performance.now() - startedAtMs
    db.pragma('wal_checkpoint(TRUNCATE)')
    return tookMs
  } finally {
    db.close()
  }
}

function addCatalogue(db: Database.Database, { keys, models, providers, endMs }: Year): void {
  const atMs = endMs - YEAR_MS
  for (let index = 0; index < providers; index += 1) {
    db.prepare(
      `INSERT INTO provider (id, name, dialect, base_url, has_secret, output_cap_field, created_at_ms)
       VALUES (?, ?, 'chat-completions', 'https://provider.invalid/v1', 1, 'max_tokens', ?)`,
    ).run(providerId(index), `provider ${index}`, atMs)
  }
  for (let index = 0; index < models; index += 1) {
    const id = `year-${index}`
    db.prepare(
      `INSERT INTO model (id, display_name, kind, context_window, max_output_tokens, is_enabled, price_version, created_at_ms)
       VALUES (?, ?, 'chat', 100000, 1000, 1, 1, ?)`,
    ).run(id, id, atMs)
    db.prepare(
      `INSERT INTO price (model_id, version, input_micro, output_micro, cache_read_micro, cache_write_micro, created_at_ms)
       VALUES (?, 1, 1000000, 2000000, 1000000, 1000000, ?)`,
    ).run(id, atMs)
    db.prepare('INSERT INTO target VALUES (?, 0, ?, ?, 0, 1)').run(id, providerId(index % providers), id)
  }
  for (let index = 0; index < keys; index += 1) {
    db.prepare(
      `INSERT INTO key (id, name, owner, hash, hint, package_id, status, expires_at_ms, created_at_ms)
       VALUES (?, ?, ?, ?, 'hint', (SELECT id FROM package WHERE type = 'topup' LIMIT 1), 'active', NULL, ?)`,
    ).run(keyId(index), `year ${index}`, `owner ${index % 10}`, String(index).padStart(43, '0'), atMs)
    db.prepare(
      `INSERT INTO ledger_entry (key_id, kind, amount_micro, cycle_started_at_ms, created_at_ms, idempotency_id)
       VALUES (?, 'grant', ?, ?, ?, 'cycle')`,
    ).run(keyId(index), GRANT_MICRO, atMs, atMs)
  }
}

function addCalls(db: Database.Database, { calls, keys, models, providers, sessions, endMs }: Year): void {
  const hold = db.prepare(
    `INSERT INTO ledger_entry (key_id, kind, amount_micro, charge_micro, exchange_id, cycle_started_at_ms, created_at_ms,
       model_id, price_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)`,
  )
  const record = db.prepare(
    `INSERT INTO usage_record (id, key_id, package_id, endpoint, model_id, provider_id, upstream_model, is_stream, outcome,
       status, input_tokens, output_tokens, usage_source, price_version, hold_micro, charge_micro, is_overrun,
       created_at_ms, first_byte_ms, duration_ms, estimated_classes, attempts, attribution_id, session_id)
     VALUES (?, ?, ?, 'chat', ?, ?, ?, 1, ?, ?, ?, ?, ?, 1, 5000, ?, 0, ?, ?, ?, '', ?, ?, ?)`,
  )
  const idsOf = attributionIds(db)
  const packageId = db.prepare<[], string>(`SELECT id FROM package WHERE type = 'topup' LIMIT 1`).pluck().get()
  const startMs = endMs - YEAR_MS
  let atMs = startMs
  const newId = uuidV7Generator(
    () => atMs,
    (bytes) => new DataView(bytes.buffer, bytes.byteOffset).setFloat64(0, random()),
  )
  for (let index = 0; index < calls; index += 1) {
    atMs = startMs + Math.floor((index * YEAR_MS) / calls)
    const keyNumber = Math.floor(random() * keys)
    const key = keyId(keyNumber)
    const number = Math.floor(random() * models)
    const model = `year-${number}`
    const provider = providerId((number + (random() < 0.2 ? 1 : 0)) % providers)
    const isFailed = random() < 0.02
    const input = Math.floor(random() * TOKENS.input)
    const output = Math.floor(random() * TOKENS.output)
    const charge = isFailed ? 0 : input + 2 * output
    const id = newId()
    hold.run(key, 'hold', -5000, null, id, startMs, atMs, model)
    hold.run(key, charge === 0 ? 'release' : 'settle', 5000 - charge, charge, id, startMs, atMs + 900, model)
    const [outcome, status, source] = isFailed ? ['failed', 502, 'none'] : ['answered', 200, 'reported']
    const tokens = isFailed ? [null, null] : [input, output]
    const firstByte = isFailed ? null : 200 + Math.floor(random() * 2000)
    const call = [id, key, packageId, model, provider, model, outcome, status, ...tokens, source]
    record.run(...call, charge, atMs, firstByte, 2500, ATTEMPTS, ...idsOf(namesOf(keyNumber, index, sessions)))
  }
}

function namesOf(key: number, index: number, sessions: number): readonly string[] {
  const project = `project-${(key + (index % 4 === 0 ? 1 : 0)) % 11}`
  return [`tool-${key % 7}`, project, index % 3 === 0 ? ',ci,night,' : ',day,', `session-${index % sessions}`]
}

const ATTEMPTS = JSON.stringify([
  { provider: 'provider 0', model: 'year-0', outcome: 'complete', status: 200, reason: null, duration_ms: 2500 },
])

function addBalances(db: Database.Database): void {
  db.exec(
    `INSERT INTO balance (key_id, cycle_started_at_ms, available_micro, granted_micro, used_micro, request_count,
       last_used_at_ms, package_type, package_micro, time_zone)
     SELECT entry.key_id, min(entry.cycle_started_at_ms), sum(amount_micro), sum(iif(kind = 'grant', amount_micro, 0)),
       sum(coalesce(charge_micro, 0)), sum(kind = 'hold'), max(entry.created_at_ms), package.type, ${GRANT_MICRO},
       package.time_zone
     FROM ledger_entry AS entry JOIN key ON key.id = entry.key_id JOIN package ON package.id = key.package_id
     WHERE key.name LIKE 'year %' GROUP BY entry.key_id`,
  )
}

function keyId(index: number): string {
  return `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`
}

function providerId(index: number): string {
  return `00000000-0000-7000-9000-${String(index).padStart(12, '0')}`
}

/** The same numbers in every run. */
let state = 42
function random(): number {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
  return state / 2 ** 32
}
