// The functions of the shared books in PostgreSQL, which are all that a gateway calls. Each is one statement for its caller, so one message and one
// transaction, and holds what the tables' checks state.

export const FUNCTIONS = `
-- Takes back leases of gateways of which no call can run any more, at_most so many of each: whoever calls this waits for it.
CREATE OR REPLACE FUNCTION farebox.reclaim(at_most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE g record; l record; n integer := 0;
BEGIN
  FOR g IN SELECT id FROM farebox.gateway WHERE free_at < now() AND EXISTS
      (SELECT 1 FROM farebox.lease WHERE gateway = id AND amount > 0) ORDER BY id FOR UPDATE SKIP LOCKED LOOP
    UPDATE farebox.gateway SET epoch = epoch + 1 WHERE id = g.id;
    FOR l IN SELECT key_id, cycle FROM farebox.lease WHERE gateway = g.id AND amount > 0 ORDER BY key_id, cycle LIMIT at_most LOOP
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

-- All of them.
CREATE OR REPLACE FUNCTION farebox.reclaim() RETURNS integer LANGUAGE sql AS $$
  SELECT farebox.reclaim(2147483647)
$$;

-- Which log the server writes; it changes when a standby takes over. Empty where it does not say.
CREATE OR REPLACE FUNCTION farebox.log_timeline() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
EXCEPTION WHEN OTHERS THEN
  RETURN '';
END $$;

-- What a gateway left in doubt is none any more once all that its books had when it came back was told.
CREATE OR REPLACE FUNCTION farebox.told(g text, up_to bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE farebox.doubt SET settled_at = now(), settled_as = 'told' WHERE gateway = g AND settled_at IS NULL
    AND up_to >= (SELECT own_seq FROM farebox.gateway WHERE id = g)
$$;

-- Which part of a limit is a gateway's, by how long what was let through counts: of how many of which something may count, and the how manieth it is.
-- One that was cut off lets calls in for a minute, which count for another minute, and charges until none of them can run. One that was declared lost leaves
-- its days and months to the others.
CREATE OR REPLACE FUNCTION farebox.parts_of(g text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_object_agg(span, part) FROM (
    SELECT span, jsonb_build_object('of', count(*), 'rank', count(*) FILTER (WHERE id < g)) AS part
    FROM farebox.gateway CROSS JOIN LATERAL (VALUES ('calls', free_at), ('minute', coalesce(ended_at + interval '61 s', seen_at + interval '125 s')),
      ('day', free_at + interval '25 h'), ('month', free_at + interval '32 days')) spans (span, counts_until)
    WHERE id = g OR (counts_until > now() AND (retired_at IS NULL OR span IN ('calls', 'minute'))) GROUP BY span) parts
$$;

-- A gateway that was refused and never was one of these.
CREATE OR REPLACE FUNCTION farebox.forget(g text, e bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM farebox.gateway WHERE id = g AND epoch = e AND NOT EXISTS (SELECT 1 FROM farebox.charged WHERE gateway = g)
    AND NOT EXISTS (SELECT 1 FROM farebox.lease WHERE gateway = g)
$$;

-- Tells a change from another one that has its number in a later or an earlier state of these books.
CREATE OR REPLACE FUNCTION farebox.mark_of(made_at timestamptz) RETURNS text LANGUAGE sql AS $$
  SELECT floor(extract(epoch FROM made_at) * 1000000)::bigint::text
$$;

-- Whether a cycle is over by a later one that has begun; clocks that differ by a little go on.
CREATE OR REPLACE FUNCTION farebox.is_over(k text, c bigint) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT 1 FROM farebox.account WHERE key_id = k AND cycle > c AND cycle < extract(epoch FROM now()) * 1000 - 5000)
$$;

-- Leases to a gateway what is free of an account, which whoever calls this has locked and looked at.
CREATE OR REPLACE FUNCTION farebox.lend(g text, k text, c bigint, x bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE farebox.account SET free = free - x, leased = leased + x WHERE key_id = k AND cycle = c;
  INSERT INTO farebox.lease VALUES (g, k, c, x)
  ON CONFLICT (gateway, key_id, cycle) DO UPDATE SET amount = farebox.lease.amount + x;
END $$;

-- Says that a gateway is there, and what its calls were like lately.
CREATE OR REPLACE FUNCTION farebox.beat(g text, e bigint, has_applied bigint, grace interval, lately jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  UPDATE farebox.gateway SET seen_at = now(), free_at = now() + grace, applied = has_applied, figures = lately, heard = heard + 1 WHERE id = g AND epoch = e
  RETURNING heard INTO n;
  IF NOT FOUND THEN RETURN '{"error": "superseded"}'; END IF;
  PERFORM farebox.reclaim(1000);
  -- It has known these tables all the time, so the others need not wait.
  UPDATE farebox.gateway SET waits_for = NULL WHERE waits_for IS NOT NULL AND (SELECT waits_for IS NULL FROM farebox.gateway WHERE id = g);
  RETURN jsonb_build_object('heard', n, 'version', (SELECT version FROM farebox.state), 'parts', farebox.parts_of(g), 'divided', farebox.divided(g),
    'seen', farebox.to_note(now() - interval '1 min'), 'awaited', farebox.awaited_by(g),
    'secrets', (SELECT secret_seq FROM farebox.state), 'notes', (SELECT note_seq FROM farebox.state), 'usage', (SELECT coalesce(jsonb_object_agg(id, usage_seq), '{}') FROM farebox.gateway WHERE id <> g AND usage_seq > 0));
END $$;

-- As gateways of the program before say it.
CREATE OR REPLACE FUNCTION farebox.beat(g text, e bigint, has_applied bigint, grace interval) RETURNS jsonb LANGUAGE sql AS $$
  SELECT farebox.beat(g, e, has_applied, grace, NULL)
$$;

-- The end of a gateway that was meant: nothing of it runs any more.
CREATE OR REPLACE FUNCTION farebox.leave_fleet(g text, e bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE farebox.gateway SET free_at = now(), ended_at = now() WHERE id = g AND epoch = e
$$;

-- The last gateway takes what is left of the balances with it, and the books are closed to all others. Or says who is in the way.
CREATE OR REPLACE FUNCTION farebox.hand_back(g text, e bigint, has_applied bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE s farebox.state; others jsonb;
BEGIN
  SELECT * INTO s FROM farebox.state FOR UPDATE;
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  IF s.version <> has_applied THEN RETURN '{"error": "stale"}'; END IF;
  PERFORM farebox.reclaim();
  SELECT jsonb_agg(place ORDER BY place) INTO others FROM farebox.gateway WHERE id <> g AND (ended_at IS NULL OR awaited IS NOT NULL) AND retired_at IS NULL;
  IF others IS NOT NULL THEN RETURN jsonb_build_object('error', 'others', 'places', others); END IF;
  IF EXISTS (SELECT 1 FROM farebox.doubt WHERE settled_at IS NULL) THEN RETURN '{"error": "doubt"}'; END IF;
  IF EXISTS (SELECT 1 FROM farebox.lease WHERE amount > 0) THEN RETURN '{"error": "leased"}'; END IF;
  UPDATE farebox.gateway SET epoch = epoch + 1 WHERE id <> g;
  UPDATE farebox.state SET moved_to = g, moved_at = coalesce(moved_at, now());
  RETURN '{}';
END $$;

-- What is known of each gateway, and what it left in doubt.
CREATE OR REPLACE FUNCTION farebox.fleet_view(g text, e bigint) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('version', state.version, 'gateways', coalesce((SELECT jsonb_agg(jsonb_build_object(
    'id', id, 'place', place, 'program', program, 'applied', applied, 'seen_at', floor(extract(epoch FROM seen_at) * 1000),
    'state', CASE WHEN retired_at IS NOT NULL THEN 'lost' WHEN awaited IS NOT NULL THEN 'awaited' WHEN ended_at IS NOT NULL THEN 'stopped'
      WHEN seen_at > now() - interval '15 s' THEN 'running' WHEN free_at > now() THEN 'silent' ELSE 'gone' END,
    'free_at', floor(extract(epoch FROM free_at) * 1000),
    'leased', (SELECT coalesce(sum(amount), 0) FROM farebox.lease WHERE gateway = id),
    'leases', (SELECT count(*) FROM farebox.lease WHERE gateway = id AND amount > 0),
    'charged', (SELECT coalesce(sum(amount), 0) FROM farebox.charged WHERE gateway = id),
    'doubt', (SELECT coalesce(sum(amount), 0) FROM farebox.doubt WHERE gateway = id AND settled_at IS NULL),
    'doubted_keys', (SELECT count(DISTINCT key_id) FROM farebox.doubt WHERE gateway = id AND settled_at IS NULL),
    'figures', figures
  ) ORDER BY seen_at DESC, id) FROM farebox.gateway WHERE retired_at IS NULL OR retired_at > now() - interval '30 days'), '[]'))
  FROM farebox.state
$$;

-- An administrator declares a gateway lost for good. What it left in doubt is charged, or stays free. It can never come back.
CREATE OR REPLACE FUNCTION farebox.settle(g text, e bigint, lost text, how text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE w farebox.gateway; i record; x bigint; total bigint := 0;
BEGIN
  SELECT * INTO w FROM farebox.gateway WHERE id = lost FOR UPDATE;
  IF NOT FOUND THEN RETURN '{"error": "unknown"}'; END IF;
  IF w.retired_at IS NOT NULL THEN RETURN '{"error": "settled"}'; END IF;
  IF w.free_at > now() THEN RETURN jsonb_build_object('error', 'running', 'free_at', floor(extract(epoch FROM w.free_at) * 1000)); END IF;
  PERFORM farebox.reclaim();
  UPDATE farebox.gateway SET retired_at = now(), epoch = epoch + 1 WHERE id = lost;
  FOR i IN SELECT key_id AS k, cycle AS c, sum(amount)::bigint AS a FROM farebox.doubt WHERE gateway = lost AND settled_at IS NULL
      GROUP BY 1, 2 ORDER BY 1, 2 LOOP
    total := total + i.a;
    CONTINUE WHEN how <> 'charged';
    SELECT least(free, i.a) INTO x FROM farebox.account WHERE key_id = i.k AND cycle = i.c FOR UPDATE;
    UPDATE farebox.account SET free = free - x, used = used + x, owed = owed + i.a - x WHERE key_id = i.k AND cycle = i.c;
    INSERT INTO farebox.charged VALUES (lost, i.k, i.c, i.a)
    ON CONFLICT (gateway, key_id, cycle) DO UPDATE SET amount = farebox.charged.amount + i.a, changed_at = now();
    PERFORM pg_notify('farebox', 'want ' || i.k);
  END LOOP;
  UPDATE farebox.doubt SET settled_at = now(), settled_as = how WHERE gateway = lost AND settled_at IS NULL;
  PERFORM farebox.settle_budgets(lost, how);
  RETURN jsonb_build_object('amount', total);
END $$;

-- How many gateways share what is free.
CREATE OR REPLACE FUNCTION farebox.sharers() RETURNS bigint LANGUAGE sql AS $$
  SELECT greatest(1, count(*)) FROM farebox.gateway WHERE seen_at > now() - interval '1 min'
$$;

-- How much is lent of what is free: what the call lacks, and more where there is much; all of it to one that runs alone, here and on all others; NULL where that
-- does not help it. mine: what is leased already to the gateway that asks, and have: what its calls may still hold of that.
CREATE OR REPLACE FUNCTION farebox.to_lend(free bigint, leased bigint, mine bigint, need bigint, want bigint, have bigint, at_least bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  IF free >= need THEN RETURN least(free, greatest(need, least(want, free / (2 * farebox.sharers())))); END IF;
  IF at_least IS NOT NULL AND leased = mine AND free + have >= at_least THEN RETURN free; END IF;
  RETURN NULL;
END $$;

-- Takes a lease. need: what a call lacks; want: what the pace suggests; have: what the gateway has left; least: the least that is of use
-- to a call that runs alone, null where it would not be alone. base: what a cycle begins with that nobody has opened yet.
CREATE OR REPLACE FUNCTION farebox.take(g text, e bigint, has_applied bigint, k text, c bigint, need bigint, want bigint, have bigint, at_least bigint,
  base bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a farebox.account; v bigint; mine bigint; got bigint;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  IF farebox.is_settling(g) THEN RETURN '{"error": "settling"}'; END IF;
  -- A clock that is far behind spends nothing of a cycle that is over.
  IF farebox.is_over(k, c) THEN
    RETURN '{"error": "late"}';
  END IF;
  SELECT * INTO a FROM farebox.account WHERE key_id = k AND cycle = c FOR UPDATE;
  IF NOT FOUND THEN
    -- Nobody begins a cycle whose time has not come, nor by terms that have changed.
    IF c > extract(epoch FROM now()) * 1000 + 2000 THEN RETURN '{"error": "early"}'; END IF;
    SELECT version INTO v FROM farebox.state FOR SHARE;
    IF v <> has_applied THEN RETURN jsonb_build_object('error', 'stale', 'version', v); END IF;
    PERFORM farebox.open_account(k, c, base);
    SELECT * INTO a FROM farebox.account WHERE key_id = k AND cycle = c FOR UPDATE;
  END IF;
  SELECT coalesce((SELECT amount FROM farebox.lease WHERE gateway = g AND key_id = k AND cycle = c), 0) INTO mine;
  got := farebox.to_lend(a.free, a.leased, mine, need, want, have, at_least);
  IF got IS NULL THEN
    got := 0;
    PERFORM pg_notify('farebox', 'want ' || k);
    -- A call that waits asks again several times a second.
    UPDATE farebox.account SET wanted_at = now() WHERE key_id = k AND cycle = c AND (wanted_at IS NULL OR wanted_at < now() - interval '1 s');
  END IF;
  IF got > 0 THEN
    PERFORM farebox.lend(g, k, c, got);
  END IF;
  RETURN jsonb_build_object('got', got, 'free', a.free - got, 'elsewhere', a.leased - mine, 'used', a.used + a.owed,
    'version', (SELECT version FROM farebox.state));
END $$;

-- Takes more for leases of which the pace of their keys suggests it, and for which no call waits: what each wishes for, as far as it is free. Says
-- what is left free of each.
CREATE OR REPLACE FUNCTION farebox.take_ahead(g text, e bigint, asked jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE i record; f bigint; x bigint; n integer; got jsonb := '[]';
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  IF farebox.is_settling(g) THEN RETURN '{"error": "settling"}'; END IF;
  n := farebox.sharers();
  -- Accounts in one order, so that no two gateways wait for each other.
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS a FROM jsonb_array_elements(asked) el ORDER BY 1, 2 LOOP
    -- As a call that waits is told of a cycle that is over.
    CONTINUE WHEN farebox.is_over(i.k, i.c);
    SELECT free INTO f FROM farebox.account WHERE key_id = i.k AND cycle = i.c FOR UPDATE;
    x := least(i.a, f / (2 * n));
    CONTINUE WHEN NOT FOUND OR x < 1;
    PERFORM farebox.lend(g, i.k, i.c, x);
    got := got || jsonb_build_array(jsonb_build_array(i.k, i.c, x, f - x));
  END LOOP;
  RETURN jsonb_build_object('got', got);
END $$;

-- Takes what a gateway charged, entries after from_seq up to to_seq, as sums by key and cycle, and what it gives back of its leases.
CREATE OR REPLACE FUNCTION farebox.ship(g text, e bigint, from_seq bigint, to_seq bigint, charges jsonb, handed jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
    -- Cycles come and go, and there are many keys: what is over leaves nothing behind.
    DELETE FROM farebox.lease WHERE gateway = g AND key_id = i.k AND cycle = i.c AND amount = x;
    UPDATE farebox.lease SET amount = amount - x WHERE gateway = g AND key_id = i.k AND cycle = i.c;
    UPDATE farebox.account SET leased = leased - x, owed = owed - least(owed, x), used = used + least(owed, x),
      free = free + x - least(owed, x) WHERE key_id = i.k AND cycle = i.c;
    -- A notice goes to all gateways, and commits with notices wait for each other.
    PERFORM pg_notify('farebox', 'freed ' || i.k) FROM farebox.account
    WHERE key_id = i.k AND cycle = i.c AND wanted_at > now() - interval '5 s';
  END LOOP;
  PERFORM farebox.told(g, to_seq);
  RETURN '{}';
END $$;

-- Accounts that a change opens.
CREATE OR REPLACE FUNCTION farebox.opened(openings jsonb) RETURNS TABLE (k text, c bigint, granted bigint, used bigint) LANGUAGE sql AS $$
  SELECT el->>0, (el->>1)::bigint, (el->>2)::bigint, (el->>3)::bigint FROM jsonb_array_elements(openings) el
$$;

-- Makes a change of the catalogue the next one, where its maker knows all that were made before.
CREATE OR REPLACE FUNCTION farebox.publish(g text, e bigint, has_applied bigint, what jsonb, openings jsonb, adjustments jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE v bigint; i record; f bigint; x bigint;
BEGIN
  UPDATE farebox.state SET version = version + 1 WHERE version = has_applied RETURNING version INTO v;
  IF NOT FOUND THEN RETURN (SELECT jsonb_build_object('error', 'stale', 'version', version) FROM farebox.state); END IF;
  -- Only now, since joining waits for this: what was said before it is not done after it.
  PERFORM 1 FROM farebox.gateway WHERE id = g AND epoch = e;
  IF NOT FOUND THEN
    UPDATE farebox.state SET version = has_applied;
    RETURN '{"error": "superseded"}';
  END IF;
  INSERT INTO farebox.change (version, gateway, body) VALUES (v, g, what);
  INSERT INTO farebox.account SELECT k, c, greatest(0, granted), least(used, greatest(0, granted)), 0, greatest(0, granted - used),
      greatest(0, used - granted) FROM farebox.opened(openings);
  INSERT INTO farebox.charged SELECT g, k, c, used FROM farebox.opened(openings);
  -- A correction took more than there was.
  INSERT INTO farebox.charged SELECT '', k, c, -granted FROM farebox.opened(openings) WHERE granted < 0;
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS a, (el->>3)::bigint AS base
      FROM jsonb_array_elements(adjustments) el ORDER BY 1, 2 LOOP
    PERFORM farebox.open_account(i.k, i.c, i.base);
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
  RETURN jsonb_build_object('version', v, 'mark', farebox.mark_of(now()));
END $$;
`
