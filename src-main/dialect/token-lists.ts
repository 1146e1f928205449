// Inputs that clients have made into tokens themselves.

/** How many tokens were sent as tokens: a list of them, or several; undefined for anything else. */
export function countTokens(input: unknown): number | undefined {
  if (!Array.isArray(input)) return undefined
  if (typeof input[0] === 'number') return input.length
  if (!Array.isArray(input[0])) return undefined
  return input.reduce((sum: number, item: unknown) => sum + (Array.isArray(item) ? item.length : 0), 0)
}
