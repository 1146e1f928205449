// Which provider was asked for its bill by itself, and how that went: a restart is no reason to ask whoever wants to be left alone.

export const billQuestions = {
  version: 440,
  sql: `
CREATE TABLE bill_question (
  provider_id TEXT NOT NULL PRIMARY KEY REFERENCES provider (id) ON DELETE CASCADE,
  asked_ms INTEGER NOT NULL,
  quiet_until_ms INTEGER NOT NULL,
  -- In a row.
  failures INTEGER NOT NULL,
  -- Why there was no report, in a sentence of ours; empty where there was one.
  problem TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`,
} as const
