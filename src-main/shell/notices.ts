// Decides what is worth a notification, once. Each function takes the notices given so far and returns the new list, which the caller keeps.

import type { AlertView } from '#contract/alerts.ts'
import type { KeyView, StatusView } from '#contract/schemas.ts'
import { shareLeft } from '#shell/state.ts'

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
export function creditNotices(keys: readonly KeyView[], before: ToldLevels): Told<ToldLevels> {
  const told: Record<string, Level> = {}
  const notices: Notice[] = []
  for (const key of keys.filter(({ status }) => status === 'active')) {
    const level = levelOf(key)
    if (level === undefined) continue
    told[key.id] = level
    const earlier = before[key.id]
    if (earlier === undefined || level < earlier) notices.push(creditNotice(key, level))
  }
  return { notices: bounded(notices), told }
}

function levelOf(key: KeyView): Level | undefined {
  const percent = shareLeft(key) * 100
  return LEVELS.findLast((level) => percent <= level)
}

function creditNotice({ name, package: packageName, balance }: KeyView, level: Level): Notice {
  if (level > 0) {
    const text = `Key '${name}' (${packageName}) has ${level} % of its credits left, or less.`
    return { title: 'Credits are getting low', text, page: 'keys' }
  }
  const next = balance.next_reset_at === null ? 'Top it up in Keys.' : 'It gets new credits with its next cycle.'
  return {
    title: 'No credits left',
    text: `Key '${name}' (${packageName}) is refused from now on. ${next}`,
    page: 'keys',
  }
}

function bounded(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= MAX_NOTICES) return notices
  const title = notices.some((notice) => notice.title === 'No credits left')
    ? 'No credits left'
    : 'Credits are getting low'
  return [{ title, text: `${notices.length} keys have few credits left, or none.`, page: 'keys' }]
}

/** Names of the providers that were told of, and are not well yet. */
export type ToldProviders = readonly string[]

/** A provider is told of once, and again only when it was well in between. */
export function providerNotices({ targets }: Pick<StatusView, 'targets'>, before: ToldProviders): Told<ToldProviders> {
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
    .map(providerNotice)
  return { notices: notices.slice(0, MAX_NOTICES), told: [...sick.keys()] }
}

function providerNotice({ provider, last_failure: failure }: StatusView['targets'][number]): Notice {
  const status = failure?.status === null || failure === null ? '' : ` (${failure.status})`
  const text =
    failure?.reason === 'secret'
      ? `${provider} refused our secret${status}. Replace it in Providers.`
      : `${provider} does not answer as it should${status}. Look at it in Providers.`
  return { title: 'A provider needs attention', text, page: 'providers' }
}

/**
 * Budgets of members, projects and providers, each threshold once in a cycle, as the gateway has it. Keys are told of by their levels.
 * `before` is the id of the latest alert that was looked at, and ids grow with time; what was reached before the first look is no news.
 */
export function alertNotices(alerts: readonly AlertView[], before: string | undefined): Told<string> {
  const told = alerts.reduce((latest, { id }) => (id > latest ? id : latest), before ?? '')
  const news = alerts.filter(({ id, scope }) => before !== undefined && id > before && scope !== 'key')
  if (news.length <= MAX_NOTICES) return { notices: news.map(alertNotice), told }
  const text = `${news.length} budgets have reached a threshold.`
  return { notices: [{ title: BUDGET_TITLE, text, page: 'overview' }], told }
}

const BUDGET_TITLE = 'A budget is being used up'
const BUDGETS: Readonly<Record<string, string>> = {
  member: 'The day of member',
  project: 'The day of project',
  project_month: 'The month of project',
  provider: 'The day of provider',
}

function alertNotice(alert: AlertView): Notice {
  const { scope, name, threshold, used_credits: used, total_credits: total, cycle_started_at: startedAt } = alert
  if (scope === 'bill') {
    const text = `The bill of '${name}' for ${startedAt.slice(0, 10)} has differences that nothing explains.`
    return { title: 'A bill does not agree', text, page: 'bills' }
  }
  const text = `${BUDGETS[scope] ?? 'The budget of'} '${name}' is used up to ${threshold} % (${used} of ${total} credits).`
  return { title: BUDGET_TITLE, text, page: scope === 'provider' ? 'providers' : 'overview' }
}

/** What to say of an installation that was begun before this start: an installer can fail after the program is gone. */
export function installNotice(begun: string | undefined, version: string): Notice | undefined {
  if (begun === undefined) return undefined
  if (begun === version)
    return { title: 'Farebox is up to date', text: `Farebox ${version} runs now.`, page: 'overview' }
  const text = `Farebox ${begun} was not installed; ${version} goes on. Try it again, or install it by hand.`
  return { title: 'The update did not work', text, page: 'overview' }
}
