// The last cycles of a key that have ended. A clock that was wrong can come back to one, which then goes on with what it had left.

export const endedCycles = {
  version: 590,
  sql: `
-- NULL where none has ended since this column was added.
ALTER TABLE balance ADD COLUMN ended_cycles TEXT CHECK (ended_cycles IS NULL OR json_valid(ended_cycles));
`,
} as const
