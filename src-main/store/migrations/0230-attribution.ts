// Who calls were made for. The sums of calls are told apart by it, so that they are made anew.

export const attribution = {
  version: 230,
  sql: `
-- Empty texts are what nobody said. Tags stand between commas: ',one,two,'.
CREATE TABLE attribution (
  id INTEGER PRIMARY KEY,
  tool TEXT NOT NULL CHECK (length(tool) <= 64),
  project TEXT NOT NULL CHECK (length(project) <= 64),
  tags TEXT NOT NULL CHECK (length(tags) <= 400)
) STRICT;
CREATE UNIQUE INDEX attribution_names ON attribution (tool, project, tags);
-- The sessions of tools, by the ids that they gave them.
CREATE TABLE call_session (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) <= 64)
) STRICT;
CREATE UNIQUE INDEX call_session_name ON call_session (name);
ALTER TABLE usage_record ADD COLUMN attribution_id INTEGER;
ALTER TABLE usage_record ADD COLUMN session_id INTEGER;
CREATE INDEX usage_record_session ON usage_record (session_id, created_at_ms) WHERE session_id IS NOT NULL;
-- What all calls of a key are counted to.
ALTER TABLE key ADD COLUMN tool TEXT;
ALTER TABLE key ADD COLUMN project TEXT;
ALTER TABLE key ADD COLUMN tags TEXT NOT NULL DEFAULT '';

-- Projects that have limits, by their names; a limit that is not in it is none.
CREATE TABLE project (
  id TEXT NOT NULL PRIMARY KEY,
  limits TEXT NOT NULL CHECK (json_valid(limits)),
  created_at_ms INTEGER NOT NULL
) STRICT;

DELETE FROM usage_rollup;
DELETE FROM usage_hour;
DELETE FROM usage_day;
DROP TABLE usage_group;
CREATE TABLE usage_group (
  id INTEGER PRIMARY KEY,
  slice INTEGER NOT NULL CHECK (slice BETWEEN 0 AND 127),
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  package_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  project TEXT NOT NULL,
  tags TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX usage_group_parts
  ON usage_group (slice, key_id, model_id, provider_id, package_id, tool, project, tags);
`,
} as const
