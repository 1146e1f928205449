// Counts values by their size, for figures that somebody draws later: the count of values up to each of a few bounds, and
// their sum. A value costs a short search and no memory.

export class Histogram {
  /** In rising order. */
  readonly bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  get sum(): number {
    return this.#sum
  }

  get count(): number {
    return this.#count
  }

  /** Counts a value into the first bound that is not less than it. */
  observe(value: number): void {
    this.#sum += value
    this.#count += 1
    const index = this.bounds.findIndex((bound) => value <= bound)
    if (index !== -1) this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  /** For each bound how many values are not greater than it. */
  cumulative(): number[] {
    let sum = 0
    return this.#counts.map((count) => (sum += count))
  }
}
