// What reports of usage tell apart. Plain data, so that the dashboard can carry it without the schemas.

/**
 * `owner` goes by what is said of keys, `member` by whose they are; keys of no member go by what is said of them there too. A call with
 * several tags is counted for each of them, so that the groups of `tag` can come to more than the totals. `session` is for short times, and has
 * no points.
 */
export const USAGE_GROUPS = [
  'none',
  'model',
  'key',
  'provider',
  'package',
  'owner',
  'member',
  'tool',
  'project',
  'tag',
  'session',
] as const
export const USAGE_ROLLUPS = ['hour', 'day'] as const
