// Which hue a name has in charts. Names get the next free hue when they are first seen and keep it, so that a model has the
// same colour on every page; a hash of the name would give two neighbours the same one.

export const HUE_COUNT = 8

/** From names to hues 1 to 8. */
export type Hues = Readonly<Record<string, number>>

/** The assignment with `names` added: each new one gets the hue that the fewest names have. */
export function withNames(known: Hues, names: readonly string[]): Hues {
  const result = new Map(Object.entries(known).filter(([, hue]) => isHue(hue)))
  for (const name of names) {
    if (!result.has(name)) result.set(name, leastUsed([...result.values()]))
  }
  return Object.fromEntries(result)
}

/** The hues of one chart. Where two of its names would share one, the later takes a hue that is free in this chart. */
export function huesFor(known: Hues, names: readonly string[]): Hues {
  const all = withNames(known, names)
  const taken: number[] = []
  const pairs = names.map((name) => {
    const own = all[name] ?? 1
    const hue = taken.includes(own) ? leastUsed(taken) : own
    taken.push(hue)
    return [name, hue] as const
  })
  return Object.fromEntries(pairs)
}

/** The CSS colour of a hue; without one the grey of `Other`. */
export function hueColour(hue: number | undefined): string {
  return hue === undefined ? 'var(--chart-other)' : `var(--chart-${hue})`
}

function leastUsed(used: readonly number[]): number {
  const hues = Array.from({ length: HUE_COUNT }, (_, index) => index + 1)
  const countOf = (hue: number) => used.filter((other) => other === hue).length
  return hues.toSorted((left, right) => countOf(left) - countOf(right) || left - right)[0] ?? 1
}

function isHue(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= HUE_COUNT
}
