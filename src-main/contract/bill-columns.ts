// What the columns of a provider's report say. Plain data, so that what reads reports needs no schema library.

export const MEANINGS = [
  'start',
  'end',
  'day',
  /** An instant: the line is of the day of UTC that it is in. */
  'at',
  /** Days of US Pacific time, the last one included. */
  'pacific_day',
  'pacific_start',
  'pacific_end',
  /** What tells the line from all others. */
  'id',
  'model',
  /** Of a model, such as `free`; `standard` is the model itself. */
  'variant',
  'account',
  'requests',
  /** All of the input, whatever of it was cached. */
  'input_all',
  'input',
  'cache_read',
  'cache_write',
  'cache_write_1h',
  'output',
  'amount',
  'currency',
  'item',
  'kind',
  /** Whose usage is billed, and the item of its price list. */
  'service',
  'sku',
] as const
export type Meaning = (typeof MEANINGS)[number]
