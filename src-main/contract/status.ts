// What a gateway says of itself: whether it takes calls, how it stands with its disk and its providers, and what needs attention.

import { Type, type Static } from 'typebox'
import {
  KnownName,
  NullableCount,
  NullableCredits,
  NullableText,
  NullableTimestamp,
  strict,
  Timestamp,
} from '#contract/fields.ts'
import { LanStatus } from '#contract/lan.ts'
import { SecretLeftOut } from '#contract/providers.ts'

export const StatusView = strict({
  state: Type.Enum(['running', 'stopped']),
  version: Type.String(),
  url: NullableText,
  pid: Type.Integer(),
  data_dir: Type.String(),
  started_at: Timestamp,
  ledger: Type.Enum(['ok', 'halted', 'mismatch']),
  /** `unchecked`: the older entries could not be read since the start, which is tried again. */
  ledger_check: Type.Enum(['checking', 'checked', 'unchecked']),
  ledger_checked_at: NullableTimestamp,
  secrets: Type.String(),
  /** Whether other machines reach the gateway. */
  lan: LanStatus,
  /** Sentences about what needs attention. */
  attention: Type.Array(Type.String()),
  /** When new calls are taken again; absent where they are taken now. */
  paused_until: Type.Optional(Timestamp),
  /**
   * By how many seconds this machine's clock is ahead of a provider's, as its answers say (negative: behind), for the provider from which it
   * differs least; absent where no other machine has answered yet.
   */
  clock: Type.Optional(strict({ provider: KnownName, ahead_s: Type.Integer() })),
  /** Backups on a schedule; absent where none are made. */
  backups: Type.Optional(
    strict({
      folder: Type.String(),
      every: Type.Enum(['hourly', 'daily', 'weekly']),
      keep: Type.Integer(),
      last_at: NullableTimestamp,
      next_at: NullableTimestamp,
      /** Why the last try failed; null where it did not. */
      problem: NullableText,
    }),
  ),
  /** How the kept reports of providers agreed with the books when they were last compared; absent where none were. */
  bills: Type.Optional(
    strict({
      agreed_until: NullableTimestamp,
      /** Differences without a cause. */
      unexplained: Type.Integer(),
      /** In US dollars, as exact text. */
      unexplained_amount: Type.String(),
      compared_at: Timestamp,
    }),
  ),
  /** What the system's limit of open files leaves; absent where that is enough. */
  open_files: Type.Optional(
    strict({
      limit: Type.Integer(),
      /** Connections of clients that are kept. */
      connections: Type.Integer(),
      /** Calls that run at a time. */
      calls: Type.Integer(),
    }),
  ),
  open_exchanges: Type.Integer(),
  held_credits: Type.Number(),
  providers: Type.Integer(),
  models: Type.Integer(),
  packages: Type.Integer(),
  keys: Type.Integer(),
  /** What providers reported that the prices of their models do not name, with what it was charged as; null is nothing. */
  missing_prices: Type.Optional(
    Type.Array(strict({ model: Type.String(), name: Type.String(), charged_as: NullableText })),
  ),
  /** The health of every target of an enabled model. */
  targets: Type.Array(
    strict({
      provider: Type.String(),
      model: Type.String(),
      /** `failing`: asked as ever, and failed the last time; `refused`: it refuses our secret, until a call succeeds. */
      state: Type.Enum(['ok', 'failing', 'refused', 'open', 'half-open', 'cooling']),
      /** In a row. */
      failures: Type.Integer(),
      left_out_until: NullableTimestamp,
      last_failure: Type.Union([strict({ reason: Type.String(), status: NullableCount, at: Timestamp }), Type.Null()]),
      /** The longest answer that went beyond the output cap it was given, in tokens; null where none is known. */
      ignored_cap: Type.Union([
        strict({ cap: Type.Integer(), output_tokens: Type.Integer(), at: Timestamp }),
        Type.Null(),
      ]),
      /** In a row, and charged by our own count, because the target did not report what they used; absent where it does. */
      unreported_answers: Type.Optional(Type.Integer()),
      /** Since the start: pieces of its streams that belonged to no block, and were left out; absent where there was none. */
      dropped_pieces: Type.Optional(Type.Integer()),
    }),
  ),
  /** One for each provider, with limits or without. */
  provider_use: Type.Array(
    strict({
      provider: Type.String(),
      concurrent_requests: Type.Integer(),
      concurrent_requests_limit: NullableCount,
      credits_today: Type.Number(),
      credits_per_day_limit: NullableCredits,
    }),
  ),
  secrets_left_out: Type.Array(SecretLeftOut),
})
export type StatusView = Static<typeof StatusView>
