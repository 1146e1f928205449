// What all keys of a member may use together.

export const memberLimits = {
  version: 100,
  sql: `
-- A limit that is not in it is none.
ALTER TABLE member ADD COLUMN limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(limits));
`,
} as const
