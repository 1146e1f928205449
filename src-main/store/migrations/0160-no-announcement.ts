// Farebox no longer answers mDNS, so that a name it announced leads nowhere.

export const noAnnouncement = {
  version: 160,
  sql: `
ALTER TABLE lan DROP COLUMN announced_as;
`,
} as const
