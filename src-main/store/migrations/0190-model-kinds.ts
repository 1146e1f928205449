// Models of further kinds: which there are says the program, so that the table does not list them any more. SQLite changes a CHECK only
// with its table, and takes away the targets of a table that goes, so that both are made anew.

export const modelKinds = {
  version: 190,
  sql: `
CREATE TABLE model_new (
  id TEXT NOT NULL PRIMARY KEY,
  display_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  context_window INTEGER NOT NULL CHECK (context_window > 0),
  max_output_tokens INTEGER NOT NULL CHECK (max_output_tokens >= 0),
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  -- Which of its prices counts; NULL where nobody has priced it.
  price_version INTEGER,
  created_at_ms INTEGER NOT NULL,
  is_context_guessed INTEGER NOT NULL DEFAULT 0 CHECK (is_context_guessed IN (0, 1))
) STRICT;
CREATE TABLE target_new (
  model_id TEXT NOT NULL REFERENCES model_new (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  provider_id TEXT NOT NULL REFERENCES provider (id),
  upstream_model TEXT NOT NULL,
  priority INTEGER NOT NULL CHECK (priority >= 0),
  weight INTEGER NOT NULL CHECK (weight > 0),
  PRIMARY KEY (model_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO model_new
SELECT id, display_name, kind, context_window, max_output_tokens, is_enabled, price_version, created_at_ms, is_context_guessed
FROM model ORDER BY rowid;
INSERT INTO target_new SELECT * FROM target;
DROP TABLE target;
DROP TABLE model;
ALTER TABLE model_new RENAME TO model;
ALTER TABLE target_new RENAME TO target;
`,
} as const
