// What the metering of calls needs beyond the first schema. Columns are added with a default that says "nobody noted it", so
// that old rows show what is unknown as unknown.

export const metering = {
  version: 30,
  sql: `
-- What becomes of the request to a provider when its client leaves.
ALTER TABLE provider ADD COLUMN on_disconnect TEXT NOT NULL DEFAULT 'cancel' CHECK (on_disconnect IN ('cancel', 'drain'));

-- The classes whose tokens Farebox counted itself, as 'input', 'output', 'input,output' or ''; NULL where nobody noted it.
ALTER TABLE usage_record ADD COLUMN estimated_classes TEXT;
-- How each try at a provider ended, as a JSON list; NULL where nobody noted it.
ALTER TABLE usage_record ADD COLUMN attempts TEXT CHECK (attempts IS NULL OR json_valid(attempts));

-- The terms of the package that the present cycle of a key was granted by, and when it ends. A start compares them with the
-- package, so that a change that a crash cut short is made good. NULL in rows from before.
ALTER TABLE balance ADD COLUMN package_type TEXT;
ALTER TABLE balance ADD COLUMN package_micro INTEGER;
ALTER TABLE balance ADD COLUMN time_zone TEXT;
ALTER TABLE balance ADD COLUMN next_reset_at_ms INTEGER;

-- The sums of the entries up to last_seq, by key and cycle, and a chain of hashes over them. A start reads these instead.
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
-- A start reads the ids of all adjustments, which are few among the entries.
CREATE INDEX ledger_entry_adjustment ON ledger_entry (key_id, idempotency_id) WHERE kind = 'adjustment';
`,
} as const
