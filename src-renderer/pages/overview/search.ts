import { choiceIn } from '#renderer/data/search.ts'

export const RANGES = ['24h', '7d'] as const
export const METRICS = ['cost', 'tokens', 'requests'] as const
export const GROUPS = ['model', 'key', 'provider', 'project', 'tool'] as const
export const ROLLUPS = ['hour', 'day'] as const

/** What the address of this page may say behind the question mark. */
export type OverviewSearch = {
  readonly range?: (typeof RANGES)[number]
  readonly metric?: (typeof METRICS)[number]
  readonly group?: (typeof GROUPS)[number]
  readonly rollup?: (typeof ROLLUPS)[number]
}

export type View = Required<OverviewSearch>

export function parseSearch(raw: Readonly<Record<string, unknown>>): OverviewSearch {
  return {
    ...choiceIn(raw, 'range', RANGES),
    ...choiceIn(raw, 'metric', METRICS),
    ...choiceIn(raw, 'group', GROUPS),
    ...choiceIn(raw, 'rollup', ROLLUPS),
  }
}

/** What is shown where the address does not say; a day in steps of days would be a single bar. */
export function viewOf(search: OverviewSearch): View {
  const range = search.range ?? '7d'
  return {
    range,
    metric: search.metric ?? 'cost',
    group: search.group ?? 'model',
    rollup: range === '24h' ? 'hour' : (search.rollup ?? 'day'),
  }
}
