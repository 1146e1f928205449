// The receipt of one call: what it used, what each class of tokens cost, and how it went. Shared by `GET /v1/receipts/{id}`, the
// admin API and the command line.

import { Type, type Static } from 'typebox'
import { AttributionFields, NullableCount, NullableText, strict, Timestamp } from '#contract/fields.ts'
import { PAID_CLASSES, PART_CLASSES } from '#contract/price-classes.ts'
import { NullablePrice } from '#contract/prices.ts'

/** `unknown`: not reported, or the record was written by a version of Farebox that did not record it. Never read as 0. */
const Source = Type.Enum(['reported', 'estimated', 'unknown'])
const ClassCount = strict({ tokens: NullableCount, source: Source })
/** Credits as exact decimal text: a price per million tokens needs more decimals than a number of credits shows. */
const Amount = Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' })

const PartCounts = {
  cache_write_1h: Type.Optional(Type.Integer()),
  input_audio: Type.Optional(Type.Integer()),
  input_image: Type.Optional(Type.Integer()),
  cache_read_audio: Type.Optional(Type.Integer()),
  cache_read_image: Type.Optional(Type.Integer()),
  output_audio: Type.Optional(Type.Integer()),
  output_image: Type.Optional(Type.Integer()),
}

export const ReceiptView = strict({
  object: Type.Literal('receipt'),
  id: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  key: Type.String(),
  endpoint: Type.String(),
  model: Type.String(),
  provider: NullableText,
  upstream_model: NullableText,
  /** The label of the secret that the provider was asked with; null where it has one alone. */
  secret: NullableText,
  stream: Type.Boolean(),
  outcome: Type.String(),
  status: Type.Integer(),
  tokens: strict({
    input: ClassCount,
    cache_read: ClassCount,
    cache_write: ClassCount,
    output: ClassCount,
    reasoning: ClassCount,
  }),
  /** Parts of these classes, for answers that have any that providers sell apart. */
  parts: Type.Optional(strict(PartCounts)),
  /** What was counted and is not tokens. */
  units: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  /** The service tier, where it was not the standard one. */
  tier: Type.Optional(Type.String()),
  /** What the answer itself said that its provider bills for it, in US dollars; nothing is charged by it. */
  billed_usd: Type.Optional(Amount),
  price: NullablePrice,
  /** Their amounts add up to `charge_credits` exactly. */
  lines: Type.Array(
    Type.Union([
      strict({
        type: Type.Enum([...PAID_CLASSES, ...PART_CLASSES]),
        tokens: Type.Integer(),
        price: Type.Number(),
        amount: Amount,
      }),
      /** Something else that is counted, at a price for one. */
      strict({
        type: Type.Literal('unit'),
        unit: Type.String(),
        count: Type.Integer(),
        price: Type.Number(),
        amount: Amount,
      }),
      /** What the call would have cost less than the least that a call costs. */
      strict({ type: Type.Literal('minimum'), amount: Amount }),
      strict({ type: Type.Literal('rounding'), amount: Amount }),
    ]),
  ),
  /** What was counted and has no price of its own, with what it was charged as; null where it was charged nothing. */
  unnamed: Type.Optional(Type.Array(strict({ name: Type.String(), charged_as: NullableText }))),
  charge_credits: Type.Number(),
  held_credits: Type.Number(),
  overrun: Type.Boolean(),
  /** For a call that a bill of its provider corrected: what its key got back, or was charged more below 0, and what that leaves. */
  settled: Type.Optional(
    strict({ at: Timestamp, credits: Type.Number(), charge_credits: Type.Number(), reason: Type.String() }),
  ),
  attempts: Type.Union([
    Type.Array(
      strict({
        /** The provider's name and the model's name there; records of older versions do not have them. */
        provider: Type.Optional(Type.String()),
        model: Type.Optional(Type.String()),
        outcome: Type.String(),
        /** What kind of failure it was. */
        reason: Type.Optional(NullableText),
        status: NullableCount,
        duration_ms: Type.Integer(),
        /** What the provider had against the request, of its words those that Farebox knows. */
        words: Type.Optional(Type.String()),
        /** The label of the secret that it was made with, where the provider has several. */
        secret: Type.Optional(Type.String()),
      }),
    ),
    Type.Literal('unknown'),
  ]),
  first_byte_ms: NullableCount,
  duration_ms: Type.Integer(),
  ...AttributionFields,
})

export type ReceiptView = Static<typeof ReceiptView>
