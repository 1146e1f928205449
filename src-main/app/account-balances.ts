// What is left on the accounts of providers. Nobody is asked who was not asked for: a person asks, or turns on that it is done each
// hour or day. Whoever fails is asked more and more seldom.

import { BALANCES } from '#bills/balances.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import type { AccountBalanceView } from '#contract/bills.ts'
import { balanceKindOf, daysLeft, isToldToAdministrators, type BalanceKind } from '#core/account-balance.ts'
import { hasCredentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { accountId, eachSecret } from '#core/secret-pool.ts'
import type { BalanceAnswer } from '#provider/account-balance.ts'
import type { listBalances, BalanceReading } from '#store/account-balances.ts'

export type AccountBalancesDeps = {
  readonly providers: () => readonly Provider[]
  readonly ask: (provider: Provider, what: { kind: BalanceKind; path: string }) => Promise<BalanceAnswer>
  readonly keep: (reading: BalanceReading) => Promise<void>
  readonly stored: () => Promise<ReturnType<typeof listBalances>>
  readonly every: () => BalancePeriod
  readonly nowMs: () => number
}

export type BalancePeriod = 'never' | 'hourly' | 'daily'

type Account = { readonly id: string; readonly provider: Provider; readonly kind: BalanceKind }
/** Of this process. */
type Standing = {
  readonly askedAtMs: number
  /** Nobody may ask before. */
  readonly quietUntilMs: number
  readonly failures: number
  readonly problem: string | undefined
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PERIODS_MS = { hourly: HOUR_MS, daily: DAY_MS } as const
const LOOK_MS = 60_000
/** However often somebody presses the button. */
const CLOSEST_MS = 60_000

export class AccountBalances {
  readonly #deps: AccountBalancesDeps
  readonly #standings = new Map<string, Standing>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(deps: AccountBalancesDeps) {
    this.#deps = deps
  }

  /** Looks each minute whether somebody is to be asked. */
  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
    this.#timer.unref()
  }

  /** Nobody is asked any more; waits for who is being asked. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#running
  }

  /** Asks those whose time has come. Never rejects. */
  async look(): Promise<void> {
    const every = this.#deps.every()
    if (every === 'never') return
    await this.#inTurn(async () => {
      const readings = await this.#deps.stored()
      for (const account of this.#accounts()) {
        const lastMs = lastOf(readings, account)?.atMs ?? 0
        if (this.#isDue(account, lastMs, PERIODS_MS[every])) await this.#askOne(account)
      }
    }).catch(() => undefined)
  }

  /** Asks all accounts, or those of one provider, but for those that were asked within the last minute or want to be left alone. */
  async askNow(providerId: string | undefined): Promise<AccountBalanceView[]> {
    await this.#inTurn(async () => {
      for (const account of this.#accounts()) {
        if (providerId === undefined || account.provider.id === providerId) await this.#askOne(account)
      }
    })
    return this.list()
  }

  async list(): Promise<AccountBalanceView[]> {
    const readings = await this.#deps.stored()
    return this.#accounts().map((account) => this.#viewOf(account, readings))
  }

  #accounts(): Account[] {
    return this.#deps.providers().flatMap((provider) => {
      const kind = balanceKindOf(provider)
      if (kind === undefined) return []
      if (isToldToAdministrators(kind)) return [{ id: provider.id, provider, kind }]
      if (!hasCredentials(provider)) return []
      return eachSecret(provider).map((each) => ({ id: accountId(each), provider: each, kind }))
    })
  }

  /** One account after the other: there is no hurry. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#running.then(work)
    this.#running = done.catch(() => undefined)
    return done
  }

  /** A time that is still to come was noted before somebody set the clock back, and counts no more. */
  #isDue({ id }: Account, lastMs: number, periodMs: number): boolean {
    const nowMs = this.#deps.nowMs()
    const { askedAtMs = 0, failures = 0 } = this.#standings.get(id) ?? {}
    const sinceMs = Math.max(lastMs, askedAtMs)
    const waitMs = failures === 0 ? periodMs : Math.max(periodMs, Math.min(DAY_MS, HOUR_MS * 2 ** (failures - 1)))
    return sinceMs > nowMs || nowMs >= sinceMs + waitMs
  }

  #isQuiet(id: string): boolean {
    const nowMs = this.#deps.nowMs()
    const { askedAtMs = 0, quietUntilMs = 0 } = this.#standings.get(id) ?? {}
    return askedAtMs <= nowMs && nowMs < quietUntilMs
  }

  async #askOne({ id, provider, kind }: Account): Promise<void> {
    const { ask, keep, nowMs } = this.#deps
    const before = this.#standings.get(id)
    if (this.#isClosed || this.#isQuiet(id)) return
    const { path, read } = BALANCES[kind]
    const answer = await ask(provider, { kind, path })
    const atMs = nowMs()
    const balances = answer.type === 'answer' ? read(answer.body, answer.origin) : undefined
    const waitMs = answer.type === 'problem' ? answer.waitMs : 0
    const problem = answer.type === 'problem' ? answer.says : balances === undefined ? UNREADABLE : undefined
    this.#standings.set(id, {
      askedAtMs: atMs,
      quietUntilMs: atMs + Math.max(CLOSEST_MS, waitMs),
      failures: problem === undefined ? 0 : (before?.failures ?? 0) + 1,
      problem,
    })
    if (balances !== undefined) await keep({ providerId: provider.id, label: labelOf(provider), atMs, balances })
  }

  #viewOf(account: Account, readings: Readings): AccountBalanceView {
    const { provider, id } = account
    const own = readings.filter((reading) => isOf(reading, account))
    const last = lastOf(readings, account)
    const latest = own.filter(({ atMs }) => atMs === last?.atMs)
    const standing = this.#standings.get(id)
    return {
      provider: provider.name,
      secret: provider.chosen?.label ?? null,
      balances: latest.map(({ currency, amount }) => {
        const days = daysLeft(own.filter((reading) => reading.currency === currency))
        return { currency, amount, days_left: days === undefined ? null : Math.round(days * 10) / 10 }
      }),
      said_at: isoOrNull(last?.atMs),
      problem: standing?.problem ?? null,
      ask_again_at: standing === undefined ? null : iso(standing.quietUntilMs),
    }
  }
}

const UNREADABLE = 'Its answer says nothing that is a balance.'

type Readings = Awaited<ReturnType<AccountBalancesDeps['stored']>>

function labelOf({ chosen }: Provider): string {
  return chosen?.label ?? ''
}

function isOf({ providerId, label }: Readings[number], { provider }: Account): boolean {
  return providerId === provider.id && label === labelOf(provider)
}

function lastOf(readings: Readings, account: Account): Readings[number] | undefined {
  return readings
    .filter((reading) => isOf(reading, account))
    .reduce<Readings[number] | undefined>(
      (last, one) => (last === undefined || one.atMs > last.atMs ? one : last),
      undefined,
    )
}
