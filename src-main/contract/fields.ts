// What the shapes of the contract are made of. Fields are snake_case, amounts are credits (not micro-credits), times are ISO 8601
// UTC.

import { Type, type TProperties, type TString } from 'typebox'
import { MODEL_KINDS } from '#contract/dialects.ts'
import { isHeaderValue, isName, isVisible } from '#contract/visible.ts'

/** An object that refuses members it does not know: a misspelt setting must never be ignored. */
export function strict<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}

/** A name that something gets. */
export const Name = nameUpTo(100)
/** The name of something that is there, to find it or to show it: it may have been given before names had to be visible. */
export const KnownName = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f]+$' })
/** What a model is called where it is shown: its id, which may be longer than other names, where nobody said. */
export const ShownModelName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f]+$' })
export const ModelKind = Type.Enum([...MODEL_KINDS])
/** Who says what a model is for; `name`: nobody does, and it is guessed from its name. */
export const KindSource = Type.Enum(['administrator', 'card', 'provider', 'name'])
/** What a provider calls a model. */
export const UpstreamModel = nameUpTo(200)
const HeaderValue = Type.Refine(
  Type.String({ minLength: 1, maxLength: 4000 }),
  isHeaderValue,
  () => 'must be of visible ASCII characters, with no space at its ends',
)
/** Headers by their names; which names are taken is said where they are read. */
export const Headers = Type.Record(Type.String(), HeaderValue, { maxProperties: 16 })
/** The same for a change: null takes one away. */
export const HeaderChanges = Type.Record(Type.String(), Type.Union([HeaderValue, Type.Null()]), { maxProperties: 32 })
/** What calls are counted to: a tool, a project, a tag. Capitals become small letters. */
export const Label = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,63}$' })
export const Labels = Type.Array(Label, { maxItems: 5 })
/** As a tool sends it. */
export const SessionId = Type.String({ minLength: 1, maxLength: 1024 })
/** Why somebody does something, in their words. */
export const Reason = visible(Type.String({ maxLength: 500 }))
export const RequiredReason = visible(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }))
export const ModelName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\u0021-\\u007e]+$' })
export const Timestamp = Type.String({ format: 'date-time' })
/** Up to a billion, with at most six decimals (checked where it becomes micro-credits). */
export const Credits = Type.Number({ minimum: 0, maximum: 1_000_000_000 })
export const Count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
export const NullableCount = Type.Union([Type.Integer(), Type.Null()])
export const NullableText = Type.Union([Type.String(), Type.Null()])
export const NullableTimestamp = Type.Union([Timestamp, Type.Null()])
export const NullableCredits = Type.Union([Type.Number(), Type.Null()])

/** Whom a call was made for; null for what nobody said. */
export const AttributionFields = {
  tool: NullableText,
  project: NullableText,
  tags: Type.Array(Type.String()),
  /** The id that its tool gave its session, or the hash of one that is too long. */
  session: NullableText,
}

/** Rate limits as they are given: one that is left out is no limit. */
export const LimitsFields = strict({
  requests_per_minute: Type.Optional(Count),
  tokens_per_minute: Type.Optional(Count),
  concurrent_requests: Type.Optional(Count),
})
/** The same as they are shown: null is no limit. */
export const LimitsShown = strict({
  requests_per_minute: NullableCount,
  tokens_per_minute: NullableCount,
  concurrent_requests: NullableCount,
})

function nameUpTo(maxLength: number) {
  const message = 'must be of visible characters alone, in composed form (NFC), with no space at its ends'
  return Type.Refine(Type.String({ minLength: 1, maxLength }), isName, () => message)
}

function visible(text: TString) {
  return Type.Refine(text, isVisible, () => 'must be of visible characters and spaces alone')
}
