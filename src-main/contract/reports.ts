// What the dashboard reads about the past: the overview, sums by time and group, the ledger. Everything comes from the same rows
// as `GET /v1/balance` and the receipts, so that all of them agree to the last digit. Members are shown what is theirs only.

import { Type, type Static } from 'typebox'
import { CLIENT_FORMATS } from '#contract/dialects.ts'
import {
  ModelName,
  KnownName,
  Label,
  NullableCount,
  NullableCredits,
  NullableText,
  NullableTimestamp,
  SessionId,
  strict,
  Timestamp,
} from '#contract/fields.ts'
import { LanStatus } from '#contract/lan.ts'
import { MemberLimitsShown } from '#contract/members.ts'
import { KeyView, UsageView } from '#contract/schemas.ts'
import { USAGE_GROUPS, USAGE_ROLLUPS } from '#contract/usage-groups.ts'

/**
 * An ISO date or date-time, `month` for the beginning of the present one, or a length of time up to now such as `24h` or `7d`: so many
 * intervals, the present one among them.
 */
const Instant = Type.String({ minLength: 2, maxLength: 40 })

/** Sums over calls. Tokens are those that somebody counted; calls of which nobody knows are in `unknown_usage`. */
export const Totals = strict({
  requests: Type.Integer(),
  failed: Type.Integer(),
  input_tokens: Type.Integer(),
  cache_read_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
  charge_credits: Type.Number(),
  /** Calls of which some class of tokens was counted by Farebox, or by nobody. */
  estimated_usage: Type.Integer(),
  unknown_usage: Type.Integer(),
})

export const UsageReportQuery = strict({
  from: Type.Optional(Instant),
  /** The end, left out of the report; now where it is absent. */
  to: Type.Optional(Instant),
  group: Type.Optional(Type.Enum([...USAGE_GROUPS])),
  rollup: Type.Optional(Type.Enum([...USAGE_ROLLUPS])),
  key: Type.Optional(KnownName),
  model: Type.Optional(ModelName),
  provider: Type.Optional(KnownName),
  package: Type.Optional(KnownName),
  owner: Type.Optional(KnownName),
  member: Type.Optional(KnownName),
  tool: Type.Optional(Label),
  project: Type.Optional(Label),
  tag: Type.Optional(Label),
  /** One session of a tool by its id, without groups and with `points=none`: its calls alone are read, so that they are all in the sum. */
  session: Type.Optional(SessionId),
  /** `none` leaves the course of time out, which leaves room for more groups. */
  points: Type.Optional(Type.Enum(['all', 'none'])),
  /**
   * How many groups by themselves, the ones with the highest charge; the rest is summed up as `other`. 6 where absent, at most 50, and
   * 999 without points.
   */
  top: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })),
})
export const UsageReport = strict({
  from: Timestamp,
  to: Timestamp,
  time_zone: Type.String(),
  rollup: Type.Enum([...USAGE_ROLLUPS]),
  group: Type.Enum([...USAGE_GROUPS]),
  /** The beginning of each interval, at most 400 days or 200 hours. */
  intervals: Type.Array(Timestamp),
  series: Type.Array(
    strict({
      /** Of the group: `value` where it is one, `other` for the rest, `all` without groups. */
      kind: Type.Enum(['value', 'other', 'all']),
      /** Of a key, provider, package or member, for filters: names can be used again. */
      id: NullableText,
      name: NullableText,
      totals: Totals,
      previous: Totals,
      /** One for each interval; none where they were not asked for. */
      points: Type.Array(Totals),
    }),
  ),
  totals: Totals,
  /** The same length of time before. */
  previous: Totals,
  /** Requests that were refused before they were calls; null where the filter is about what only calls have. */
  refused: NullableCount,
})

const Latency = strict({ p50_ms: NullableCount, p95_ms: NullableCount })

/** What the viewer is held to; null where nothing is limited, and for the owner of the machine. */
const OwnLimits = strict({
  /** For all keys of the member together, beside what each key has from its package; null is no limit. */
  limits: MemberLimitsShown,
  /** What all keys of the member use of it now; null for the holder of a key, who is not told what other keys do. */
  use: Type.Union([
    strict({ running_calls: Type.Integer(), credits_today: Type.Number(), held_credits: Type.Number() }),
    Type.Null(),
  ]),
  /** When the credits of the day begin anew, in the machine's time zone; null where they are not limited. */
  next_reset_at: NullableTimestamp,
})

export const OverviewView = strict({
  gateway: strict({
    url: NullableText,
    version: Type.String(),
    started_at: Timestamp,
    ledger: Type.Enum(['ok', 'halted', 'mismatch']),
    open_exchanges: Type.Integer(),
    time_zone: Type.String(),
    /** Whether other machines reach the gateway, and where. */
    lan: strict({ state: LanStatus.properties.state, urls: LanStatus.properties.urls }),
  }),
  credits: strict({
    keys: Type.Integer(),
    unlimited_keys: Type.Integer(),
    held_credits: Type.Number(),
    /** The keys with credits of which the least is left, first. One key's credits cannot be spent by another, so they are not added. */
    lowest: Type.Array(KeyView),
  }),
  today: strict({
    totals: Totals,
    /** Yesterday up to the same time of day. */
    previous: Totals,
    /** The charge by the end of the day at the speed of today; null while that says nothing. */
    expected_credits: NullableCredits,
  }),
  own_limits: Type.Union([OwnLimits, Type.Null()]),
  /** Of streams in the present hour and the 23 before it; at most 2.5 % off. */
  first_token: Latency,
  attention: Type.Array(
    strict({
      /** What it is, for who translates it; an open set. */
      kind: Type.String(),
      subject: NullableText,
      at: NullableTimestamp,
      /** The page that helps, such as `providers`. */
      page: NullableText,
      text: Type.String(),
    }),
  ),
  latest: Type.Array(UsageView),
})

export const LEDGER_KINDS = ['hold', 'settle', 'release', 'grant', 'lapse', 'adjustment'] as const

export const LedgerQuery = strict({
  key: Type.Optional(KnownName),
  kind: Type.Optional(Type.Enum([...LEDGER_KINDS])),
  /** An instant, the first one of a date, or so long ago. */
  since: Type.Optional(Type.String({ maxLength: 40 })),
  /** Only what was written before it. */
  until: Type.Optional(Type.String({ maxLength: 40 })),
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
  before: Type.Optional(Type.String({ pattern: '^[0-9]{1,16}$' })),
})
export const LedgerList = strict({
  entries: Type.Array(
    strict({
      seq: Type.Integer(),
      created_at: Timestamp,
      key: Type.String(),
      kind: Type.Enum([...LEDGER_KINDS]),
      /** What it added to what the key has available. */
      amount_credits: Type.Number(),
      /** What the call cost, on entries that end a hold. */
      charge_credits: NullableCredits,
      /** What the key had available afterwards; null where its package was unlimited. */
      available_credits: NullableCredits,
      request_id: NullableText,
      model: NullableText,
      reason: NullableText,
      cycle_started_at: Timestamp,
    }),
  ),
  next: NullableText,
})

/** The data of an event `status`: how the gateway is; for a member as far as their own calls go. */
export const LiveStatus = strict({
  ledger: Type.Enum(['ok', 'halted', 'mismatch']),
  open_exchanges: Type.Integer(),
  held_credits: Type.Number(),
  /** Calls that wait for a limit, for credits or for a provider. */
  waiting: Type.Integer(),
})

/** A test request with a key, by the key's id or name: what is sent and answered is shown and kept nowhere. */
export const TryBody = strict({
  key: KnownName,
  endpoint: Type.Enum([...CLIENT_FORMATS]),
  request: Type.Record(Type.String(), Type.Unknown()),
})

export type Totals = Static<typeof Totals>
export type UsageReportQuery = Static<typeof UsageReportQuery>
export type UsageReport = Static<typeof UsageReport>
export type OverviewView = Static<typeof OverviewView>
export type LedgerQuery = Static<typeof LedgerQuery>
export type LedgerList = Static<typeof LedgerList>
export type LiveStatus = Static<typeof LiveStatus>
export type TryBody = Static<typeof TryBody>
