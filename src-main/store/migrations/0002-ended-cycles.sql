-- The last ended cycles of a key. If a wrong clock is corrected, one of them continues with its remaining credits.
-- NULL if no cycle has ended since this column exists.
ALTER TABLE balance ADD COLUMN ended_cycles TEXT CHECK (ended_cycles IS NULL OR json_valid(ended_cycles));
