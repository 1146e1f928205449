// Budgets by the day and the month that gateways share exactly: tables and functions. A budget is known by a text that says whose it is, and a window by when
// it begins and ends, in milliseconds. Its amounts follow from three: what it is bounded by, what was charged, and what is leased.

export const BUDGETS_TABLE = `
ALTER TABLE farebox.gateway
  -- Whose days and months it shares exactly; NULL where it holds to its part of them.
  ADD exact_zone text;

CREATE TABLE farebox.budget (
  id text NOT NULL,
  started bigint NOT NULL,
  ends bigint NOT NULL,
  -- NULL where nothing bounds it, and by which version of the catalogue that was said.
  bound bigint,
  version bigint NOT NULL DEFAULT 0,
  -- The bound, or what is leased where it was lowered below that.
  granted bigint NOT NULL DEFAULT 0,
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
  leased bigint NOT NULL DEFAULT 0 CHECK (leased >= 0),
  free bigint NOT NULL DEFAULT 0 CHECK (free >= 0),
  -- What was charged beyond what there was.
  owed bigint NOT NULL DEFAULT 0 CHECK (owed >= 0),
  -- When a gateway last lacked what others have leased of it.
  wanted_at timestamptz,
  PRIMARY KEY (id, started),
  CHECK (granted = used + leased + free)
);

CREATE TABLE farebox.budget_lease (
  gateway text NOT NULL,
  id text NOT NULL,
  started bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (id, started, gateway)
);

-- All that each gateway charged in a window. Sums up to used and owed.
CREATE TABLE farebox.budget_charged (
  gateway text NOT NULL,
  id text NOT NULL,
  started bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (id, started, gateway)
);
`

export const BUDGETS = `
-- Has a window, and forgets those of the budget that are long over.
CREATE OR REPLACE FUNCTION farebox.open_budget(i text, s bigint, until bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE old bigint;
BEGIN
  INSERT INTO farebox.budget (id, started, ends) VALUES (i, s, until) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  FOR old IN DELETE FROM farebox.budget WHERE id = i AND ends < (extract(epoch FROM now()) - 3 * 86400) * 1000 RETURNING started LOOP
    DELETE FROM farebox.budget_lease WHERE id = i AND started = old;
    DELETE FROM farebox.budget_charged WHERE id = i AND started = old;
  END LOOP;
END $$;

-- Works out what is granted, used, free and owed of a window, which whoever calls this has locked, and says what is free.
CREATE OR REPLACE FUNCTION farebox.put_budget(i text, s bigint, b bigint, charged bigint, lent bigint) RETURNS bigint LANGUAGE sql AS $$
  UPDATE farebox.budget SET bound = b, leased = lent, granted = t.total, used = least(charged, t.total - lent),
    owed = charged - least(charged, t.total - lent), free = t.total - lent - least(charged, t.total - lent)
  FROM (SELECT CASE WHEN b IS NULL THEN charged + lent ELSE greatest(b, lent) END AS total) t WHERE id = i AND started = s RETURNING free
$$;

-- Changes what a gateway has leased of a window, which whoever calls this has locked, and says what is free.
CREATE OR REPLACE FUNCTION farebox.lend_budget(g text, i text, s bigint, more bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE a farebox.budget;
BEGIN
  INSERT INTO farebox.budget_lease VALUES (g, i, s, greatest(0, more))
  ON CONFLICT (id, started, gateway) DO UPDATE SET amount = farebox.budget_lease.amount + more;
  DELETE FROM farebox.budget_lease WHERE gateway = g AND id = i AND started = s AND amount = 0;
  SELECT * INTO a FROM farebox.budget WHERE id = i AND started = s;
  RETURN farebox.put_budget(i, s, a.bound, a.used + a.owed, a.leased + more);
END $$;

CREATE OR REPLACE FUNCTION farebox.leased_budget(g text, i text, s bigint) RETURNS bigint LANGUAGE sql AS $$
  SELECT coalesce((SELECT amount FROM farebox.budget_lease WHERE gateway = g AND id = i AND started = s), 0)
$$;

-- Takes all that a gateway charged in some windows, each as id, beginning, end and amount; what it said before counts once. What it charged goes off its leases.
CREATE OR REPLACE FUNCTION farebox.tell_budgets(g text, sums jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE i record; a farebox.budget; more bigint; x bigint; heard jsonb := '[]';
BEGIN
  -- Budgets in one order, so that no two gateways wait for each other.
  FOR i IN SELECT el->>0 AS id, (el->>1)::bigint AS s, (el->>2)::bigint AS until, (el->>3)::bigint AS total FROM jsonb_array_elements(sums) el ORDER BY 1, 2 LOOP
    PERFORM farebox.open_budget(i.id, i.s, i.until);
    SELECT * INTO a FROM farebox.budget WHERE id = i.id AND started = i.s FOR UPDATE;
    more := greatest(0, i.total - coalesce((SELECT amount FROM farebox.budget_charged WHERE gateway = g AND id = i.id AND started = i.s), 0));
    INSERT INTO farebox.budget_charged VALUES (g, i.id, i.s, more)
    ON CONFLICT (id, started, gateway) DO UPDATE SET amount = farebox.budget_charged.amount + more;
    x := least(more, farebox.leased_budget(g, i.id, i.s));
    PERFORM farebox.put_budget(i.id, i.s, a.bound, a.used + a.owed + more, a.leased);
    IF x > 0 THEN PERFORM farebox.lend_budget(g, i.id, i.s, -x); END IF;
    heard := heard || jsonb_build_array(jsonb_build_array(i.id, i.s, a.used + a.owed + more));
  END LOOP;
  RETURN heard;
END $$;

-- Tells what was charged, and gives leases back. What was told more than once counts once; what is given back is said once, or the gateway joins anew.
CREATE OR REPLACE FUNCTION farebox.ship_budgets(g text, e bigint, sums jsonb, handed jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE i record; heard jsonb; x bigint; a farebox.budget;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  PERFORM 1 FROM farebox.budget b JOIN (SELECT el->>0 AS id, (el->>1)::bigint AS s FROM jsonb_array_elements(sums || handed) el) t
    ON b.id = t.id AND b.started = t.s ORDER BY b.id, b.started FOR UPDATE OF b;
  heard := farebox.tell_budgets(g, sums);
  FOR i IN SELECT el->>0 AS id, (el->>1)::bigint AS s, (el->>2)::bigint AS amount FROM jsonb_array_elements(handed) el ORDER BY 1, 2 LOOP
    SELECT * INTO a FROM farebox.budget WHERE id = i.id AND started = i.s FOR UPDATE;
    x := least(i.amount, farebox.leased_budget(g, i.id, i.s));
    CONTINUE WHEN x = 0;
    PERFORM farebox.lend_budget(g, i.id, i.s, -x);
    IF a.wanted_at > now() - interval '5 s' THEN PERFORM pg_notify('farebox', 'budget-freed ' || i.id); END IF;
  END LOOP;
  RETURN jsonb_build_object('heard', heard);
END $$;

-- Takes a lease of a window, as \`take\` does of a balance. back: what is given back of an earlier lease before, since another bound holds by now.
CREATE OR REPLACE FUNCTION farebox.take_budget(g text, e bigint, has_applied bigint, i text, s bigint, until bigint, said bigint, back bigint, need bigint,
  want bigint, have bigint, at_least bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE a farebox.budget; mine bigint; got bigint; now_ms bigint := extract(epoch FROM now()) * 1000;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  IF farebox.is_settling(g) THEN RETURN '{"error": "settling"}'; END IF;
  IF until < now_ms - 5000 THEN RETURN '{"error": "late"}'; END IF;
  IF s > now_ms + 2000 THEN RETURN '{"error": "early"}'; END IF;
  PERFORM farebox.open_budget(i, s, until);
  SELECT * INTO a FROM farebox.budget WHERE id = i AND started = s FOR UPDATE;
  IF a.bound IS DISTINCT FROM said THEN
    -- By terms that have changed.
    IF a.version > has_applied THEN RETURN '{"error": "stale"}'; END IF;
    UPDATE farebox.budget SET version = has_applied WHERE id = i AND started = s;
    PERFORM farebox.put_budget(i, s, said, a.used + a.owed, a.leased);
  END IF;
  mine := farebox.leased_budget(g, i, s);
  IF least(back, mine) > 0 THEN
    PERFORM farebox.lend_budget(g, i, s, -least(back, mine));
    mine := mine - least(back, mine);
  END IF;
  SELECT * INTO a FROM farebox.budget WHERE id = i AND started = s;
  got := farebox.to_lend(a.free, a.leased, mine, need, want, have, at_least);
  IF got IS NULL THEN
    got := 0;
    PERFORM pg_notify('farebox', 'budget-want ' || i);
    UPDATE farebox.budget SET wanted_at = now() WHERE id = i AND started = s AND (wanted_at IS NULL OR wanted_at < now() - interval '1 s');
  END IF;
  IF got > 0 THEN PERFORM farebox.lend_budget(g, i, s, got); END IF;
  RETURN jsonb_build_object('got', got, 'free', a.free - got, 'elsewhere', a.leased - mine, 'used', a.used + a.owed);
END $$;

-- Takes more for leases that run low, and for which no call waits; with is_claim, right after it joined, what is spent and held beyond them.
CREATE OR REPLACE FUNCTION farebox.take_budgets(g text, e bigint, asked jsonb, is_claim boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE i record; f bigint; x bigint; n integer; got jsonb := '[]';
BEGIN
  IF NOT EXISTS (SELECT 1 FROM farebox.gateway WHERE id = g AND epoch = e) THEN RETURN '{"error": "superseded"}'; END IF;
  IF NOT is_claim AND farebox.is_settling(g) THEN RETURN '{"error": "settling"}'; END IF;
  n := farebox.sharers();
  FOR i IN SELECT el->>0 AS id, (el->>1)::bigint AS s, (el->>2)::bigint AS a, (el->>3)::bigint AS said FROM jsonb_array_elements(asked) el ORDER BY 1, 2 LOOP
    -- A server that lost the last commits may not know what bounds it.
    IF is_claim AND i.said IS NOT NULL THEN
      PERFORM farebox.put_budget(id, started, i.said, used + owed, leased) FROM farebox.budget WHERE id = i.id AND started = i.s AND bound IS NULL;
    END IF;
    SELECT free INTO f FROM farebox.budget WHERE id = i.id AND started = i.s AND (is_claim OR ends > extract(epoch FROM now()) * 1000 - 5000) FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    x := least(i.a, CASE WHEN is_claim THEN f ELSE f / (2 * n) END);
    CONTINUE WHEN x < 1;
    PERFORM farebox.lend_budget(g, i.id, i.s, x);
    got := got || jsonb_build_array(jsonb_build_array(i.id, i.s, x, f - x));
  END LOOP;
  RETURN jsonb_build_object('got', got);
END $$;

-- What PostgreSQL has of a gateway in windows that are not long over.
CREATE OR REPLACE FUNCTION farebox.budgets_of(g text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object(
    'leases', (SELECT coalesce(jsonb_agg(jsonb_build_array(id, started, amount, bound)), '[]') FROM farebox.budget_lease JOIN farebox.budget USING (id, started)
      WHERE gateway = g AND amount > 0),
    'charged', (SELECT coalesce(jsonb_agg(jsonb_build_array(id, started, amount)), '[]') FROM farebox.budget_charged WHERE gateway = g AND amount > 0))
$$;

-- Whether anybody else may still charge in a window by a part of it, of which nothing is told here: for so long after no call of it can run.
CREATE OR REPLACE FUNCTION farebox.is_divided(g text, counts interval) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT 1 FROM farebox.gateway WHERE id <> g AND exact_zone IS NULL AND retired_at IS NULL AND free_at + counts > now())
$$;

CREATE OR REPLACE FUNCTION farebox.divided(g text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT CASE WHEN exact_zone IS NOT NULL THEN jsonb_build_object('day', farebox.is_divided(g, '25 h'), 'month', farebox.is_divided(g, '32 days')) END
  FROM farebox.gateway WHERE id = g
$$;

-- What a gateway that was declared lost had leased: it is charged, or free again.
CREATE OR REPLACE FUNCTION farebox.settle_budgets(lost text, how text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE i record; a farebox.budget;
BEGIN
  FOR i IN SELECT id, started AS s, amount FROM farebox.budget_lease WHERE gateway = lost AND amount > 0 ORDER BY id, started LOOP
    SELECT * INTO a FROM farebox.budget WHERE id = i.id AND started = i.s FOR UPDATE;
    PERFORM farebox.lend_budget(lost, i.id, i.s, -i.amount);
    IF how = 'charged' THEN
      INSERT INTO farebox.budget_charged VALUES (lost, i.id, i.s, i.amount)
      ON CONFLICT (id, started, gateway) DO UPDATE SET amount = farebox.budget_charged.amount + i.amount;
      PERFORM farebox.put_budget(i.id, i.s, a.bound, a.used + a.owed + i.amount, a.leased - i.amount);
    END IF;
  END LOOP;
END $$;
`
