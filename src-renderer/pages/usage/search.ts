import { USAGE_GROUPS, USAGE_ROLLUPS } from '#contract/usage-groups.ts'
import { choiceIn, labelIn, textIn } from '#renderer/data/search.ts'
import { METRICS, TOKEN_CLASSES, type Metric, type TokenClass } from '#renderer/data/usage-amounts.ts'

const TABLES = ['groups', 'intervals'] as const

export const FILTERS = ['model', 'key', 'provider', 'package', 'owner', 'member'] as const
/** What clients and keys say is typed: nobody lists it. */
export const WORD_FILTERS = ['tool', 'project', 'tag'] as const
export type FilterName = (typeof FILTERS)[number] | (typeof WORD_FILTERS)[number]

/** What the address of this page may say behind the question mark. */
export type UsageSearch = { readonly [Name in FilterName]?: string } & {
  readonly metric?: Metric
  /** One class of tokens by itself. */
  readonly tokens?: TokenClass
  readonly group?: (typeof USAGE_GROUPS)[number]
  readonly rollup?: (typeof USAGE_ROLLUPS)[number]
  /** A length of time such as `7d`, a date or an instant; `to` is left out of the range. */
  readonly from?: string
  readonly to?: string
  readonly table?: (typeof TABLES)[number]
  /** A column, with a minus before it for the largest first. */
  readonly sort?: string
  /** More groups by themselves in the table. */
  readonly groups?: 'more'
}

/** What is undefined is taken out of the address. */
export type UsageSearchChange = { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }

export function parseSearch(raw: Readonly<Record<string, unknown>>): UsageSearch {
  return {
    ...choiceIn(raw, 'metric', METRICS),
    ...choiceIn(raw, 'tokens', TOKEN_CLASSES),
    ...choiceIn(raw, 'group', USAGE_GROUPS),
    ...choiceIn(raw, 'rollup', USAGE_ROLLUPS),
    ...textIn(raw, 'from'),
    ...textIn(raw, 'to'),
    ...filtersOf(raw),
    ...choiceIn(raw, 'table', TABLES),
    ...textIn(raw, 'sort'),
    ...choiceIn(raw, 'groups', ['more'] as const),
  }
}

/** The filters of an address, without the rest. */
export function filtersOf(raw: Readonly<Record<string, unknown>>): { readonly [Name in FilterName]?: string } {
  return {
    ...textIn(raw, 'model'),
    ...textIn(raw, 'key'),
    ...textIn(raw, 'provider'),
    ...textIn(raw, 'package'),
    ...textIn(raw, 'owner'),
    ...textIn(raw, 'member'),
    ...labelIn(raw, 'tool'),
    ...labelIn(raw, 'project'),
    ...labelIn(raw, 'tag'),
  }
}
