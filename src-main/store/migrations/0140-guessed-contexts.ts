// Whether the context window of a model was assumed because its provider did not tell it. Rows that exist count as told,
// because there is no record of how they came to be.

export const guessedContexts = {
  version: 140,
  sql: `
ALTER TABLE model ADD COLUMN is_context_guessed INTEGER NOT NULL DEFAULT 0 CHECK (is_context_guessed IN (0, 1));
`,
} as const
