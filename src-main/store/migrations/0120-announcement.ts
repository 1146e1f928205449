// The name under which the network is told of Farebox. Nobody is told after an upgrade: it was never asked for.

export const announcement = {
  version: 120,
  sql: `
ALTER TABLE lan ADD COLUMN announced_as TEXT CHECK (announced_as LIKE '_%.local');
`,
} as const
