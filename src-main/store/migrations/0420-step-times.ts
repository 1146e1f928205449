// When the first and the last entry of each step of the ledger's summary was written, so that a list of some days passes over all
// others. A step without them would be looked at whatever the days are.

export const stepTimes = {
  version: 420,
  sql: `
ALTER TABLE ledger_step ADD COLUMN from_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_step ADD COLUMN to_ms INTEGER NOT NULL DEFAULT 9007199254740991;
UPDATE ledger_step SET (from_ms, to_ms) = (SELECT min(created_at_ms), max(created_at_ms) FROM ledger_entry
  WHERE seq <= ledger_step.last_seq
    AND seq > coalesce((SELECT max(last_seq) FROM ledger_step AS earlier WHERE earlier.last_seq < ledger_step.last_seq), 0));
`,
} as const
