// Who may use the dashboard: members, their sessions, what they may no longer try, and what was changed by whom.

export const members = {
  version: 50,
  sql: `
CREATE TABLE member (
  id TEXT NOT NULL PRIMARY KEY,
  -- Two names that look alike would be taken for one person.
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  role TEXT NOT NULL CHECK (role IN ('administrator', 'member')),
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  -- "all", or a list of ids.
  packages TEXT NOT NULL CHECK (json_valid(packages)),
  password_hash TEXT,
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER
) STRICT;

-- Only hashes: who reads this table can sign in nowhere.
CREATE TABLE session (
  id TEXT NOT NULL PRIMARY KEY,
  -- NULL: the owner of the machine.
  member_id TEXT REFERENCES member (id) ON DELETE CASCADE,
  cookie_hash TEXT NOT NULL UNIQUE CHECK (length(cookie_hash) = 43),
  token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 43),
  created_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX session_member ON session (member_id);

-- By the hash of a name or an address: what somebody typed as a name may have been a password.
CREATE TABLE sign_in_failure (
  subject TEXT NOT NULL PRIMARY KEY CHECK (length(subject) = 43),
  count INTEGER NOT NULL CHECK (count > 0),
  last_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE key ADD COLUMN member_id TEXT REFERENCES member (id) ON DELETE SET NULL;
CREATE INDEX key_member ON key (member_id);
-- Who suspended it: what an administrator suspended, its member must not resume. NULL where it is not, or nobody noted it.
ALTER TABLE key ADD COLUMN suspended_by TEXT CHECK (suspended_by IN ('administrator', 'member'));

CREATE TABLE audit_entry (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT,
  outcome TEXT NOT NULL,
  status INTEGER,
  details TEXT NOT NULL CHECK (json_valid(details))
) STRICT;
CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
-- The log is bounded, so what is older than the latest 100,000 may go.
CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
WHEN OLD.seq > (SELECT max(seq) FROM audit_entry) - 100000
BEGIN SELECT RAISE(ABORT, 'audit entries are never deleted'); END;
`,
} as const
