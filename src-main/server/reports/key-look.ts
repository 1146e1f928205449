// What the overview says of keys, by one look at each of them: there can be a hundred thousand, and nothing is kept of most.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { OLD_VALUE_MS } from '#catalog/rotation.ts'
import { isInScope, keyScope } from '#catalog/scope.ts'
import { keyOutlook } from '#catalog/views.ts'
import { compareUrgency, type Urgency } from '#contract/urgency.ts'
import { keyStatus, type Key } from '#core/entities.ts'
import type { Viewer } from '#core/member.ts'
import type { Balance } from '#ledger/account.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'

/** A key that can be used, with its balance. */
type UsableKey = { readonly key: Key; readonly balance: Balance }
export type LowKey = UsableKey & { readonly balance: { readonly totalMicro: number; readonly remainingMicro: number } }
export type ExpiringKey = Key & { readonly expiresAtMs: number }

/** Of the keys that can be used; of each list no more than can be shown. */
export type KeyLook = {
  readonly count: number
  /** How many of them have no limit. */
  readonly unlimited: number
  readonly heldMicro: number
  /** Those that come first by urgency, in that order. */
  readonly lowest: readonly UsableKey[]
  readonly low: readonly LowKey[]
  readonly expiring: readonly ExpiringKey[]
  readonly old: readonly Key[]
}

/** A list that nobody reads to its end helps nobody. */
export const MAX_SHOWN = 50
const MAX_LOWEST = 3
const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS
/** Less than this part of its credits left is little. */
const LITTLE = 0.1
/** Calls wait while keys are looked at. */
const KEYS_PER_TURN = 2000

/** Looks at the keys that the viewer may see. */
export async function lookAtKeys({ context }: ReportDeps, viewer: Viewer): Promise<KeyLook> {
  const { catalog, ledger } = context
  const scope = keyScope(viewer, catalog)
  const look = new Look(context.nowMs())
  let seen = 0
  for (const key of catalog.keys) {
    seen += 1
    if (seen % KEYS_PER_TURN === 0) await nextTurn()
    if (isInScope(scope, key.id) && keyStatus(key, look.nowMs) === 'active') look.add(key, ledger.balance(key.id))
  }
  return look
}

export function isLow(usable: UsableKey): usable is LowKey {
  const { totalMicro, remainingMicro } = usable.balance
  return totalMicro !== null && remainingMicro !== null && remainingMicro < totalMicro * LITTLE
}

function isExpiring(key: Key, nowMs: number): key is ExpiringKey {
  return key.expiresAtMs !== undefined && key.expiresAtMs - nowMs <= SOON_MS
}

class Look implements KeyLook {
  readonly nowMs: number
  count = 0
  unlimited = 0
  heldMicro = 0
  readonly low: LowKey[] = []
  readonly expiring: ExpiringKey[] = []
  readonly old: Key[] = []
  #first: readonly (readonly [urgency: Urgency, usable: UsableKey])[] = []

  constructor(nowMs: number) {
    this.nowMs = nowMs
  }

  get lowest(): readonly UsableKey[] {
    return this.#first.map(([, usable]) => usable)
  }

  add(key: Key, balance: Balance): void {
    this.count += 1
    this.heldMicro += balance.heldMicro
    if (balance.totalMicro === null) this.unlimited += 1
    else this.#compare(key, balance, balance.totalMicro)
    const usable = { key, balance }
    if (this.low.length < MAX_SHOWN && isLow(usable)) this.low.push(usable)
    // A key that is about to expire is spoken of already.
    if (isExpiring(key, this.nowMs)) append(this.expiring, key)
    else if (this.nowMs - key.valueSinceMs >= OLD_VALUE_MS) append(this.old, key)
  }

  /** Found by numbers: views of all keys would take many times as long. */
  #compare(key: Key, balance: Balance, totalMicro: number): void {
    const endMs = keyOutlook(key, balance, this.nowMs)?.runsOutAtMs ?? null
    const urgency = { endMs, total: totalMicro, remaining: balance.remainingMicro }
    const last = this.#first.at(-1)
    if (this.#first.length === MAX_LOWEST && last !== undefined && compareUrgency(urgency, last[0]) >= 0) return
    const one = [urgency, { key, balance }] as const
    this.#first = [...this.#first, one].toSorted(([a], [b]) => compareUrgency(a, b)).slice(0, MAX_LOWEST)
  }
}

function append<Item>(list: Item[], item: Item): void {
  if (list.length < MAX_SHOWN) list.push(item)
}
