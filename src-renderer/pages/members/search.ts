import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type MembersSearch = {
  /** The member that the drawer shows, by id or name. */
  readonly open?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): MembersSearch {
  return { ...textIn(raw, 'open') }
}
