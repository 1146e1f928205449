// Words of the commands that are printed for people to run.

import { printable } from '#cli/output.ts'

/** A name as it can be typed into a shell. */
export function shellWord(name: string): string {
  return /^[\w.@:/=,-]+$/.test(name) ? name : `'${printable(name).replaceAll("'", `'\\''`)}'`
}
