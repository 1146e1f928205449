/** Builds anew what was made of other sources than those that are here; returns a sentence for each part that could not be built. */
export function bringUpToDate(
  names: readonly ('main' | 'dashboard')[],
  print: (line: string) => void,
): readonly string[]
