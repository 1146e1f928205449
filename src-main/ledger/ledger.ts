// The ledger: who may spend, what is held, what was charged. It decides in memory, in one synchronous step per decision, so that
// two calls can never both take the last credit; the journal makes every decision durable.

import { MAX_AMOUNT, totalMicro, ZERO, type MicroCredits } from '#core/money.ts'
import { decide, type SpendScope } from '#core/spending.ts'
import type { WaitingCall } from '#core/waiting.ts'
import { WaitQueue, type After, type Cancellation, type Look } from '#core/wait-queue.ts'
import {
  adoptAccount,
  balanceOf,
  balanceRow,
  budgetOf,
  countableMicro,
  growHold,
  growthLeft,
  holdTotal,
  openAccount,
  releaseInstead,
  resolveHold,
  spendableOf,
  takeBackCharge,
  takeHold,
  type Account,
  type AccountTerms,
  type Balance,
  type OpenHold,
} from '#ledger/account.ts'
import { newHold, type Changed, type Held, type HoldAnswer, type HoldRequest } from '#ledger/hold-request.ts'
import { rollCycle } from '#ledger/cycles.ts'
import { proposalOf, type AccountChange } from '#ledger/account-change.ts'
import { adjusting, type Adjustment } from '#ledger/adjustments.ts'
import type { Journal } from '#ledger/journal.ts'
import { entryRow, type BalanceRow, type LedgerBatch, type LedgerEntry } from '#ledger/rows.ts'
import { withOthers, type OtherGateways } from '#ledger/other-gateways.ts'
import { recordOf, type Settlement } from '#ledger/settlement.ts'
import { areSameTerms, changeTerms, type TermsRequest } from '#ledger/terms.ts'
import { lineOf, waitFor } from '#ledger/wait-line.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

export type LedgerOptions = {
  readonly journal: Journal
  readonly nowMs: () => number
  readonly after: After
  /** How long a call waits for credits that other calls hold. */
  readonly holdWaitMs: number
  /** Told the balances that a top-up, a correction or other terms left, once they are on disk. */
  readonly onChanged?: (balances: LedgerBatch['balances']) => void
}

/** The id that an adjustment was made with: repeating it changes nothing. */
export type AdjustmentId = { readonly keyId: string; readonly id: string }

const CHANGED: Changed = { type: 'changed' }
/** More calls than this never wait for the credits of one key. */
const MAX_WAITERS_OF_KEY = 64

export class Ledger {
  readonly #journal: Journal
  readonly #nowMs: () => number
  /** Those who wait for credits that running calls hold. All calls of a project wait in one line, else all keys of a member. */
  readonly #queue: WaitQueue<HoldRequest, HoldAnswer, SpendScope>
  readonly #accounts = new Map<string, Account>()
  readonly #holds = new Map<string, OpenHold>()
  /** Ids of adjustments that were made, as `key/id`. */
  readonly #adjustments = new Set<string>()
  readonly #onChanged: LedgerOptions['onChanged']
  #mismatch: string | undefined
  #others: OtherGateways | undefined

  constructor(options: LedgerOptions) {
    this.#journal = options.journal
    this.#nowMs = options.nowMs
    this.#onChanged = options.onChanged
    this.#queue = new WaitQueue({
      nowMs: options.nowMs,
      after: options.after,
      get patienceMs() {
        return options.holdWaitMs
      },
      maxOfKey: MAX_WAITERS_OF_KEY,
      look: (request) => this.#look(request),
      refuse: (request, scope) => this.#refused('held-by-others', request, scope),
      reasonOf: () => ({ type: 'credits' }),
      sourcesOf: ({ purses }) => purses.map(({ id }) => id),
    })
  }

  /** `mismatch` when the books did not add up at start, `halted` while the disk refuses entries: no spending in either. */
  get state(): 'ok' | 'halted' | 'mismatch' {
    if (this.#mismatch !== undefined) return 'mismatch'
    return this.#journal.isHalted ? 'halted' : 'ok'
  }

  get openHolds(): number {
    return this.#holds.size
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Every call that waits for credits. */
  waitingCalls(): WaitingCall[] {
    return this.#queue.waitingCalls()
  }

  /** Entries that were decided and are not on their way to the disk yet. */
  get unwritten(): number {
    return this.#journal.gathered
  }

  get heldMicro(): MicroCredits {
    let sum = 0
    for (const hold of this.#holds.values()) sum += holdTotal(hold)
    return totalMicro(sum)
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

  /** The projection of an account, as it is on disk once everything decided is. */
  rowOf(keyId: string): BalanceRow {
    return balanceRow(this.#rolled(keyId))
  }

  /** Opens an account as another gateway has it, with nothing used; undefined where it is open already. */
  adopt(row: BalanceRow): LedgerBatch | undefined {
    if (this.#accounts.has(row[0])) return undefined
    const [account, entries] = adoptAccount(row, this.#nowMs())
    this.#accounts.set(account.keyId, account)
    return { entries: entries.map(entryRow), usage: [], balances: [balanceRow(account)] }
  }

  /** Undoes `open` for a key that could not be stored. */
  forget(keyId: string): void {
    this.#accounts.delete(keyId)
  }

  /**
   * Lets a key's account follow other terms at once, because its package was changed or it got another one. What was used
   * stays, unless the change says otherwise or the kind of package is another one. Resolves when it is on disk; where it
   * rejects, nothing has changed. Books that do not add up are left alone: the next start that finds them in order makes the
   * change.
   */
  changeTerms(keyId: string, change: TermsRequest): Promise<void> {
    return this.changeTermsTogether([{ keyId, ...change }], [])
  }

  /** The same for many keys, all at once or not at all, and together with the changes of the catalogue that are the reason. */
  async changeTermsTogether(
    requests: readonly (TermsRequest & { readonly keyId: string })[],
    rows: readonly CatalogChange[],
  ): Promise<void> {
    const changes = this.#mismatch === undefined ? requests.flatMap((request) => this.#termsChange(request)) : []
    if (changes.length === 0 && rows.length === 0) return this.#journal.flush()
    await this.#change(changes, rows)
  }

  balance(keyId: string): Balance {
    return balanceOf(this.#shown(keyId))
  }

  /** When the present cycle of a key began, in milliseconds. */
  cycleOf(keyId: string): number {
    return this.#rolled(keyId).cycleStartedAtMs
  }

  budget(keyId: string): ReturnType<typeof budgetOf> {
    return budgetOf(this.#shown(keyId))
  }

  /** From now on balances show what other gateways have charged and how often they used the key. It counts for no decision. */
  showElsewhere(others: OtherGateways): void {
    this.#others = others
  }

  /** How this gateway has used a key, without the others. */
  ownUse(keyId: string): Pick<Balance, 'requestCount' | 'lastUsedAtMs'> {
    return this.#account(keyId)
  }

  /**
   * Adds credit by hand, or takes it with a negative amount, which may leave less than nothing. The same id twice counts
   * once. Resolves when it is on disk, and counts from then on; where it rejects, nothing has changed.
   */
  adjust(keyId: string, adjustment: Omit<Adjustment, 'keyId'>): Promise<void> {
    return this.adjustTogether([{ keyId, ...adjustment }])
  }

  /** The same of several, in their order, all of them or none. */
  async adjustTogether(all: readonly Adjustment[]): Promise<void> {
    const isMade = (keyId: string, id: string) => this.hasAdjustment(keyId, id)
    const changes = adjusting(all, { accountOf: (keyId) => this.#rolled(keyId), isMade, nowMs: this.#nowMs() })
    return changes.length === 0 ? this.#journal.flush() : this.#change(changes, [])
  }

  /** Whether an adjustment leaves an amount that can be counted. */
  canAdjust(keyId: string, amountMicro: MicroCredits): boolean {
    return Math.abs(this.#account(keyId).grantedMicro + amountMicro) <= MAX_AMOUNT
  }

  /** Whether an adjustment was made with this id. */
  hasAdjustment(keyId: string, id: string): boolean {
    return this.#adjustments.has(`${keyId}/${id}`)
  }

  /** Holds the whole worst case of a call if it fits and no other call waits. undefined: `hold` decides. */
  holdAtOnce(request: HoldRequest): Held | Changed | undefined {
    if (this.state !== 'ok') return undefined
    if (request.isCurrent?.() === false) return CHANGED
    const account = this.#rolled(request.keyId)
    if (request.isFree) return this.#take(account, request, ZERO)
    if (this.#queue.hasLine(lineOf(request))) return undefined
    const verdict = decide(request, spendableOf(account), request.purses)
    if (verdict.type !== 'fits' || verdict.amountMicro < request.worstMicro) return undefined
    return this.#take(account, request, verdict.amountMicro)
  }

  /**
   * Holds credits for a call: its worst case, or what is left for one that runs alone. Waits, for a bounded time and first come
   * first served, while other calls hold what it needs.
   */
  async hold(request: HoldRequest, cancellation: Cancellation): Promise<HoldAnswer> {
    if (this.state !== 'ok') return { type: 'halted' }
    return this.holdAtOnce(request) ?? this.#queue.join(request, lineOf(request), cancellation)
  }

  /** Looks again at calls that wait, because something came back to what they spend from beside the balances of their keys. */
  purseChanged(purseId: string): void {
    this.#queue.serveSource(purseId)
  }

  /**
   * Lets the hold of a running call grow by up to `moreMicro`, as far as credits are available, and returns what it got:
   * nothing when the hold was resolved. In memory only, so it also works while the disk refuses entries: the call was
   * admitted, and what it costs is written when the disk takes it.
   */
  extend(hold: OpenHold, moreMicro: MicroCredits): MicroCredits {
    if (this.growthLeft(hold) <= 0) return ZERO
    return growHold(this.#account(hold.keyId), hold, moreMicro)
  }

  /** By how much the hold of a running call can grow, in micro-credits: Infinity for keys without a limit. */
  growthLeft(hold: OpenHold): number {
    if (this.#holds.get(hold.exchangeId) !== hold || this.#mismatch !== undefined) return 0
    return growthLeft(this.#rolled(hold.keyId), hold)
  }

  /**
   * Resolves a hold once: charges `asked.chargeMicro`, as far as the account can count it, and returns the rest. Resolves when the charge and the usage
   * record are on disk; rejects with JournalHalted if the disk refuses them (they are kept and written later). Then
   * `undelivered`, where it is given, is recorded in their place, at charge 0: the call ends without its answer.
   */
  resolve(hold: OpenHold, asked: Settlement, undelivered?: Settlement): Promise<void> {
    if (!this.#holds.delete(hold.exchangeId)) {
      return Promise.reject(new Error(`hold ${hold.exchangeId} was resolved before`))
    }
    const account = this.#rolled(hold.keyId)
    const settlement = { ...asked, chargeMicro: countableMicro(account, hold, asked.chargeMicro) }
    const wasLate = hold.cycleStartedAtMs !== account.cycleStartedAtMs
    const resolved = resolveHold(account, hold, settlement.chargeMicro, this.#nowMs())
    // What was returned is written before the holds that it makes possible.
    const written = this.#journal.commit(account, resolved, recordOf(hold, settlement))
    this.#queue.serveSource(hold.keyId)
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

  #termsChange({ keyId, terms, reason, isUsageReset = false }: TermsRequest & { readonly keyId: string }) {
    const account = this.#rolled(keyId)
    if (areSameTerms(account.terms, terms) && !isUsageReset) return []
    const nowMs = this.#nowMs()
    let idempotencyId: string | undefined
    const change = (present: Account) => {
      idempotencyId ??= this.#newAdjustmentId(keyId)
      return changeTerms(present, { terms, reason, isUsageReset, idempotencyId }, nowMs)
    }
    return [{ account, change }]
  }

  #change(changes: readonly AccountChange[], rows: readonly CatalogChange[]): Promise<void> {
    const proposal = proposalOf(changes, rows, ({ entries, rests, balances }) => {
      for (const entry of entries) this.#remember(entry)
      for (const rest of rests) if (rest.entries.length > 0) this.#journal.add(rest.account, rest.entries)
      for (const { account } of changes) {
        this.#roll(account)
        this.#queue.serveSource(account.keyId)
      }
      this.#onChanged?.(balances)
    })
    return this.#journal.propose(proposal)
  }

  #look(request: HoldRequest): Look<HoldAnswer, SpendScope> {
    if (this.state !== 'ok') return { type: 'answer', answer: { type: 'halted' } }
    if (request.isCurrent?.() === false) return { type: 'answer', answer: CHANGED }
    const account = this.#account(request.keyId)
    this.#begin(account)
    const verdict = decide(request, spendableOf(account), request.purses)
    switch (verdict.type) {
      case 'fits':
        return { type: 'answer', answer: this.#take(account, request, verdict.amountMicro) }
      case 'exhausted':
        return { type: 'answer', answer: this.#refused('exhausted', request, verdict.scope) }
      case 'held-by-others':
        return waitFor(verdict.scope, request)
    }
  }

  #refused(type: 'exhausted' | 'held-by-others', { keyId }: HoldRequest, scope: SpendScope): HoldAnswer {
    return { type, scope, balance: balanceOf(this.#account(keyId)) }
  }

  #take(account: Account, request: HoldRequest, promisedMicro: MicroCredits): Held {
    const hold = newHold(account, request, promisedMicro, this.#nowMs())
    this.#holds.set(hold.exchangeId, hold)
    this.#journal.add(account, [takeHold(account, hold)])
    for (const purse of request.purses) purse.hold(promisedMicro)
    return { type: 'held', hold, promisedMicro }
  }

  #shown(keyId: string): Account {
    const account = this.#rolled(keyId)
    return this.#others === undefined ? account : withOthers(account, this.#others)
  }

  /** The account in its present cycle. */
  #rolled(keyId: string): Account {
    const account = this.#account(keyId)
    this.#roll(account)
    return account
  }

  #roll(account: Account): void {
    if (this.#begin(account)) this.#queue.serveSource(account.keyId)
  }

  /** Brings the account into the cycle that the clock says, and returns whether that changed anything. */
  #begin(account: Account): boolean {
    const { cycleStartedAtMs, nextResetAtMs } = account
    const entries = rollCycle(account, this.#nowMs())
    if (account.cycleStartedAtMs === cycleStartedAtMs && account.nextResetAtMs === nextResetAtMs) return false
    // Books that do not add up are shown as they stand, and nothing is written on top of them.
    if (this.#mismatch !== undefined) return false
    this.#journal.add(account, entries)
    return true
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
