// What a command for the model and the real ledger is, and what it works with.

import type { AsyncCommand } from 'fast-check'
import type { AccountTerms, OpenHold } from '#ledger/account.ts'
import type { HoldAnswer, HoldRequest } from '#ledger/hold-request.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { SetClock } from './books.ts'
import type { Model, ModelKey } from './model.ts'

/** A real ledger with what it writes to. `Books` is one with a thread and a disk. */
export type TestedBooks = {
  readonly ledger: Ledger
  /** How many holds the start released, and what it found wrong. */
  readonly released: number
  readonly mismatches: readonly string[]
  newId(): string
  addKey(terms: AccountTerms): Promise<string>
  /** Edits the package of a key. */
  changeTerms(keyId: string, terms: AccountTerms, isUsageReset: boolean): Promise<void>
  /** The same in a process that dies before the account could follow. */
  changePackageOnly(keyId: string, terms: AccountTerms): Promise<void>
  putPrice(version: number): Promise<void>
  setStatus(keyId: string, storedStatus: 'active' | 'suspended'): Promise<void>
  hold(request: Partial<HoldRequest> & { keyId: string }): Promise<HoldAnswer>
  resolve(hold: OpenHold, chargeMicro: number): Promise<void>
  topUp(keyId: string, amountMicro: number, id: string): Promise<void>
}

/** It is opened anew by a restart, so it stands in a box. */
export type Real = {
  books: TestedBooks
  readonly clock: SetClock
  priceVersion: number
  /** The version of the price when the copy was taken. */
  copiedPriceVersion: number
  readonly holds: Map<string, OpenHold>
  /** Ends what there is and starts on what it left. */
  restart(): Promise<TestedBooks>
  /** Takes a copy of what is on disk, in the place of the one there was. */
  backUp(): Promise<void>
  /** Ends what there is and starts on the copy. */
  restore(): Promise<TestedBooks>
  /** Holds everything that was promised against the model. `touched` is a key that the step looked at. */
  inspect(model: Model, touched: ModelKey | undefined): Promise<void>
}

/** One command: `run` does it to both; what must hold afterwards is checked for all of them alike. */
export abstract class Step implements AsyncCommand<Model, Real> {
  check(model: Readonly<Model>): boolean {
    return this.fits(model)
  }

  async run(model: Model, real: Real): Promise<void> {
    const touched = await this.act(model, real)
    await real.inspect(model, touched)
  }

  abstract toString(): string
  protected abstract fits(model: Readonly<Model>): boolean
  /** Returns the key that was looked at, if one was. */
  protected abstract act(model: Model, real: Real): Promise<ModelKey | undefined>
}

/** A plain comparison: these run by the million. */
export function same(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) throw new Error(`${String(actual)} should be ${String(expected)}`)
}
