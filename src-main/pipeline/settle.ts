// What an exchange is charged, on every way that it can end: what was answered or delivered is paid for, nothing else is.

import type { Attribution } from '#core/attribution.ts'
import { estimateOutputTokens } from '#core/estimate.ts'
import { refusalOfFailure, type FailureKind } from '#core/failure.ts'
import { ZERO } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { priceOf } from '#core/pricing.ts'
import { isByUnits, withPricedUnits } from '#core/units.ts'
import { isRefusal, REFUSALS } from '#core/refusal.ts'
import { recordedTier, recordedUnits } from '#core/recorded-names.ts'
import { STANDARD_TIER } from '#core/service-tier.ts'
import { isLater, type Soon } from '#core/soon.ts'
import { leastTokens } from '#core/possible-usage.ts'
import {
  inputTotal,
  someDetails,
  UNKNOWN_USAGE,
  type TokenUsage,
  type Units,
  type UsageDetails,
  type UsageSource,
} from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { MediaTokens } from '#dialect/other-output.ts'
import type { ReportedUsage } from '#dialect/reported-usage.ts'
import type { Caller } from '#pipeline/authenticate.ts'
import type { MeteredRequest } from '#pipeline/endpoints.ts'
import type { TokenCounter } from '#pipeline/ports.ts'
import { toldAt } from '#pipeline/reply.ts'
import { deliveredOf, type Delivered, type RelayEnd } from '#pipeline/relay.ts'
import type { Served } from '#pipeline/resolve.ts'
import type { Place } from '#pipeline/routing.ts'
import type { Settlement } from '#ledger/settlement.ts'
import type { Outcome } from '#ledger/rows.ts'

export type Ending = {
  readonly caller: Caller
  readonly request: MeteredRequest
  readonly served: Served
  /** Where the last attempt was made. */
  readonly place: Place
  readonly reader: AnswerReader
  readonly end: RelayEnd
  /** Whether any byte of the answer reached the client. */
  readonly hasBegun: boolean
  readonly createdAtMs: number
  readonly firstByteMs: number | undefined
  readonly durationMs: number
  readonly attempts: readonly AttemptNote[]
  readonly attribution: Attribution | undefined
  /** The cap that the provider was given, for each choice; undefined where it was given none. */
  readonly outputCap?: number | undefined
  /** Whether the target is known to ignore its caps. */
  readonly ignoresCap?: boolean
}

/** How one try at a provider went, as its receipt shows it. */
export type AttemptNote = {
  /** The provider's name and the model's name there, as they were then. */
  readonly provider: string
  readonly model: string
  readonly outcome: RelayEnd['type'] | 'drained'
  /** The provider's status; null where none came. */
  readonly status: number | null
  /** What kind of failure it was; null for an attempt that did not fail. */
  readonly reason: FailureKind | null
  readonly duration_ms: number
  /** What the provider had against the request, of its words those that are known; not there where none is. */
  readonly words?: string
  /** The label of the secret that it was made with, where its provider has several. */
  readonly secret?: string
}

/** The status of an exchange whose client left before it got one; nginx's convention. */
const CLIENT_GONE_STATUS = 499

/** At once where the provider has said what it used. */
export function settlementOf(ending: Ending, counter: TokenCounter): Soon<Settlement> {
  const usage = usageOf(ending, counter)
  return isLater(usage) ? usage.then((counted) => settlementFor(ending, counted)) : settlementFor(ending, usage)
}

/** The same from sizes alone, for when a mistake of ours keeps the tokens from being counted. */
export function roughSettlementOf(ending: Ending): Settlement {
  return settlementFor(
    ending,
    isPaidFor(ending) ? withLikelyUnits(charged(ending.reader.reported, likely(ending)), ending) : NOTHING,
  )
}

/** The same call without its answer, which the client was refused because its charge could not be recorded. */
export function undelivered(settlement: Settlement): Settlement {
  const { status } = REFUSALS.overloaded
  const nothing = {
    ...UNKNOWN_USAGE,
    details: undefined,
    usageSource: 'none',
    estimatedClasses: '',
    chargeMicro: ZERO,
  } as const
  return { ...settlement, ...nothing, outcome: 'failed', status }
}

/** A call that a mistake of ours ended before anything was delivered. */
export function faultSettlement(
  ending: Pick<Ending, 'caller' | 'request' | 'served' | 'place' | 'createdAtMs' | 'attribution'>,
): Settlement {
  const end = { type: 'fault', error: undefined } as const
  const rest = { end, hasBegun: false, firstByteMs: undefined, durationMs: 0, attempts: undefined }
  return settlementFor({ ...ending, ...rest }, NOTHING)
}

type Settled = Omit<Ending, 'reader' | 'attempts' | 'outputCap' | 'ignoresCap'> & {
  readonly reader?: AnswerReader
  readonly attempts: Ending['attempts'] | undefined
}

function settlementFor(ending: Settled, { usage: counted, source, estimated }: Counted): Settlement {
  const { caller, request, served, place, attempts } = ending
  const usage = source === 'none' ? counted : servedUsage(counted, ending)
  return {
    packageId: caller.package.id,
    endpoint: request.endpoint,
    providerId: place.provider.id,
    upstreamModel: place.target.upstreamModel,
    secret: place.provider.chosen?.label,
    isStream: request.isStream,
    outcome: outcomeOf(ending),
    status: statusOf(ending),
    ...usage,
    usageSource: source,
    estimatedClasses: estimated,
    attempts: attempts === undefined ? undefined : JSON.stringify(attempts),
    chargeMicro: source === 'none' ? ZERO : priceOf(usage, served.price),
    createdAtMs: ending.createdAtMs,
    firstByteMs: ending.firstByteMs,
    durationMs: ending.durationMs,
    attribution: ending.attribution,
  }
}

/**
 * A usage as it is charged and recorded. Where its provider did not say at which tier it was served, it is the one that was asked
 * for, unless that is the cheaper one: nobody pays less for a word that its provider may have passed over. That it was the standard
 * one goes without saying.
 */
function servedUsage(counted: TokenUsage, { request, served, place }: Settled): TokenUsage {
  const { price } = served
  // What a request itself says that it uses may be paid for in tokens.
  const usage = request.units === undefined ? counted : withPricedUnits(counted, price)
  const { details } = usage
  const tier = details?.tier ?? (price.tiers && dearerTier(usage, price, request.tierAt?.([place.provider])))
  const name = tier === STANDARD_TIER ? undefined : recordedTier(tier, price)
  const units = recordedUnits(details?.units, price)
  if (name === details?.tier && units === details?.units) return usage
  return { ...usage, details: someDetails({ ...details, units, tier: name }) }
}

function dearerTier(usage: TokenUsage, price: Price, asked: string | undefined): string | undefined {
  if (asked === undefined) return undefined
  const at = (tier: string) =>
    priceOf({ ...usage, details: { parts: undefined, units: undefined, ...usage.details, tier } }, price)
  return at(asked) > at(STANDARD_TIER) ? asked : STANDARD_TIER
}

/** What an exchange used, for the tokens-per-minute limit; known at once, since its slot must not wait for a count. */
export function usedTokens(ending: Likely & Pick<Ending, 'hasBegun' | 'end'>): number {
  const { reported } = ending.reader
  if (!isPaidFor(ending)) return totalTokens(reported.usage ?? UNKNOWN_USAGE)
  return totalTokens(charged(reported, likely(ending)).usage)
}

function totalTokens(usage: TokenUsage): number {
  return inputTotal(usage) + (usage.outputTokens ?? 0)
}

type Counted = { readonly usage: TokenUsage; readonly source: UsageSource; readonly estimated: string }

const NOTHING: Counted = { usage: UNKNOWN_USAGE, source: 'none', estimated: '' }

function usageOf(ending: Ending, counter: TokenCounter): Soon<Counted> {
  const { reported } = ending.reader
  if (!isPaidFor(ending)) return NOTHING
  if (isToldByUnits(ending)) return { usage: reported.usage ?? UNKNOWN_USAGE, source: 'reported', estimated: '' }
  const isUntold = isByUnits(ending.request.units, ending.served.price)
  if (reported.isInputFinal && reported.isOutputFinal && !isUntold) return charged(reported, UNCOUNTED)
  return countedUsageOf(ending, counter)
}

/** Whether the provider said all that is charged: what it counted, for a model whose tokens cost nothing. */
export function isToldByUnits({ reader, served }: Pick<Ending, 'reader' | 'served'>): boolean {
  const { usage } = reader.reported
  return isByUnits(usage?.details?.units, served.price)
}

async function countedUsageOf(ending: Ending, counter: TokenCounter): Promise<Counted> {
  const { reported } = ending.reader
  const { isInputFinal, isOutputFinal } = reported
  const [input, output] = await Promise.all([
    isInputFinal ? 0 : countInput(ending.request, counter),
    isOutputFinal ? 0 : countOutput(ending, counter),
  ])
  const { media } = deliveredBy(ending)
  return withLikelyUnits(charged(reported, { input, output, media }), ending)
}

/**
 * Of a call that generates nothing: what nobody counted and is not tokens is taken to be what its answer lets one conclude, of which no
 * more counts than was held for, and else what is likely, as a rule what was held for.
 */
function withLikelyUnits(counted: Counted, { request, reader }: Pick<Ending, 'request' | 'reader'>): Counted {
  const { units, likelyUnits = units, choices } = request
  const { usage } = counted
  if (choices > 0 || units === undefined || usage.details?.units !== undefined) return counted
  const concluded = reader.likelyUnits === undefined ? likelyUnits : atMost(reader.likelyUnits, units)
  return { ...counted, source: 'estimated', usage: { ...usage, details: { ...usage.details, units: concluded } } }
}

function atMost(some: Units, most: Units): Units {
  return Object.fromEntries(Object.entries(some).map(([name, count]) => [name, Math.min(count, most[name] ?? count)]))
}

/** Whether anything is charged: an answer that is whole, or what a client got of one. */
function isPaidFor({ end, hasBegun, reader }: Pick<Ending, 'end' | 'hasBegun' | 'reader'>): boolean {
  if (hasBegun || end.type === 'complete') return true
  // Whoever wants answers to be read on when a client left wants to charge what the provider bills.
  const isDrained = end.type === 'client-gone' && end.delivered !== undefined
  return isDrained && reader.reported.isInputFinal && reader.reported.isOutputFinal
}

/** What was delivered, by our own count; not looked at where the provider has had its last word. */
type Delivery = { readonly input: number; readonly output: number; readonly media?: MediaTokens | undefined }

const UNCOUNTED: Delivery = { input: 0, output: 0 }

/**
 * The usage that is charged. What the provider reported of an answer that ended holds. Of one that did not, its counts may be
 * those of the beginning: then the larger of what it reported and what was delivered is charged. How much of an input was
 * cached only its provider knows: what it did not report as cached is charged in full.
 */
function charged(reported: ReportedUsage, delivery: Delivery): Counted {
  const usage = reported.usage ?? UNKNOWN_USAGE
  const { isInputFinal, isOutputFinal } = reported
  if (isInputFinal && isOutputFinal) return { usage, source: 'reported', estimated: '' }
  const isMore = !isInputFinal && (usage.inputTokens === undefined || delivery.input > inputTotal(usage))
  const reportedCached = inputTotal({ ...usage, inputTokens: 0 })
  const uncached = isMore ? Math.max(0, delivery.input - reportedCached) : (usage.inputTokens ?? 0)
  return {
    usage: {
      ...usage,
      inputTokens: uncached,
      outputTokens: isOutputFinal ? usage.outputTokens : Math.max(delivery.output, usage.outputTokens ?? 0),
      ...(isOutputFinal || delivery.media === undefined ? {} : { details: withMedia(usage.details, delivery.media) }),
    },
    source: 'estimated',
    // A count that still ran is none of the whole answer, also where it is the larger one.
    estimated: [...(isMore ? ['input'] : []), ...(isOutputFinal ? [] : ['output'])].join(),
  }
}

/** Images and sound have prices of their own: the larger of what was reported of them and what was delivered counts. */
function withMedia(details: UsageDetails | undefined, media: MediaTokens): UsageDetails {
  const parts = { ...details?.parts }
  for (const [name, tokens] of [
    ['output_image', media.output_image],
    ['output_audio', media.output_audio],
  ] as const) {
    if (tokens !== undefined) parts[name] = Math.max(tokens, parts[name] ?? 0)
  }
  return { ...details, parts }
}

type Likely = Pick<Ending, 'request' | 'reader' | 'outputCap' | 'ignoresCap'>

/** What was delivered, from sizes alone. */
function likely(ending: Likely): Delivery {
  const { choices, output: uncapped, likelyInputTokens } = ending.request
  const { bytes, textBytes, otherTokens, media } = ending.reader.generated
  const isUncounted = choices === 0 && bytes === 0
  const output = isUncounted
    ? (uncapped?.likelyTokens ?? 0)
    : withinCap(estimateOutputTokens(textBytes), ending) + otherTokens
  return { input: likelyInputTokens, output, media }
}

/**
 * An estimate of the output. A provider is taken to keep its cap: tokenizers differ, so that an estimate beyond the cap says nothing,
 * unless the target is known to ignore caps, or no tokenizer makes so few tokens of the text.
 */
function withinCap(tokens: number, { request, reader, outputCap, ignoresCap }: Likely): number {
  const estimate = Math.max(1, tokens)
  if (outputCap === undefined || ignoresCap === true) return estimate
  const cap = outputCap * request.choices
  return estimate <= cap
    ? estimate
    : Math.min(estimate, Math.max(cap, leastTokens(reader.generated, request.echoedBytes)))
}

async function countInput(request: MeteredRequest, counter: TokenCounter): Promise<number> {
  const countable = await request.countable()
  if (countable === undefined || isRefusal(countable)) return request.likelyInputTokens
  const { texts, overheadTokens } = countable
  return (await counter.count(texts)) + overheadTokens
}

async function countOutput(ending: Ending, counter: TokenCounter): Promise<number> {
  const { choices, output } = ending.request
  const { text, textBytes, otherTokens } = deliveredBy(ending)
  if (choices === 0 && textBytes + otherTokens === 0) return output?.likelyTokens ?? 0
  const kept = Buffer.byteLength(text)
  if (kept === 0) return withinCap(estimateOutputTokens(textBytes), ending) + otherTokens
  const tokens = await counter.count([text])
  // Of a very long answer only the beginning was kept; the rest is taken to be like it.
  return withinCap(Math.ceil((tokens * textBytes) / kept), ending) + otherTokens
}

/** What the client got, which is less than what was read where the answer was read on without it. */
function deliveredBy({ end, reader }: Ending): Delivered {
  if (end.type === 'client-gone' && end.delivered !== undefined) return end.delivered
  return deliveredOf(reader.generated)
}

function outcomeOf({ end, hasBegun, reader }: Settled): Outcome {
  switch (end.type) {
    case 'complete':
      return reader?.hasFailed === true ? 'cut' : 'answered'
    case 'refused':
      return 'refused'
    case 'client-gone':
      return 'client_gone'
    case 'out-of-credits':
      return end.isOverCap ? 'answered' : 'out_of_credits'
    case 'failed':
    case 'stopped':
    case 'fault':
      return hasBegun ? 'cut' : 'failed'
  }
}

function statusOf({ end, hasBegun, request }: Settled): number {
  if (hasBegun) return 200
  switch (end.type) {
    case 'complete':
    // It comes after the first byte only.
    case 'out-of-credits':
      return 200
    case 'refused':
      return end.status
    case 'client-gone':
      return CLIENT_GONE_STATUS
    case 'failed':
      return REFUSALS[toldAt(request.endpoint, refusalOfFailure(end.failure)).code].status
    case 'stopped':
      return REFUSALS[toldAt(request.endpoint, end.refusal).code].status
    case 'fault':
      return 500
  }
}
