// The functions of the shared books by which gateways show each other what happened on them, and look at what there is. None of them changes a balance.

export const KEY_USE_TABLE = `
-- How many calls each gateway has had of a key, ever, and when the last one began, in milliseconds since 1970.
CREATE TABLE farebox.key_use (
  key_id text NOT NULL,
  gateway text NOT NULL,
  requests bigint NOT NULL,
  last_used_at bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, gateway)
);
CREATE INDEX key_use_changed ON farebox.key_use (changed_at);
`

export const VIEWS = `
-- A gateway tells how it has used some keys: key, calls, and when the last one began.
CREATE OR REPLACE FUNCTION farebox.tell_key_use(g text, e bigint, uses jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  INSERT INTO farebox.key_use SELECT el->>0, g, (el->>1)::bigint, (el->>2)::bigint FROM jsonb_array_elements(uses) el
  ON CONFLICT (key_id, gateway) DO UPDATE SET requests = excluded.requests, last_used_at = excluded.last_used_at, changed_at = now()
  WHERE farebox.key_use.requests <> excluded.requests;
  RETURN '{}';
END $$;

-- A gateway tells what its calls of some hours add up to now: whole sums, so that what is told twice counts once. known: the number of its last telling, of
-- which others may know also where the server lost it. is_anew: what it told before counts no more; where nothing is told with it, some of that goes, and there
-- may be more.
CREATE OR REPLACE FUNCTION farebox.tell_usage(g text, e bigint, known bigint, is_anew boolean, hours jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE n bigint; at_most integer := CASE WHEN hours = '[]' THEN 5000 END; gone integer := 0;
BEGIN
  UPDATE farebox.gateway SET usage_seq = greatest(usage_seq, known) + 1 WHERE id = g AND epoch = e RETURNING usage_seq INTO n;
  IF NOT FOUND THEN RETURN '{"error": "superseded"}'; END IF;
  IF is_anew THEN
    WITH old AS (SELECT ctid FROM farebox.usage_hour WHERE gateway = g AND changed < n AND sums <> '{}' ORDER BY changed LIMIT at_most)
    UPDATE farebox.usage_hour SET sums = '{}', changed = n FROM old WHERE usage_hour.ctid = old.ctid;
    GET DIAGNOSTICS gone = ROW_COUNT;
  END IF;
  INSERT INTO farebox.usage_hour SELECT g, (el->>0)::bigint, el->>1, el->2, n FROM jsonb_array_elements(hours) el
  ON CONFLICT (gateway, started_at, parts) DO UPDATE SET sums = excluded.sums, changed = n;
  RETURN jsonb_build_object('seq', n, 'more', gone = at_most);
END $$;

-- Asks all gateways for the receipt of a call.
CREATE OR REPLACE FUNCTION farebox.ask_receipt(g text, e bigint, call text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('farebox', 'receipt ' || call) FROM farebox.gateway WHERE id = g AND epoch = e
$$;

-- The gateway that served the call puts its receipt where the one that asked finds it.
CREATE OR REPLACE FUNCTION farebox.tell_receipt(g text, e bigint, call text, what jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM farebox.receipt WHERE at < now() - interval '1 min';
  INSERT INTO farebox.receipt (id, body) VALUES (call, what) ON CONFLICT (id) DO UPDATE SET body = what, at = now();
  PERFORM pg_notify('farebox', 'found ' || call);
END $$;

CREATE OR REPLACE FUNCTION farebox.told_receipt(g text, e bigint, call text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('body', body) FROM farebox.receipt WHERE id = call
$$;

-- Somebody looks at calls as they end, on this gateway.
CREATE OR REPLACE FUNCTION farebox.look_at_calls(g text, e bigint) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('farebox', 'look ' || id) FROM farebox.gateway WHERE id = g AND epoch = e
$$;

CREATE OR REPLACE FUNCTION farebox.show_calls(g text, e bigint, calls text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('farebox', 'calls ' || id || ' ' || calls) FROM farebox.gateway WHERE id = g AND epoch = e
$$;

-- Where balances are not what leases and charges say they are; few of many. One look at everything, so that nothing changes meanwhile.
CREATE OR REPLACE FUNCTION farebox.check_books() RETURNS jsonb LANGUAGE sql AS $$
  WITH l AS (SELECT key_id, cycle, sum(amount) AS leased FROM farebox.lease GROUP BY 1, 2),
    c AS (SELECT key_id, cycle, sum(amount) AS charged FROM farebox.charged GROUP BY 1, 2),
    said AS (
      SELECT key_id, 'what is granted is not what is used, leased and free' AS says FROM farebox.account WHERE granted <> used + leased + free
      UNION SELECT key_id, 'what is leased is not what gateways have leased' FROM farebox.account LEFT JOIN l USING (key_id, cycle)
        WHERE account.leased <> coalesce(l.leased, 0)
      UNION SELECT key_id, 'what is used and owed is not what gateways charged' FROM farebox.account LEFT JOIN c USING (key_id, cycle)
        WHERE used + owed <> coalesce(charged, 0)
      UNION SELECT key_id, 'something is leased of a balance that is not there' FROM farebox.lease
        WHERE amount > 0 AND NOT EXISTS (SELECT 1 FROM farebox.account a WHERE a.key_id = lease.key_id AND a.cycle = lease.cycle))
  SELECT jsonb_build_object('wrong', coalesce(jsonb_agg(jsonb_build_object('key', key_id, 'says', says)), '[]'))
  FROM (SELECT key_id, says FROM said ORDER BY 2, 1 LIMIT 20) few
$$;
`
