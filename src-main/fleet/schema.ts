// The tables of the shared books in PostgreSQL, and how they come to the version of this program. What gateways call are the functions beside it.

import { BUDGETS, BUDGETS_TABLE } from '#fleet/schema-budgets.ts'
import { FUNCTIONS } from '#fleet/schema-functions.ts'
import { AWAITED, JOINING } from '#fleet/schema-joining.ts'
import { NOTES, NOTES_TABLE } from '#fleet/schema-notes.ts'
import { SECRETS, SECRETS_TABLE } from '#fleet/schema-secrets.ts'
import { KEY_USE_TABLE, VIEWS } from '#fleet/schema-views.ts'

const FIRST = `
CREATE SCHEMA IF NOT EXISTS farebox;

CREATE TABLE farebox.state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- Tells these books from all others.
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  schema_version integer NOT NULL,
  -- Of the catalogue; 0 until somebody has brought one.
  version bigint NOT NULL DEFAULT 0 CHECK (version >= 0)
);
INSERT INTO farebox.state (schema_version) VALUES (1);

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
`

const DOUBT_AND_FAILOVER = `
ALTER TABLE farebox.state
  -- Of the server's log: another one after it fell over to a standby.
  ADD timeline text NOT NULL DEFAULT '',
  -- Whether a standby had every commit before it was answered.
  ADD is_synchronous boolean NOT NULL DEFAULT false;
ALTER TABLE farebox.gateway
  -- The last entry of its own books when it joined.
  ADD own_seq bigint NOT NULL DEFAULT 0,
  -- When it said that it ends; NULL while it runs, or nobody knows.
  ADD ended_at timestamptz,
  -- When an administrator declared it lost for good.
  ADD retired_at timestamptz,
  -- Of the log, when it said last what it has of leases.
  ADD timeline text NOT NULL DEFAULT '';
ALTER TABLE farebox.doubt
  ADD settled_at timestamptz,
  -- 'told' where the gateway came back and told what it charged; by an administrator 'charged' or 'free'.
  ADD settled_as text CHECK (settled_as IN ('told', 'charged', 'free')),
  ADD CHECK ((settled_at IS NULL) = (settled_as IS NULL));
CREATE INDEX doubt_open ON farebox.doubt (gateway) WHERE settled_at IS NULL;
`

const MOVED = `
ALTER TABLE farebox.state
  -- The gateway that took the balances with it, as the last one: these books are closed to all others.
  ADD moved_to text,
  ADD moved_at timestamptz;
`

/** The tables stay; a function came. */
const TAKEN_AHEAD = ''

const SEEN_FROM_EVERYWHERE = `
ALTER TABLE farebox.gateway
  -- What its calls were like lately, for people.
  ADD figures jsonb;

-- Receipts that another gateway asked for, for a moment.
CREATE UNLOGGED TABLE farebox.receipt (
  id text PRIMARY KEY,
  body jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
`

/** The tables stay; what `join_fleet` and `beat` answer has grown. */
const PARTS_OF_LIMITS = ''

const USAGE = `
ALTER TABLE farebox.gateway
  -- How often it told what its calls of some hours add up to.
  ADD usage_seq bigint NOT NULL DEFAULT 0;

-- What the calls of each gateway add up to, by the hour and everything that reports tell apart.
CREATE TABLE farebox.usage_hour (
  gateway text NOT NULL,
  -- In milliseconds since 1970, UTC.
  started_at bigint NOT NULL,
  -- Key, model, provider, package, tool, project and tags, as a JSON array.
  parts text NOT NULL,
  sums jsonb NOT NULL,
  -- By which of the gateway's tellings it became what it is.
  changed bigint NOT NULL,
  PRIMARY KEY (gateway, started_at, parts)
);
CREATE INDEX usage_hour_changed ON farebox.usage_hour (gateway, changed);
`

const WANTED = `
ALTER TABLE farebox.account
  -- When a gateway last lacked what others have leased of it: they say so when they give something back.
  ADD wanted_at timestamptz;
`

/** The tables stay; `tell_usage` forgets little by little. */
const FORGETTING = ''

const HEARD = `
ALTER TABLE farebox.gateway
  -- How often it was answered. One that was answered more often has seen a later state than this one.
  ADD heard bigint NOT NULL DEFAULT 0;
`

/** Each brings the tables one version further. Changes are only ever added, so that gateways of two versions run side by side. */
const STEPS = [
  FIRST,
  DOUBT_AND_FAILOVER,
  MOVED,
  TAKEN_AHEAD,
  SEEN_FROM_EVERYWHERE,
  PARTS_OF_LIMITS,
  USAGE,
  WANTED,
  SECRETS_TABLE,
  FORGETTING,
  NOTES_TABLE,
  HEARD,
  BUDGETS_TABLE,
  AWAITED,
  KEY_USE_TABLE,
] as const

export const SCHEMA_VERSION = STEPS.length

/** What brings tables of a version to the present one; 0 for none. */
export function upgradeFrom(version: number): string {
  const steps = STEPS.slice(version)
  return `${steps.join('')}${BUDGETS}${FUNCTIONS}${JOINING}${VIEWS}${SECRETS}${NOTES}UPDATE farebox.state SET schema_version = ${SCHEMA_VERSION};`
}
