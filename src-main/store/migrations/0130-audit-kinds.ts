// Whose doing an audit entry is, so that each kind has a bound of its own: what strangers do pushes out nothing of what members and
// administrators did. Of strangers' entries there is one for as long as the same comes from the same source, and it counts.

export const auditKinds = {
  version: 130,
  sql: `
ALTER TABLE audit_entry ADD COLUMN doer TEXT NOT NULL DEFAULT 'administrator'
  CHECK (doer IN ('administrator', 'member', 'stranger'));
-- Counts the entries of its kind.
ALTER TABLE audit_entry ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_entry ADD COLUMN source TEXT;
ALTER TABLE audit_entry ADD COLUMN count INTEGER NOT NULL DEFAULT 1 CHECK (count > 0);
-- NULL where it happened once.
ALTER TABLE audit_entry ADD COLUMN last_at_ms INTEGER;

DROP TRIGGER audit_entry_no_update;
DROP TRIGGER audit_entry_no_delete;
UPDATE audit_entry SET number = seq;
CREATE UNIQUE INDEX audit_entry_number ON audit_entry (doer, number);

CREATE TRIGGER audit_entry_no_update
BEFORE UPDATE OF seq, at_ms, actor, action, subject, outcome, status, details, doer, number, source ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
CREATE TRIGGER audit_entry_only_counts BEFORE UPDATE OF count, last_at_ms ON audit_entry
WHEN OLD.doer <> 'stranger' OR NEW.count < OLD.count
BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END;
-- The log is bounded, so what is older than the latest of its kind may go.
CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
WHEN OLD.number > (SELECT max(number) FROM audit_entry WHERE doer = OLD.doer)
  - CASE OLD.doer WHEN 'stranger' THEN 1000 ELSE 100000 END
BEGIN SELECT RAISE(ABORT, 'audit entries are never deleted'); END;
`,
} as const
