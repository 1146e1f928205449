// This gateway among those that share its books: it joins them, says that it is there, makes the changes of the others, tells what it charged, and
// gives back what it does not need. Everything that PostgreSQL is asked is asked in turn, so that after a lost connection one look at it tells
// where this gateway stands.

import type { CatalogContext } from '#catalog/context.ts'
import { followShared, wholeCatalog } from '#catalog/follow.ts'
import type { SharedBooks, SharedChange } from '#catalog/shared.ts'
import { takeTurns } from '#catalog/turns.ts'
import { FleetRefused } from '#core/fleet.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import { Connection, FleetUnreachable } from '#fleet/connection.ts'
import { availableIn, LeaseBook, leaseId, type Lease, type LeaseShare, type Sum } from '#fleet/lease-book.ts'
import { LeaseQueue, type TakeAnswer, type TakeRequest } from '#fleet/lease-queue.ts'
import { amountsOf, CannotJoin, refuseForeign, type FleetOptions, type OwnNote } from '#fleet/membership.ts'
import { tryFor } from '#fleet/tries.ts'
import type { HoldRequest } from '#ledger/hold-request.ts'
import type { LeaseAnswer, Leases } from '#pipeline/leases.ts'

/** For this long after PostgreSQL was last heard of calls are let in, in milliseconds. */
const TERM_MS = 60_000
const BEAT_MS = 1000
const SHIP_MS = 250
const TRY_AT_FIRST_MS = 50
const TRY_AGAIN_MS = 500
/** For this long a gateway that ends tries to tell what it charged and to give back its leases. */
const CLOSE_MS = 10_000
const TRY_AT_CLOSE_MS = 100
/** A call that was let in within the term, and a little for what is slow. */
const GRACE_MS = TERM_MS + 30_000

type Standing = { readonly epoch: number; shipped: number }
type Shipment = { readonly from: number; readonly upTo: number; readonly sums: readonly Sum[] }

export class Fleet implements Leases, SharedBooks {
  readonly inTurn = takeTurns()
  readonly #options: FleetOptions
  readonly #connection: Connection
  readonly #book: LeaseBook
  readonly #queue: LeaseQueue
  /** In which PostgreSQL is asked. */
  readonly #ask = takeTurns()
  #context: CatalogContext | undefined
  #note: OwnNote
  #standing: Standing | undefined
  /** What was sent and not answered. */
  #sent: Shipment | undefined
  /** undefined before it first joined. */
  #heardAt: { readonly monotonicMs: number; readonly wallMs: number } | undefined
  #hasCharges = false
  #isClosed = false
  readonly #wanted = new Set<string>()
  /** What the other gateways have charged, by key and cycle, in micro-credits. */
  readonly #elsewhere = new Map<string, number>()
  /** Changes that hold here and that the others do not know. */
  #untold: SharedChange[] = []
  #timers: NodeJS.Timeout[] = []
  #isJoining = false
  /** In which it joins again. */
  readonly #joining = takeTurns()

  constructor(options: FleetOptions) {
    this.#options = options
    this.#note = options.own.note
    const { ledger, monotonicMs, after } = options
    this.#connection = new Connection({
      url: options.url,
      password: options.password,
      onNotice: (text) => this.#heard(text),
      onLost: () => this.#lost(),
    })
    this.#book = new LeaseBook({
      monotonicMs,
      cycleOf: (keyId) => ledger.balance(keyId).cycleStartedAtMs,
      changed: (keyId) => this.#changed(keyId),
      charged: () => (this.#hasCharges = true),
    })
    this.#queue = new LeaseQueue({
      book: this.#book,
      ledger,
      take: (request) => this.#take(request),
      monotonicMs,
      after,
      patienceMs: options.holdWaitMs,
    })
  }

  get isServing(): boolean {
    const { monotonicMs, nowMs } = this.#options
    const heard = this.#heardAt
    // A machine that slept has a monotonic clock that may have slept with it.
    return (
      heard !== undefined &&
      monotonicMs() - heard.monotonicMs < TERM_MS &&
      Math.abs(nowMs() - heard.wallMs) < 2 * TERM_MS
    )
  }

  share(keyId: string): LeaseShare | undefined {
    return this.#baseOf(keyId) === undefined ? undefined : this.#book.share(keyId)
  }

  hasLine(keyId: string): boolean {
    return this.#queue.isWaitedFor(keyId)
  }

  async hold(request: HoldRequest, cancellation: Cancellation): Promise<LeaseAnswer> {
    if (!this.isServing) return { type: 'unavailable' }
    return this.#queue.hold(request, cancellation)
  }

  /** Joins, if PostgreSQL can be reached, else later. Throws CannotJoin where these are not its books. */
  async begin(context: CatalogContext): Promise<void> {
    this.#context = context
    this.#options.ledger.showElsewhere((keyId, cycle) => this.#elsewhere.get(`${keyId} ${cycle}`) ?? 0)
    try {
      await this.#join()
    } catch (error) {
      if (!(error instanceof FleetUnreachable)) throw error
      this.#options.log('The shared database cannot be reached, so no calls are admitted yet.', {
        event: 'fleet_unreachable',
        level: 'warning',
      })
      this.#joinLater()
    }
    const every = (ms: number, work: () => Promise<void>) => {
      let isRunning = false
      const timer = setInterval(() => {
        if (isRunning || this.#standing === undefined) return
        isRunning = true
        void work()
          .catch((error: unknown) => this.#failed(error))
          .finally(() => (isRunning = false))
      }, ms)
      this.#timers.push(timer)
    }
    every(BEAT_MS, () => this.#beat())
    every(SHIP_MS, () => this.#ship())
  }

  /** Tells everything that was charged, gives back everything and leaves, within a bound. What cannot be told is told at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
    const bound = { forMs: CLOSE_MS, everyMs: TRY_AT_CLOSE_MS, after: this.#options.after }
    await tryFor(bound, () => this.#leave()).catch((error: unknown) => this.#failed(error))
    await this.#connection.close()
  }

  /** Where it was cut off it joins first: what it has is known over there only. */
  async #leave(): Promise<void> {
    if (this.#heardAt === undefined) return
    await this.#joinAgain()
    this.#hasCharges = true
    await this.#ship(true)
    const epoch = this.#standing?.epoch ?? 0
    await this.#ask(() => this.#connection.call('leave_fleet', [this.#note.gatewayId, epoch]))
  }

  async make(change: SharedChange, locally: () => Promise<void>): Promise<void> {
    const problem = await this.#ask(async () => {
      const answer = await this.#publish(change)
      if (typeof answer === 'string') return answer
      await locally()
      await this.#noteVersion(answer)
      return undefined
    }).catch((error: unknown) => {
      if (error instanceof FleetUnreachable) return 'unreachable' as const
      throw error
    })
    if (problem === 'overtaken') setImmediate(() => void this.#follow().catch((error: unknown) => this.#failed(error)))
    if (problem !== undefined) throw new FleetRefused(problem)
  }

  async tell(change: SharedChange): Promise<boolean> {
    this.#untold.push(change)
    // Not in the turn of changes: whoever tells is in it.
    await this.#tellUntold().catch(() => undefined)
    return this.#untold.length === 0
  }

  async #tellUntold(): Promise<void> {
    await this.#ask(async () => {
      for (let change = this.#untold[0]; change !== undefined; change = this.#untold[0]) {
        const answer = await this.#publish(change)
        // The others are told once this gateway knows what they know.
        if (typeof answer === 'string') return
        this.#untold.shift()
        await this.#noteVersion(answer)
      }
    })
  }

  /** The version that the change has now, or why it is none. */
  async #publish(change: SharedChange): Promise<number | 'overtaken' | 'unreachable'> {
    const standing = this.#standing
    if (standing === undefined) return 'unreachable'
    const openings = change.openings.flatMap(([keyId, cycle, , granted, used, , , type]) =>
      type === 'unlimited' ? [] : [[keyId, cycle, Math.max(0, granted), used]],
    )
    const { gatewayId, version } = this.#note
    const amounts = amountsOf(change, this.#options.ledger, (keyId) => this.#baseOf(keyId))
    const values = [JSON.stringify(change), JSON.stringify(openings), JSON.stringify(amounts)]
    const answer = await this.#connection.call('publish', [gatewayId, standing.epoch, version, ...values])
    if (answer.error === 'superseded') this.#lost()
    if (answer.error === 'stale') return 'overtaken'
    return answer.error === undefined ? Number(answer.version) : 'unreachable'
  }

  async #noteVersion(version: number): Promise<void> {
    this.#note = { ...this.#note, version }
    await this.#options.own.keepNote(this.#note)
  }

  /** What a cycle of a key begins with; undefined for a key without a limit. */
  #baseOf(keyId: string): number | undefined {
    const catalog = this.#context?.catalog
    const entity = catalog?.package(catalog.key(keyId)?.packageId ?? '')
    return entity === undefined || entity.type === 'unlimited' ? undefined : entity.creditsMicro
  }

  async #take({ lease, needMicro, wantMicro, leastMicro }: TakeRequest): Promise<TakeAnswer> {
    const { keyId, cycle } = lease
    let isStale = false
    const answer = await this.#ask(async (): Promise<TakeAnswer> => {
      const standing = this.#standing
      if (standing === undefined || this.#isClosed) return { type: 'unavailable' }
      const { gatewayId, version } = this.#note
      const amounts = [
        needMicro,
        wantMicro,
        Math.max(0, availableIn(lease)),
        leastMicro ?? null,
        this.#baseOf(keyId) ?? 0,
      ]
      const { error, got, free, elsewhere } = await this.#connection.call('take', [
        gatewayId,
        standing.epoch,
        version,
        keyId,
        cycle,
        ...amounts,
      ])
      if (error === 'superseded') this.#lost()
      isStale = error === 'stale'
      if (error !== undefined) return { type: isStale ? 'again' : 'unavailable' }
      lease.leasedMicro += Number(got)
      return { type: 'asked', gotMicro: Number(got), freeMicro: Number(free), elsewhereMicro: Number(elsewhere) }
    }).catch((error: unknown): TakeAnswer => {
      this.#failed(error)
      return { type: 'unavailable' }
    })
    if (isStale) await this.#follow()
    return answer
  }

  async #beat(): Promise<void> {
    const version = await this.#ask(async () => {
      const standing = this.#standing
      if (standing === undefined) return undefined
      const sentAt = this.#now()
      const { gatewayId, version: known } = this.#note
      const answer = await this.#connection.call('beat', [gatewayId, standing.epoch, known, this.#grace])
      if (answer.error !== undefined) {
        this.#lost()
        return undefined
      }
      this.#heardAt = sentAt
      return Number(answer.version)
    })
    if (version !== undefined && version > this.#note.version) await this.#follow()
    await this.#lookElsewhere(false)
    if (this.#untold.length > 0) await this.#tellUntold()
  }

  /** What the others have charged counts for what people are shown of a balance. */
  async #lookElsewhere(isAll: boolean): Promise<void> {
    const sums = await this.#ask(() => this.#connection.chargedElsewhere(this.#note.gatewayId, isAll))
    for (const [keyId, cycle, amountMicro] of sums) this.#elsewhere.set(`${keyId} ${cycle}`, amountMicro)
  }

  /** Makes the changes of other gateways, in turn with those of this one. */
  async #follow(): Promise<void> {
    const context = this.#context
    if (context === undefined) return
    await this.inTurn(() =>
      this.#ask(async () => {
        const changes = await this.#connection.changesAfter(this.#note.version)
        for (const { version, body } of changes) {
          // It is what another gateway's `publish` was given.
          await followShared(context, body as SharedChange)
          await this.#noteVersion(version)
        }
      }),
    )
  }

  /** Tells what was charged since the last time, and gives back what is idle. */
  async #ship(isEnd = false): Promise<void> {
    if (!isEnd) this.#askAhead()
    let isAll = false
    while (!isAll) isAll = await this.#ask(() => this.#shipNext(isEnd))
  }

  /** Says whether there is nothing more to tell. */
  async #shipNext(isEnd: boolean): Promise<boolean> {
    const standing = this.#standing
    if (standing === undefined) throw new FleetUnreachable(undefined)
    const isWanted = ({ keyId }: Lease) => isEnd || this.#wanted.has(keyId)
    const handed = this.#book.takeIdle(isWanted, (lease) => !isEnd && this.#queue.isCountedOn(lease))
    this.#wanted.clear()
    if (!this.#hasCharges && handed.length === 0) return true
    this.#hasCharges = false
    const { upTo, sums, isAll } = await this.#options.own.chargedAfter(standing.shipped)
    if (!isAll) this.#hasCharges = true
    if (sums.length === 0 && handed.length === 0) return true
    const sent = { from: standing.shipped, upTo, sums }
    this.#sent = sent
    const texts = [JSON.stringify(sums), JSON.stringify(handed)]
    const { gatewayId } = this.#note
    const answer = await this.#connection.call('ship', [gatewayId, standing.epoch, sent.from, upTo, ...texts])
    if (answer.error !== undefined) {
      this.#lost()
      throw new FleetUnreachable(answer.error)
    }
    this.#arrived(standing, sent)
    return isAll
  }

  #arrived(standing: Standing, { upTo, sums }: Shipment): void {
    this.#sent = undefined
    standing.shipped = upTo
    this.#book.told(sums)
    for (const [keyId] of sums) this.#changed(keyId)
  }

  /** Asks for more where a lease is running low, before a call has to wait for it. */
  #askAhead(): void {
    for (const lease of this.#book.all) {
      const needMicro = this.#queue.isWaitedFor(lease.keyId) ? 0 : this.#book.ahead(lease)
      if (needMicro === 0) continue
      void this.#take({ lease, needMicro: 1, wantMicro: needMicro, leastMicro: undefined }).then(() =>
        this.#changed(lease.keyId),
      )
    }
  }

  async #join(): Promise<void> {
    await this.#ask(async () => {
      await this.#connection.open()
      const upTo = await this.#options.own.lastEntry()
      const { place, program } = this.#options
      const sentAt = this.#now()
      const answer = await this.#connection.call('join_fleet', [
        this.#note.gatewayId,
        place,
        program,
        upTo,
        this.#grace,
      ])
      refuseForeign(answer, this.#note, this.#context?.catalog.isFresh === false)
      const isFirst = this.#standing === undefined && this.#heardAt === undefined
      const standing: Standing = { epoch: Number(answer.epoch), shipped: Number(answer.shipped) }
      if (this.#sent?.upTo === standing.shipped) this.#arrived(standing, this.#sent)
      this.#sent = undefined
      const leases = answer.leases as readonly {
        readonly key: string
        readonly cycle: number
        readonly amount: number
      }[]
      this.#book.restore(leases.map(({ key, cycle, amount }) => [key, cycle, amount]))
      this.#note = { ...this.#note, booksId: String(answer.books) }
      // Before anything is brought: whoever has brought something belongs to these books.
      await this.#options.own.keepNote(this.#note)
      if (isFirst) await this.#countUntold(standing)
      this.#standing = standing
      if (Number(answer.version) === 0) await this.#bring()
      this.#heardAt = sentAt
    })
    await this.#follow()
    await this.#lookElsewhere(true)
    this.#hasCharges = true
    this.#options.log('Shares its books with the gateways of the shared database.', { event: 'fleet_joined' })
  }

  /** Charges of an earlier process that were not told: they are in the leases that it left. */
  async #countUntold({ shipped }: Standing): Promise<void> {
    let [seq, isAll] = [shipped, false]
    while (!isAll) {
      const charged = await this.#options.own.chargedAfter(seq)
      for (const [keyId, cycle, amountMicro] of charged.sums) this.#book.lease(keyId, cycle).spentMicro += amountMicro
      ;[seq, isAll] = [charged.upTo, charged.isAll]
    }
  }

  /** The first gateway of a fleet brings its catalogue and its balances. */
  async #bring(): Promise<void> {
    const context = this.#context
    if (context === undefined || context.catalog.isFresh) return
    const version = await this.#publish(wholeCatalog(context))
    if (typeof version === 'number') await this.#noteVersion(version)
  }

  get #grace(): string {
    return `${GRACE_MS + this.#options.longestCallMs} ms`
  }

  #now(): { readonly monotonicMs: number; readonly wallMs: number } {
    const { monotonicMs, nowMs } = this.#options
    return { monotonicMs: monotonicMs(), wallMs: nowMs() }
  }

  #changed(keyId: string): void {
    this.#queue.changed(keyId)
    this.#options.ledger.purseChanged(leaseId(keyId))
  }

  #heard(text: string): void {
    const [word = '', subject = ''] = text.split(' ')
    if (word === 'version' && Number(subject) > this.#note.version) {
      void this.#follow().catch((error: unknown) => this.#failed(error))
    }
    if (word === 'freed') this.#queue.changed(subject)
    if (word !== 'want' || this.#isClosed) return
    this.#wanted.add(subject)
    void this.#ship().catch((error: unknown) => this.#failed(error))
  }

  /** Also where its leases were taken back, or somebody else is this gateway now. */
  #lost(): void {
    this.#standing = undefined
    if (!this.#isClosed) this.#joinLater()
  }

  #joinLater(): void {
    if (this.#isJoining) return
    this.#isJoining = true
    const again = () => {
      if (this.#isClosed) return
      this.#joinAgain().then(
        () => (this.#isJoining = false),
        (error: unknown) => {
          this.#failed(error)
          setTimeout(again, error instanceof CannotJoin ? 10 * TRY_AGAIN_MS : TRY_AGAIN_MS).unref()
        },
      )
    }
    setTimeout(again, TRY_AT_FIRST_MS).unref()
  }

  #joinAgain(): Promise<void> {
    return this.#joining(async () => {
      if (this.#standing !== undefined) return
      await this.#connection.close()
      await this.#join()
    })
  }

  #failed(error: unknown): void {
    if (error instanceof FleetUnreachable) return
    const line =
      error instanceof CannotJoin
        ? error.message
        : `The shared books: ${error instanceof Error ? error.message : 'a fault'}`
    this.#options.log(line, { event: 'fleet_failed', level: 'error' })
  }
}
