// Settings that were changed while Farebox ran, by their names. What was never changed, or set back, is not here.

export const settings = {
  version: 270,
  sql: `
CREATE TABLE setting (
  name TEXT NOT NULL PRIMARY KEY,
  -- As somebody would write it into the environment.
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`,
} as const
