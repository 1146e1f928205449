// Whether the context window of a model was assumed because nobody told it. What is there already was said by somebody, as far as
// anybody knows.

export const guessedContexts = {
  version: 140,
  sql: `
ALTER TABLE model ADD COLUMN is_context_guessed INTEGER NOT NULL DEFAULT 0 CHECK (is_context_guessed IN (0, 1));
`,
} as const
