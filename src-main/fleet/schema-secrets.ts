// The table of secrets that gateways share, and its functions. What is in it was sealed by a gateway: nothing here can read it, and no gateway believes it
// because it is here.

export const SECRETS_TABLE = `
ALTER TABLE farebox.state
  -- How often any secret was changed.
  ADD secret_seq bigint NOT NULL DEFAULT 0;
ALTER TABLE farebox.gateway
  -- Of the keys with which it opens secrets; NULL where it keeps its own.
  ADD key_ids jsonb;

CREATE TABLE farebox.secret (
  -- Whose it is, at which scheme, host and port it holds, and which of several it is.
  owner text NOT NULL,
  origin text NOT NULL,
  label text NOT NULL,
  -- Goes up with each change. It is sealed with this and with all of the above.
  revision bigint NOT NULL,
  key_id text NOT NULL,
  sealed text NOT NULL,
  -- Which gateway sealed it.
  gateway text NOT NULL,
  -- By which change of all secrets it became what it is.
  changed bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner, origin, label)
);
CREATE INDEX secret_changed ON farebox.secret (changed);
`

export const SECRETS = `
CREATE OR REPLACE FUNCTION farebox.tell_keys(g text, e bigint, ids jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  UPDATE farebox.gateway SET key_ids = ids WHERE id = g AND epoch = e;
  IF NOT FOUND THEN RETURN '{"error": "superseded"}'; END IF;
  RETURN '{}';
END $$;

-- Secrets that changed after one of all changes, and the number of the last; a page in the order of their changes.
CREATE OR REPLACE FUNCTION farebox.secrets_after(g text, e bigint, seen bigint, most integer) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('seq', (SELECT secret_seq FROM farebox.state), 'rows', coalesce(jsonb_agg(jsonb_build_array(owner, origin, label, revision, key_id,
    sealed, gateway, changed_at > now() - interval '1 min', changed) ORDER BY changed), '[]'))
  FROM (SELECT * FROM farebox.secret WHERE changed > seen ORDER BY changed LIMIT most) page
$$;

-- Puts a secret in the place of the one of a revision, null where there is none. Not while a gateway is there that could not open it.
CREATE OR REPLACE FUNCTION farebox.put_secret(g text, e bigint, of_owner text, at_origin text, of_label text, known bigint, next bigint, key text,
  what text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE n bigint; lacking jsonb;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  SELECT jsonb_agg(place ORDER BY place) INTO lacking FROM farebox.gateway
  WHERE NOT key_ids ? key AND ended_at IS NULL AND retired_at IS NULL AND seen_at > now() - interval '1 min';
  IF lacking IS NOT NULL THEN RETURN jsonb_build_object('error', 'keyless', 'places', lacking); END IF;
  -- One at a time: whoever looks at what changed after a number misses none that commits later.
  UPDATE farebox.state SET secret_seq = secret_seq + 1 RETURNING secret_seq INTO n;
  IF (SELECT revision FROM farebox.secret WHERE owner = of_owner AND origin = at_origin AND label = of_label) IS DISTINCT FROM known THEN
    RETURN '{"error": "overtaken"}';
  END IF;
  INSERT INTO farebox.secret VALUES (of_owner, at_origin, of_label, next, key, what, g, n, now())
  ON CONFLICT (owner, origin, label) DO UPDATE SET revision = next, key_id = key, sealed = what, gateway = g, changed = n, changed_at = now();
  PERFORM pg_notify('farebox', 'secret ' || g);
  RETURN jsonb_build_object('seq', n);
END $$;
`
