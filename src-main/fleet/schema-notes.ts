// What gateways note for each other beside their books, such as who is signed in: the last word on each thing, and the order in which these came.

export const NOTES_TABLE = `
ALTER TABLE farebox.state
  -- How often anything was noted.
  ADD note_seq bigint NOT NULL DEFAULT 0;

CREATE TABLE farebox.note (
  kind text NOT NULL,
  id text NOT NULL,
  -- NULL for what was taken away.
  body jsonb,
  changed bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, id)
);
CREATE INDEX note_changed ON farebox.note (changed);
`

export const NOTES = `
-- is_once: what was taken away does not come back.
CREATE OR REPLACE FUNCTION farebox.put_note(g text, e bigint, of_kind text, of_id text, what jsonb, is_once boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  UPDATE farebox.state SET note_seq = note_seq + 1 RETURNING note_seq INTO n;
  INSERT INTO farebox.note VALUES (of_kind, of_id, what, n, now())
  ON CONFLICT (kind, id) DO UPDATE SET body = what, changed = n, changed_at = now() WHERE NOT is_once OR farebox.note.body IS NOT NULL;
  -- No session is as long as that.
  DELETE FROM farebox.note WHERE kind = 'session' AND changed_at < now() - interval '13 h';
  PERFORM pg_notify('farebox', 'note ' || g);
  RETURN jsonb_build_object('seq', n);
END $$;

CREATE OR REPLACE FUNCTION farebox.notes_after(g text, e bigint, seen bigint, most integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('seq', (SELECT note_seq FROM farebox.state),
    'rows', coalesce(jsonb_agg(jsonb_build_array(kind, id, body, changed) ORDER BY changed), '[]'))
  FROM (SELECT * FROM farebox.note WHERE changed > seen ORDER BY changed LIMIT most) page
$$;
`
