// Whether a call may run: what it may come to cost fits into everything that it is spent from, or it runs alone on what is left.
// Pure; whoever asks takes what is decided in the same synchronous step.

import { microCredits, type MicroCredits } from '#core/money.ts'

/** An amount that calls are spent from. */
export type Spendable = {
  /** What may still be promised; below 0 in debt, Infinity where nothing bounds it. */
  readonly availableMicro: number
  /** What running calls hold of it. */
  readonly heldMicro: number
}

/** Who may have a budget beside the balances of keys. */
export type PurseScope = 'member' | 'project'

/** What calls of one day and of one month may be charged; undefined is no bound. */
export type BudgetLimits = {
  readonly dailyMicro: MicroCredits | undefined
  readonly monthlyMicro?: MicroCredits | undefined
}

export const UNLIMITED: BudgetLimits = { dailyMicro: undefined }

/** What a call spends from beside the balance of its key: the budget of its project, or of the key's member; a lease of that balance. */
export interface Purse extends Spendable {
  readonly id: string
  /** Of a part of a key's own balance that of its key. */
  readonly scope: SpendScope
  /** Whether all calls that spend from it wait in one line, of which a call has one: that of the first. */
  readonly hasLine: boolean
  hold(amountMicro: MicroCredits): void
}

/** Whose amount it is that a call does not fit into. */
export type SpendScope = 'key' | PurseScope

export type Wish = {
  /** The most that the call can cost. */
  readonly worstMicro: MicroCredits
  /** The most that it can cost with the smallest output that is of any use. */
  readonly leastMicro: MicroCredits
}

export type Verdict =
  /** What it may come to cost: its worst case, or less for a call that runs alone. */
  | { readonly type: 'fits'; readonly amountMicro: MicroCredits }
  /** Not even with everything that running calls hold. */
  | { readonly type: 'exhausted'; readonly scope: SpendScope }
  | { readonly type: 'held-by-others'; readonly scope: SpendScope }

/**
 * A call fits where its worst case does. Less is promised only where nothing else runs, so that at most one call of an amount runs
 * on what is left of it; every other one waits until running calls have ended.
 */
export function decide(wish: Wish, key: Spendable, purses: readonly Purse[] = []): Verdict {
  // Nothing is let in where nothing is left, whatever it costs.
  const leastMicro = Math.max(1, wish.leastMicro)
  // Purses first: whoever waits for one of them keeps all of its keys waiting.
  const ofKey = { scope: 'key', availableMicro: key.availableMicro, heldMicro: key.heldMicro } as const
  let amountMicro: number = wish.worstMicro
  let hindrance: SpendScope | undefined
  // Each amount is read once: what is left of a purse is worked out whenever it is asked for.
  for (const { scope, availableMicro, heldMicro } of [...purses, ofKey]) {
    if (availableMicro + heldMicro < leastMicro) return { type: 'exhausted', scope }
    if (Math.max(leastMicro, wish.worstMicro) <= availableMicro) continue
    if (heldMicro > 0) hindrance ??= scope
    amountMicro = Math.min(amountMicro, availableMicro)
  }
  if (hindrance !== undefined) return { type: 'held-by-others', scope: hindrance }
  return { type: 'fits', amountMicro: microCredits(amountMicro) }
}
