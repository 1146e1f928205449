import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type PackagesSearch = {
  /** The package that the drawer shows, by its id or name. */
  readonly open?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): PackagesSearch {
  return { ...textIn(raw, 'open') }
}
