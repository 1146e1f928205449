// How other machines reach Farebox. One row, or none where nobody ever set it.

export const lan = {
  version: 80,
  sql: `
CREATE TABLE lan (
  only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  address TEXT,
  interface TEXT,
  port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
  names TEXT NOT NULL CHECK (json_valid(names)),
  is_administered INTEGER NOT NULL CHECK (is_administered IN (0, 1)),
  -- Paths; what is in the files is never kept here.
  certificate_file TEXT,
  key_file TEXT,
  CHECK ((address IS NULL) <> (interface IS NULL)),
  CHECK ((certificate_file IS NULL) = (key_file IS NULL))
) STRICT;
`,
} as const
