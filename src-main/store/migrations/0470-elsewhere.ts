// Sums of the calls of other gateways that share the books, beside those of this one, which can be checked by its records and stay by themselves.

const SUMS = `
  requests INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL`

export const elsewhere = {
  version: 470,
  sql: `
-- A row while the others are told of this gateway's hours.
CREATE TABLE usage_telling (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  books_id TEXT NOT NULL,
  -- What they were told before counts no more.
  is_anew INTEGER NOT NULL,
  -- The number of the last telling that was answered.
  seq INTEGER NOT NULL
) STRICT;
-- Sums of hours that the others do not have as they are now. times: how often they changed since.
CREATE TABLE usage_changed (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;

-- Up to which of its changes another gateway's hours are here.
CREATE TABLE elsewhere_position (
  gateway TEXT NOT NULL PRIMARY KEY,
  up_to INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE elsewhere_group (
  -- The slice in the high bits, as those of usage_group have it.
  id INTEGER PRIMARY KEY,
  -- Empty in slices that leave something out: they are of all other gateways together.
  gateway TEXT NOT NULL,
  slice INTEGER NOT NULL CHECK (slice BETWEEN 0 AND 127),
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  package_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  project TEXT NOT NULL,
  tags TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX elsewhere_group_parts
  ON elsewhere_group (slice, key_id, model_id, provider_id, package_id, tool, project, tags, gateway);
CREATE TABLE elsewhere_hour (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,${SUMS},
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE elsewhere_day (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,${SUMS},
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
`,
} as const
