// By which change the catalogue of a gateway that shares its books has its version: a shared database that was restored from a backup may come to the same
// version by other changes.

export const fleetMark = {
  version: 570,
  sql: `
-- NULL where it was not noted.
ALTER TABLE fleet ADD COLUMN mark TEXT;
`,
} as const
