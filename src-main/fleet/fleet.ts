// This gateway among those that share its books: it joins them, says that it is there, lends itself parts of balances ahead of calls, and leaves.

import type { CatalogContext } from '#catalog/context.ts'
import type { SharedBooks } from '#catalog/shared.ts'
import { takeTurns } from '#catalog/turns.ts'
import type { LimitParts } from '#core/limit-parts.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import { Changes } from '#fleet/changes.ts'
import { sharedProblems } from '#fleet/checking.ts'
import { Elsewhere } from '#fleet/elsewhere.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import { availableIn, LeaseBook, leaseId, type LeaseShare, type Lent, type Sum } from '#fleet/lease-book.ts'
import { Keeping } from '#fleet/keeping.ts'
import { holderOf, LeaseQueue, type TakeAnswer, type TakeRequest } from '#fleet/lease-queue.ts'
import { CannotJoin, refuseErrand, TAKEN_BACK, type FleetOptions } from '#fleet/membership.ts'
import { foundIn, handBack, type SharedState } from '#fleet/moving.ts'
import { SharedReceipts } from '#fleet/receipts.ts'
import { RecentCalls } from '#fleet/recent-calls.ts'
import { Rejoining } from '#fleet/rejoining.ts'
import { rosterOf, settle, type Roster, type Settlement } from '#fleet/roster.ts'
import { EVERY, Rounds } from '#fleet/rounds.ts'
import { Seat, type Joined } from '#fleet/seat.ts'
import { SharedBudgets } from '#fleet/shared-budgets.ts'
import { SharedCalls } from '#fleet/shared-calls.ts'
import { SharedNotes } from '#fleet/shared-notes.ts'
import { SharedSecrets } from '#fleet/shared-secrets.ts'
import { OwnKeyUse } from '#fleet/own-key-use.ts'
import { SharedUsage } from '#fleet/shared-usage.ts'
import { Shipping } from '#fleet/shipping.ts'
import { tryFor } from '#fleet/tries.ts'
import { whyUnreachable } from '#fleet/why-unreachable.ts'
import type { HoldRequest } from '#ledger/hold-request.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import type { LeaseAnswer, Leases } from '#pipeline/leases.ts'

/** So many keys in one question: it holds their accounts until it is answered. */
const MAX_ASKED = 500
/** For this long a gateway that ends tries to tell what it charged and to give back its leases. */
const CLOSE_MS = 10_000
const TRY_AT_CLOSE_MS = 100
/** An answer waits for its charge to be in PostgreSQL for as long as a call waits for credits, and for this long at least. */
const MIN_KEEP_MS = 5000

export class Fleet implements Leases {
  readonly #options: FleetOptions
  readonly #seat: Seat
  readonly #changes: Changes
  readonly #book: LeaseBook
  readonly #queue: LeaseQueue
  readonly #shipping: Shipping
  readonly #recent: RecentCalls
  readonly #usage: SharedUsage
  readonly receipts: SharedReceipts
  readonly calls: SharedCalls<UsageRecord>
  readonly keeping: Keeping | undefined
  readonly budgets: SharedBudgets | undefined
  readonly secrets: SharedSecrets
  readonly notes: SharedNotes
  readonly #stopListening: () => void
  readonly #elsewhere: Elsewhere
  readonly #use: OwnKeyUse
  readonly #rounds: Rounds
  readonly #joining = takeTurns()
  readonly #rejoining = new Rejoining({
    join: () => this.#joinAgain(),
    isJoined: () => this.#seat.isTaken,
    isClosed: () => this.#isClosed,
    failed: (error) => this.#failed(error),
  })
  /** Of the catalogue, as far as it was heard of. */
  #latest = 0
  #isClosed = false

  constructor(options: FleetOptions) {
    this.#options = options
    const { ledger, own, monotonicMs, after, holdWaitMs: patienceMs } = options
    const changed = (keyId: string) => this.#changed(keyId)
    const heard = { onNotice: (text: string) => this.#heard(text), onLost: () => this.#rejoining.begin() }
    this.#seat = new Seat({ ...options, ...heard, telling: () => this.budgets?.telling })
    this.#rounds = new Rounds({ isOn: () => this.#seat.isTaken, failed: (error) => this.#failed(error) })
    this.#changes = new Changes({ seat: this.#seat, monotonicMs, after, failed: (error) => this.#failed(error) })
    this.#elsewhere = new Elsewhere({ seat: this.#seat, keyIds: () => this.#changes.keyIds, monotonicMs })
    this.#use = new OwnKeyUse({ seat: this.#seat, ledger })
    this.#book = new LeaseBook({
      monotonicMs,
      cycleOf: (keyId) => ledger.cycleOf(keyId),
      changed,
      charged: () => this.#shipping.charged(),
    })
    const take = (request: TakeRequest) => this.#take(request)
    const isUnsteady = () => !this.#isClosed && this.#seat.isUnsteady
    const waiting = { monotonicMs, after, patienceMs, isUnsteady }
    this.#queue = new LeaseQueue({ book: this.#book, holder: holderOf(ledger), take, ...waiting })
    const lending = { ...waiting, ledger, nowMs: options.nowMs, seat: this.#seat, follow: () => this.follow() }
    this.budgets = options.exact && new SharedBudgets({ ...options.exact, ...lending })
    this.#shipping = new Shipping({ seat: this.#seat, own, book: this.#book, queue: this.#queue, changed })
    this.keeping = options.isKeptShared
      ? new Keeping({
          tell: () => this.#shipping.ship('all'),
          isReachable: () => this.#seat.isTaken,
          failed: (error) => this.#failed(error),
          monotonicMs,
          after,
          patienceMs: () => Math.max(MIN_KEEP_MS, patienceMs()),
        })
      : undefined
    this.secrets = new SharedSecrets(this.#seat)
    this.notes = new SharedNotes(this.#seat)
    this.receipts = new SharedReceipts({ seat: this.#seat, after })
    this.#recent = new RecentCalls(monotonicMs)
    this.#usage = new SharedUsage(this.#seat, options.usage, monotonicMs)
    this.calls = new SharedCalls({ seat: this.#seat, monotonicMs, shown: options.shown })
    this.#stopListening = options.recorded.listen((calls) => {
      // Of a key without a limit no lease says it.
      if (calls.some(({ chargeMicro }) => chargeMicro > 0)) this.#shipping.charged()
      for (const { keyId } of calls) this.#use.used(keyId)
      this.#recent.recorded(calls)
      this.calls.recorded(calls)
    })
  }

  /** The catalogue's side of it. */
  get shared(): SharedBooks {
    return this.#changes
  }

  get gatewayId(): string {
    return this.#seat.gatewayId
  }

  /** Which shared books these are; undefined before it first joined. */
  get booksId(): string | undefined {
    return this.#seat.booksId
  }

  /** Which part of limits this gateway has; undefined for all of it. */
  get parts(): LimitParts | undefined {
    return this.#seat.parts
  }

  /** The same of days and months of members and projects. */
  get budgetParts(): LimitParts | undefined {
    return this.#seat.budgetParts
  }

  get isServing(): boolean {
    const { isServing, isTaken, isUnsteady } = this.#seat
    return isServing && (this.keeping === undefined || isTaken || isUnsteady)
  }

  share(keyId: string): LeaseShare | undefined {
    this.#use.used(keyId)
    return this.#changes.baseOf(keyId) === undefined ? undefined : this.#book.share(keyId)
  }

  hasLine(keyId: string): boolean {
    return this.#queue.isWaitedFor(keyId)
  }

  async hold(request: HoldRequest, cancellation: Cancellation): Promise<LeaseAnswer> {
    if (!this.isServing) return { type: 'unavailable' }
    return this.#queue.hold(request, cancellation)
  }

  /** Resolves when what others changed in the catalogue by now holds here. Rejects with FleetUnreachable. */
  follow(): Promise<void> {
    return this.#changes.follow()
  }

  /** Every gateway as PostgreSQL knows it. Throws FleetRefused where it cannot be asked. */
  roster(): Promise<Roster> {
    return rosterOf(this.#seat, this.#options)
  }

  /** Declares a gateway lost for good and settles what it left in doubt. Throws FleetRefused where PostgreSQL cannot be asked. */
  settle(gatewayId: string, how: 'charged' | 'free'): Promise<Settlement> {
    return settle(this.#seat, this.#options, { gatewayId, how })
  }

  /** What does not add up of the shared balances, as sentences. */
  problems(): Promise<string[]> {
    return sharedProblems(this.#options)
  }

  /** What is shared by now, to be held against what is here. Rejects with FleetUnreachable. */
  found(): Promise<SharedState> {
    return foundIn(this.#seat)
  }

  /**
   * Takes what is left of all balances out of the shared books, as their last gateway; they are closed to all others then. Says what the others have
   * charged, by key and cycle, in micro-credits. Rejects with CannotJoin where others are not done, and with FleetUnreachable; it can be repeated.
   */
  async takeBack(): Promise<(keyId: string, cycle: number) => number> {
    await this.#shipping.ship('end')
    await handBack(this.#seat, () => this.#changes.follow())
    await this.#elsewhere.look()
    return (keyId, cycle) => this.#elsewhere.charged(keyId, cycle)
  }

  /** Leaves and belongs to no shared books from now on, as another gateway than it was. */
  async leaveForGood(gatewayId: string): Promise<void> {
    await this.close()
    await this.#options.usage.tell(undefined)
    await this.#options.own.keepNote({ gatewayId, booksId: undefined, version: 0, mark: TAKEN_BACK })
  }

  /** Joins, if PostgreSQL can be reached, else later. Throws CannotJoin where these are not its books. */
  async begin(context: CatalogContext): Promise<void> {
    this.#changes.begin(context)
    this.#options.ledger.showElsewhere(this.#elsewhere)
    const { errand, own } = this.#options
    refuseErrand(errand, own.note, this.#changes.hasCatalog)
    try {
      await this.#join()
    } catch (error) {
      if (errand !== undefined || !(error instanceof FleetUnreachable)) {
        // An open connection would keep a process that cannot start from ending.
        this.#isClosed = true
        await this.#seat.close()
        throw error
      }
      const line = `The shared database cannot be reached${whyUnreachable(error)}, so no calls are admitted yet.`
      this.#options.log(line, { event: 'fleet_unreachable', level: 'warning' })
      this.#rejoining.begin()
    }
    const { budgets } = this
    this.#rounds.every(EVERY.beatMs, () => this.#beat())
    this.#rounds.every(EVERY.beatMs, () => this.#catchUp())
    this.#rounds.every(EVERY.shipMs, () => this.#shipping.ship('lately'))
    this.#rounds.every(EVERY.aheadMs, () => this.#askAhead())
    if (budgets !== undefined) this.#rounds.every(EVERY.shipMs, () => budgets.exchange())
    this.#rounds.every(EVERY.usageMs, () => this.#usage.exchange())
    this.#rounds.every(EVERY.callsMs, () => this.calls.tell())
  }

  /** Tells everything that was charged, gives back everything and leaves, within a bound. What cannot be told is told at the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#rounds.stop()
    this.#stopListening()
    const bound = { forMs: CLOSE_MS, everyMs: TRY_AT_CLOSE_MS, after: this.#options.after }
    await tryFor(bound, () => this.#leave()).catch((error: unknown) => this.#failed(error))
    await this.#seat.close()
  }

  /** Where it was cut off it joins first: what it has is known over there only. */
  async #leave(): Promise<void> {
    if (!this.#seat.hasEverJoined) return
    await this.#joinAgain()
    await this.#shipping.ship('end')
    await this.budgets?.ship('end')
    await this.#usage.tell()
    await this.#use.tell()
    await this.#seat.inTurn(() => this.#seat.say('leave_fleet', []))
  }

  async #take({ lease, needMicro, wantMicro, leastMicro }: TakeRequest): Promise<TakeAnswer> {
    const seat = this.#seat
    const { keyId, cycle } = lease
    const answer = await seat
      .inTurn(async (): Promise<TakeAnswer> => {
        if (this.#isClosed) return { type: 'unavailable' }
        const amounts = [needMicro, wantMicro, Math.max(0, availableIn(lease)), leastMicro ?? null]
        const base = this.#changes.baseOf(keyId) ?? 0
        const { error, got, free, elsewhere } = await seat.say('take', [seat.version, keyId, cycle, ...amounts, base])
        if (error !== undefined) return { type: error === 'stale' ? 'again' : 'unavailable' }
        // By its key: an idle lease may have been let go of since, and another one begun.
        this.#book.leased([[keyId, cycle, Number(got), Number(free)]])
        return { type: 'asked', gotMicro: Number(got), freeMicro: Number(free), elsewhereMicro: Number(elsewhere) }
      })
      .catch((error: unknown): TakeAnswer => {
        this.#failed(error)
        return { type: 'unavailable' }
      })
    if (answer.type === 'again') await this.#changes.follow()
    return answer
  }

  /** Asks for more where leases are running low, before calls have to wait for it: once for all of them. */
  async #askAhead(): Promise<void> {
    const asked: Sum[] = []
    for (const lease of this.#book.all) {
      const wantMicro = this.#queue.isWaitedFor(lease.keyId) ? 0 : this.#book.ahead(lease)
      if (wantMicro > 0) asked.push([lease.keyId, lease.cycle, wantMicro])
      if (asked.length === MAX_ASKED) break
    }
    if (asked.length === 0) return
    const seat = this.#seat
    const taken = await seat.inTurn(async () => {
      if (this.#isClosed) return []
      const { error, got } = await seat.say('take_ahead', [JSON.stringify(asked)])
      if (error !== undefined) return []
      const lent = got as readonly Lent[]
      this.#book.leased(lent)
      return lent
    })
    for (const [keyId] of taken) this.#changed(keyId)
  }

  async #beat(): Promise<void> {
    const { version, usage, secrets, notes } = await this.#seat.inTurn(() => this.#seat.beat(this.#recent.figures))
    this.#latest = version
    this.#usage.heard(usage)
    if (notes !== undefined) await this.notes.heard(notes)
    if (secrets !== undefined) await this.secrets.heard(secrets)
  }

  /** Beside the signs of life, which must not wait for what may take long. */
  async #catchUp(): Promise<void> {
    await this.#seat.sightings.keep()
    await this.#use.tell()
    if (this.#latest > this.#seat.version) await this.#changes.follow()
    await this.#elsewhere.lookAgain()
    await this.#changes.tellRest()
  }

  async #join(): Promise<void> {
    const isBeginning = !this.#seat.hasEverJoined
    await this.#seat.join(this.#changes.hasCatalog, {
      take: async (joined) => {
        await this.secrets.joined({ isBeginning })
        await this.notes.joined()
        await this.#claim(joined)
        if (joined.version === 0) await this.#changes.bring()
        await this.#usage.joined(this.#seat.booksId ?? '', joined.usageSeq)
      },
      part: async (joined) => {
        await this.#claim(joined)
        await this.#shipping.shipRest()
        return !this.#book.isHeld
      },
    })
    await this.#changes.follow()
    // What others charged is for people alone, and takes a while where there are many keys: no start waits for it.
    this.#elsewhere.joined()
    this.#use.joined(this.#changes.keyIds)
    this.#options.log('Shares its books with the gateways of the shared database.', { event: 'fleet_joined' })
  }

  /** Takes over what PostgreSQL has of this gateway, and has it lend what this one has spent and holds beyond that. */
  async #claim(joined: Joined): Promise<void> {
    if (joined.budgets !== undefined) await this.budgets?.joined(joined.budgets)
    await this.#shipping.joined(joined)
    this.#book.restore(joined.leases)
    const claims = this.#book.lacking().map((sum) => [...sum, this.#changes.baseOfCycles(sum[0]) ?? null])
    const { got } = await this.#seat.say('claim', [JSON.stringify(claims)])
    // The sums that were claimed, as far as they were free.
    this.#book.leased(got as readonly Sum[])
  }

  #joinAgain(): Promise<void> {
    return this.#joining(async () => {
      if (this.#seat.isTaken) return
      await this.#seat.close()
      await this.#join()
    })
  }

  #changed(keyId: string): void {
    this.#queue.changed(keyId)
    this.#options.ledger.purseChanged(leaseId(keyId))
  }

  #heard(text: string): void {
    const [word = '', subject = ''] = text.split(' ')
    const failed = (error: unknown) => this.#failed(error)
    if (word === 'version' && Number(subject) > this.#seat.version) this.#changes.follow().catch(failed)
    if (word === 'receipt') this.receipts.lookedFor(subject).catch(failed)
    if (word === 'found') this.receipts.found(subject).catch(failed)
    if (word === 'look') this.calls.lookedAt(subject)
    if (word === 'calls') this.calls.heard(text.slice(word.length + 1), failed)
    if (word === 'secret' && subject !== this.gatewayId) this.secrets.look().catch(failed)
    if (word === 'note' && subject !== this.gatewayId) this.notes.look().catch(failed)
    if (word === 'freed') this.#queue.changed(subject)
    if (word.startsWith('budget-')) this.budgets?.hearOf(word, text.slice(word.length + 1), failed)
    if (word !== 'want' || this.#isClosed) return
    this.#shipping.want(subject)
    this.#shipping.ship('all').catch(failed)
  }

  #failed(error: unknown): void {
    if (error instanceof FleetUnreachable) return
    if (error instanceof SecretFailure && error.trouble === 'database') return
    const line =
      error instanceof CannotJoin
        ? error.message
        : `The shared books: ${error instanceof Error ? error.message : 'a fault'}`
    this.#options.log(line, { event: 'fleet_failed', level: 'error' })
  }
}
