// What a provider says was used and what it bills for, in one form whatever file or page it came from. This room compares it with our
// own books; it computes only, and knows neither the database nor the network.

import type { PaidClass } from '#contract/price-classes.ts'

/** An object of a page. */
export type Json = Readonly<Record<string, unknown>>

export type TokenCounts = Readonly<Record<PaidClass, number>>

/** From an instant to another that is left out, in UTC epoch milliseconds. */
export type Span = { readonly startMs: number; readonly endMs: number }

/** What tells one stretch of time from all others. */
export function spanName({ startMs, endMs }: Span): string {
  return `${startMs}-${endMs}`
}

/** Stretches of time without those that come again. */
export function eachOnce(spans: readonly Span[]): Span[] {
  return onlyOnce(spans.map((span) => [spanName(span), span]))
}

/** What was used in a stretch of time. */
export type UsageLine = Span & {
  readonly model: string
  readonly counts: TokenCounts
  /** How many requests it was; undefined where the report does not count them. */
  readonly requests: number | undefined
  /** What the provider calls the key that was used; undefined where the report does not tell keys apart. */
  readonly account: string | undefined
  /** Whether its `input` has in it what was read from the cache and written to it. */
  readonly isInputWhole?: boolean
  /** Everything of it that is no number: a line of the same time and identity is the same one, revised. */
  readonly identity: string
}

/** What an amount is for; `other` where its words are not known to us. */
export type CostKind = 'tokens' | 'tool' | 'other'

/** What is billed for a day. */
export type CostLine = Span & {
  /** undefined where the amount is for all models together. */
  readonly model: string | undefined
  readonly kind: CostKind
  readonly currency: string
  readonly amount: Amount
  readonly account: string | undefined
  readonly identity: string
}

/** An exact amount of money: `parts` are millionths of a millionth of a unit, and `places` is how many decimals it was written with. */
export type Amount = { readonly parts: bigint; readonly places: number }

/** A stretch of time that a report tells about is in its spans, also where nothing was used in it. */
export type BillReport = {
  readonly usage: readonly UsageLine[]
  readonly usageSpans: readonly Span[]
  readonly costs: readonly CostLine[]
  readonly costSpans: readonly Span[]
}

/** Whether a line is of a key that Farebox does not use; never where its key or ours are unknown. */
export function isForeign(
  { account }: Pick<UsageLine | CostLine, 'account'>,
  accounts: ReadonlySet<string> | undefined,
): boolean {
  return accounts !== undefined && account !== undefined && !accounts.has(account)
}

/** More lines are more than a month of hours of a hundred models, each with a hundred keys, is worth waiting for. */
export const MAX_LINES = 200_000

/** Where a text is no report, a sentence that says so. */
export type ReportProblem = { readonly type: 'problem'; readonly message: string }

const PLACES = 12

/** An amount from decimal text; undefined for anything else. What is finer than twelve decimals is cut off. */
export function amountOf(text: string): Amount | undefined {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,40}))?(?:e([+-]\d{1,2}))?$/i.exec(text.trim())
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const places = Math.max(0, fraction.length - Number(exponent))
  const digits = BigInt(whole + fraction)
  const shift = PLACES - (fraction.length - Number(exponent))
  const parts = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
  return { parts: sign === '-' ? -parts : parts, places }
}

/** The same amount of which a hundred make one. */
export function ofCents({ parts, places }: Amount): Amount {
  return { parts: parts / 100n, places: places + 2 }
}

/** Parts as decimal text: `1500000000000` is `1.5`. */
export function decimalText(parts: bigint): string {
  const digits = (parts < 0n ? -parts : parts).toString().padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES).replace(/(?<!0)0+$/, '')
  return `${parts < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * One name for a model, however it is written: bills add the day of a snapshot to the name that was asked for
 * (`gpt-4o-mini-2024-07-18`), some write it for people (`Claude Sonnet 4.5`), and those of a router put its words in another order
 * (`anthropic/claude-4.5-sonnet-20250929`).
 */
export function modelNameOf(name: string): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[\s._]+/g, '-')
  const maker = plain.slice(0, plain.lastIndexOf('/') + 1)
  if (maker === '') return undated(plain)
  const [model = '', ...variant] = plain.slice(maker.length).split(':')
  return [maker + inWordOrder(undated(model)), ...variant].join(':')
}

function undated(model: string): string {
  return model.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')
}

/** Words by their letters, and then its numbers as they stand. */
function inWordOrder(model: string): string {
  const parts = model.split('-')
  const words = parts.filter((part) => !/^\d+$/.test(part)).toSorted()
  return [...words, ...parts.filter((part) => /^\d+$/.test(part))].join('-')
}

/**
 * One report of several parts of it. A line that comes twice, because a page or a file was given twice, counts once: `identity` says
 * which lines are the same one, and the later one holds.
 */
export function onlyOnce<Line>(lines: readonly (readonly [identity: string, line: Line])[]): Line[] {
  return [...new Map(lines).values()]
}
