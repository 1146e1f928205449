// Calls that were refused before they were admitted. They belong to no ledger: of each kind of refusal there is one row for as long as
// it goes on, and old rows go. A call counts as failed from now on where its client did not get a whole answer, so that the sums of
// calls are made anew.

export const refusedCalls = {
  version: 220,
  sql: `
CREATE TABLE refused_call (
  -- The request that began it.
  id TEXT PRIMARY KEY,
  last_id TEXT NOT NULL,
  -- NULL where no key was known.
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
  -- The ends of the first ids.
  tails TEXT NOT NULL CHECK (length(tails) <= 256)
) STRICT, WITHOUT ROWID;
CREATE INDEX refused_call_latest ON refused_call (last_at_ms, id);
CREATE INDEX refused_call_key ON refused_call (key_id, last_at_ms);
DELETE FROM usage_rollup;
`,
} as const
