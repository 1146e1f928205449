// A key's value can be replaced. The one before goes on working for a while, so that no tool stops in between.

export const rotation = {
  version: 70,
  sql: `
-- NULL: since the key was made.
ALTER TABLE key ADD COLUMN value_since_ms INTEGER;
ALTER TABLE key ADD COLUMN previous_hash TEXT CHECK (length(previous_hash) = 43);
ALTER TABLE key ADD COLUMN previous_until_ms INTEGER
  CHECK ((previous_hash IS NULL) = (previous_until_ms IS NULL));
`,
} as const
