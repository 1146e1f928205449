// The classes of tokens that have prices. Plain data, so that every room and the dashboard can have them.

/** The classes that every price has. They do not overlap. */
export const PAID_CLASSES = ['input', 'cache_read', 'cache_write', 'output'] as const
export type PaidClass = (typeof PAID_CLASSES)[number]

/** Parts of the classes that some providers have a price of their own for, and the class that each belongs to. */
export const PART_OF = {
  cache_write_1h: 'cache_write',
  input_audio: 'input',
  input_image: 'input',
  cache_read_audio: 'cache_read',
  cache_read_image: 'cache_read',
  reasoning: 'output',
  output_audio: 'output',
  output_image: 'output',
} as const satisfies Readonly<Record<string, PaidClass>>
export type PartClass = keyof typeof PART_OF
// Object.keys forgets that the names are those of the table.
export const PART_CLASSES = Object.keys(PART_OF) as readonly PartClass[]
