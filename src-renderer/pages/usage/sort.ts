// The order of the table in the address: `cost`, or `-cost` for the largest first.

import type { SortOrder } from '#renderer/data/usage-table.ts'

export function sortOf(text: string | undefined): SortOrder | undefined {
  if (text === undefined) return undefined
  const isDescending = text.startsWith('-')
  return { column: isDescending ? text.slice(1) : text, isDescending }
}

/** What the next press on a head sorts by. Numbers begin with the largest, names with the first; a third press ends it. */
export function nextSort(column: string, order: SortOrder | undefined): string | undefined {
  const [first, second] = column === 'head' ? [column, `-${column}`] : [`-${column}`, column]
  if (order?.column !== column) return first
  const isFirst = order.isDescending === first.startsWith('-')
  return isFirst ? second : undefined
}
