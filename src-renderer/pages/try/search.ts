import { CLIENT_FORMATS } from '#contract/dialects.ts'
import { choiceIn, textIn } from '#renderer/data/search.ts'
import type { Format } from '#renderer/data/try-request.ts'

/** What is undefined is taken out of the address. */
export type TrySearchChange = { readonly [Name in keyof TrySearch]?: TrySearch[Name] | undefined }

/** What the address of this page may say behind the question mark. What is asked is not in it: addresses are kept. */
export type TrySearch = {
  readonly key?: string
  readonly model?: string
  /** Another model that is asked the same. */
  readonly beside?: string
  readonly format?: Format
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): TrySearch {
  return {
    ...textIn(raw, 'key'),
    ...textIn(raw, 'model'),
    ...textIn(raw, 'beside'),
    ...choiceIn(raw, 'format', CLIENT_FORMATS),
  }
}
