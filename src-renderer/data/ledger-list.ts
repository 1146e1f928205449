// The ledger as its page lists it.

import type { KeyView } from '#contract/schemas.ts'

export const ENTRY_KINDS = ['grant', 'hold', 'settle', 'release', 'lapse', 'adjustment'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** What names a key in an address: its name, which people can read, or its id where the name may be another key's by now. */
export function keyReference(key: Pick<KeyView, 'id' | 'name' | 'status'>): string {
  return key.status === 'revoked' ? key.id : key.name
}

/** The key that an address means; keys that are not revoked have the first claim to a name. */
export function keyMeant(keys: readonly KeyView[] | undefined, idOrName: string | undefined): KeyView | undefined {
  if (idOrName === undefined) return undefined
  return (
    keys?.find(({ id }) => id === idOrName) ??
    keys?.find(({ name, status }) => name === idOrName && status !== 'revoked') ??
    keys?.find(({ name }) => name === idOrName)
  )
}
