// The bill of a provider, compared with our own books.

import { Type, type Static } from 'typebox'
import { CAUSES } from '#contract/bill-causes.ts'
import { MEANINGS } from '#contract/bill-columns.ts'
import { KnownName, NullableText, NullableTimestamp, strict, Timestamp } from '#contract/fields.ts'

/** A whole secret of an administrator; what it is like is for its provider to say. */
const AdministratorSecret = Type.String({ minLength: 1, maxLength: 10_000 })
/** The absolute path of a file of the provider's console, or of saved pages of its usage and cost interfaces. */
const ReportFile = Type.String({ minLength: 1, maxLength: 4096 })
/** What a provider calls a project or workspace. */
const Project = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' })
/** What the provider calls the keys that Farebox uses; usage of others is then known to be theirs. */
const AccountKeys = Type.Array(KnownName, { minItems: 1, maxItems: 100 })
const Asked = {
  provider: KnownName,
  /** Left out, the provider itself is asked, with the secret of its administrator. */
  file: Type.Optional(ReportFile),
  account_keys: Type.Optional(AccountKeys),
  /** Its project or workspace that Farebox has for itself. Only where the provider is asked. */
  project: Type.Optional(Project),
  /** How many days before today it is asked about, today included up to the last whole hour; 7 unless given. */
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 31 })),
  /** The day of UTC whose kept reports are meant, in place of a file and of asking. */
  kept_day: Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })),
}

export const BillCheckBody = strict({
  ...Asked,
  /** Keeps the numbers of the report, and what is said of the account: `BillDays` says of each day how it agrees. */
  keep: Type.Optional(Type.Boolean()),
})
export const BillSettleBody = strict({ ...Asked, dry_run: Type.Optional(Type.Boolean()) })

export const BillSecret = strict({
  secret: AdministratorSecret,
  /** Asks the provider for little with it, once it is kept, and says in `tried` whether that went well. */
  try: Type.Optional(Type.Boolean()),
  /** Beside `try`: asks also which keys there are in this project or workspace, which Farebox should have for itself. */
  project: Type.Optional(Project),
})

/** Whether Farebox has a project or workspace for itself. */
const OwnProject = strict({
  /** Why nobody can tell, in a sentence; null where its keys are known. */
  problem: NullableText,
  /** `is_ours`: whether calls go with it; null where what the provider shows of it does not tell. */
  keys: Type.Array(
    strict({ id: Type.String(), name: Type.String(), is_ours: Type.Union([Type.Boolean(), Type.Null()]) }),
  ),
  /** Whether there are more than these. */
  has_more: Type.Boolean(),
})
/** null in `problem` where the provider took the secret, else what went wrong, in a sentence. */
const TriedSecret = strict({ problem: NullableText, project: Type.Optional(OwnProject) })

/** What a provider says is left on an account. */
export const AccountBalanceView = strict({
  provider: Type.String(),
  /** By which of several secrets the account is known. */
  secret: NullableText,
  /** Amounts are exact decimal texts. `days_left`: at the pace of the last seven days; null where that is not known. */
  balances: Type.Array(
    strict({ currency: Type.String(), amount: Type.String(), days_left: Type.Union([Type.Number(), Type.Null()]) }),
  ),
  /** When it said so; null where it never did. */
  said_at: NullableTimestamp,
  /** Why the latest question was not answered, or what its answer warns of, such as a debt. */
  problem: NullableText,
  /** It is not asked again before; null where it was not asked since the start. */
  ask_again_at: NullableTimestamp,
})
export const AccountBalanceBody = strict({ provider: Type.Optional(KnownName) })

/** A provider that is asked with a secret of its administrator, and whether it has that. */
export const BillSecretView = strict({
  provider: KnownName,
  /** The only place that the secret is sent to. */
  origin: Type.String(),
  has_secret: Type.Boolean(),
  /** Whether it reports usage and costs, or says only what is left. */
  has_reports: Type.Boolean(),
  /** Where that was asked for. */
  tried: Type.Optional(TriedSecret),
})

const Tokens = strict({
  input: Type.Integer(),
  cache_read: Type.Integer(),
  cache_write: Type.Integer(),
  output: Type.Integer(),
})
const Causes = Type.Array(Type.Enum([...CAUSES]))
/** The first of the calls that the causes are about, for their receipts, and how many there are. */
const Calls = { calls: Type.Array(Type.String()), call_count: Type.Integer() }
const CountedTime = { from: Timestamp, to: Timestamp }

const Meaning = Type.Union([Type.Enum([...MEANINGS]), Type.Null()])

export const BillCheck = strict({
  provider: Type.String(),
  ...CountedTime,
  /** When the file was last written, or the provider asked: hours shortly before it may not have been reported yet. */
  made_at: Timestamp,
  /** How the columns of a file were read; null for pages, whose fields have fixed names. */
  columns: Type.Union([
    strict({
      format: Type.String(),
      /** `example`: what the first line that is read says there, as it is understood. null for columns that are not read. */
      read: Type.Array(strict({ column: Type.String(), meaning: Meaning, example: NullableText })),
      separator: Type.Enum([',', ';', '\t']),
      decimal_mark: Type.Enum(['.', ',']),
      lines: Type.Integer(),
      /** Lines that are about no model: those of other services, and sums. */
      other_lines: Type.Integer(),
    }),
    Type.Null(),
  ]),
  tokens: strict({
    compared: Type.Integer(),
    differing: Type.Integer(),
    differences: Type.Array(
      strict({ ...CountedTime, model: Type.String(), ours: Tokens, theirs: Tokens, causes: Causes, ...Calls }),
    ),
  }),
  /** Amounts are exact decimal texts: ours in credits, theirs in the currency. */
  money: strict({
    compared: Type.Integer(),
    differing: Type.Integer(),
    differences: Type.Array(
      strict({
        ...CountedTime,
        model: NullableText,
        ours: Type.String(),
        theirs: Type.String(),
        /** What of theirs less ours the tokens that differ are worth by the prices of that time; the rest has causes of its own. */
        of_tokens: Type.String(),
        currency: Type.String(),
        causes: Causes,
        ...Calls,
      }),
    ),
  }),
  /** Differences without a cause, also those that are not listed. */
  unexplained: Type.Integer(),
})

export const BillSettled = strict({
  dry_run: Type.Boolean(),
  corrections: Type.Array(
    strict({
      call: Type.String(),
      key: Type.String(),
      /** What the key gets; below 0 it is charged more. */
      credits: Type.Number(),
      reason: Type.String(),
      /** `open`: it would be made; `before`: it was made by an earlier settlement. */
      state: Type.Enum(['open', 'made', 'before', 'refused']),
      /** Why it was refused. */
      message: NullableText,
    }),
  ),
})

/** Up to 99 days, today included. */
export const BillDaysQuery = strict({ days: Type.Optional(Type.String({ pattern: '^[1-9][0-9]?$' })) })

/** What is kept of one provider's day, against the books. */
const BillDay = strict({
  provider: Type.String(),
  /** Of UTC. */
  day: Type.String(),
  /** Whether reports say what is billed, or the answers of that day themselves; then tokens are not compared. */
  source: Type.Enum(['reports', 'answers']),
  ...CountedTime,
  /** When the latest of its reports was made, or the last of its answers asked for. */
  made_at: Timestamp,
  /** null where no report of tokens is kept. */
  tokens: Type.Union([strict({ ours: Tokens, theirs: Tokens }), Type.Null()]),
  /**
   * Exact decimal texts in US dollars, ours in credits; `difference` is theirs less ours, and `of_tokens` what of it the tokens that
   * differ are worth by our prices, null where no tokens are compared. null where no report of costs is kept.
   */
  money: Type.Union([
    strict({ ours: Type.String(), theirs: Type.String(), difference: Type.String(), of_tokens: NullableText }),
    Type.Null(),
  ]),
  /** `agrees`: but for rounding and the edges of hours; `open`: not all of it is reported yet. */
  state: Type.Enum(['agrees', 'explained', 'open', 'unexplained']),
  causes: Causes,
  /** Differences without a cause. */
  unexplained: Type.Integer(),
  /** In US dollars, whether too much or too little. */
  unexplained_amount: Type.String(),
  ...Calls,
})

/** The latest day first. A provider of which nothing is kept, and whose answers say nothing of their cost, has none. */
export const BillDays = strict({
  days: Type.Array(BillDay),
  /** Until when all of them agree or are explained, without a gap; null where one of them does not from the beginning. */
  agreed_until: NullableTimestamp,
  unexplained: Type.Integer(),
  /** In US dollars, whether too much or too little. */
  unexplained_amount: Type.String(),
})

export type BillDay = Static<typeof BillDay>
export type BillDays = Static<typeof BillDays>
export type BillSettled = Static<typeof BillSettled>
export type BillCheckBody = Static<typeof BillCheckBody>
export type AccountBalanceView = Static<typeof AccountBalanceView>
export type BillSecretView = Static<typeof BillSecretView>
export type BillCheck = Static<typeof BillCheck>
export type OwnProject = Static<typeof OwnProject>
export type TriedSecret = Static<typeof TriedSecret>
