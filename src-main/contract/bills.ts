// The bill of a provider, compared with our own books.

import { Type, type Static } from 'typebox'
import { CAUSES } from '#contract/bill-causes.ts'
import { KnownName, NullableText, strict, Timestamp } from '#contract/fields.ts'

/** A whole secret of an administrator; what it is like is for its provider to say. */
const AdministratorSecret = Type.String({ minLength: 1, maxLength: 10_000 })
/** The absolute path of a file of the provider's console, or of saved pages of its usage and cost interfaces. */
const ReportFile = Type.String({ minLength: 1, maxLength: 4096 })
/** What the provider calls the keys that Farebox uses; usage of others is then known to be theirs. */
const AccountKeys = Type.Array(KnownName, { minItems: 1, maxItems: 100 })
const Asked = {
  provider: KnownName,
  /** Left out, the provider itself is asked, with the secret of its administrator. */
  file: Type.Optional(ReportFile),
  account_keys: Type.Optional(AccountKeys),
  /** Its project or workspace that Farebox has for itself. Only where the provider is asked. */
  project: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' })),
  /** How many days before today it is asked about, today included up to the last whole hour; 7 unless given. */
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 31 })),
}

export const BillCheckBody = strict(Asked)
export const BillSettleBody = strict({ ...Asked, dry_run: Type.Optional(Type.Boolean()) })

export const BillSecret = strict({ secret: AdministratorSecret })

/** A provider whose reports Farebox can ask for, and whether it has the secret for that. */
export const BillSecretView = strict({
  provider: KnownName,
  /** The only place that the secret is sent to. */
  origin: Type.String(),
  has_secret: Type.Boolean(),
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

export const BillCheck = strict({
  provider: Type.String(),
  ...CountedTime,
  /** When the file was last written, or the provider asked: hours shortly before it may not have been reported yet. */
  made_at: Timestamp,
  /** How the columns of a file were read; null for pages, whose fields have fixed names. */
  columns: Type.Union([
    strict({
      format: Type.String(),
      read: Type.Array(strict({ column: Type.String(), meaning: NullableText })),
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

export type BillSettled = Static<typeof BillSettled>
export type BillCheckBody = Static<typeof BillCheckBody>
export type BillSecretView = Static<typeof BillSecretView>
export type BillCheck = Static<typeof BillCheck>
