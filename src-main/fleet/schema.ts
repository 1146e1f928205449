// The shared books in PostgreSQL: tables, and the functions that are all that a gateway calls. Each function is one statement for its
// caller, so one message and one transaction, and holds what the tables' checks state.

/** Raised with every change of what follows. Changes are only ever added, so that gateways of two versions run side by side. */
export const SCHEMA_VERSION = 1

export const SCHEMA = `
CREATE SCHEMA IF NOT EXISTS farebox;

CREATE TABLE farebox.state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- Tells these books from all others.
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  schema_version integer NOT NULL,
  -- Of the catalogue; 0 until somebody has brought one.
  version bigint NOT NULL DEFAULT 0 CHECK (version >= 0)
);
INSERT INTO farebox.state (schema_version) VALUES (${SCHEMA_VERSION});

CREATE TABLE farebox.gateway (
  id text PRIMARY KEY,
  -- Where it runs, for people, and to tell a copy of its folder from itself.
  place text NOT NULL,
  program text NOT NULL,
  -- Raised whenever it joins, and when its leases are taken back: what it says under an older one is not heard.
  epoch bigint NOT NULL,
  -- The last entry of its own books of which the charge is in here.
  shipped bigint NOT NULL,
  applied bigint NOT NULL,
  seen_at timestamptz NOT NULL,
  -- When no call of it can run any more, should it not be heard of again.
  free_at timestamptz NOT NULL
);

-- Every change of the catalogue, in the order in which all gateways make it.
CREATE TABLE farebox.change (
  version bigint PRIMARY KEY,
  gateway text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  body jsonb NOT NULL
);

-- One cycle of one key.
CREATE TABLE farebox.account (
  key_id text NOT NULL,
  cycle bigint NOT NULL,
  granted bigint NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  leased bigint NOT NULL CHECK (leased >= 0),
  free bigint NOT NULL CHECK (free >= 0),
  -- What was charged or taken beyond what there was. Whatever comes back pays it first.
  owed bigint NOT NULL DEFAULT 0 CHECK (owed >= 0),
  PRIMARY KEY (key_id, cycle),
  CHECK (granted = used + leased + free)
);

CREATE TABLE farebox.lease (
  gateway text NOT NULL,
  key_id text NOT NULL,
  cycle bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (gateway, key_id, cycle)
);

-- What each gateway has charged; an empty name for what was taken by hand. Sums up to used and owed.
CREATE TABLE farebox.charged (
  gateway text NOT NULL,
  key_id text NOT NULL,
  cycle bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (gateway, key_id, cycle)
);
CREATE INDEX charged_changed ON farebox.charged (changed_at);

-- Leases that were taken back from a gateway that was not heard of: what it charged in them and did not tell is not known.
CREATE TABLE farebox.doubt (
  gateway text NOT NULL,
  key_id text NOT NULL,
  cycle bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  at timestamptz NOT NULL DEFAULT now()
);

-- Takes back the leases of gateways of which no call can run any more.
CREATE FUNCTION farebox.reclaim() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE g record; l record; n integer := 0;
BEGIN
  FOR g IN SELECT id FROM farebox.gateway WHERE free_at < now() AND EXISTS
      (SELECT 1 FROM farebox.lease WHERE gateway = id AND amount > 0) ORDER BY id FOR UPDATE SKIP LOCKED LOOP
    UPDATE farebox.gateway SET epoch = epoch + 1 WHERE id = g.id;
    FOR l IN SELECT key_id, cycle FROM farebox.lease WHERE gateway = g.id ORDER BY key_id, cycle LOOP
      PERFORM 1 FROM farebox.account WHERE key_id = l.key_id AND cycle = l.cycle FOR UPDATE;
      WITH gone AS (DELETE FROM farebox.lease WHERE gateway = g.id AND key_id = l.key_id AND cycle = l.cycle RETURNING amount),
        doubted AS (INSERT INTO farebox.doubt (gateway, key_id, cycle, amount)
          SELECT g.id, l.key_id, l.cycle, amount FROM gone WHERE amount > 0)
      UPDATE farebox.account SET leased = leased - gone.amount, owed = owed - least(owed, gone.amount),
        used = used + least(owed, gone.amount), free = free + gone.amount - least(owed, gone.amount)
      FROM gone WHERE key_id = l.key_id AND cycle = l.cycle;
      n := n + 1;
    END LOOP;
  END LOOP;
  RETURN n;
END $$;

-- A gateway begins, or comes back. seq: the last entry of its own books. grace: how long a call of it can run.
CREATE FUNCTION farebox.join_fleet(g text, at_place text, of_program text, seq bigint, grace interval) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE old farebox.gateway; s farebox.state;
BEGIN
  SELECT * INTO old FROM farebox.gateway WHERE id = g FOR UPDATE;
  IF FOUND AND old.place <> at_place AND old.seen_at > now() - interval '15 s' THEN
    RETURN jsonb_build_object('error', 'twin', 'place', old.place);
  END IF;
  IF FOUND AND seq < old.shipped THEN
    RETURN jsonb_build_object('error', 'older');
  END IF;
  INSERT INTO farebox.gateway VALUES (g, at_place, of_program, 1, seq, 0, now(), now() + grace)
  ON CONFLICT (id) DO UPDATE SET place = at_place, program = of_program, epoch = farebox.gateway.epoch + 1, seen_at = now(),
    free_at = now() + grace
  RETURNING * INTO old;
  SELECT * INTO s FROM farebox.state;
  RETURN jsonb_build_object('epoch', old.epoch, 'shipped', old.shipped, 'version', s.version, 'books', s.id,
    'leases', (SELECT coalesce(jsonb_agg(jsonb_build_object('key', key_id, 'cycle', cycle, 'amount', amount)), '[]')
      FROM farebox.lease WHERE gateway = g));
END $$;

-- Says that a gateway is there.
CREATE FUNCTION farebox.beat(g text, e bigint, has_applied bigint, grace interval) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  UPDATE farebox.gateway SET seen_at = now(), free_at = now() + grace, applied = has_applied WHERE id = g AND epoch = e;
  IF NOT FOUND THEN RETURN '{"error": "superseded"}'; END IF;
  PERFORM farebox.reclaim();
  RETURN jsonb_build_object('version', (SELECT version FROM farebox.state));
END $$;

-- The end of a gateway that was meant: nothing of it runs any more.
CREATE FUNCTION farebox.leave_fleet(g text, e bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE farebox.gateway SET free_at = now() WHERE id = g AND epoch = e
$$;

-- Takes a lease. need: what a call lacks; want: what the pace suggests; have: what the gateway has left; least: the least that is of use
-- to a call that runs alone, null where it would not be alone. base: what a cycle begins with that nobody has opened yet.
CREATE FUNCTION farebox.take(g text, e bigint, has_applied bigint, k text, c bigint, need bigint, want bigint, have bigint, at_least bigint,
  base bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a farebox.account; v bigint; n integer; mine bigint; got bigint := 0;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  SELECT * INTO a FROM farebox.account WHERE key_id = k AND cycle = c FOR UPDATE;
  IF NOT FOUND THEN
    -- Nobody begins a cycle whose time has not come, nor by terms that have changed.
    IF c > extract(epoch FROM now()) * 1000 + 2000 THEN RETURN '{"error": "early"}'; END IF;
    SELECT version INTO v FROM farebox.state FOR SHARE;
    IF v <> has_applied THEN RETURN jsonb_build_object('error', 'stale', 'version', v); END IF;
    INSERT INTO farebox.account VALUES (k, c, base, 0, 0, base, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO a FROM farebox.account WHERE key_id = k AND cycle = c FOR UPDATE;
  END IF;
  SELECT coalesce((SELECT amount FROM farebox.lease WHERE gateway = g AND key_id = k AND cycle = c), 0) INTO mine;
  IF a.free >= need THEN
    SELECT greatest(1, count(*)) INTO n FROM farebox.gateway WHERE seen_at > now() - interval '1 min';
    got := least(a.free, greatest(need, least(want, a.free / (2 * n))));
  ELSIF at_least IS NOT NULL AND a.leased = mine AND a.free + have >= at_least THEN
    got := a.free;
  ELSE
    PERFORM pg_notify('farebox', 'want ' || k);
  END IF;
  IF got > 0 THEN
    UPDATE farebox.account SET free = free - got, leased = leased + got WHERE key_id = k AND cycle = c;
    INSERT INTO farebox.lease VALUES (g, k, c, got)
    ON CONFLICT (gateway, key_id, cycle) DO UPDATE SET amount = farebox.lease.amount + got;
  END IF;
  RETURN jsonb_build_object('got', got, 'free', a.free - got, 'elsewhere', a.leased - mine, 'used', a.used + a.owed,
    'version', (SELECT version FROM farebox.state));
END $$;

-- Takes what a gateway charged, entries after from_seq up to to_seq, as sums by key and cycle, and what it gives back of its leases.
CREATE FUNCTION farebox.ship(g text, e bigint, from_seq bigint, to_seq bigint, charges jsonb, handed jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE i record; l bigint; f bigint; x bigint; y bigint; freed text[] := '{}';
BEGIN
  UPDATE farebox.gateway SET shipped = to_seq WHERE id = g AND epoch = e AND shipped = from_seq;
  IF NOT FOUND THEN
    RETURN (SELECT jsonb_build_object('error', CASE WHEN epoch = e THEN 'sequence' ELSE 'superseded' END, 'shipped', shipped)
      FROM farebox.gateway WHERE id = g);
  END IF;
  -- Accounts in one order, so that no two gateways wait for each other.
  PERFORM 1 FROM farebox.account JOIN (SELECT el->>0 AS k, (el->>1)::bigint AS c FROM jsonb_array_elements(charges || handed) el) t
    ON key_id = k AND cycle = c ORDER BY key_id, cycle FOR UPDATE OF account;
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS a FROM jsonb_array_elements(charges) el LOOP
    INSERT INTO farebox.charged VALUES (g, i.k, i.c, i.a)
    ON CONFLICT (gateway, key_id, cycle) DO UPDATE SET amount = farebox.charged.amount + i.a, changed_at = now();
    SELECT free INTO f FROM farebox.account WHERE key_id = i.k AND cycle = i.c;
    -- Keys without a limit have no account.
    CONTINUE WHEN NOT FOUND;
    l := coalesce((SELECT amount FROM farebox.lease WHERE gateway = g AND key_id = i.k AND cycle = i.c), 0);
    x := least(i.a, l);
    y := least(i.a - x, f);
    UPDATE farebox.lease SET amount = amount - x WHERE gateway = g AND key_id = i.k AND cycle = i.c;
    UPDATE farebox.account SET leased = leased - x, free = free - y, used = used + x + y, owed = owed + i.a - x - y
    WHERE key_id = i.k AND cycle = i.c;
  END LOOP;
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS a FROM jsonb_array_elements(handed) el LOOP
    l := coalesce((SELECT amount FROM farebox.lease WHERE gateway = g AND key_id = i.k AND cycle = i.c), 0);
    x := least(i.a, l);
    UPDATE farebox.lease SET amount = amount - x WHERE gateway = g AND key_id = i.k AND cycle = i.c;
    UPDATE farebox.account SET leased = leased - x, owed = owed - least(owed, x), used = used + least(owed, x),
      free = free + x - least(owed, x) WHERE key_id = i.k AND cycle = i.c;
    PERFORM pg_notify('farebox', 'freed ' || i.k);
  END LOOP;
  RETURN '{}';
END $$;

-- Makes a change of the catalogue the next one, where its maker knows all that were made before.
CREATE FUNCTION farebox.publish(g text, e bigint, has_applied bigint, what jsonb, openings jsonb, adjustments jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE v bigint; i record; f bigint; x bigint;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  UPDATE farebox.state SET version = version + 1 WHERE version = has_applied RETURNING version INTO v;
  IF NOT FOUND THEN RETURN (SELECT jsonb_build_object('error', 'stale', 'version', version) FROM farebox.state); END IF;
  INSERT INTO farebox.change (version, gateway, body) VALUES (v, g, what);
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS granted, (el->>3)::bigint AS used
      FROM jsonb_array_elements(openings) el LOOP
    INSERT INTO farebox.account VALUES (i.k, i.c, i.granted, least(i.used, i.granted), 0, greatest(0, i.granted - i.used),
      greatest(0, i.used - i.granted));
    INSERT INTO farebox.charged VALUES (g, i.k, i.c, i.used);
  END LOOP;
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS a, (el->>3)::bigint AS base
      FROM jsonb_array_elements(adjustments) el ORDER BY 1, 2 LOOP
    INSERT INTO farebox.account VALUES (i.k, i.c, i.base, 0, 0, i.base, 0) ON CONFLICT DO NOTHING;
    SELECT free INTO f FROM farebox.account WHERE key_id = i.k AND cycle = i.c FOR UPDATE;
    IF i.a >= 0 THEN
      UPDATE farebox.account SET granted = granted + i.a, owed = owed - least(owed, i.a), used = used + least(owed, i.a),
        free = free + i.a - least(owed, i.a) WHERE key_id = i.k AND cycle = i.c;
      PERFORM pg_notify('farebox', 'freed ' || i.k);
    ELSE
      x := least(f, -i.a);
      UPDATE farebox.account SET free = free - x, used = used + x, owed = owed - i.a - x WHERE key_id = i.k AND cycle = i.c;
      INSERT INTO farebox.charged VALUES ('', i.k, i.c, -i.a)
      ON CONFLICT (gateway, key_id, cycle) DO UPDATE SET amount = farebox.charged.amount - i.a;
      PERFORM pg_notify('farebox', 'want ' || i.k);
    END IF;
  END LOOP;
  PERFORM pg_notify('farebox', 'version ' || v);
  RETURN jsonb_build_object('version', v);
END $$;
`
