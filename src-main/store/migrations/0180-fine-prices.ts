// What a price names beside its four classes, and what a usage has that only such prices tell apart, as JSON. NULL for all rows that
// exist: their prices go on to mean what they meant, and their charges stay what they are.

export const finePrices = {
  version: 180,
  sql: `
ALTER TABLE price ADD COLUMN details TEXT CHECK (details IS NULL OR json_valid(details));
ALTER TABLE usage_record ADD COLUMN details TEXT CHECK (details IS NULL OR json_valid(details));
`,
} as const
