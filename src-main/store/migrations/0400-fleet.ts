// Which shared books a gateway belongs to, and how much of them it has. There is a row where it ever joined any.

export const fleet = {
  version: 400,
  sql: `
CREATE TABLE fleet (
  one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  gateway_id TEXT NOT NULL,
  -- NULL until it first joined.
  books_id TEXT,
  -- Of the catalogue.
  version INTEGER NOT NULL CHECK (version >= 0)
) STRICT;
`,
} as const
