// The first schema. Ids are UUIDv7 text, times UTC epoch milliseconds, amounts integer micro-credits. Every invariant that
// a single row can state is a CHECK; ledger entries can be neither changed nor deleted.

export const first = {
  version: 10,
  sql: `
CREATE TABLE provider (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dialect TEXT NOT NULL,
  base_url TEXT NOT NULL,
  has_secret INTEGER NOT NULL CHECK (has_secret IN (0, 1)),
  output_cap_field TEXT NOT NULL CHECK (output_cap_field IN ('max_tokens', 'max_completion_tokens')),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE model (
  id TEXT NOT NULL PRIMARY KEY,
  display_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'embedding')),
  context_window INTEGER NOT NULL CHECK (context_window > 0),
  max_output_tokens INTEGER NOT NULL CHECK (max_output_tokens >= 0),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- Which of its prices counts; NULL where nobody has priced it.
  price_version INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE target (
  model_id TEXT NOT NULL REFERENCES model (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  provider_id TEXT NOT NULL REFERENCES provider (id),
  upstream_model TEXT NOT NULL,
  priority INTEGER NOT NULL CHECK (priority >= 0),
  weight INTEGER NOT NULL CHECK (weight > 0),
  PRIMARY KEY (model_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE price (
  model_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  input_micro INTEGER NOT NULL CHECK (input_micro >= 0),
  output_micro INTEGER NOT NULL CHECK (output_micro >= 0),
  cache_read_micro INTEGER NOT NULL CHECK (cache_read_micro >= 0),
  cache_write_micro INTEGER NOT NULL CHECK (cache_write_micro >= 0),
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (model_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE package (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('monthly', 'daily', 'topup', 'unlimited')),
  credits_micro INTEGER NOT NULL CHECK (credits_micro >= 0),
  time_zone TEXT NOT NULL,
  requests_per_minute INTEGER CHECK (requests_per_minute > 0),
  tokens_per_minute INTEGER CHECK (tokens_per_minute > 0),
  concurrent_requests INTEGER CHECK (concurrent_requests > 0),
  models TEXT NOT NULL CHECK (json_valid(models)),
  valid_until_ms INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE key (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  owner TEXT,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 43),
  hint TEXT NOT NULL,
  package_id TEXT NOT NULL REFERENCES package (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'revoked')),
  expires_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX key_package ON key (package_id);
-- A name is free again once its key is revoked, so that a key can be replaced by one of the same name.
CREATE UNIQUE INDEX key_name ON key (name) WHERE status <> 'revoked';
CREATE TRIGGER key_revoked_is_final BEFORE UPDATE ON key WHEN OLD.status = 'revoked' AND NEW.status <> 'revoked'
BEGIN SELECT RAISE(ABORT, 'a revoked key stays revoked'); END;

-- Conditions are written without IN: SQLite builds a table for every list of three or more at every insert.
CREATE TABLE ledger_entry (
  seq INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES key (id),
  kind TEXT NOT NULL,
  -- What the entry adds to the key's available credits; the sum over a key is what it has available.
  amount_micro INTEGER NOT NULL,
  -- What the call cost, on the entries that resolve a hold.
  charge_micro INTEGER CHECK (charge_micro >= 0),
  exchange_id TEXT,
  cycle_started_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  model_id TEXT,
  price_version INTEGER,
  reason TEXT,
  idempotency_id TEXT,
  CHECK (CASE kind
    WHEN 'hold' THEN amount_micro <= 0 AND charge_micro IS NULL AND exchange_id IS NOT NULL
    WHEN 'settle' THEN charge_micro IS NOT NULL AND exchange_id IS NOT NULL
    WHEN 'release' THEN amount_micro >= 0 AND charge_micro IS 0 AND exchange_id IS NOT NULL
    WHEN 'grant' THEN amount_micro >= 0 AND charge_micro IS NULL AND exchange_id IS NULL
    WHEN 'lapse' THEN charge_micro IS NULL
    WHEN 'adjustment' THEN charge_micro IS NULL AND exchange_id IS NULL AND reason IS NOT NULL
    ELSE 0 END)
) STRICT;
CREATE UNIQUE INDEX ledger_entry_one_hold ON ledger_entry (exchange_id) WHERE kind = 'hold';
CREATE UNIQUE INDEX ledger_entry_one_resolution ON ledger_entry (exchange_id) WHERE charge_micro IS NOT NULL;
CREATE UNIQUE INDEX ledger_entry_once ON ledger_entry (key_id, idempotency_id) WHERE idempotency_id IS NOT NULL;
CREATE TRIGGER ledger_entry_no_update BEFORE UPDATE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END;
CREATE TRIGGER ledger_entry_no_delete BEFORE DELETE ON ledger_entry
BEGIN SELECT RAISE(ABORT, 'ledger entries are never deleted'); END;

-- A projection of the entries, written in the same transaction; at start it must equal what the entries say.
CREATE TABLE balance (
  key_id TEXT NOT NULL PRIMARY KEY REFERENCES key (id),
  cycle_started_at_ms INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  granted_micro INTEGER NOT NULL,
  used_micro INTEGER NOT NULL CHECK (used_micro >= 0),
  request_count INTEGER NOT NULL CHECK (request_count >= 0),
  last_used_at_ms INTEGER
) STRICT;

CREATE TABLE usage_record (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES key (id),
  package_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT,
  upstream_model TEXT,
  is_stream INTEGER NOT NULL CHECK (is_stream BETWEEN 0 AND 1),
  outcome TEXT NOT NULL,
  status INTEGER NOT NULL,
  input_tokens INTEGER CHECK (input_tokens >= 0),
  cache_read_tokens INTEGER CHECK (cache_read_tokens >= 0),
  cache_write_tokens INTEGER CHECK (cache_write_tokens >= 0),
  output_tokens INTEGER CHECK (output_tokens >= 0),
  reasoning_tokens INTEGER CHECK (reasoning_tokens >= 0),
  usage_source TEXT NOT NULL CHECK (usage_source = 'reported' OR usage_source = 'estimated' OR usage_source = 'none'),
  price_version INTEGER,
  hold_micro INTEGER NOT NULL CHECK (hold_micro >= 0),
  charge_micro INTEGER NOT NULL CHECK (charge_micro >= 0),
  is_overrun INTEGER NOT NULL CHECK (is_overrun BETWEEN 0 AND 1),
  created_at_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  duration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
}
