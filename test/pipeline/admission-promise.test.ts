// However many calls run side by side, none runs whose worst case is not held in full, of whatever it is spent from: random histories
// of calls of every size, ends at every charge, top-ups, moves, days that begin and processes that are killed.

import { expect, it } from 'vitest'
import type { Cancellation } from '#core/wait-queue.ts'
import { FINE_PRICE, PRICE, World, type ProjectLimits, type Running } from './admission-world.ts'
import { randomFrom } from '../support/random.ts'
import { cases } from '../support/cases.ts'

const SEQUENCES = cases(250, 1_500, 100_000)
const FOR_LONG_MS = 3_600_000
/** Every so often a crowd comes at once. */
const CROWD = 300

class History {
  readonly world: World
  readonly #random: () => number
  readonly #leaving: (() => void)[] = []

  constructor(seed: number) {
    this.#random = randomFrom(seed)
    const keys = 1 + this.#upTo(3)
    this.world = new World({
      credits: Array.from({ length: keys }, () => (this.#upTo(5) === 0 ? undefined : this.#upTo(20_000))),
      memberDaily: this.#upTo(2) === 0 ? undefined : this.#upTo(30_000),
      project: this.#projectLimits(),
      providerDaily: this.#upTo(3) === 0 ? this.#upTo(60_000) : undefined,
      price: this.#upTo(2) === 0 ? FINE_PRICE : PRICE,
    })
    this.keys = keys
  }

  readonly keys: number

  async run(): Promise<void> {
    const steps = 3 + this.#upTo(12)
    for (let step = 0; step < steps; step++) await this.#step()
    await this.#finish()
    this.world.expectQuiet()
  }

  async #step(): Promise<void> {
    const { world } = this
    const what = this.#upTo(16)
    if (what < 6) return this.#come(1 + this.#upTo(4))
    if (what < 7) return this.#come(this.#upTo(20) === 0 ? CROWD : this.#upTo(20))
    if (what < 11) return this.#end()
    if (what === 11) return world.topUp(this.#upTo(this.keys), this.#upTo(10_000))
    if (what === 13) return this.#leaving.pop()?.()
    // Whoever was let in under the bounds of before is on its way by then.
    await quiet()
    if (what === 12) return world.passTime(this.#upTo(30) * 3_600_000)
    if (what === 14) {
      const packageType = this.#upTo(2) === 0 ? 'topup' : 'daily'
      return world.move(this.#upTo(this.keys), packageType, this.#upTo(30_000))
    }
    if (this.#upTo(4) === 0) return world.kill()
    if (this.#upTo(2) === 0) return world.setProject(this.#projectLimits())
    world.setMemberDaily(this.#upTo(3) === 0 ? undefined : this.#upTo(30_000))
  }

  #projectLimits(): ProjectLimits {
    const limit = (most: number) => (this.#upTo(2) === 0 ? undefined : this.#upTo(most))
    return { daily: limit(30_000), monthly: limit(60_000) }
  }

  /** Calls that come together. They go on by themselves. */
  async #come(count: number): Promise<void> {
    for (let one = 0; one < count; one++) {
      const outputCap = this.#upTo(3) === 0 ? undefined : 1 + this.#upTo(900)
      const plan = {
        key: this.#upTo(this.keys),
        inputTokens: this.#upTo(800),
        outputCap,
        isStream: this.#upTo(2) === 0,
        isOfProject: this.#upTo(2) === 0,
      }
      void this.world.come(plan, this.#cancellation()).catch(this.#fail)
    }
    await settled()
  }

  async #end(): Promise<void> {
    const running = [...this.world.running]
    const call = running[this.#upTo(running.length)]
    if (call !== undefined) await this.#endAt(call)
    await settled()
  }

  /** Charges of nothing, of all that was held, and of everything between. */
  #endAt(call: Running): Promise<void> {
    const part = [0, 1, 0.99, this.#random()][this.#upTo(4)] ?? 0
    return this.world.end(call, part)
  }

  /** Ends what runs until nobody is left. Whoever waits is let in or refused by then: nobody waits for ever. */
  async #finish(): Promise<void> {
    do {
      for (const call of this.world.running) await this.#endAt(call)
      // One that its provider refuses lets in the next one, and so on.
      await quiet()
    } while (this.world.running.size > 0)
    if (this.#failure !== undefined) throw this.#failure
    expect(this.world.waiting).toBe(0)
  }

  #failure: Error | undefined
  readonly #fail = (error: Error) => {
    this.#failure ??= error
  }

  #cancellation(): Cancellation {
    const callbacks: (() => void)[] = []
    this.#leaving.push(() => callbacks.forEach((callback) => callback()))
    return { isCancelled: false, onCancel: (callback) => callbacks.push(callback) }
  }

  /** A whole number below a bound. */
  #upTo(bound: number): number {
    return Math.floor(this.#random() * bound)
  }
}

/** Until nothing goes on by itself any more. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Until everything that is ready has happened: admission takes a few turns, and none of them waits for anything outside. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve()
}

it(
  `holds in ${SEQUENCES} random histories`,
  async () => {
    const seen = { admitted: 0, lowered: 0, exhausted: 0, held: 0, provider: 0 }
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const history = new History(seed)
      await history.run().catch((error: unknown) => {
        throw new Error(`history ${seed}: ${String(error)}`, { cause: error })
      })
      const { admitted, lowered, refused } = history.world
      seen.admitted += admitted
      seen.lowered += lowered
      for (const why of ['exhausted', 'held', 'provider'] as const) seen[why] += refused[why]
    }
    // The histories are of any use only where everything happens in them.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(SEQUENCES / 10)
  },
  FOR_LONG_MS,
)
