// A backup at some moment and its restore at a later one, as commands for the model and the real ledger: the books are those of
// the copy, whatever came after it, and the calls that were running then are released.

import type { Model } from './model.ts'
import { same, Step, type Real } from './step.ts'

export class BackUp extends Step {
  toString = () => 'back up'
  protected fits = (model: Readonly<Model>) => model.keys.length > 0
  protected async act(model: Model, real: Real): Promise<undefined> {
    await real.backUp()
    real.copiedPriceVersion = real.priceVersion
    model.takeCopy()
    return undefined
  }
}

export class Restore extends Step {
  toString = () => 'restore the backup'
  protected fits = (model: Readonly<Model>) => model.hasCopy
  protected async act(model: Model, real: Real): Promise<undefined> {
    real.books = await real.restore()
    real.priceVersion = real.copiedPriceVersion
    model.goBack()
    same(real.books.mismatches.join(), '')
    same(real.books.released, model.holds.length)
    model.restart(real.clock.nowMs)
    real.holds.clear()
    return undefined
  }
}
