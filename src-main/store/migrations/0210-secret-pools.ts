// Several secrets of one provider: what each of them may be asked for, and which of them a call went with. Their texts are not here.

export const secretPools = {
  version: 210,
  sql: `
ALTER TABLE provider ADD COLUMN pool TEXT NOT NULL DEFAULT '[]' CHECK (json_type(pool) = 'array');
ALTER TABLE usage_record ADD COLUMN secret TEXT CHECK (secret IS NULL OR provider_id IS NOT NULL);
`,
} as const
