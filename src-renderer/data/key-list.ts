// Keys as their page lists them: which are shown, how their state looks, and what somebody may do with one.

import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'
import { microOf } from '#renderer/data/money.ts'

export const KEY_STATES = ['active', 'suspended', 'expired', 'revoked'] as const
export type KeyState = (typeof KEY_STATES)[number]

/** `all` shows revoked keys too, which stay for their history and would soon be most of the list. */
export const STATE_FILTERS = [...KEY_STATES, 'all'] as const
export type StateFilter = (typeof STATE_FILTERS)[number]

export type KeyFilter = {
  /** Part of a name, an owner, or the end of the key's value. */
  readonly q?: string
  readonly state?: StateFilter
  readonly package?: string
  readonly owner?: string
}

export function filteredKeys(keys: readonly KeyView[], filter: KeyFilter): KeyView[] {
  const wanted = filter.q?.trim().toLowerCase() ?? ''
  return keys.filter(
    (key) =>
      isInState(key, filter.state) &&
      (filter.package === undefined || key.package === filter.package) &&
      (filter.owner === undefined || key.owner === filter.owner) &&
      (wanted === '' || [key.name, key.owner ?? '', key.hint].some((text) => text.toLowerCase().includes(wanted))),
  )
}

function isInState(key: KeyView, state: StateFilter | undefined): boolean {
  if (state === undefined) return key.status !== 'revoked'
  return state === 'all' || key.status === state
}

/** The different values of a column, for its filter. */
export function choicesOf(values: readonly (string | null)[]): string[] {
  return [...new Set(values.flatMap((value) => (value === null ? [] : [value])))].toSorted((left, right) =>
    left.localeCompare(right),
  )
}

/**
 * What may still be promised, as the ledger counts it: less than nothing where there is a debt, which what remains never shows.
 * Undefined for keys without a limit.
 */
export function availableMicro(balance: KeyView['balance']): bigint | undefined {
  const left = leftMicro(balance)
  const held = microOf(balance.held_credits)
  return left === undefined || held === undefined ? undefined : left - held
}

/** From a million credits on, an amount takes the room of another column. */
export function isLongBalance({ total_credits: total }: KeyView['balance']): boolean {
  return total !== null && (microOf(total) ?? 0n) >= LONG_MICRO
}

const LONG_MICRO = 1_000_000_000_000n

/** What calls in flight and to come may use together: what remains, or the debt. */
export function leftMicro({ total_credits: total, used_credits: used }: KeyView['balance']): bigint | undefined {
  const totalMicro = total === null ? undefined : microOf(total)
  const usedMicro = used === null ? undefined : microOf(used)
  return totalMicro === undefined || usedMicro === undefined ? undefined : totalMicro - usedMicro
}

export const KEY_ACTIONS = [
  'resume',
  'suspend',
  'extend',
  'rotate',
  'top-up',
  'adjust',
  'move',
  'label',
  'revoke',
] as const
export type KeyAction = (typeof KEY_ACTIONS)[number]

/** What can be done with a key by whoever is signed in. The server decides; this keeps offers away that it would refuse. */
export function actionsFor(key: KeyView, role: 'administrator' | 'member'): KeyAction[] {
  if (key.status === 'revoked') return []
  const isUnlimited = key.balance.total_credits === null
  const offers = {
    resume: key.status === 'suspended',
    suspend: key.status === 'active',
    extend: role === 'administrator',
    rotate: role === 'administrator' || key.status !== 'expired',
    'top-up': role === 'administrator' && !isUnlimited,
    adjust: role === 'administrator' && !isUnlimited,
    move: role === 'administrator',
    label: role === 'administrator',
    revoke: true,
  } satisfies Record<KeyAction, boolean>
  return KEY_ACTIONS.filter((action) => offers[action])
}

/** The key's package, where whoever asks may see it: a member sees only those that are open to them. */
export function packageOf(key: KeyView, packages: readonly PackageView[] | undefined): PackageView | undefined {
  return packages?.find(({ name }) => name === key.package)
}

/** Moving between packages of one kind keeps what was used; another kind ends the cycle. */
export function moveEffect(from: PackageView | undefined, to: PackageView | undefined): 'keeps' | 'ends' | undefined {
  if (to === undefined || from === undefined || from.id === to.id) return undefined
  return from.type === to.type ? 'keeps' : 'ends'
}

/** The model that examples for a key name: the first for chat that is enabled and in its package. */
export function modelFor(
  entity: PackageView | undefined,
  models: readonly ModelView[] | undefined,
): string | undefined {
  const allowed = entity?.models ?? 'all'
  return models?.find(
    (model) => model.enabled && model.kind === 'chat' && (allowed === 'all' || allowed.includes(model.id)),
  )?.id
}
