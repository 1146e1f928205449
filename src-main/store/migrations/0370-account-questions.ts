// Who was asked what is left on his account, and how that went: a restart is no reason to ask whoever wants to be left alone.

export const accountQuestions = {
  version: 370,
  sql: `
CREATE TABLE account_question (
  provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
  -- Which of several secrets it was asked with; empty where there is one.
  label TEXT NOT NULL,
  asked_ms INTEGER NOT NULL,
  quiet_until_ms INTEGER NOT NULL,
  -- In a row.
  failures INTEGER NOT NULL,
  -- Why it was not answered, in a sentence of ours; empty where it was.
  problem TEXT NOT NULL,
  PRIMARY KEY (provider_id, label)
) STRICT, WITHOUT ROWID;
`,
} as const
