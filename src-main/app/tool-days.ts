// What calls of each tool were charged on the present day of this machine, for whoever wants to be told of it.

import { ZERO, totalMicro, type MicroCredits } from '#core/money.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import { CycleCount, type CycleCountOptions } from '#pipeline/cycle-count.ts'

/** Clients name their tools themselves: beyond so many of them none is counted that was not before. */
const MAX_TOOLS = 10_000

export class ToolDays {
  readonly #options: CycleCountOptions
  readonly #days = new Map<string, CycleCount>()

  /** `charged` is what was charged before this start, by tool. */
  constructor(options: CycleCountOptions, charged: ReadonlyMap<string, number>) {
    this.#options = options
    for (const [tool, amount] of charged) this.#dayOf(tool)?.restore(amount)
  }

  /** Each call once, when its charge is on disk. */
  recorded(records: readonly UsageRecord[]): void {
    for (const { attribution, chargeMicro } of records) {
      if (attribution?.tool !== undefined) this.#dayOf(attribution.tool)?.close(ZERO, chargeMicro)
    }
  }

  chargedMicro(tool: string): MicroCredits {
    return totalMicro(this.#days.get(tool)?.chargedMicro ?? 0)
  }

  #dayOf(tool: string): CycleCount | undefined {
    const known = this.#days.get(tool)
    if (known !== undefined) return known
    if (this.#days.size >= MAX_TOOLS) this.#forgetQuiet()
    if (this.#days.size >= MAX_TOOLS) return undefined
    const day = new CycleCount(this.#options)
    this.#days.set(tool, day)
    return day
  }

  /** Those that were charged nothing on this day. */
  #forgetQuiet(): void {
    for (const [tool, day] of this.#days) if (day.chargedMicro === 0) this.#days.delete(tool)
  }
}
