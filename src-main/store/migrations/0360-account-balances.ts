// What providers said is left on their accounts.

export const accountBalances = {
  version: 360,
  sql: `
CREATE TABLE account_balance (
  provider_id TEXT NOT NULL REFERENCES provider (id) ON DELETE CASCADE,
  -- Which of several secrets its account was asked with; empty where there is one.
  label TEXT NOT NULL,
  currency TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  -- Exact decimal text.
  amount TEXT NOT NULL,
  PRIMARY KEY (provider_id, label, currency, at_ms)
) STRICT, WITHOUT ROWID;
`,
} as const
