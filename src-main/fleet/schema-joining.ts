// How a gateway joins the shared books in PostgreSQL, and how a database that was restored from a backup is recognized: by how often PostgreSQL answered
// each gateway, which every gateway notes on its own disk of all of them. Nothing is lent in a restored database until every gateway that may have
// spent since the backup has joined, or an administrator declared it lost.

export const AWAITED = `
ALTER TABLE farebox.gateway
  -- Set by a restore: this gateway must join before anything is lent. 'seen': the disk of another gateway knows that it was answered after the backup;
  -- 'possible': it may have been. NULL: it has joined since.
  ADD awaited text CHECK (awaited IN ('seen', 'possible')),
  -- Gateways that must be heard of before anything is lent to this one, since when: it cannot tell whether the server was restored from a backup.
  ADD waits_for text[],
  ADD waits_since timestamptz;
ALTER TABLE farebox.state
  -- Which server and tables these are, and since when: a dump that is restored makes other tables.
  ADD home text NOT NULL DEFAULT '',
  ADD home_since timestamptz NOT NULL DEFAULT '-infinity';
`

export const JOINING = `
CREATE OR REPLACE FUNCTION farebox.waited_for(g text) RETURNS SETOF farebox.gateway LANGUAGE sql AS $$
  SELECT w.* FROM farebox.gateway me JOIN farebox.gateway w ON w.id = ANY (me.waits_for) AND w.seen_at < me.waits_since
  WHERE me.id = g AND w.retired_at IS NULL AND w.ended_at IS NULL
$$;

-- Whether gateways may have spent what the server does not know of: leases that were lost by a failover to a standby without its last commits, or anything at
-- all since a backup that was restored, or may have been as far as this gateway can tell.
CREATE OR REPLACE FUNCTION farebox.is_settling(g text) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT 1 FROM farebox.gateway CROSS JOIN farebox.state WHERE retired_at IS NULL
    AND (awaited IS NOT NULL OR (gateway.timeline <> state.timeline AND ended_at IS NULL AND free_at > now())))
    OR EXISTS (SELECT 1 FROM farebox.waited_for(g))
$$;

-- Begins a restore epoch: every gateway has to join again and to claim what it spent and holds. What leases the backup has says nothing of
-- that, so they are taken back, and are in doubt until their gateways have reported. An administrator can call it too, before the first gateway starts.
CREATE OR REPLACE FUNCTION farebox.restored() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE farebox.state SET timeline = farebox.log_timeline() || ' ' || gen_random_uuid();
  -- A gateway that still runs admits nothing a minute after it was last answered.
  UPDATE farebox.gateway SET epoch = epoch + 1, awaited = coalesce(awaited, 'possible'), free_at = greatest(free_at, now() + interval '90 s')
  WHERE retired_at IS NULL;
  LOCK TABLE farebox.lease IN EXCLUSIVE MODE;
  WITH gone AS (DELETE FROM farebox.lease RETURNING gateway, key_id, cycle, amount),
    doubted AS (INSERT INTO farebox.doubt (gateway, key_id, cycle, amount) SELECT * FROM gone WHERE amount > 0),
    back AS (SELECT key_id, cycle, sum(amount)::bigint AS x FROM gone GROUP BY key_id, cycle)
  UPDATE farebox.account a SET leased = leased - x, owed = owed - least(owed, x), used = used + least(owed, x), free = free + x - least(owed, x)
  FROM back WHERE a.key_id = back.key_id AND a.cycle = back.cycle;
END $$;

-- What a gateway has noted of all gateways: [id, how often it was answered, place, seen at] each.
CREATE OR REPLACE FUNCTION farebox.noted(seen jsonb) RETURNS TABLE (id text, heard bigint, place text, seen_at timestamptz) LANGUAGE sql AS $$
  SELECT el->>0, (el->>1)::bigint, el->>2, to_timestamp((el->>3)::bigint / 1000.0) FROM jsonb_array_elements(coalesce(seen, '[]')) el
$$;

-- What gateways note of each other. One that has never been answered again after it joined may have been refused.
CREATE OR REPLACE FUNCTION farebox.to_note(since timestamptz) RETURNS jsonb LANGUAGE sql AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_array(id, heard, place, floor(extract(epoch FROM seen_at) * 1000)) ORDER BY id), '[]')
  FROM farebox.gateway WHERE heard > 1 AND retired_at IS NULL AND seen_at > since
$$;

-- Because of whom nothing is lent to a gateway.
CREATE OR REPLACE FUNCTION farebox.awaited_by(g text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'place', place) ORDER BY place), '[]') FROM farebox.gateway
  WHERE (awaited IS NOT NULL AND retired_at IS NULL) OR id IN (SELECT id FROM farebox.waited_for(g))
$$;

-- Which server and tables these are. A dump that is restored has another home than it says, and files that are restored have a server that was started since.
CREATE OR REPLACE FUNCTION farebox.home() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT system_identifier FROM pg_control_system()) || ' ' || 'farebox.gateway'::regclass::oid;
EXCEPTION WHEN insufficient_privilege THEN
  RETURN 'farebox.gateway'::regclass::oid::text;
END $$;

-- Sets which gateways must be heard of before anything is lent to one that joins: those that ran when the server was last asked before it was started, or its
-- tables were restored, unless the joining one was answered until then too. Otherwise it may be the first one after a restore, and know nothing that is later.
CREATE OR REPLACE FUNCTION farebox.set_waits(g text, seen jsonb, has_ended boolean, is_witness boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE since timestamptz; latest timestamptz;
BEGIN
  UPDATE farebox.state SET home = farebox.home(), home_since = CASE WHEN home = '' THEN home_since ELSE now() END WHERE home <> farebox.home();
  SELECT greatest(home_since, pg_postmaster_start_time()) INTO since FROM farebox.state;
  SELECT max(seen_at) INTO latest FROM farebox.gateway WHERE seen_at < since;
  UPDATE farebox.gateway SET waits_since = since, waits_for = (SELECT array_agg(w.id) FROM farebox.gateway w LEFT JOIN farebox.noted(seen) n ON n.id = w.id
    WHERE NOT is_witness AND w.id <> g AND w.ended_at IS NULL AND w.retired_at IS NULL AND w.seen_at < since AND w.seen_at > latest - interval '15 s'
      AND (has_ended OR coalesce(n.heard, 0) < w.heard - 1)) WHERE id = g;
END $$;

-- Compares what a gateway has noted with what the server knows, begins a restore epoch where the server knows less, and says whether it did. While gateways are
-- awaited, notes about these are about the same restore. is_witness: its process has run since before the database was restored, and knew all gateways then:
-- who was not answered since the backup by its notes was not answered at all.
CREATE OR REPLACE FUNCTION farebox.compare_notes(g text, is_unknown boolean, seen jsonb, is_witness boolean, zone text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE is_earlier boolean; is_open boolean := EXISTS (SELECT 1 FROM farebox.gateway WHERE awaited IS NOT NULL AND retired_at IS NULL);
BEGIN
  is_earlier := (NOT is_open AND (is_unknown OR EXISTS (SELECT 1 FROM farebox.noted(seen) n WHERE NOT EXISTS (SELECT 1 FROM farebox.gateway w WHERE w.id = n.id))))
    OR EXISTS (SELECT 1 FROM farebox.noted(seen) n JOIN farebox.gateway w USING (id)
      WHERE w.heard < n.heard AND w.awaited IS NULL AND w.retired_at IS NULL);
  IF is_earlier THEN PERFORM farebox.restored(); END IF;
  INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at, heard, awaited, exact_zone)
    SELECT n.id, n.place, '', 1, 0, 0, n.seen_at, now() + interval '90 s', n.heard, 'seen', zone FROM farebox.noted(seen) n WHERE n.id <> g
  ON CONFLICT DO NOTHING;
  UPDATE farebox.gateway w SET heard = n.heard, awaited = 'seen' FROM farebox.noted(seen) n
  WHERE w.id = n.id AND w.id <> g AND w.heard < n.heard AND w.retired_at IS NULL;
  IF is_witness AND (is_earlier OR EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND awaited IS NOT NULL)) THEN
    UPDATE farebox.gateway w SET awaited = NULL, free_at = coalesce(ended_at, free_at) FROM farebox.noted(seen) n
    WHERE w.id = n.id AND w.id <> g AND w.awaited = 'possible' AND w.heard = n.heard;
  END IF;
  RETURN is_earlier;
END $$;

-- A gateway begins, or comes back. seq: the last entry of its own books. grace: how long a call of it can run. of_books: which ones it belongs to, null for
-- none. exact: where it shares days and months exactly, the time zone of these and what it charged in them. seen and is_witness: see above.
CREATE OR REPLACE FUNCTION farebox.join_fleet(g text, at_place text, of_program text, seq bigint, grace interval, of_books text, exact jsonb, seen jsonb,
  is_witness boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE old farebox.gateway; s farebox.state; log_now text := farebox.log_timeline(); is_ours boolean := of_books IS NOT NULL; is_known boolean; is_earlier boolean;
  is_untold boolean; has_ended boolean; l record;
  is_sync boolean := current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local');
BEGIN
  SELECT * INTO s FROM farebox.state FOR UPDATE;
  IF s.moved_to <> g THEN RETURN '{"error": "moved"}'; END IF;
  IF of_books <> s.id::text THEN RETURN '{"error": "foreign"}'; END IF;
  SELECT * INTO old FROM farebox.gateway WHERE id = g FOR UPDATE;
  is_known := FOUND;
  has_ended := old.ended_at IS NOT NULL;
  IF old.retired_at IS NOT NULL THEN
    RETURN jsonb_build_object('error', 'retired');
  END IF;
  IF old.place <> at_place AND old.seen_at > now() - interval '15 s' AND old.ended_at IS NULL THEN
    RETURN jsonb_build_object('error', 'twin', 'place', old.place);
  END IF;
  IF seq < old.shipped THEN
    RETURN jsonb_build_object('error', 'older');
  END IF;
  IF EXISTS (SELECT 1 FROM farebox.gateway WHERE id <> g AND exact_zone <> exact->>'zone' AND ended_at IS NULL AND retired_at IS NULL AND free_at > now()) THEN
    RETURN '{"error": "zone"}';
  END IF;
  is_earlier := farebox.compare_notes(g, is_ours AND NOT is_known, seen, is_witness, exact->>'zone');
  IF is_earlier THEN
    UPDATE farebox.state SET is_synchronous = is_sync RETURNING timeline INTO log_now;
  ELSIF split_part(s.timeline, ' ', 1) <> log_now OR s.is_synchronous <> is_sync THEN
    -- A standby that had everything lost no answer: no gateway has to claim its leases again.
    IF s.timeline = '' OR s.is_synchronous THEN UPDATE farebox.gateway SET timeline = log_now WHERE timeline = s.timeline; END IF;
    UPDATE farebox.state SET timeline = log_now, is_synchronous = is_sync;
  ELSE
    log_now := s.timeline;
  END IF;
  -- Of one that belongs here and is not known nothing is known of what it charged.
  is_untold := is_ours AND NOT EXISTS (SELECT 1 FROM farebox.charged WHERE gateway = g);
  INSERT INTO farebox.gateway (id, place, program, epoch, shipped, applied, seen_at, free_at, own_seq, timeline, heard, awaited, exact_zone)
    VALUES (g, at_place, of_program, 1, CASE WHEN is_untold THEN 0 ELSE seq END, 0, now(), now() + grace, seq, CASE WHEN is_ours THEN '' ELSE log_now END,
      coalesce((SELECT n.heard FROM farebox.noted(seen) n WHERE n.id = g), 0) + 1, CASE WHEN is_earlier THEN 'seen' END, exact->>'zone')
  ON CONFLICT (id) DO UPDATE SET place = at_place, program = of_program, epoch = farebox.gateway.epoch + 1, seen_at = now(),
    free_at = now() + grace, own_seq = seq, ended_at = NULL, heard = greatest(farebox.gateway.heard + 1, excluded.heard), exact_zone = exact->>'zone'
  RETURNING * INTO old;
  PERFORM farebox.set_waits(g, seen, has_ended, is_witness);
  PERFORM farebox.told(g, old.shipped);
  IF old.awaited IS NOT NULL THEN
    -- It claims what it needs of these too.
    FOR l IN SELECT id, started, amount FROM farebox.budget_lease WHERE gateway = g AND amount > 0 ORDER BY id, started LOOP
      PERFORM 1 FROM farebox.budget WHERE id = l.id AND started = l.started FOR UPDATE;
      PERFORM farebox.lend_budget(g, l.id, l.started, -l.amount);
    END LOOP;
  END IF;
  IF exact IS NOT NULL THEN PERFORM farebox.tell_budgets(g, exact->'told'); END IF;
  RETURN jsonb_build_object('epoch', old.epoch, 'shipped', old.shipped, 'version', s.version, 'books', s.id, 'parts', farebox.parts_of(g), 'usage_seq', old.usage_seq,
    'heard', old.heard, 'seen', farebox.to_note('-infinity'), 'awaited', farebox.awaited_by(g),
    'leases', (SELECT coalesce(jsonb_agg(jsonb_build_object('key', key_id, 'cycle', cycle, 'amount', amount)), '[]')
      FROM farebox.lease WHERE gateway = g AND amount > 0))
    || CASE WHEN exact IS NULL THEN '{}' ELSE jsonb_build_object('budgets', farebox.budgets_of(g), 'divided', farebox.divided(g)) END;
END $$;

-- As gateways of earlier programs call it. knows: how often it was answered, as far as its process knows.
CREATE OR REPLACE FUNCTION farebox.join_fleet(g text, at_place text, of_program text, seq bigint, grace interval, of_books text, knows bigint, exact jsonb)
  RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN farebox.join_fleet(g, at_place, of_program, seq, grace, of_books, exact,
    CASE WHEN knows IS NOT NULL THEN jsonb_build_array(jsonb_build_array(g, knows, at_place, 0)) END, knows IS NOT NULL);
END $$;
CREATE OR REPLACE FUNCTION farebox.join_fleet(g text, at_place text, of_program text, seq bigint, grace interval, of_books text, knows bigint) RETURNS jsonb LANGUAGE sql AS $$
  SELECT farebox.join_fleet(g, at_place, of_program, seq, grace, of_books, knows, NULL)
$$;
CREATE OR REPLACE FUNCTION farebox.join_fleet(g text, at_place text, of_program text, seq bigint, grace interval) RETURNS jsonb LANGUAGE sql AS $$
  SELECT farebox.join_fleet(g, at_place, of_program, seq, grace, NULL, NULL, NULL)
$$;

-- Opens a cycle of a key that begins with base. Where the server lost it, gateways may have told what they charged in it before.
CREATE OR REPLACE FUNCTION farebox.open_account(k text, c bigint, base bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO farebox.account
  SELECT k, c, base, least(base, x), 0, base - least(base, x), x - least(base, x) FROM (SELECT coalesce(sum(amount), 0)::bigint AS x FROM farebox.charged
    WHERE gateway = ANY (ARRAY(SELECT id FROM farebox.gateway) || ''::text) AND key_id = k AND cycle = c) charged
  ON CONFLICT DO NOTHING
$$;

-- What a gateway has spent and holds beyond its leases, as far as the server knows them, right after it joined: key, cycle, amount, and what the cycle begins with
-- where the server does not have it.
CREATE OR REPLACE FUNCTION farebox.claim(g text, e bigint, claims jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE i record; x bigint; got jsonb := '[]';
BEGIN
  UPDATE farebox.gateway SET timeline = (SELECT timeline FROM farebox.state), awaited = NULL WHERE id = g AND epoch = e;
  IF NOT FOUND THEN RETURN '{"error": "superseded"}'; END IF;
  FOR i IN SELECT el->>0 AS k, (el->>1)::bigint AS c, (el->>2)::bigint AS a, (el->>3)::bigint AS base FROM jsonb_array_elements(claims) el ORDER BY 1, 2 LOOP
    IF i.base IS NOT NULL THEN PERFORM farebox.open_account(i.k, i.c, i.base); END IF;
    SELECT least(free, i.a) INTO x FROM farebox.account WHERE key_id = i.k AND cycle = i.c FOR UPDATE;
    CONTINUE WHEN NOT FOUND OR x = 0;
    PERFORM farebox.lend(g, i.k, i.c, x);
    got := got || jsonb_build_array(jsonb_build_array(i.k, i.c, x));
  END LOOP;
  RETURN jsonb_build_object('got', got);
END $$;
`
