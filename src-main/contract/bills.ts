// The bill of a provider, compared with our own books.

import { Type, type Static } from 'typebox'
import { CAUSES } from '#contract/bill-causes.ts'
import { KnownName, NullableText, strict, Timestamp } from '#contract/fields.ts'

export const BillCheckBody = strict({
  provider: KnownName,
  /** The absolute path of a file of the provider's console, or of saved pages of its usage and cost interfaces. */
  file: Type.String({ minLength: 1, maxLength: 4096 }),
  /** What the provider calls the keys that Farebox uses; usage of others is then known to be theirs. */
  account_keys: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100 }),
  ),
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
  /** When the file was last written: hours shortly before it may not have been reported yet. */
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

export type BillCheckBody = Static<typeof BillCheckBody>
export type BillCheck = Static<typeof BillCheck>
