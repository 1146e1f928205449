/** Which journal belongs to this database, and up to which of its frames everything is in the tables. */
export const journal = {
  version: 170,
  sql: `
CREATE TABLE journal (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  name  TEXT NOT NULL,
  frame INTEGER NOT NULL CHECK (frame >= 0)
) STRICT;
`,
} as const
