// What is summed up of usage records, said once: roll-ups, their check and reports of single records all take these.

/** What a record adds to each sum, in the order of the columns of `usage_hour` and `usage_day`. */
const OF_RECORD = {
  requests: '1',
  // Whoever asked did not get a whole answer, whatever the status was that it began with.
  failed: `outcome <> 'answered'`,
  input_tokens: 'coalesce(input_tokens, 0)',
  cache_read_tokens: 'coalesce(cache_read_tokens, 0)',
  cache_write_tokens: 'coalesce(cache_write_tokens, 0)',
  output_tokens: 'coalesce(output_tokens, 0)',
  reasoning_tokens: 'coalesce(reasoning_tokens, 0)',
  charge_micro: 'charge_micro',
  estimated_usage: `usage_source = 'estimated'`,
  // A call that brought nothing used nothing that anybody should know of.
  unknown_usage: `(input_tokens IS NULL OR output_tokens IS NULL) AND outcome <> 'refused' AND outcome <> 'failed'`,
} as const

export type Measure = keyof typeof OF_RECORD
// Object.keys forgets that the names are those of the table.
export const MEASURES = Object.keys(OF_RECORD) as readonly Measure[]

export type Sums = Readonly<Record<Measure, number>>

export const NO_SUMS: Sums = {
  requests: 0,
  failed: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  charge_micro: 0,
  estimated_usage: 0,
  unknown_usage: 0,
}

/** One record's share, as a list of columns. */
export const RECORD_SHARES = MEASURES.map((name) => `${OF_RECORD[name]} AS ${name}`).join(', ')

/** Sums over records, as a list of columns; 0 where there are none. */
export const RECORD_SUMS = MEASURES.map((name) => `coalesce(sum(${OF_RECORD[name]}), 0) AS ${name}`).join(', ')

/** Sums over roll-ups, as a list of columns; 0 where there are none. */
export const ROLLUP_SUMS = MEASURES.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ')

export function addSums(all: readonly Sums[]): Sums {
  const total = { ...NO_SUMS }
  for (const sums of all) for (const name of MEASURES) total[name] += sums[name]
  return total
}

export function subtractSums(from: Sums, other: Sums): Sums {
  const rest = { ...from }
  for (const name of MEASURES) rest[name] -= other[name]
  return rest
}
