// Which gateways share the books, and how often the shared database answered each: one that knows of fewer answers was restored from a backup.

export const fleetSeen = {
  version: 600,
  sql: `
CREATE TABLE fleet_seen (
  gateway TEXT NOT NULL PRIMARY KEY,
  answers INTEGER NOT NULL,
  place TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
} as const
