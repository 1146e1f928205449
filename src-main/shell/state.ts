// What the shell knows, as plain values: menu, icon and notifications are functions of it.

import type { OverviewView } from '#contract/reports.ts'
import type { KeyView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import { byUrgency } from '#contract/urgency.ts'
import type { ConnectedTool, Reading } from '#shell/gateway-port.ts'
import type { UpdateState } from '#shell/updates.ts'

export type GatewayState =
  | { readonly type: 'starting' }
  | { readonly type: 'stopping' }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly message: string }
  | {
      readonly type: 'running'
      readonly url: string
      readonly otherPid: number | undefined
      /** UTC milliseconds; undefined while calls are taken. */
      readonly pausedUntilMs: number | undefined
      readonly ledger: 'ok' | 'halted' | 'mismatch'
    }

/** What is left to the key of a package that somebody should look at first. Credits, not micro-credits. */
export type PackageCredits = {
  readonly name: string
  readonly keys: number
  /** undefined where none of its keys has credits that are counted. */
  readonly lowest: LeftOfKey | undefined
}

export type LeftOfKey = {
  readonly remaining: number
  readonly total: number
  readonly resetsAtMs: number | undefined
  readonly runsOutAtMs: number | undefined
}

export type RecentError = { readonly at: string; readonly model: string; readonly status: number; readonly key: string }

export type Switches = {
  readonly startAtLogin: boolean
  readonly closeToTray: boolean
  readonly dailyUpdateCheck: boolean
  readonly notifications: boolean
}

export type Summary = {
  readonly packages: readonly PackageCredits[]
  readonly errors: readonly RecentError[]
  /** What the overview says needs attention, the gravest first. */
  readonly attention: OverviewView['attention']
  /** undefined while it is not known. */
  readonly today: { readonly credits: number; readonly requests: number } | undefined
  readonly tools: readonly ConnectedTool[]
  /** Whether a key that was used lately has a tenth of its credits or less. */
  readonly isLow: boolean
  readonly lan: StatusView['lan']
  /** undefined where nothing was compared yet. */
  readonly bills: StatusView['bills']
}

export type ShellState = Summary & {
  readonly gateway: GatewayState
  readonly update: UpdateState
  readonly switches: Switches
  /** What is typed to run the command line: `farebox`, or the longer form of a clone. */
  readonly command: string
}

export const NO_SUMMARY: Summary = {
  packages: [],
  errors: [],
  attention: [],
  today: undefined,
  tools: [],
  isLow: false,
  lan: { state: 'off', urls: [], problem: null, certificate_expires_at: null },
  bills: undefined,
}

const MAX_ERRORS = 5
const LOW_SHARE = 0.1
const LATELY_MS = 7 * 86_400_000

/** What of a reading the shell shows. `nowMs` is UTC milliseconds. */
export function summarise({ status, keys, calls, overview, tools }: Reading, nowMs: number): Summary {
  const { charge_credits: credits, requests } = overview.today.totals
  const usable = keys.filter((key) => key.status === 'active')
  return {
    packages: packagesOf(usable),
    errors: calls
      .filter((call) => call.outcome !== 'answered' && call.outcome !== 'client_gone')
      .slice(0, MAX_ERRORS)
      .map(({ created_at, model, status: code, key }) => ({ at: created_at, model, status: code, key })),
    attention: overview.attention,
    today: { credits, requests },
    tools,
    lan: status.lan,
    bills: status.bills,
    isLow: usable.some((key) => isUsedLately(key, nowMs) && shareLeft(key) <= LOW_SHARE),
  }
}

/** What a key has left of its credits, from 0 to 1; 1 for a key that has no such bound. */
export function shareLeft({ balance }: Pick<KeyView, 'balance'>): number {
  const { remaining_credits: remaining, total_credits: total } = balance
  if (remaining === null || total === null || total <= 0) return 1
  return Math.min(1, Math.max(0, remaining / total))
}

/** A key that is no longer used must not colour the icon for ever. */
function isUsedLately({ balance }: KeyView, nowMs: number): boolean {
  return balance.last_used_at !== null && nowMs - Date.parse(balance.last_used_at) < LATELY_MS
}

/** One key's credits cannot be spent by another, so they are not added. */
function packagesOf(keys: readonly KeyView[]): PackageCredits[] {
  const byPackage = Map.groupBy(keys, (key) => key.package)
  return Array.from(byPackage, ([name, members]) => ({
    name,
    keys: members.length,
    lowest: leftOf(byUrgency(members)[0]),
  })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function leftOf(key: KeyView | undefined): LeftOfKey | undefined {
  const remaining = key?.balance.remaining_credits
  const total = key?.balance.total_credits
  if (key === undefined || typeof remaining !== 'number' || typeof total !== 'number') return undefined
  return {
    remaining,
    total,
    resetsAtMs: instantOf(key.balance.next_reset_at),
    runsOutAtMs: instantOf(key.outlook?.runs_out_at ?? null),
  }
}

function instantOf(at: string | null): number | undefined {
  return at === null ? undefined : Date.parse(at)
}
