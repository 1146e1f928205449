/** What the address of this page may say behind the question mark. */
export type Search = Record<never, never>

export function parseSearch(): Search {
  return {}
}
