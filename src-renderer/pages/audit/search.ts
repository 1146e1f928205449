import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type Search = {
  readonly open?: string
  /** An action of the admin API. */
  readonly action?: string
  readonly actor?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): Search {
  return { ...textIn(raw, 'open'), ...textIn(raw, 'action'), ...textIn(raw, 'actor') }
}
