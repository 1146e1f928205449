// What a model costs, as the program has it. The shape on the wire is in contract/prices.ts.

import type { PartClass } from '#contract/price-classes.ts'
import { microCredits, type MicroCredits } from '#core/money.ts'

/** Prices in micro-credits per million tokens of each class. */
export type Rates = {
  readonly inputMicro: MicroCredits
  readonly outputMicro: MicroCredits
  readonly cacheReadMicro: MicroCredits
  readonly cacheWriteMicro: MicroCredits
  /** The parts of these classes that have a price of their own; the others cost what their class costs. */
  readonly parts?: Readonly<Partial<Record<PartClass, MicroCredits>>>
}

/** What a call costs as a whole whose input has more tokens than this, cached ones included. */
export type PriceStep = { readonly aboveTokens: number; readonly rates: Rates }

/** Prices that go by the length of the input; the steps in their order, the shortest first. */
export type Ladder = Rates & { readonly steps?: readonly PriceStep[] }

/** A service tier has prices of its own, or the standard ones times a factor, in millionths. */
export type Tier = Ladder | { readonly factorMicro: number }

/** A price that changes gets a new version. */
export type Price = Ladder & {
  readonly version: number
  readonly tiers?: Readonly<Record<string, Tier>>
  /** In micro-credits per million of what is not counted in tokens; `request` is counted once for each call. */
  readonly units?: Readonly<Record<string, MicroCredits>>
  /** What a call is charged at least. */
  readonly minimumMicro?: MicroCredits
}

/** A price as its row has it. */
export type PriceRow = {
  readonly version: number
  readonly input_micro: number
  readonly output_micro: number
  readonly cache_read_micro: number
  readonly cache_write_micro: number
  /** What it names beside these, as JSON text. */
  readonly details: string | null
}

export function priceRow({ version, ...price }: Price): PriceRow {
  const { inputMicro, outputMicro, cacheReadMicro, cacheWriteMicro, ...details } = price
  return {
    version,
    input_micro: inputMicro,
    output_micro: outputMicro,
    cache_read_micro: cacheReadMicro,
    cache_write_micro: cacheWriteMicro,
    details: Object.keys(details).length === 0 ? null : JSON.stringify(details),
  }
}

export function priceOfRow(row: PriceRow): Price {
  return {
    version: row.version,
    inputMicro: microCredits(row.input_micro),
    outputMicro: microCredits(row.output_micro),
    cacheReadMicro: microCredits(row.cache_read_micro),
    cacheWriteMicro: microCredits(row.cache_write_micro),
    // Written by this program, from a price.
    ...(row.details === null ? undefined : (JSON.parse(row.details) as Partial<Price>)),
  }
}
