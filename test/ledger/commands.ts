// What can happen to a ledger, as commands for the model and the real one.

import fc from 'fast-check'
import { PACKAGE_TYPES } from '#core/entities.ts'
import { microCredits, type MicroCredits } from '#core/money.ts'
import type { AccountTerms, OpenHold } from '#ledger/account.ts'
import { BackUp, Restore } from './backup-commands.ts'
import { DAY, ZONES, type Model, type ModelHold, type ModelKey, type ModelTerms, type Zone } from './model.ts'
import { same, Step, type Real } from './step.ts'

class AddKey extends Step {
  readonly #terms: ModelTerms
  constructor(terms: ModelTerms) {
    super()
    this.#terms = terms
  }
  toString = () => `add a key of ${described(this.#terms)}`
  protected fits = (model: Readonly<Model>) => model.keys.length < 6
  protected async act(model: Model, { books, clock }: Real): Promise<ModelKey> {
    const id = await books.addKey(realTerms(this.#terms))
    return model.addKey(id, this.#terms, clock.nowMs)
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
  readonly #least: number
  readonly #isFree: boolean
  constructor(pick: number, worst: number, least: number, isFree: boolean) {
    super(pick)
    this.#worst = worst
    this.#least = Math.min(least, worst)
    this.#isFree = isFree
  }
  toString = () => `hold ${this.#worst}, at least ${this.#least}${this.#isFree ? ' of a free model' : ''}`
  protected async actOn(key: ModelKey, model: Model, { books, clock, holds, priceVersion }: Real): Promise<ModelKey> {
    const exchangeId = books.newId()
    const worstMicro = micro(this.#worst)
    const leastMicro = micro(this.#least)
    const request = { keyId: key.id, exchangeId, worstMicro, leastMicro, isFree: this.#isFree, priceVersion }
    const answer = await books.hold(request)
    const wish = { worst: this.#worst, least: this.#least }
    const expected = model.hold(key, exchangeId, wish, this.#isFree, clock.nowMs)
    same(answer.type === 'held' ? answer.hold.amountMicro : answer.type, expected)
    if (answer.type === 'held') holds.set(exchangeId, answer.hold)
    return key
  }
}

class Extend extends Step {
  readonly #pick: number
  readonly #more: number
  constructor(pick: number, more: number) {
    super()
    this.#pick = pick
    this.#more = more
  }
  toString = () => `let a hold grow by ${this.#more}`
  protected fits = (model: Readonly<Model>) => model.holds.length > 0
  protected act(model: Model, { books, clock, holds }: Real): Promise<ModelKey> {
    const hold = pickFrom(model.holds, this.#pick)
    same(books.ledger.extend(realHold(holds, hold), micro(this.#more)), model.extend(hold, this.#more, clock.nowMs))
    return Promise.resolve(hold.key)
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
    const real = realHold(holds, hold)
    const charge = this.#chargeFor(hold)
    await books.resolve(real, charge)
    model.resolve(hold, charge, clock.nowMs)
    // The same hold again changes nothing.
    const again = await books.resolve(real, charge + 1).then(
      () => 'charged twice',
      (error: unknown) => String(error).includes('resolved before'),
    )
    same(again, true)
    same(books.ledger.extend(real, micro(1)), 0)
    return hold.key
  }
  #chargeFor({ amount: held, grown }: ModelHold): number {
    const amount = held + grown
    const charges = { nothing: 0, less: Math.floor(amount / 2), all: amount, more: amount + this.#amount }
    return charges[this.#charge]
  }
}

/** A top-up, or a correction that takes. */
class Adjust extends KeyStep {
  readonly #amount: number
  readonly #id: string
  constructor(pick: number, amount: number, id: number) {
    super(pick)
    this.#amount = amount
    this.#id = `top-up:${id}`
  }
  toString = () => `adjust by ${this.#amount} as ${this.#id}`
  protected async actOn(key: ModelKey, model: Model, { books, clock }: Real): Promise<ModelKey | undefined> {
    if (key.terms.type === 'unlimited') return undefined
    await books.topUp(key.id, this.#amount, this.#id)
    model.adjust(key, this.#amount, this.#id, clock.nowMs)
    return undefined
  }
}

/** An edit of the key's package, or a move to another one: to the ledger they are the same. */
class ChangeTerms extends KeyStep {
  readonly #terms: ModelTerms
  readonly #keepsType: boolean
  readonly #isUsageReset: boolean
  constructor(pick: number, terms: ModelTerms, keepsType: boolean, isUsageReset: boolean) {
    super(pick)
    this.#terms = terms
    this.#keepsType = keepsType
    this.#isUsageReset = isUsageReset
  }
  toString = () =>
    `change to ${described(this.#terms)}${this.#keepsType ? ', same type' : ''}${this.#isUsageReset ? ', reset' : ''}`
  protected async actOn(key: ModelKey, model: Model, { books, clock }: Real): Promise<ModelKey> {
    const terms = this.#keepsType ? ofType(key.terms.type, this.#terms) : this.#terms
    await books.changeTerms(key.id, realTerms(terms), this.#isUsageReset)
    model.changeTerms(key, terms, this.#isUsageReset, clock.nowMs)
    return key
  }
}

/** Calls that were admitted before are charged by the price of then. */
class ChangePrice extends Step {
  toString = () => 'change the price'
  protected fits = (model: Readonly<Model>) => model.keys.length > 0
  protected async act(_: Model, real: Real): Promise<undefined> {
    real.priceVersion += 1
    await real.books.putPrice(real.priceVersion)
    return undefined
  }
}

/** Suspends or resumes a key, which changes nothing about its credits. */
class SetStatus extends KeyStep {
  readonly #status: 'active' | 'suspended'
  constructor(pick: number, status: 'active' | 'suspended') {
    super(pick)
    this.#status = status
  }
  toString = () => `make a key ${this.#status}`
  protected async actOn(key: ModelKey, _: Model, { books }: Real): Promise<ModelKey> {
    await books.setStatus(key.id, this.#status)
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

/** Ends the process and starts again on what it wrote; holds that are open are released without a charge. */
class Restart extends Step {
  toString = () => 'restart'
  protected fits = (model: Readonly<Model>) => model.keys.length > 0
  protected async act(model: Model, real: Real): Promise<undefined> {
    real.books = await real.restart()
    same(real.books.mismatches.join(), '')
    same(real.books.released, model.holds.length)
    model.restart(real.clock.nowMs)
    real.holds.clear()
    return undefined
  }
}

/** A crash between the change of a package and that of the account, which the next start makes good. */
class CrashDuringChange extends KeyStep {
  readonly #terms: ModelTerms
  constructor(pick: number, terms: ModelTerms) {
    super(pick)
    this.#terms = terms
  }
  toString = () => `crash while changing to ${described(this.#terms)}`
  protected async actOn(key: ModelKey, model: Model, real: Real): Promise<undefined> {
    await real.books.changePackageOnly(key.id, realTerms(this.#terms))
    real.books = await real.restart()
    same(real.books.mismatches.join(), '')
    const isSame = JSON.stringify(key.terms) === JSON.stringify(this.#terms)
    if (!isSame) model.changeTerms(key, this.#terms, false, real.clock.nowMs)
    same(real.books.released, model.holds.length)
    for (const hold of model.holds.slice()) model.resolve(hold, 0, real.clock.nowMs)
    real.holds.clear()
    return undefined
  }
}

function described({ type, credits, zone }: ModelTerms): string {
  return `${type}, ${credits} in ${zone}`
}

function ofType(type: ModelTerms['type'], { credits, zone }: ModelTerms): ModelTerms {
  return { type, credits: type === 'unlimited' ? 0 : credits, zone }
}

function realTerms({ type, credits, zone }: ModelTerms): AccountTerms {
  return { packageType: type, creditsMicro: micro(credits), timeZone: zone }
}

function micro(amount: number): MicroCredits {
  return microCredits(amount)
}

function realHold(holds: ReadonlyMap<string, OpenHold>, { id }: ModelHold): OpenHold {
  const hold = holds.get(id)
  if (hold === undefined) throw new Error('the model knows a hold that the ledger does not')
  return hold
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
const least = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 300 }))
const charge = fc.constantFrom<Charge>('nothing', 'less', 'all', 'more')
const clockStep = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: DAY }) },
  { weight: 3, arbitrary: fc.integer({ min: DAY, max: 100 * DAY }) },
  { weight: 2, arbitrary: fc.integer({ min: -40 * DAY, max: 0 }) },
  // A clock that is wrong: by a year or more, or by moments around a midnight.
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }).map((years) => years * 365 * DAY) },
  { weight: 1, arbitrary: fc.integer({ min: -2000, max: 2000 }) },
)

const someTerms = fc
  .tuple(fc.constantFrom(...PACKAGE_TYPES), credits, zone)
  .map(([type, amount, where]) => ofType(type, { type, credits: amount, zone: where }))

type Weighted = { readonly weight: number; readonly command: fc.Arbitrary<Step> }

const WEIGHTED: readonly Weighted[] = [
  { weight: 3, command: someTerms.map((terms) => new AddKey(terms)) },
  {
    weight: 8,
    command: fc
      .tuple(pick, worst, least, fc.boolean())
      .map(([key, most, few, coin]) => new Hold(key, most, few, coin && key % 5 === 0)),
  },
  { weight: 6, command: fc.tuple(pick, charge, fc.integer({ min: 1, max: 500 })).map((args) => new Resolve(...args)) },
  { weight: 5, command: fc.tuple(pick, fc.integer({ min: 0, max: 400 })).map((args) => new Extend(...args)) },
  {
    weight: 3,
    command: fc.tuple(pick, fc.integer({ min: -300, max: 500 }), fc.nat(2)).map((args) => new Adjust(...args)),
  },
  {
    weight: 4,
    command: fc
      .tuple(pick, someTerms, fc.nat(3), fc.nat(3))
      .map(([key, terms, type, reset]) => new ChangeTerms(key, terms, type > 0, reset === 0)),
  },
  { weight: 4, command: clockStep.map((byMs) => new SetClockBy(byMs)) },
  { weight: 2, command: pick.map((key) => new Look(key)) },
  { weight: 1, command: fc.constant(null).map(() => new ChangePrice()) },
  {
    weight: 1,
    command: fc
      .tuple(pick, fc.constantFrom('active' as const, 'suspended' as const))
      .map(([key, status]) => new SetStatus(key, status)),
  },
  { weight: 1, command: fc.constant(null).map(() => new Restart()) },
  { weight: 1, command: fc.tuple(pick, someTerms).map((args) => new CrashDuringChange(...args)) },
  { weight: 2, command: fc.constant(null).map(() => new BackUp()) },
  { weight: 2, command: fc.constant(null).map(() => new Restore()) },
]

/** Random sequences of everything above, the commoner things more often. */
export function sequences(maxCommands: number) {
  return fc.commands(
    WEIGHTED.flatMap(({ weight, command }) => Array.from({ length: weight }, () => command)),
    { maxCommands, size: 'max' },
  )
}
