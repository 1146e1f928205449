// The versions that an adapter was read for, against the one that is installed.

/**
 * `2.1` stands for 2.1 and what follows it up to 3, and `0.61 and later` for all that follows. What is said behind the number is for
 * people. A version that has no number in it is taken as it is: nothing can be said about it.
 */
export function isInRange(version: string, range: string): boolean {
  const [is, from] = [numbersOf(version), numbersOf(range)]
  if (is === undefined || from === undefined) return true
  const isLater = is.major > from.major || (is.major === from.major && is.minor >= from.minor)
  return isLater && (is.major === from.major || range.includes('and later'))
}

function numbersOf(text: string): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /(?<!\d)(\d+)\.(\d+)/.exec(text) ?? []
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) }
}
