import { ENTRY_KINDS, type EntryKind } from '#renderer/data/ledger-list.ts'
import { choiceIn, textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type LedgerSearch = {
  /** A key's id or name. */
  readonly key?: string
  readonly kind?: EntryKind
  /** A length of time back from now such as `24h`, or an instant. */
  readonly since?: string
  readonly until?: string
}

/** What is undefined is taken out of the address. */
export type LedgerSearchChange = { readonly [Name in keyof LedgerSearch]?: LedgerSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): LedgerSearch {
  return {
    ...textIn(raw, 'key'),
    ...choiceIn(raw, 'kind', ENTRY_KINDS),
    ...textIn(raw, 'since'),
    ...textIn(raw, 'until'),
  }
}
