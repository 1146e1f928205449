// What is left on the accounts of providers. Nobody is asked who was not asked for: a person asks, or turns on that it is done each
// hour or day. Whoever fails is asked more and more seldom.

import { BALANCES } from '#bills/balances.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import type { AccountBalanceView } from '#contract/bills.ts'
import { balanceKindOf, daysLeft, isToldToAdministrators, type BalanceKind } from '#core/account-balance.ts'
import { hasCredentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { isDue, isQuiet, laterOf, PERIODS_MS, type Period } from '#core/polling.ts'
import { accountId, eachSecret } from '#core/secret-pool.ts'
import type { BalanceAnswer } from '#provider/account-balance.ts'
import type { BalanceQuestion, BalanceReading, KnownBalances } from '#store/account-balances.ts'

export type AccountBalancesDeps = {
  readonly providers: () => readonly Provider[]
  readonly ask: (provider: Provider, what: { kind: BalanceKind; path: string }) => Promise<BalanceAnswer>
  readonly keep: (reading: BalanceReading) => Promise<void>
  readonly stored: () => Promise<KnownBalances>
  readonly every: () => Period
  readonly nowMs: () => number
}

type Account = { readonly id: string; readonly provider: Provider; readonly kind: BalanceKind }
const LOOK_MS = 60_000
/** However often somebody presses the button. */
const CLOSEST_MS = 60_000

export class AccountBalances {
  readonly #deps: AccountBalancesDeps
  /** Those of this process: a full disk is no reason to ask again and again. */
  readonly #asked = new Map<string, BalanceQuestion>()
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
      const known = await this.#deps.stored()
      for (const account of this.#accounts()) {
        const last = this.#lastQuestion(account, known)
        if (isDue(last, PERIODS_MS[every], this.#deps.nowMs())) await this.#askOne(account, last)
      }
    }).catch(() => undefined)
  }

  /** Asks all accounts, or those of one provider, but for those that were asked within the last minute or want to be left alone. */
  async askNow(providerId: string | undefined): Promise<AccountBalanceView[]> {
    await this.#inTurn(async () => {
      const known = await this.#deps.stored()
      for (const account of this.#accounts()) {
        const isMeant = providerId === undefined || account.provider.id === providerId
        if (isMeant) await this.#askOne(account, this.#lastQuestion(account, known))
      }
    })
    return this.list()
  }

  async list(): Promise<AccountBalanceView[]> {
    const known = await this.#deps.stored()
    return this.#accounts().map((account) => this.#viewOf(account, known))
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

  #lastQuestion(account: Account, { questions }: KnownBalances): BalanceQuestion | undefined {
    const stored = questions.find((question) => isOf(question, account))
    return laterOf(this.#asked.get(account.id), stored)
  }

  async #askOne({ id, provider, kind }: Account, last: BalanceQuestion | undefined): Promise<void> {
    const { ask, keep, nowMs } = this.#deps
    if (this.#isClosed || isQuiet(last, nowMs())) return
    const { path, read, warning } = BALANCES[kind]
    const answer = await ask(provider, { kind, path })
    const askedMs = nowMs()
    const balances = answer.type === 'answer' ? read(answer.body, answer.origin) : undefined
    const waitMs = answer.type === 'problem' ? answer.waitMs : 0
    const question = {
      providerId: provider.id,
      label: labelOf(provider),
      askedMs,
      quietUntilMs: askedMs + Math.max(CLOSEST_MS, waitMs),
      failures: balances === undefined ? (last?.failures ?? 0) + 1 : 0,
      problem:
        answer.type === 'problem' ? answer.says : balances === undefined ? UNREADABLE : (warning?.(answer.body) ?? ''),
    }
    this.#asked.set(id, question)
    await keep({ ...question, balances: balances ?? [] })
  }

  #viewOf(account: Account, known: KnownBalances): AccountBalanceView {
    const { provider } = account
    const own = known.readings.filter((reading) => isOf(reading, account))
    const saidMs = own.reduce<number | undefined>((last = 0, { atMs }) => Math.max(last, atMs), undefined)
    const question = this.#lastQuestion(account, known)
    return {
      provider: provider.name,
      secret: provider.chosen?.label ?? null,
      balances: own
        .filter(({ atMs }) => atMs === saidMs)
        .map(({ currency, amount }) => {
          const days = daysLeft(own.filter((reading) => reading.currency === currency))
          return { currency, amount, days_left: days === undefined ? null : Math.round(days * 10) / 10 }
        }),
      said_at: isoOrNull(saidMs),
      problem: question === undefined || question.problem === '' ? null : question.problem,
      ask_again_at: question === undefined ? null : iso(question.quietUntilMs),
    }
  }
}

const UNREADABLE = 'Its answer says nothing that is a balance.'

function labelOf({ chosen }: Provider): string {
  return chosen?.label ?? ''
}

function isOf({ providerId, label }: Pick<BalanceQuestion, 'providerId' | 'label'>, { provider }: Account): boolean {
  return providerId === provider.id && label === labelOf(provider)
}
