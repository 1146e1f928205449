import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type BillsSearch = {
  /** The day and the provider that the drawer shows, as `billId` has them. */
  readonly open?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): BillsSearch {
  return textIn(raw, 'open')
}
