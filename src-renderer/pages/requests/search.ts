import { CALL_STATES, type RequestFilter } from '#renderer/data/request-filter.ts'
import { choiceIn, labelIn, textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type RequestsSearch = RequestFilter & {
  /** The id of the request whose receipt is shown. */
  readonly open?: string
}

const AMOUNT = /^[0-9]{1,9}(\.[0-9]{1,6})?$/

/** What is undefined is taken out of the address. */
export type RequestsSearchChange = { readonly [Name in keyof RequestsSearch]?: RequestsSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): RequestsSearch {
  return { ...textIn(raw, 'open'), ...filterOf(raw) }
}

/** The filters of an address, without the rest. */
export function filterOf(raw: Readonly<Record<string, unknown>>): RequestFilter {
  const min = textIn(raw, 'min')
  return {
    ...textIn(raw, 'key'),
    ...textIn(raw, 'model'),
    ...textIn(raw, 'provider'),
    ...textIn(raw, 'package'),
    ...textIn(raw, 'owner'),
    ...textIn(raw, 'member'),
    ...labelIn(raw, 'tool'),
    ...labelIn(raw, 'project'),
    ...labelIn(raw, 'tag'),
    ...textIn(raw, 'session'),
    ...choiceIn(raw, 'status', CALL_STATES),
    ...(min.min !== undefined && AMOUNT.test(min.min) ? min : {}),
    ...textIn(raw, 'since'),
    ...textIn(raw, 'until'),
  }
}
