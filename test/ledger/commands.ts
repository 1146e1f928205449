// What can happen to a ledger, as commands for the model and the real one.

import fc, { type AsyncCommand } from 'fast-check'
import { expect } from 'vitest'
import { PACKAGE_TYPES, type PackageType } from '#core/entities.ts'
import type { OpenHold } from '#ledger/account.ts'
import { Books, terms, type SetClock } from './books.ts'
import type { Inspector } from './inspector.ts'
import { DAY, ZONES, type Model, type ModelHold, type ModelKey, type Zone } from './model.ts'

/** The real ledger. It is opened anew by a restart, so it stands in a box. */
export type Real = {
  books: Books
  readonly clock: SetClock
  readonly inspector: Inspector
  readonly holds: Map<string, OpenHold>
}

/** One command: `run` does it to both; what must hold afterwards is checked for all of them alike. */
abstract class Step implements AsyncCommand<Model, Real> {
  check(model: Readonly<Model>): boolean {
    return this.fits(model)
  }

  async run(model: Model, real: Real): Promise<void> {
    const touched = await this.act(model, real)
    await real.inspector.inspect(model, real.books, touched)
  }

  abstract toString(): string
  protected abstract fits(model: Readonly<Model>): boolean
  /** Returns the key that was looked at, if one was. */
  protected abstract act(model: Model, real: Real): Promise<ModelKey | undefined>
}

class AddKey extends Step {
  readonly #type: PackageType
  readonly #credits: number
  readonly #zone: Zone
  constructor(type: PackageType, credits: number, zone: Zone) {
    super()
    this.#type = type
    this.#credits = type === 'unlimited' ? 0 : credits
    this.#zone = zone
  }
  toString = () => `add a ${this.#type} key of ${this.#credits} in ${this.#zone}`
  protected fits = (model: Readonly<Model>) => model.keys.length < 6
  protected async act(model: Model, { books, clock }: Real): Promise<ModelKey> {
    const id = await books.addKey(terms(this.#type, this.#credits, this.#zone))
    return model.addKey(id, this.#type, this.#credits, this.#zone, clock.nowMs)
  }
}

/** A command about one of the keys that there are. */
abstract class KeyStep extends Step {
  readonly #pick: number
  constructor(pick: number) {
    super()
    this.#pick = pick
  }
  protected fits(model: Readonly<Model>): boolean {
    return model.keys.length > 0
  }
  protected act(model: Model, real: Real): Promise<ModelKey | undefined> {
    const key = pickFrom(model.keys, this.#pick)
    return this.actOn(key, model, real)
  }
  protected abstract actOn(key: ModelKey, model: Model, real: Real): Promise<ModelKey | undefined>
}

class Hold extends KeyStep {
  readonly #worst: number
  readonly #isFree: boolean
  constructor(pick: number, worst: number, isFree: boolean) {
    super(pick)
    this.#worst = worst
    this.#isFree = isFree
  }
  toString = () => `hold ${this.#worst}${this.#isFree ? ' of a free model' : ''}`
  protected async actOn(key: ModelKey, model: Model, { books, clock, holds }: Real): Promise<ModelKey> {
    const exchangeId = books.newId()
    const worstMicro = terms('topup', this.#worst).creditsMicro
    const answer = await books.hold({ keyId: key.id, exchangeId, worstMicro, isFree: this.#isFree })
    const expected = model.hold(key, exchangeId, this.#worst, this.#isFree, clock.nowMs)
    expect(answer.type === 'held' ? answer.hold.amountMicro : answer.type).toBe(expected)
    if (answer.type === 'held') holds.set(exchangeId, answer.hold)
    return key
  }
}

type Charge = 'nothing' | 'less' | 'all' | 'more'

class Resolve extends Step {
  readonly #pick: number
  readonly #charge: Charge
  readonly #amount: number
  constructor(pick: number, charge: Charge, amount: number) {
    super()
    this.#pick = pick
    this.#charge = charge
    this.#amount = amount
  }
  toString = () => `resolve a hold and charge ${this.#charge} (${this.#amount})`
  protected fits = (model: Readonly<Model>) => model.holds.length > 0
  protected async act(model: Model, { books, clock, holds }: Real): Promise<ModelKey> {
    const hold = pickFrom(model.holds, this.#pick)
    const real = holds.get(hold.id)
    if (real === undefined) return expect.fail('the model knows a hold that the ledger does not')
    const charge = this.#chargeFor(hold)
    await books.resolve(real, charge)
    model.resolve(hold, charge, clock.nowMs)
    // The same hold again changes nothing.
    await expect(books.resolve(real, charge + 1)).rejects.toThrow('resolved before')
    return hold.key
  }
  #chargeFor({ amount }: ModelHold): number {
    const charges = { nothing: 0, less: Math.floor(amount / 2), all: amount, more: amount + this.#amount }
    return charges[this.#charge]
  }
}

class TopUp extends KeyStep {
  readonly #amount: number
  readonly #id: string
  constructor(pick: number, amount: number, id: number) {
    super(pick)
    this.#amount = amount
    this.#id = `top-up:${id}`
  }
  toString = () => `top up ${this.#amount} as ${this.#id}`
  protected async actOn(key: ModelKey, model: Model, { books, clock }: Real): Promise<ModelKey | undefined> {
    if (key.type === 'unlimited') return undefined
    await books.topUp(key.id, this.#amount, this.#id)
    model.topUp(key, this.#amount, this.#id, clock.nowMs)
    return undefined
  }
}

class ChangeTerms extends KeyStep {
  readonly #credits: number
  readonly #zone: Zone
  constructor(pick: number, credits: number, zone: Zone) {
    super(pick)
    this.#credits = credits
    this.#zone = zone
  }
  toString = () => `change the package to ${this.#credits} in ${this.#zone}`
  protected async actOn(key: ModelKey, model: Model, { books, clock }: Real): Promise<ModelKey> {
    const credits = key.type === 'unlimited' ? 0 : this.#credits
    await books.changeTerms(key.id, terms(key.type, credits, this.#zone))
    model.changeTerms(key, credits, this.#zone, clock.nowMs)
    return key
  }
}

class SetClockBy extends Step {
  readonly #byMs: number
  constructor(byMs: number) {
    super()
    this.#byMs = byMs
  }
  toString = () => `set the clock by ${this.#byMs / DAY} days`
  protected fits = () => true
  protected act(_: Model, { clock }: Real): Promise<undefined> {
    clock.nowMs += this.#byMs
    return Promise.resolve(undefined)
  }
}

class Look extends KeyStep {
  toString = () => 'look at a key'
  protected actOn(key: ModelKey): Promise<ModelKey> {
    return Promise.resolve(key)
  }
}

/** Ends the thread and starts again on the folder; holds that are open are released without a charge. */
class Restart extends Step {
  toString = () => 'restart'
  protected fits = (model: Readonly<Model>) => model.keys.length > 0
  protected async act(model: Model, real: Real): Promise<undefined> {
    const { books, clock } = real
    await books.stop()
    real.books = await Books.open({ dataDir: books.dataDir, clock })
    expect(real.books.mismatches).toEqual([])
    expect(real.books.released).toBe(model.holds.length)
    // Resolving takes a hold out of the list that is gone through.
    for (const hold of model.holds.slice()) model.resolve(hold, 0, clock.nowMs)
    real.holds.clear()
    return undefined
  }
}

function pickFrom<Item>(items: readonly Item[], pick: number): Item {
  const item = items[pick % items.length]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}

const pick = fc.nat(1000)
const zone = fc.constantFrom(...(Object.keys(ZONES) as Zone[]))
const credits = fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 1, max: 1000 }))
const worst = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant(100_000))
const charge = fc.constantFrom<Charge>('nothing', 'less', 'all', 'more')
const clockStep = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: DAY }) },
  { weight: 3, arbitrary: fc.integer({ min: DAY, max: 100 * DAY }) },
  { weight: 2, arbitrary: fc.integer({ min: -40 * DAY, max: 0 }) },
)

type Weighted = { readonly weight: number; readonly command: fc.Arbitrary<Step> }

const WEIGHTED: readonly Weighted[] = [
  {
    weight: 3,
    command: fc
      .tuple(fc.constantFrom(...PACKAGE_TYPES), credits, zone)
      .map(([type, amount, where]) => new AddKey(type, amount, where)),
  },
  {
    weight: 8,
    command: fc.tuple(pick, worst, fc.boolean()).map(([key, most, coin]) => new Hold(key, most, coin && key % 5 === 0)),
  },
  { weight: 6, command: fc.tuple(pick, charge, fc.integer({ min: 1, max: 500 })).map((args) => new Resolve(...args)) },
  {
    weight: 3,
    command: fc.tuple(pick, fc.integer({ min: -50, max: 500 }), fc.nat(2)).map((args) => new TopUp(...args)),
  },
  { weight: 2, command: fc.tuple(pick, credits, zone).map((args) => new ChangeTerms(...args)) },
  { weight: 4, command: clockStep.map((byMs) => new SetClockBy(byMs)) },
  { weight: 2, command: pick.map((key) => new Look(key)) },
  { weight: 1, command: fc.constant(null).map(() => new Restart()) },
]

/** Random sequences of everything above, the commoner things more often. */
export const sequences = fc.commands(
  WEIGHTED.flatMap(({ weight, command }) => Array.from({ length: weight }, () => command)),
  { maxCommands: 80, size: 'max' },
)
