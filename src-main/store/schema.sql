-- Version 1 of the schema of farebox.db. Later changes are in migrations/ (see database.ts); this file is never edited.

-- Providers, models and packages

CREATE TABLE provider (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dialect TEXT NOT NULL,
  base_url TEXT NOT NULL,
  has_secret INTEGER NOT NULL CHECK (has_secret IN (0, 1)),
  output_cap_field TEXT NOT NULL CHECK (output_cap_field IN ('max_tokens', 'max_completion_tokens')),
  created_at_ms INTEGER NOT NULL,
  quirks TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(quirks)),
  on_disconnect TEXT NOT NULL DEFAULT 'cancel' CHECK (on_disconnect IN ('cancel', 'drain')),
  preset TEXT,
  network TEXT NOT NULL DEFAULT 'public' CHECK (network IN ('public', 'local')),
  secret_header TEXT,
  limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits)),
  time_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(time_limits)),
  headers TEXT NOT NULL DEFAULT '{}' CHECK (json_type(headers) = 'object'),
  header_secrets TEXT NOT NULL DEFAULT '[]' CHECK (json_type(header_secrets) = 'array'),
  pool TEXT NOT NULL DEFAULT '[]' CHECK (json_type(pool) = 'array')
) STRICT;

CREATE TABLE "model" (
  id TEXT NOT NULL PRIMARY KEY,
  display_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  context_window INTEGER NOT NULL CHECK (context_window > 0),
  max_output_tokens INTEGER NOT NULL CHECK (max_output_tokens >= 0),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- The version of the current price; NULL without a price.
  price_version INTEGER,
  created_at_ms INTEGER NOT NULL,
  is_context_guessed INTEGER NOT NULL DEFAULT 0 CHECK (is_context_guessed IN (0, 1))
) STRICT;

CREATE TABLE "target" (
  model_id TEXT NOT NULL REFERENCES "model" (id) ON DELETE CASCADE,
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
  details TEXT CHECK (details IS NULL OR json_valid(details)),
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

CREATE TABLE project (
  id TEXT NOT NULL PRIMARY KEY,
  limits TEXT NOT NULL CHECK (json_valid(limits)),
  created_at_ms INTEGER NOT NULL
) STRICT;

-- Members, sessions and keys

CREATE TABLE member (
  id TEXT NOT NULL PRIMARY KEY,
  -- Names that differ only in case would be taken for one person.
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('administrator', 'member')),
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  -- "all" or a list of ids.
  packages TEXT NOT NULL CHECK (json_valid(packages)),
  password_hash TEXT,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER,
  limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits))
) STRICT;

CREATE TABLE invite (
  member_id TEXT NOT NULL PRIMARY KEY REFERENCES member (id) ON DELETE CASCADE,
  -- Only the hash, so that a reader of this table cannot accept the invite.
  code_hash TEXT NOT NULL UNIQUE CHECK (length(code_hash) = 43),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL CHECK (expires_at_ms > created_at_ms)
) STRICT;

CREATE TABLE session (
  id TEXT NOT NULL PRIMARY KEY,
  -- NULL for the owner of this machine.
  member_id TEXT REFERENCES member (id) ON DELETE CASCADE,
  cookie_hash TEXT NOT NULL UNIQUE CHECK (length(cookie_hash) = 43),
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 43),
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX session_member ON session (member_id);

CREATE TABLE sign_in_failure (
  subject TEXT NOT NULL PRIMARY KEY CHECK (length(subject) = 43),
  count INTEGER NOT NULL CHECK (count > 0),
  last_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE key (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  owner TEXT,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 43),
  hint TEXT NOT NULL,
  package_id TEXT NOT NULL REFERENCES package (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'revoked')),
  expires_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  member_id TEXT REFERENCES member (id) ON DELETE SET NULL,
  suspended_by TEXT CHECK (suspended_by IN ('administrator', 'member')),
  value_since_ms INTEGER,
  previous_hash TEXT CHECK (length(previous_hash) = 43),
  previous_until_ms INTEGER
    CHECK ((previous_hash IS NULL) = (previous_until_ms IS NULL)),
  tool TEXT,
  project TEXT,
  tags TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX key_package ON key (package_id);

CREATE UNIQUE INDEX key_name ON key (name) WHERE status <> 'revoked';

CREATE TRIGGER key_revoked_is_final BEFORE UPDATE ON key WHEN OLD.status = 'revoked' AND NEW.status <> 'revoked'
BEGIN SELECT RAISE(ABORT, 'a revoked key stays revoked'); END;

CREATE INDEX key_member ON key (member_id);

-- Ledger: entries are append-only, everything else is derived from them

CREATE TABLE ledger_entry (
  seq INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES key (id),
  kind TEXT NOT NULL,
  -- Added to the key's available credits, which are the sum over its entries.
  amount_micro INTEGER NOT NULL,
  -- The cost of the call; only on entries that resolve a hold.
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

CREATE INDEX ledger_entry_adjustment ON ledger_entry (key_id, idempotency_id) WHERE kind = 'adjustment';

CREATE TABLE balance (
  key_id TEXT NOT NULL PRIMARY KEY REFERENCES key (id),
  cycle_started_at_ms INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  granted_micro INTEGER NOT NULL,
  used_micro INTEGER NOT NULL CHECK (used_micro >= 0),
  request_count INTEGER NOT NULL CHECK (request_count >= 0),
  last_used_at_ms INTEGER,
  package_type TEXT,
  package_micro INTEGER,
  time_zone TEXT,
  next_reset_at_ms INTEGER
) STRICT;

CREATE TABLE ledger_summary (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  last_seq INTEGER NOT NULL,
  digest TEXT NOT NULL
) STRICT;

CREATE TABLE cycle_summary (
  key_id TEXT NOT NULL REFERENCES key (id),
  cycle_started_at_ms INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  granted_micro INTEGER NOT NULL,
  used_micro INTEGER NOT NULL,
  request_count INTEGER NOT NULL,
  PRIMARY KEY (key_id, cycle_started_at_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_step (
  last_seq INTEGER PRIMARY KEY,
  kinds INTEGER NOT NULL,
  from_ms INTEGER NOT NULL DEFAULT 0,
  to_ms INTEGER NOT NULL DEFAULT 9007199254740991
) STRICT;

CREATE TABLE ledger_point (
  key_id TEXT NOT NULL REFERENCES key (id),
  last_seq INTEGER NOT NULL,
  available_micro INTEGER NOT NULL,
  kinds INTEGER NOT NULL,
  PRIMARY KEY (key_id, last_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  name  TEXT NOT NULL,
  frame INTEGER NOT NULL CHECK (frame >= 0)
) STRICT;

-- Usage: one record per call, and roll-ups by hour and day

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
  duration_ms INTEGER NOT NULL,
  estimated_classes TEXT,
  attempts TEXT CHECK (attempts IS NULL OR json_valid(attempts)),
  details TEXT CHECK (details IS NULL OR json_valid(details)),
  secret TEXT CHECK (secret IS NULL OR provider_id IS NOT NULL),
  attribution_id INTEGER,
  session_id INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_record_created ON usage_record (created_at_ms, id);

CREATE INDEX usage_record_session ON usage_record (session_id, created_at_ms) WHERE session_id IS NOT NULL;

CREATE INDEX usage_record_billed ON usage_record (created_at_ms) WHERE instr(details, '"billedNano"') > 0;

CREATE TABLE attribution (
  id INTEGER PRIMARY KEY,
  tool TEXT NOT NULL CHECK (length(tool) <= 64),
  project TEXT NOT NULL CHECK (length(project) <= 64),
  tags TEXT NOT NULL CHECK (length(tags) <= 400)
) STRICT;

CREATE UNIQUE INDEX attribution_names ON attribution (tool, project, tags);

CREATE TABLE call_session (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) <= 64)
) STRICT;

CREATE UNIQUE INDEX call_session_name ON call_session (name);

CREATE TABLE usage_group (
  id INTEGER PRIMARY KEY,
  slice INTEGER NOT NULL CHECK (slice BETWEEN 0 AND 127),
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  package_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  project TEXT NOT NULL,
  tags TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX usage_group_parts
  ON usage_group (slice, key_id, model_id, provider_id, package_id, tool, project, tags);

CREATE TABLE usage_hour (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  -- The client did not get a whole answer.
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  -- The highest charge, so that a search by charge can skip hours and days.
  most_charge_micro INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_day (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  -- The client did not get a whole answer.
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  -- The highest charge, so that a search by charge can skip hours and days.
  most_charge_micro INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_first_token (
  started_at_ms INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  latency_class INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, key_id, latency_class)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_rollup (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  time_zone TEXT NOT NULL
) STRICT;

CREATE TABLE refused_call (
  -- The first request of the burst.
  id TEXT PRIMARY KEY,
  last_id TEXT NOT NULL,
  -- NULL if the key was unknown.
  key_id TEXT REFERENCES key (id),
  endpoint TEXT NOT NULL,
  model_id TEXT,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  message TEXT NOT NULL CHECK (length(message) <= 300),
  limit_name TEXT,
  limit_scope TEXT,
  count INTEGER NOT NULL CHECK (count > 0),
  at_ms INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL,
  -- The last characters of the first request ids.
  tails TEXT NOT NULL CHECK (length(tails) <= 256)
) STRICT, WITHOUT ROWID;

CREATE INDEX refused_call_latest ON refused_call (last_at_ms, id);

CREATE INDEX refused_call_key ON refused_call (key_id, last_at_ms);

-- Alerts

CREATE TABLE alert (
  id TEXT PRIMARY KEY,
  -- key, member, project, provider or tool.
  scope TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  name TEXT NOT NULL,
  cycle_started_at_ms INTEGER NOT NULL,
  -- NULL for a cycle without an end.
  next_reset_at_ms INTEGER,
  threshold INTEGER NOT NULL CHECK (threshold BETWEEN 1 AND 100),
  used_micro INTEGER NOT NULL,
  total_micro INTEGER NOT NULL CHECK (total_micro > 0),
  at_ms INTEGER NOT NULL,
  -- 1 after a top-up or a correction took usage below the threshold.
  is_over INTEGER NOT NULL DEFAULT 0 CHECK (is_over IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX alert_once ON alert (scope, subject_id, cycle_started_at_ms, threshold) WHERE is_over = 0;

CREATE INDEX alert_latest ON alert (at_ms);

CREATE TABLE alert_threshold (
  scope TEXT NOT NULL,
  -- Empty for the whole scope.
  subject_id TEXT NOT NULL,
  -- A JSON list of percentages.
  thresholds TEXT NOT NULL,
  PRIMARY KEY (scope, subject_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  network TEXT NOT NULL CHECK (network IN ('public', 'local')),
  created_at_ms INTEGER NOT NULL,
  mail TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  body TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given-up')),
  attempts INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  status INTEGER,
  problem TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_delivery_latest ON webhook_delivery (webhook_id, state, created_at_ms);

-- Providers' bills and account balances

CREATE TABLE bill_span (
  provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('usage', 'costs')),
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL CHECK (end_ms > start_ms),
  -- The format of the report. Only lines of one format can be compared for identity.
  form TEXT NOT NULL,
  made_ms INTEGER NOT NULL,
  -- The latest report in another format, and its time: earlier lines do not count.
  other_form TEXT NOT NULL,
  other_ms INTEGER NOT NULL,
  PRIMARY KEY (provider_id, kind, start_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE bill_line (
  provider_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  -- The hash of everything in the line except numbers.
  identity TEXT NOT NULL,
  made_ms INTEGER NOT NULL,
  -- JSON: model, account key, counts or amount.
  line TEXT NOT NULL,
  PRIMARY KEY (provider_id, kind, start_ms, identity),
  FOREIGN KEY (provider_id, kind, start_ms) REFERENCES bill_span (provider_id, kind, start_ms) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE bill_account (
  provider_id TEXT NOT NULL PRIMARY KEY REFERENCES provider (id) ON DELETE CASCADE,
  -- A JSON list of the account's keys that Farebox uses; NULL if not stated.
  account_keys TEXT,
  -- The project or workspace that only Farebox uses.
  project TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE bill_question (
  provider_id TEXT NOT NULL PRIMARY KEY REFERENCES provider (id) ON DELETE CASCADE,
  asked_ms INTEGER NOT NULL,
  quiet_until_ms INTEGER NOT NULL,
  -- Consecutive failures.
  failures INTEGER NOT NULL,
  -- Why there was no report; empty after a success.
  problem TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE account_balance (
  provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
  -- The label of the secret that was used; empty for a provider with one secret.
  label TEXT NOT NULL,
  currency TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  -- An exact decimal.
  amount TEXT NOT NULL,
  PRIMARY KEY (provider_id, label, currency, at_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE account_question (
  provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
  -- The label of the secret that was used; empty for a provider with one secret.
  label TEXT NOT NULL,
  asked_ms INTEGER NOT NULL,
  quiet_until_ms INTEGER NOT NULL,
  -- Consecutive failures.
  failures INTEGER NOT NULL,
  -- Why the last request failed; empty after a success.
  problem TEXT NOT NULL,
  PRIMARY KEY (provider_id, label)
) STRICT, WITHOUT ROWID;

-- Settings and the audit log

CREATE TABLE setting (
  name TEXT NOT NULL PRIMARY KEY,
  -- As in an environment variable.
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE lan (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  address TEXT,
  interface TEXT,
  port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
  names TEXT NOT NULL CHECK (json_valid(names)),
  is_administered INTEGER NOT NULL CHECK (is_administered IN (0, 1)),
  -- Paths only.
  certificate_file TEXT,
  key_file TEXT,
  CHECK ((address IS NULL) <> (interface IS NULL)),
  CHECK ((certificate_file IS NULL) = (key_file IS NULL))
) STRICT;

CREATE TABLE audit_entry (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT,
  outcome TEXT NOT NULL,
  status INTEGER,
  details TEXT NOT NULL CHECK (json_valid(details)),
  doer TEXT NOT NULL DEFAULT 'administrator'
    CHECK (doer IN ('administrator', 'member', 'stranger')),
  number INTEGER NOT NULL DEFAULT 0,
  source TEXT,
  count INTEGER NOT NULL DEFAULT 1 CHECK (count > 0),
  last_at_ms INTEGER
) STRICT;

CREATE UNIQUE INDEX audit_entry_number ON audit_entry (doer, number);

CREATE TRIGGER audit_entry_no_update
BEFORE UPDATE OF seq, at_ms, actor, action, subject, outcome, status, details, doer, number, source ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;

CREATE TRIGGER audit_entry_only_counts BEFORE UPDATE OF count, last_at_ms ON audit_entry
WHEN OLD.doer <> 'stranger' OR NEW.count < OLD.count
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;

CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
WHEN OLD.number > (SELECT max(number) FROM audit_entry WHERE doer = OLD.doer)
  - CASE OLD.doer WHEN 'stranger' THEN 1000 ELSE 100000 END
BEGIN SELECT RAISE(ABORT, 'audit entries are never deleted'); END;

-- Several gateways: what this one has sent to the shared database, and the roll-ups of the others

CREATE TABLE fleet (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  gateway_id TEXT NOT NULL,
  -- NULL until this gateway joined.
  books_id TEXT,
  -- Of the catalog.
  version INTEGER NOT NULL CHECK (version >= 0),
  mark TEXT
) STRICT;

CREATE TABLE usage_telling (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  books_id TEXT NOT NULL,
  -- 1 if everything that was sent before is invalid.
  is_anew INTEGER NOT NULL,
  -- The sequence number of the last batch that was acknowledged.
  seq INTEGER NOT NULL
) STRICT;

CREATE TABLE usage_changed (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE elsewhere_position (
  gateway TEXT NOT NULL PRIMARY KEY,
  up_to INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE elsewhere_group (
  -- The slice in the high bits, as in usage_group.
  id INTEGER PRIMARY KEY,
  -- Empty in coarser slices, which sum up all other gateways.
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
  group_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE elsewhere_day (
  started_at_ms INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  charge_micro INTEGER NOT NULL,
  estimated_usage INTEGER NOT NULL,
  unknown_usage INTEGER NOT NULL,
  PRIMARY KEY (started_at_ms, group_id)
) STRICT, WITHOUT ROWID;
