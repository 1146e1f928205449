// Invites that are open. Used ones, and those that ended, are not kept: the audit log says what became of them.

export const invites = {
  version: 90,
  sql: `
CREATE TABLE invite (
  member_id TEXT NOT NULL PRIMARY KEY REFERENCES member (id) ON DELETE CASCADE,
  -- Only the hash: who reads this table can accept nothing.
  code_hash TEXT NOT NULL UNIQUE CHECK (length(code_hash) = 43),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL CHECK (expires_at_ms > created_at_ms)
) STRICT;
`,
} as const
