-- Gateways that share the books, and how often the shared database answered each.
-- A database that knows fewer answers was restored from a backup.
CREATE TABLE fleet_seen (
  gateway TEXT NOT NULL PRIMARY KEY,
  answers INTEGER NOT NULL,
  place TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
