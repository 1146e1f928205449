// A month of traffic of which two books are kept: ours, as usage records, and what the provider's meter saw. The meter knows requests,
// not calls: some of ours it never saw, and some that it saw we never hear of. Whatever is done wrong is written down as it is done.

import { doubtsOf, type DoubtfulRecord, type OurHour } from '#bills/ours.ts'
import type { TokenCounts } from '#bills/report.ts'
import type { OurSide } from '#bills/tokens.ts'
import type { Cause } from '#contract/bill-causes.ts'
import { randomFrom } from '../support/random.ts'
import { chargeOf, modelPrice, percentsOf, SEARCH_MICRO } from './prices.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
/** 2026-10-01. */
export const MONTH = 1_790_812_800_000
export const DAYS = 30

/** A request as the provider's meter saw it, in the hour in which it ended. `prompt` has the cached and the written tokens in it. */
export type Metered = {
  readonly endMs: number
  readonly model: string
  readonly key: string
  readonly prompt: number
  readonly cached: number
  readonly written: number
  readonly completion: number
  /** Of the standard price, by its tier. */
  readonly percent: number
}

/** What a bill has beside tokens, or does otherwise with them, on a day. */
export type Extra =
  | { readonly type: 'repriced'; readonly percent: number }
  /** A fee among the tokens of a model that no price of them can make. */
  | { readonly type: 'surcharge'; readonly cents: number }
  /** `searches` is how many of them we charged. */
  | { readonly type: 'searches'; readonly cents: number; readonly charged: number }
  | { readonly type: 'euros'; readonly cents: number }
  | { readonly type: 'plan'; readonly cents: number }

/** What was done to an hour or a day of a model. `causes` is empty where it leaves no trace in the numbers. */
export type Fault = { readonly causes: readonly Cause[]; readonly calls: readonly string[] }

export type Month = {
  readonly side: OurSide
  readonly records: readonly DoubtfulRecord[]
  readonly metered: readonly Metered[]
  /** By the beginning of the hour and the model. */
  readonly faults: ReadonlyMap<string, Fault>
  /** By the same: causes that calls look like of which both books say the same. The numbers cannot tell that they are not it. */
  readonly lookalikes: ReadonlyMap<string, ReadonlySet<Cause>>
  /** By the beginning of the day and the model. */
  readonly extras: ReadonlyMap<string, Extra>
  readonly days: number
}

export type Wish = {
  readonly seed: number
  /** In how many of the hours of a model something goes wrong. */
  readonly share: number
  readonly models?: number
  readonly days?: number
  /** In how many of the hours with a fault there is another one. */
  readonly pairs?: number
  /** In how many of the days of a model its bill has something else. */
  readonly extras?: number
  /** On how many of the days of a model somebody else uses it, in its first hour. */
  readonly strangers?: number
}

type Call = { readonly used: TokenCounts; readonly atMs: number; readonly durationMs: number }
type Place = { readonly model: string; readonly startMs: number }
type Billed = { readonly key?: string; readonly percent?: number | undefined }

const NOTHING: TokenCounts = { input: 0, cache_read: 0, cache_write: 0, output: 0 }
const ESTIMATED_OUTPUT = { usageSource: 'estimated', estimatedClasses: 'output' } as const

/** One hour after another, so that the same seed makes the same month. */
export function makeMonth({
  seed,
  share,
  models = 20,
  days = DAYS,
  pairs = 0,
  extras = 0,
  strangers = 0,
}: Wish): Month {
  const books = new Books(randomFrom(seed))
  const faults = new Map<string, Fault>()
  const ofDays = new Map<string, Extra>()
  for (let index = 0; index < models * days * 24; index++) {
    const model = `model-${index % models}.5`
    const startMs = MONTH + Math.floor(index / models) * HOUR
    const place = { model, startMs }
    if (startMs % DAY === 0 && books.isOne(extras)) ofDays.set(`${startMs} ${model}`, books.extra(place))
    if (startMs % DAY === 0 && books.isOne(strangers)) faults.set(`${startMs} ${model}`, books.somebodyElse(place))
    // What two hours in a row hide from each other can be told from no numbers.
    const isBeside = pairs > 0 && faults.has(`${startMs - HOUR} ${model}`)
    const isFaulty = startMs < MONTH + (days * 24 - 1) * HOUR && !isBeside && books.isOne(share)
    for (let calls = books.upTo(3); calls > 0; calls--) books.ordinary(place)
    if (!isFaulty) continue
    const done = [books.harm(place), ...(books.isOne(pairs) ? [books.harm(place)] : [])]
    faults.set(`${startMs} ${model}`, {
      causes: [...new Set(done.flatMap(({ causes }) => causes))],
      calls: done.flatMap(({ calls }) => calls),
    })
  }
  return {
    side: books.side(),
    records: books.records,
    metered: books.metered,
    lookalikes: books.lookalikes,
    faults,
    extras: ofDays,
    days,
  }
}

class Books {
  readonly metered: Metered[] = []
  readonly lookalikes = new Map<string, Set<Cause>>()
  readonly records: DoubtfulRecord[] = []
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  upTo(most: number): number {
    return 1 + Math.floor(this.#random() * most)
  }

  isOne(share: number): boolean {
    return this.#random() < share
  }

  side(): OurSide {
    return { hours: hoursOf(this.records), doubtful: this.records.flatMap(doubtsOf) }
  }

  /** A call that both books know, whatever it looks like: guesses of ours can be right, and attempts that failed need not be billed. */
  ordinary(place: Place): void {
    const { model, startMs } = place
    const call = this.#call(startMs)
    this.#meter(model, call)
    const look = this.isOne(0.1) ? LOOKS[this.upTo(LOOKS.length) - 1] : undefined
    this.#record(model, call, look?.of(model))
    if (look !== undefined) this.#looksLike(place, look.like)
  }

  #looksLike({ model, startMs }: Place, cause: Cause): void {
    const place = `${startMs} ${model}`
    this.lookalikes.set(place, new Set([...(this.lookalikes.get(place) ?? []), cause]))
  }

  /** Makes one thing go wrong. */
  harm(place: Place): Fault {
    const harm = HARMS[this.upTo(HARMS.length) - 1] ?? HARMS[0]
    return this[harm](place)
  }

  extra({ model, startMs }: Place): Extra {
    const cents = this.upTo(500)
    const type = EXTRAS[this.upTo(EXTRAS.length) - 1] ?? 'plan'
    if (type === 'repriced') return { type, percent: this.isOne(0.5) ? 10 + this.upTo(90) : -10 - this.upTo(80) }
    if (type === 'surcharge') return { type, cents: 400_000 + 1000 * cents }
    if (type !== 'searches') return { type, cents }
    const call = { ...this.#call(startMs), durationMs: 0 }
    const charged = this.isOne(0.5) ? this.upTo(9) : 0
    this.#meter(model, call)
    this.#record(model, call, { hasUnits: true, unitParts: BigInt(charged * SEARCH_MICRO) * 1_000_000n })
    return { type, cents, charged }
  }

  somebodyElse({ model, startMs }: Place): Fault {
    const percents = percentsOf(model)
    const percent = percents[this.upTo(percents.length) - 1]
    this.#meter(model, this.#call(startMs), { key: `somebody-${this.upTo(10_000)}`, percent })
    return fault('not_through_farebox')
  }

  cutUnknown({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, call)
    return fault(
      'after_disconnect',
      this.#record(model, call, {
        outcome: this.isOne(0.5) ? 'client_gone' : 'cut',
        usageSource: 'none',
        counts: NOTHING,
      }),
    )
  }

  cutCounted({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, call)
    const counts = this.#guess(call.used)
    return fault('after_disconnect', this.#record(model, call, { outcome: 'client_gone', ...ESTIMATED_OUTPUT, counts }))
  }

  attempt({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, call)
    this.#meter(model, { ...call, used: { ...call.used, output: 0 } })
    return fault('repeated_attempt', this.#record(model, call, { failedModels: [model] }))
  }

  /** Two attempts failed, of which one was billed. */
  oneOfTwoAttempts({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, call)
    this.#meter(model, { ...call, used: { ...call.used, output: 0 } })
    return fault('repeated_attempt', this.#record(model, call, { failedModels: [model, model] }))
  }

  /** Another provider served it in the end. */
  attemptServedElsewhere({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, { ...call, used: { ...call.used, output: 0 } })
    return fault('repeated_attempt', this.#record('', call, { isServed: false, failedModels: [model] }))
  }

  guessed({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, call)
    return fault('estimated', this.#record(model, call, { ...ESTIMATED_OUTPUT, counts: this.#guess(call.used) }))
  }

  guessedWhole({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, call)
    const { input, output, cache_read: read, cache_write: write } = call.used
    const counts = { ...NOTHING, input: input + read + write + this.upTo(90), output: output + this.upTo(50) }
    return fault('estimated', this.#record(model, call, { usageSource: 'estimated', estimatedClasses: null, counts }))
  }

  ranOver({ model, startMs }: Place): Fault {
    const calls = Array.from({ length: this.upTo(2) }, () => {
      const call = { ...this.#call(startMs), atMs: startMs + HOUR - 1000, durationMs: 1000 + this.upTo(60_000) }
      this.#meter(model, call)
      return this.#record(model, call)
    })
    return { causes: ['hour_edge'], calls }
  }

  /** It ran over, and the provider counted it where it began. */
  ranOverCountedBefore({ model, startMs }: Place): Fault {
    const call = { ...this.#call(startMs), atMs: startMs + HOUR - 1000, durationMs: 900 }
    this.#meter(model, call)
    this.#record(model, { ...call, durationMs: 1000 + this.upTo(60_000) })
    this.#looksLike({ model, startMs }, 'hour_edge')
    return { causes: [], calls: [] }
  }

  /** It broke off before the provider began with it. */
  neverBegan({ model, startMs }: Place): Fault {
    const nothing = { outcome: 'client_gone', usageSource: 'none', counts: NOTHING }
    this.#record(model, this.#call(startMs), nothing)
    this.#looksLike({ model, startMs }, 'after_disconnect')
    return { causes: [], calls: [] }
  }

  /** The provider has lost it, which no rule knows of. */
  lost({ model, startMs }: Place): Fault {
    this.#record(model, this.#call(startMs))
    return fault('unexplained')
  }

  /** The provider counted a request of ours twice as long as it was. */
  stretched({ model, startMs }: Place): Fault {
    const call = this.#call(startMs)
    this.#meter(model, { ...call, used: { ...call.used, input: 2 * call.used.input } })
    this.#record(model, call)
    return fault('unexplained')
  }

  #call(startMs: number): Call {
    const [cacheRead, cacheWrite] = [this.isOne(0.5) ? this.upTo(5000) : 0, this.isOne(0.2) ? this.upTo(3000) : 0]
    return {
      used: { input: this.upTo(9000), cache_read: cacheRead, cache_write: cacheWrite, output: 60 + this.upTo(2000) },
      atMs: startMs + this.upTo(40 * 60_000),
      durationMs: this.upTo(60_000),
    }
  }

  #guess(used: TokenCounts): TokenCounts {
    return { ...used, output: used.output + this.upTo(50) * (this.isOne(0.5) ? -1 : 1) }
  }

  #meter(model: string, { used, atMs, durationMs }: Call, { key = 'ours', percent = 100 }: Billed = {}): void {
    const { input, cache_read: cached, cache_write: written, output: completion } = used
    this.metered.push({
      endMs: atMs + durationMs,
      model,
      key,
      prompt: input + cached + written,
      cached,
      written,
      completion,
      percent,
    })
  }

  #record(model: string, { used, atMs, durationMs }: Call, more: Partial<DoubtfulRecord> = {}): string {
    const id = `call-${this.records.length}`
    const known = {
      isServed: true,
      outcome: 'answered',
      usageSource: 'reported',
      estimatedClasses: '',
      hasUnits: false,
      unitParts: 0n,
    }
    const times = { startMs: atMs, endMs: atMs + durationMs }
    this.records.push({ id, upstreamModel: model, counts: used, failedModels: [], ...known, ...times, ...more })
    return id
  }
}

const EXTRAS = ['repriced', 'surcharge', 'searches', 'euros', 'plan'] as const

const HARMS = [
  'somebodyElse',
  'cutUnknown',
  'cutCounted',
  'attempt',
  'oneOfTwoAttempts',
  'attemptServedElsewhere',
  'guessed',
  'guessedWhole',
  'ranOver',
  'ranOverCountedBefore',
  'neverBegan',
  'lost',
  'stretched',
] as const satisfies readonly (keyof Books)[]

/** What a call may look like of which both books say the same. */
const LOOKS: readonly { readonly like: Cause; readonly of: (model: string) => Partial<DoubtfulRecord> }[] = [
  { like: 'estimated', of: () => ESTIMATED_OUTPUT },
  { like: 'after_disconnect', of: () => ({ outcome: 'cut', ...ESTIMATED_OUTPUT }) },
  { like: 'repeated_attempt', of: (model) => ({ failedModels: [model] }) },
]

function fault(cause: Cause, ...calls: string[]): Fault {
  return { causes: [cause], calls }
}

/** What the database makes of records: sums of the calls that used something, by the hour in which they began. */
function hoursOf(records: readonly DoubtfulRecord[]): OurHour[] {
  const hours = new Map<string, OurHour>()
  for (const { upstreamModel: model, startMs: atMs, counts, usageSource, isServed, unitParts } of records) {
    if (usageSource === 'none' || !isServed) continue
    const startMs = Math.floor(atMs / HOUR) * HOUR
    const sum = hours.get(`${startMs} ${model}`)
    const before = sum?.counts ?? NOTHING
    hours.set(`${startMs} ${model}`, {
      startMs,
      model,
      calls: (sum?.calls ?? 0) + 1,
      counts: {
        input: before.input + counts.input,
        cache_read: before.cache_read + counts.cache_read,
        cache_write: before.cache_write + counts.cache_write,
        output: before.output + counts.output,
      },
      chargeMicro: (sum?.chargeMicro ?? 0) + chargeOf(model, counts, searchesIn(unitParts)),
      price: modelPrice(model),
    })
  }
  return [...hours.values()]
}

/** How many of them were charged. */
export function searchesIn(unitParts: bigint): number {
  return Number(unitParts / 1_000_000n) / SEARCH_MICRO
}
