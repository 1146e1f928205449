// Sums of the usage records by hour and day, and of the ledger's entries at some of their numbers, so that reports need not read
// the rows themselves. The roll-ups are filled from the records at the next start; see usage-rollups.ts.

const SUMS = `
  requests INTEGER NOT NULL,
  -- With a status of 400 or more.
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  -- The highest charge among them, so that a search for dear calls knows where to look.
  most_charge_micro INTEGER NOT NULL`

/** Which kinds of entries there are, as bits. */
const KINDS = `max(kind = 'hold') + 2 * max(kind = 'settle') + 4 * max(kind = 'release') + 8 * max(kind = 'grant')
    + 16 * max(kind = 'lapse') + 32 * max(kind = 'adjustment')`
const SUMMARISED = '(SELECT coalesce(max(last_seq), 0) FROM ledger_summary)'
const STEP = `min((seq + 4095) / 4096 * 4096, ${SUMMARISED})`

export const rollups = {
  version: 60,
  sql: `
-- Lists and reports go by the time at which a call was admitted.
CREATE INDEX usage_record_created ON usage_record (created_at_ms, id);

-- What sums are kept apart by. A slice tells apart some of the four and leaves the others empty.
CREATE TABLE usage_group (
  -- The slice in the high bits, so that the rows of one slice are neighbours.
  id INTEGER PRIMARY KEY,
  slice INTEGER NOT NULL CHECK (slice BETWEEN 0 AND 15),
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  package_id TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX usage_group_parts ON usage_group (slice, key_id, model_id, provider_id, package_id);

CREATE TABLE usage_hour (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,${SUMS},
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_day (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,${SUMS},
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
-- How long streams took to begin: calls by hour, key and class of time.
CREATE TABLE usage_first_token (
  started_at_ms INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  latency_class INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, key_id, latency_class)
) STRICT, WITHOUT ROWID;
-- The zone whose days and hours these are; no row until they are filled.
CREATE TABLE usage_rollup (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  time_zone TEXT NOT NULL
) STRICT;

-- Where the summary of the ledger stood after each step, and which kinds of entries the step has.
CREATE TABLE ledger_step (
  last_seq INTEGER PRIMARY KEY,
  kinds INTEGER NOT NULL
) STRICT;
-- What a key had available after a step in which it has entries.
CREATE TABLE ledger_point (
  key_id TEXT NOT NULL REFERENCES key (id),
  last_seq INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  kinds INTEGER NOT NULL,
  PRIMARY KEY (key_id, last_seq)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger_point (key_id, last_seq, available_micro, kinds)
  SELECT key_id, step, sum(total) OVER (PARTITION BY key_id ORDER BY step), kinds FROM (
    SELECT key_id, ${STEP} AS step, sum(amount_micro) AS total, ${KINDS} AS kinds
    FROM ledger_entry WHERE seq <= ${SUMMARISED} GROUP BY key_id, step);
INSERT INTO ledger_step (last_seq, kinds)
  SELECT ${STEP} AS step, ${KINDS} FROM ledger_entry WHERE seq <= ${SUMMARISED} GROUP BY step;
`,
} as const
