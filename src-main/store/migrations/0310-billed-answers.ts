// Calls whose answers say what they cost are compared day by day; an index of them alone costs other calls nothing.

export const billedAnswers = {
  version: 310,
  sql: `
CREATE INDEX usage_record_billed ON usage_record (created_at_ms) WHERE instr(details, '"billedNano"') > 0;
`,
} as const
