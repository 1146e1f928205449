// Thresholds of budgets that were reached, which thresholds hold, and the destinations that are told of it.

export const alerts = {
  version: 240,
  sql: `
CREATE TABLE alert (
  id TEXT PRIMARY KEY,
  -- An open set: key, member, provider.
  scope TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  name TEXT NOT NULL,
  cycle_started_at_ms INTEGER NOT NULL,
  -- NULL where its cycle never ends.
  next_reset_at_ms INTEGER,
  threshold INTEGER NOT NULL CHECK (threshold BETWEEN 1 AND 100),
  used_micro INTEGER NOT NULL,
  total_micro INTEGER NOT NULL CHECK (total_micro > 0),
  at_ms INTEGER NOT NULL,
  -- 1 once a top-up or a correction took the account below the threshold again.
  is_over INTEGER NOT NULL DEFAULT 0 CHECK (is_over IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX alert_once ON alert (scope, subject_id, cycle_started_at_ms, threshold) WHERE is_over = 0;
CREATE INDEX alert_latest ON alert (at_ms);
CREATE TABLE alert_threshold (
  scope TEXT NOT NULL,
  -- Empty for all of the scope.
  subject_id TEXT NOT NULL,
  -- A JSON list of percents.
  thresholds TEXT NOT NULL,
  PRIMARY KEY (scope, subject_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  network TEXT NOT NULL CHECK (network IN ('public', 'local')),
  created_at_ms INTEGER NOT NULL
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
`,
} as const
