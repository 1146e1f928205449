// The ledger: who may spend, what is held, what was charged. It decides in memory, in one synchronous step per decision,
// so that two calls can never both take the last credit; the journal makes every decision durable.

import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import type { WaitingCall } from '#core/waiting.ts'
import {
  adjust,
  availableMicro,
  balanceOf,
  balanceRow,
  growHold,
  holdTotal,
  openAccount,
  releaseInstead,
  resolveHold,
  rollCycle,
  takeBackCharge,
  takeHold,
  type Account,
  type AccountTerms,
  type Balance,
  type OpenHold,
} from '#ledger/account.ts'
import type { Journal } from '#ledger/journal.ts'
import { entryRow, type LedgerBatch, type LedgerEntry, type UsageRecord } from '#ledger/rows.ts'
import { areSameTerms, changeTerms, type TermsChange } from '#ledger/terms.ts'

export type HoldRequest = {
  readonly exchangeId: string
  readonly keyId: string
  /** The most that the call is expected to cost. */
  readonly worstMicro: MicroCredits
  /** A model whose every price is an explicit 0 is admitted whatever is left. */
  readonly isFree: boolean
  readonly modelId: string
  readonly priceVersion: number | undefined
}

export type HoldAnswer =
  | { readonly type: 'held'; readonly hold: OpenHold }
  | { readonly type: 'exhausted'; readonly balance: Balance }
  /** Something remains, but calls in flight hold all of it, and waiting for them took too long. */
  | { readonly type: 'held-by-others'; readonly balance: Balance }
  | { readonly type: 'halted' }

/** Lets a caller that is gone leave a queue. */
export type Cancellation = { readonly isCancelled: boolean; onCancel(callback: () => void): void }

/** What is known at the end of an exchange, apart from what the ledger fills in itself. */
export type Settlement = Omit<UsageRecord, 'id' | 'keyId' | 'modelId' | 'priceVersion' | 'holdMicro' | 'isOverrun'>

type Waiter = {
  readonly request: HoldRequest
  readonly sinceMs: number
  readonly timer: NodeJS.Timeout
  answer(answer: HoldAnswer): void
}

export type LedgerOptions = {
  readonly journal: Journal
  readonly nowMs: () => number
  /** How long a call waits for credits that other calls hold. */
  readonly holdWaitMs: number
}

/** The id that an adjustment was made with: repeating it changes nothing. */
export type AdjustmentId = { readonly keyId: string; readonly id: string }

/** More callers than this never wait for the credits of one key. */
const MAX_WAITERS = 64

export class Ledger {
  readonly #journal: Journal
  readonly #nowMs: () => number
  readonly #holdWaitMs: number
  readonly #accounts = new Map<string, Account>()
  readonly #holds = new Map<string, OpenHold>()
  readonly #waiters = new Map<string, Waiter[]>()
  /** Ids of adjustments that were made, as `key/id`. */
  readonly #adjustments = new Set<string>()
  #mismatch: string | undefined

  constructor(options: LedgerOptions) {
    this.#journal = options.journal
    this.#nowMs = options.nowMs
    this.#holdWaitMs = options.holdWaitMs
  }

  /** `mismatch` when the books did not add up at start, `halted` while the disk refuses entries: no spending in either. */
  get state(): 'ok' | 'halted' | 'mismatch' {
    if (this.#mismatch !== undefined) return 'mismatch'
    return this.#journal.isHalted ? 'halted' : 'ok'
  }

  get openHolds(): number {
    return this.#holds.size
  }

  /** How many calls wait for credits that others hold. */
  get waiting(): number {
    let count = 0
    for (const queue of this.#waiters.values()) count += queue.length
    return count
  }

  /** Every call that waits for credits. Nobody knows when those that hold them end. */
  waitingCalls(): WaitingCall[] {
    return [...this.#waiters.values()].flatMap((queue) =>
      queue.map(({ request: { exchangeId, keyId, modelId }, sinceMs }, index) => ({
        exchangeId,
        keyId,
        modelId,
        sinceMs,
        reason: { type: 'credits' },
        place: index + 1,
        expectedAtMs: undefined,
        untilMs: sinceMs + this.#holdWaitMs,
      })),
    )
  }

  /** Entries that were decided and are not on their way to the disk yet. */
  get unwritten(): number {
    return this.#journal.gathered
  }

  get heldMicro(): MicroCredits {
    let sum = 0
    for (const hold of this.#holds.values()) sum += holdTotal(hold)
    return microCredits(sum)
  }

  /** Takes over accounts and open holds as they were read from disk. */
  restore(state: {
    accounts: Iterable<Account>
    holds: Iterable<OpenHold>
    adjustments: Iterable<AdjustmentId>
  }): void {
    for (const account of state.accounts) this.#accounts.set(account.keyId, account)
    for (const hold of state.holds) this.#holds.set(hold.exchangeId, hold)
    for (const adjustment of state.adjustments) this.#adjustments.add(`${adjustment.keyId}/${adjustment.id}`)
  }

  /** Refuses all spending from now on, because the books do not add up. Reads go on. */
  stopSpending(reason: string): void {
    this.#mismatch ??= reason
  }

  /** Opens a new key's account. Returns its first grant as rows, which must be written together with the key. */
  open(keyId: string, terms: AccountTerms): LedgerBatch {
    const [account, entries] = openAccount(keyId, terms, this.#nowMs())
    this.#accounts.set(keyId, account)
    return { entries: entries.map(entryRow), usage: [], balances: [balanceRow(account)] }
  }

  /** Undoes `open` for a key that could not be stored. */
  forget(keyId: string): void {
    this.#accounts.delete(keyId)
  }

  /**
   * Lets a key's account follow other terms at once, because its package was changed or it got another one. What was used
   * stays, unless the change says otherwise or the kind of package is another one. Resolves when it is on disk. Books that
   * do not add up are left alone: the next start that finds them in order makes the change.
   */
  async changeTerms(
    keyId: string,
    change: Pick<TermsChange, 'terms' | 'reason'> & { readonly isUsageReset?: boolean },
  ): Promise<void> {
    if (this.#mismatch !== undefined) return
    const account = this.#account(keyId)
    this.#roll(account)
    const isUsageReset = change.isUsageReset ?? false
    if (areSameTerms(account.terms, change.terms) && !isUsageReset) return this.#journal.flush()
    const idempotencyId = this.#newAdjustmentId(keyId)
    const entries = changeTerms(account, { ...change, isUsageReset, idempotencyId }, this.#nowMs())
    for (const entry of entries) this.#remember(entry)
    const written = this.#journal.commit(account, entries)
    this.#roll(account)
    this.#serveWaiters(keyId)
    await written
  }

  balance(keyId: string): Balance {
    const account = this.#account(keyId)
    this.#roll(account)
    return balanceOf(account)
  }

  /**
   * Adds credit by hand, or takes it with a negative amount, which may leave less than nothing. The same id twice counts
   * once. Resolves when it is on disk.
   */
  async adjust(keyId: string, adjustment: { amountMicro: MicroCredits; reason: string; id: string }): Promise<void> {
    const account = this.#account(keyId)
    if (this.#adjustments.has(`${keyId}/${adjustment.id}`)) return this.#journal.flush()
    this.#roll(account)
    const { amountMicro, reason, id } = adjustment
    const entry = adjust(account, { amountMicro, reason, idempotencyId: id }, this.#nowMs())
    this.#remember(entry)
    const written = this.#journal.commit(account, [entry])
    this.#serveWaiters(keyId)
    await written
  }

  /**
   * Holds credits for a call: its worst case, limited to what is available. Waits, for a bounded time and first come
   * first served, when other calls hold what is left.
   */
  async hold(request: HoldRequest, cancellation: Cancellation): Promise<HoldAnswer> {
    if (this.state !== 'ok') return { type: 'halted' }
    const account = this.#account(request.keyId)
    this.#roll(account)
    const queue = this.#waiters.get(request.keyId)
    if (queue === undefined || request.isFree) {
      const answer = this.#decide(account, request)
      if (answer.type !== 'held-by-others') return answer
    }
    if ((queue?.length ?? 0) >= MAX_WAITERS || cancellation.isCancelled) {
      return { type: 'held-by-others', balance: balanceOf(account) }
    }
    return this.#waitForOthers(account, request, cancellation)
  }

  /**
   * Lets the hold of a running call grow by up to `moreMicro`, as far as credits are available, and returns what it got:
   * nothing when the hold was resolved. In memory only, so it also works while the disk refuses entries: the call was
   * admitted, and what it costs is written when the disk takes it.
   */
  extend(hold: OpenHold, moreMicro: MicroCredits): MicroCredits {
    if (this.#holds.get(hold.exchangeId) !== hold || this.#mismatch !== undefined) return ZERO
    const account = this.#account(hold.keyId)
    this.#roll(account)
    return growHold(account, hold, moreMicro)
  }

  /**
   * Resolves a hold once: charges `settlement.chargeMicro` and returns the rest. Resolves when the charge and the usage
   * record are on disk; rejects with JournalHalted if the disk refuses them (they are kept and written later). Then
   * `undelivered`, where it is given, is recorded in their place, at charge 0: the call ends without its answer.
   */
  resolve(hold: OpenHold, settlement: Settlement, undelivered?: Settlement): Promise<void> {
    if (!this.#holds.delete(hold.exchangeId)) {
      return Promise.reject(new Error(`hold ${hold.exchangeId} was resolved before`))
    }
    const account = this.#account(hold.keyId)
    this.#roll(account)
    const wasLate = hold.cycleStartedAtMs !== account.cycleStartedAtMs
    const resolved = resolveHold(account, hold, settlement.chargeMicro, this.#nowMs())
    // What was returned is written before the holds that it makes possible.
    const written = this.#journal.commit(account, resolved, recordOf(hold, settlement))
    this.#serveWaiters(hold.keyId)
    if (undelivered === undefined || settlement.chargeMicro === 0) return written
    return written.catch((error: unknown) => {
      const { instead, after } = releaseInstead(account, hold, { resolved, wasLate }, this.#nowMs())
      if (this.#journal.amend(hold.keyId, { entries: instead, usage: recordOf(hold, undelivered) })) {
        takeBackCharge(account, hold, settlement.chargeMicro)
        if (after.length > 0) this.#journal.add(account, after)
      }
      throw error
    })
  }

  /** Releases every hold that an earlier process left open. Resolves when that is on disk. */
  async releaseOrphans(settle: (hold: OpenHold) => Settlement): Promise<number> {
    const orphans = [...this.#holds.values()]
    await Promise.all(orphans.map((hold) => this.resolve(hold, settle(hold))))
    return orphans.length
  }

  /** Resolves when everything decided so far is on disk. */
  flush(): Promise<void> {
    return this.#journal.flush()
  }

  #decide(account: Account, request: HoldRequest): HoldAnswer {
    const available = availableMicro(account)
    if (available > 0 || request.isFree) {
      const isUnlimited = available === Number.POSITIVE_INFINITY
      const amount = isUnlimited || request.isFree ? ZERO : microCredits(Math.min(request.worstMicro, available))
      return { type: 'held', hold: this.#take(account, request, amount) }
    }
    const type = available + account.heldMicro > 0 ? 'held-by-others' : 'exhausted'
    return { type, balance: balanceOf(account) }
  }

  #take(account: Account, request: HoldRequest, amountMicro: MicroCredits): OpenHold {
    const hold: OpenHold = {
      exchangeId: request.exchangeId,
      keyId: request.keyId,
      amountMicro,
      grownMicro: ZERO,
      isUnlimited: account.terms.packageType === 'unlimited',
      cycleStartedAtMs: account.cycleStartedAtMs,
      modelId: request.modelId,
      priceVersion: request.priceVersion,
      createdAtMs: this.#nowMs(),
    }
    this.#holds.set(hold.exchangeId, hold)
    this.#journal.add(account, [takeHold(account, hold)])
    return hold
  }

  #waitForOthers(account: Account, request: HoldRequest, cancellation: Cancellation): Promise<HoldAnswer> {
    const queue = this.#waiters.get(request.keyId) ?? []
    this.#waiters.set(request.keyId, queue)
    return new Promise((resolve) => {
      const leave = () => {
        const position = queue.indexOf(waiter)
        if (position === -1) return
        waiter.answer({ type: 'held-by-others', balance: balanceOf(account) })
      }
      const giveUp = () => {
        // A cycle may have begun during the wait without anybody looking, and then there is something for everybody.
        this.#roll(account)
        leave()
      }
      const waiter: Waiter = {
        request,
        sinceMs: this.#nowMs(),
        timer: setTimeout(giveUp, this.#holdWaitMs),
        answer: (answer) => {
          clearTimeout(waiter.timer)
          queue.splice(queue.indexOf(waiter), 1)
          if (queue.length === 0) this.#waiters.delete(request.keyId)
          resolve(answer)
        },
      }
      queue.push(waiter)
      cancellation.onCancel(leave)
    })
  }

  /** Admits or refuses those who wait, in their order, as far as the balance now decides. */
  #serveWaiters(keyId: string): void {
    const queue = this.#waiters.get(keyId)
    const account = this.#account(keyId)
    for (let next = queue?.[0]; next !== undefined; next = queue?.[0]) {
      const answer: HoldAnswer = this.state === 'ok' ? this.#decide(account, next.request) : { type: 'halted' }
      if (answer.type === 'held-by-others') return
      next.answer(answer)
    }
  }

  #roll(account: Account): void {
    const entries = rollCycle(account, this.#nowMs())
    // Books that do not add up are shown as they stand, and nothing is written on top of them.
    if (entries.length === 0 || this.#mismatch !== undefined) return
    this.#journal.add(account, entries)
    this.#serveWaiters(account.keyId)
  }

  /** An id that names the time, and that the key has not used: a clock that is set back comes to the same time twice. */
  #newAdjustmentId(keyId: string): string {
    let atMs = this.#nowMs()
    while (this.#adjustments.has(`${keyId}/package:${atMs}`)) atMs += 1
    return `package:${atMs}`
  }

  #remember({ kind, keyId, idempotencyId }: LedgerEntry): void {
    if (kind === 'adjustment') this.#adjustments.add(`${keyId}/${idempotencyId ?? ''}`)
  }

  #account(keyId: string): Account {
    const account = this.#accounts.get(keyId)
    if (account === undefined) throw new Error(`there is no account for key ${keyId}`)
    return account
  }
}

function recordOf(hold: OpenHold, settlement: Settlement): UsageRecord {
  return {
    ...settlement,
    id: hold.exchangeId,
    keyId: hold.keyId,
    modelId: hold.modelId,
    priceVersion: hold.priceVersion,
    holdMicro: holdTotal(hold),
    isOverrun: settlement.chargeMicro > holdTotal(hold) && !hold.isUnlimited,
  }
}
