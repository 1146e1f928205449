// The figures of calls: counted in memory when a call is on disk, and of every request when its answer has ended. Labels come from
// the catalogue and from tables of the code, never from a client, and there is a bound on how many there can be.

import type { Catalog } from '#catalog/catalog.ts'
import { Histogram } from '#core/histogram.ts'
import { sumToCredits } from '#core/money.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import type { Family, Labels } from '#server/watch/metrics-text.ts'
import type { ObservedRequest } from '#server/watch/observed-requests.ts'

/** More than any catalogue that people keep needs; models that come and go for years end up as `other`. */
const MAX_SERIES = 2000
const SECOND_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const TOKEN_CLASSES = {
  input: 'inputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheWriteTokens',
  output: 'outputTokens',
} as const satisfies Record<string, keyof UsageRecord>

export class CallMetrics {
  readonly #catalog: Pick<Catalog, 'provider'>
  readonly #calls = new Counts(['format', 'model', 'provider', 'status', 'outcome'])
  readonly #tokens = new Counts(['model', 'class'])
  readonly #chargedMicro = new Counts(['model'])
  readonly #requests = new Counts(['method', 'route', 'status'])
  readonly #firstByte = new Map<string, Histogram>()
  readonly #duration = new Map<string, Histogram>()

  constructor(catalog: Pick<Catalog, 'provider'>) {
    this.#catalog = catalog
  }

  /** Calls whose usage records are on disk. */
  recorded(records: readonly UsageRecord[]): void {
    for (const record of records) this.#count(record)
  }

  /** Any request, also one that was refused before it was a call. */
  requested({ method, route, status }: ObservedRequest): void {
    this.#requests.add([method, route ?? 'none', statusClass(status)], 1)
  }

  families(): Family[] {
    return [
      this.#calls.family('farebox_calls_total', 'Calls that were admitted and have ended.'),
      this.#tokens.family('farebox_tokens_total', 'Tokens of these calls, by the class that has a price.'),
      this.#chargedMicro.family(
        'farebox_charged_credits_total',
        'Credits that these calls were charged.',
        sumToCredits,
      ),
      this.#requests.family('farebox_requests_total', 'Requests of all kinds whose answer has ended.'),
      byFormat('farebox_first_byte_seconds', 'From admission to the first byte of the provider.', this.#firstByte),
      byFormat('farebox_call_duration_seconds', 'From admission to the end of the call.', this.#duration),
    ]
  }

  #count(record: UsageRecord): void {
    const { endpoint, modelId, providerId, status, outcome, chargeMicro, firstByteMs, durationMs } = record
    const provider = providerId === undefined ? 'none' : (this.#catalog.provider(providerId)?.name ?? 'removed')
    this.#calls.add([endpoint, modelId, provider, statusClass(status), outcome], 1)
    for (const [name, member] of Object.entries(TOKEN_CLASSES)) {
      const tokens = record[member]
      if (tokens !== undefined) this.#tokens.add([modelId, name], tokens)
    }
    this.#chargedMicro.add([modelId], chargeMicro)
    if (firstByteMs !== undefined) histogramOf(this.#firstByte, endpoint).observe(firstByteMs / 1000)
    histogramOf(this.#duration, endpoint).observe(durationMs / 1000)
  }
}

/** Sums by labels. */
class Counts {
  readonly #names: readonly string[]
  readonly #sums = new Map<string, { readonly labels: Labels; sum: number }>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  add(values: readonly string[], amount: number): void {
    const key = values.join('\0')
    const known = this.#sums.get(key)
    if (known !== undefined) known.sum += amount
    else if (this.#sums.size < MAX_SERIES) this.#begin(key, values, amount)
    else this.#addOther(amount)
  }

  family(name: string, help: string, asValue = (sum: number) => sum): Family {
    const samples = Array.from(this.#sums.values(), ({ labels, sum }) => [labels, asValue(sum)] as const)
    return { type: 'counter', name, help, samples }
  }

  #begin(key: string, values: readonly string[], sum: number): void {
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']))
    this.#sums.set(key, { labels, sum })
  }

  #addOther(amount: number): void {
    const known = this.#sums.get(OTHER)
    if (known !== undefined) known.sum += amount
    else
      this.#begin(
        OTHER,
        this.#names.map(() => OTHER),
        amount,
      )
  }
}

const OTHER = 'other'

function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`
}

/** The formats are a table of the code, so that there are never many. */
function histogramOf(histograms: Map<string, Histogram>, format: string): Histogram {
  const known = histograms.get(format)
  if (known !== undefined) return known
  const histogram = new Histogram(SECOND_BOUNDS)
  histograms.set(format, histogram)
  return histogram
}

function byFormat(name: string, help: string, histograms: ReadonlyMap<string, Histogram>): Family {
  return { type: 'histogram', name, help, histograms: Array.from(histograms, ([format, one]) => [{ format }, one]) }
}
