// What a provider is told and asked beyond its dialect and address: the header for its secret, limits, and which networks it
// may be on.

export const routing = {
  version: 40,
  sql: `
ALTER TABLE provider ADD COLUMN preset TEXT;
-- Whoever wrote http:// before there was a choice meant a server of their own: no secret leaves for the internet like that.
ALTER TABLE provider ADD COLUMN network TEXT NOT NULL DEFAULT 'public' CHECK (network IN ('public', 'local'));
UPDATE provider SET network = 'local' WHERE base_url LIKE 'http://%';
-- NULL: the header of its dialect.
ALTER TABLE provider ADD COLUMN secret_header TEXT;
ALTER TABLE provider ADD COLUMN limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits));
ALTER TABLE provider ADD COLUMN time_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(time_limits));
`,
} as const
