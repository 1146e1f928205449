// What providers reported about their bills: numbers by time, and what Farebox has of an account.

export const billReports = {
  version: 290,
  sql: `
-- A stretch of time that was reported about, also where nothing was used in it. No two of one provider and kind overlap.
CREATE TABLE bill_span (
  provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('usage', 'costs')),
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL CHECK (end_ms > start_ms),
  -- Whose words its lines are in: only lines of one form can be told to be the same one.
  form TEXT NOT NULL,
  made_ms INTEGER NOT NULL,
  -- The latest report in another form, and when it was made: lines before it do not count.
  other_form TEXT NOT NULL,
  other_ms INTEGER NOT NULL,
  PRIMARY KEY (provider_id, kind, start_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE bill_line (
  provider_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  -- The hash of everything of a line that is no number.
  identity TEXT NOT NULL,
  made_ms INTEGER NOT NULL,
  -- JSON: model, key of the account, counts or amount.
  line TEXT NOT NULL,
  PRIMARY KEY (provider_id, kind, start_ms, identity),
  FOREIGN KEY (provider_id, kind, start_ms) REFERENCES bill_span (provider_id, kind, start_ms) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE bill_account (
  provider_id TEXT NOT NULL PRIMARY KEY REFERENCES provider (id) ON DELETE CASCADE,
  -- A JSON list of the keys that Farebox has there; NULL where nobody said.
  account_keys TEXT,
  -- The project or workspace that Farebox has for itself.
  project TEXT
) STRICT, WITHOUT ROWID;
`,
} as const
