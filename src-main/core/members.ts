// Values that came in as JSON, before anybody knows what they are.

/** The members of a value; none for what is not an object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
