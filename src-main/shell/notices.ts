// Decides what is worth a notification, once. Each function takes the notices given so far and returns the new list, which the caller keeps.

import type { AlertView } from '#contract/alerts.ts'
import type { KeyView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import { shareLeft } from '#shell/state.ts'
import type { Words } from '#shell/words.ts'

export type Notice = {
  readonly title: string
  readonly text: string
  readonly page: 'keys' | 'providers' | 'overview' | 'bills'
}

/** Percent of a key's credits at which its owner is told, from the first to the last. */
const LEVELS = [20, 10, 0] as const
export type Level = (typeof LEVELS)[number]
/** The lowest level that was told of each key, by its id. */
export type ToldLevels = Readonly<Record<string, Level>>

/** More than this at once are one notification. */
const MAX_NOTICES = 3

export type Told<What> = { readonly notices: readonly Notice[]; readonly told: What }

/**
 * A key is told of once at each level it falls to. A top-up or a new cycle takes it above the level, and then it is told of again.
 * Keys that are gone or cannot be used are forgotten, so that the list never outgrows the number of keys.
 */
export function creditNotices(keys: readonly KeyView[], before: ToldLevels, words: Words): Told<ToldLevels> {
  const told: Record<string, Level> = {}
  const news: { readonly key: KeyView; readonly level: Level }[] = []
  for (const key of keys.filter(({ status }) => status === 'active')) {
    const level = levelOf(key)
    if (level === undefined) continue
    told[key.id] = level
    const earlier = before[key.id]
    if (earlier === undefined || level < earlier) news.push({ key, level })
  }
  if (news.length <= MAX_NOTICES) {
    return { notices: news.map(({ key, level }) => creditNotice(key, level, words)), told }
  }
  const title = words.text(news.some(({ level }) => level === 0) ? 'notice.empty' : 'notice.low')
  return { notices: [{ title, text: words.counted('notice.manyKeys', news.length), page: 'keys' }], told }
}

function levelOf(key: KeyView): Level | undefined {
  const percent = shareLeft(key) * 100
  return LEVELS.findLast((level) => percent <= level)
}

function creditNotice({ name, package: packageName, balance }: KeyView, level: Level, words: Words): Notice {
  const values = { name, package: packageName, level }
  if (level > 0) {
    return { title: words.text('notice.low'), text: words.text('notice.lowText', values), page: 'keys' }
  }
  const then = balance.next_reset_at === null ? 'notice.emptyTopUp' : 'notice.emptyRenewed'
  return { title: words.text('notice.empty'), text: words.text(then, values), page: 'keys' }
}

/** Names of the providers that were told of, and are not well yet. */
export type ToldProviders = readonly string[]

/** A provider is told of once, and again only when it was well in between. */
export function providerNotices(
  { targets }: Pick<StatusView, 'targets'>,
  before: ToldProviders,
  words: Words,
): Told<ToldProviders> {
  const sick = new Map<string, StatusView['targets'][number]>()
  const well = new Set(targets.filter(({ state }) => state === 'ok').map(({ provider }) => provider))
  for (const target of targets) {
    // One model of a provider that has others is the router's business; a provider of which nothing answers is a person's.
    const isOut = target.state === 'open' || target.state === 'refused'
    if (isOut && !well.has(target.provider)) sick.set(target.provider, target)
    // What is being tried again is neither well nor news.
    if (target.state !== 'ok' && before.includes(target.provider) && !sick.has(target.provider)) {
      sick.set(target.provider, target)
    }
  }
  const notices = Array.from(sick.values())
    .filter(({ provider }) => !before.includes(provider))
    .map((target) => providerNotice(target, words))
  return { notices: notices.slice(0, MAX_NOTICES), told: [...sick.keys()] }
}

function providerNotice({ provider, last_failure: failure }: StatusView['targets'][number], words: Words): Notice {
  const status = failure?.status === null || failure === null ? '' : ` (${failure.status})`
  const key = failure?.reason === 'secret' ? 'notice.refused' : 'notice.silent'
  return { title: words.text('notice.provider'), text: words.text(key, { name: provider, status }), page: 'providers' }
}

/**
 * Budgets of members, projects and providers, each threshold once in a cycle, and days of bills, as the gateway has it. Keys are told of by their levels.
 * `before` is the id of the latest alert that was looked at, and ids grow with time; what was reached before the first look is no news.
 */
export function alertNotices(alerts: readonly AlertView[], before: string | undefined, words: Words): Told<string> {
  const told = alerts.reduce((latest, { id }) => (id > latest ? id : latest), before ?? '')
  const news = alerts.filter(({ id, scope }) => before !== undefined && id > before && scope !== 'key')
  if (news.length <= MAX_NOTICES) return { notices: news.map((alert) => alertNotice(alert, words)), told }
  const bills = news.filter(({ scope }) => scope === 'bill')
  const budgets = news.filter(({ scope }) => scope !== 'bill')
  return { notices: [...togetherOf(budgets, 'budget', words), ...togetherOf(bills, 'bill', words)], told }
}

const TOGETHER = {
  budget: { title: 'notice.budget', text: 'notice.manyBudgets', page: 'overview' },
  bill: { title: 'notice.bill', text: 'notice.manyBills', page: 'bills' },
} as const

/** One notice for all of a kind; one alone says what it is about. */
function togetherOf(alerts: readonly AlertView[], kind: keyof typeof TOGETHER, words: Words): readonly Notice[] {
  if (alerts.length <= 1) return alerts.map((alert) => alertNotice(alert, words))
  const { title, text, page } = TOGETHER[kind]
  return [{ title: words.text(title), text: words.counted(text, alerts.length), page }]
}

function alertNotice(alert: AlertView, words: Words): Notice {
  const { scope, name, threshold, used_credits: used, total_credits: total, cycle_started_at: startedAt } = alert
  if (scope === 'bill') {
    const text = words.text('notice.billText', { name, day: startedAt.slice(0, 10) })
    return { title: words.text('notice.bill'), text, page: 'bills' }
  }
  const key = words.has(`notice.budget_${scope}`) ? `notice.budget_${scope}` : 'notice.budget_any'
  const text = words.text(key, { name, percent: threshold, used: words.number(used), total: words.number(total) })
  return { title: words.text('notice.budget'), text, page: scope === 'provider' ? 'providers' : 'overview' }
}

/** What to say of an installation that was begun before this start: an installer can fail after the program is gone. */
export function installNotice(begun: string | undefined, version: string, words: Words): Notice | undefined {
  if (begun === undefined) return undefined
  if (begun === version) {
    return { title: words.text('update.current'), text: words.text('notice.installed', { version }), page: 'overview' }
  }
  const text = words.text('notice.notInstalledText', { begun, version })
  return { title: words.text('notice.notInstalled'), text, page: 'overview' }
}
