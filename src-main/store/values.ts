// What reading rows has in common.

/** A value that a CHECK allowed; throws for one that it should not have. */
export function oneOf<Value extends string>(values: readonly Value[], found: string): Value {
  const value = values.find((candidate) => candidate === found)
  if (value === undefined) throw new Error(`the database holds an unknown value '${found}'`)
  return value
}
