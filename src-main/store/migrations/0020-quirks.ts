// How a provider differs from others of its dialect, as a JSON object of what the administrator said.

export const quirks = {
  version: 20,
  sql: `ALTER TABLE provider ADD COLUMN quirks TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(quirks));`,
} as const
