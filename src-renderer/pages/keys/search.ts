import { STATE_FILTERS, type KeyFilter } from '#renderer/data/key-list.ts'
import { choiceIn, textIn, withOpen } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type KeysSearch = KeyFilter & {
  /** The key that the drawer shows, by its id. */
  readonly open?: string
  /** What is being made, so that the palette can begin it from every page. */
  readonly make?: 'key'
}

/** What is undefined is taken out of the address. */
export type KeysSearchChange = { readonly [Name in keyof KeysSearch]?: KeysSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): KeysSearch {
  return {
    ...textIn(raw, 'open'),
    ...choiceIn(raw, 'make', ['key'] as const),
    ...textIn(raw, 'q'),
    ...choiceIn(raw, 'state', STATE_FILTERS),
    ...textIn(raw, 'package'),
    ...textIn(raw, 'owner'),
  }
}

/** The same filters with another key in the drawer, or none, and nothing being made. */
export function withOpenKey(search: KeysSearch, id: string | undefined): KeysSearch {
  const { make: _, ...rest } = search
  return withOpen(rest, id)
}
