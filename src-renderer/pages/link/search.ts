import { linkTextIn } from '#renderer/data/search.ts'

/** The link that somebody followed, as it is; the page reads it, and shows what it means. */
export type LinkSearch = { readonly to?: string }

export function parseSearch(raw: Readonly<Record<string, unknown>>): LinkSearch {
  return linkTextIn(raw, 'to')
}
