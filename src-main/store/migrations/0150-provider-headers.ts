// Headers that an administrator gives a provider. Of those whose values are secrets only the names are here.

export const providerHeaders = {
  version: 150,
  sql: `
ALTER TABLE provider ADD COLUMN headers TEXT NOT NULL DEFAULT '{}' CHECK (json_type(headers) = 'object');
ALTER TABLE provider ADD COLUMN header_secrets TEXT NOT NULL DEFAULT '[]' CHECK (json_type(header_secrets) = 'array');
`,
} as const
