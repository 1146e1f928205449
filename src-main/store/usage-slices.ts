// What roll-ups are kept apart by. A report that needs one key of many, or no keys at all, must not add up what it does not tell
// apart, so that sums by day are kept in several slices, each of which leaves some of the parts out.

import type { Rollup } from '#core/calendar.ts'

/** The parts of a group, as bits of its slice. */
export const PARTS = { key: 1, model: 2, provider: 4, package: 8, tool: 16, project: 32, tags: 64 } as const
export type Part = keyof typeof PARTS

/** Where they stand in `usage_group`, in the order of their bits. */
export const PART_COLUMNS: Readonly<Record<Part, string>> = {
  key: 'key_id',
  model: 'model_id',
  provider: 'provider_id',
  package: 'package_id',
  tool: 'tool',
  project: 'project',
  tags: 'tags',
}

/** Every part by itself. */
export const WHOLE_SLICE = Object.values(PARTS).reduce<number>((bits, part) => bits | part, 0)

/**
 * The slices that days are kept by, from few rows to many. A key seldom has more than one package in its life, so that a slice with
 * keys tells packages apart for nothing; nor has a tool many projects and tags.
 */
export const DAY_SLICES: readonly number[] = [
  0,
  PARTS.model | PARTS.provider,
  PARTS.tool | PARTS.project | PARTS.tags,
  PARTS.key | PARTS.package,
  PARTS.model | PARTS.provider | PARTS.package,
  PARTS.key | PARTS.provider | PARTS.package,
  PARTS.key | PARTS.model | PARTS.package,
  WHOLE_SLICE,
]

/** Reports by hour are short, so that their hours need no more. */
export const HOUR_SLICES: readonly number[] = [0, WHOLE_SLICE]

/** The smallest slice that tells these parts apart. */
export function sliceFor(rollup: Rollup, parts: readonly Part[]): number {
  const needed = parts.reduce((bits, part) => bits | PARTS[part], 0)
  const slices = rollup === 'day' ? DAY_SLICES : HOUR_SLICES
  return slices.find((slice) => (slice & needed) === needed) ?? WHOLE_SLICE
}

/** Ids of groups hold their slice in the high bits: room for a million million groups of each. */
const IDS_PER_SLICE = 2 ** 40

/** The ids that groups of a slice have: from `first` to below `end`. */
export function idsOf(slice: number): { readonly first: number; readonly end: number } {
  return { first: slice * IDS_PER_SLICE, end: (slice + 1) * IDS_PER_SLICE }
}
