import { isAbsolute } from 'node:path'

export type Home = { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> }

/** The first place whose variable is set: `~` is the home folder, and `$NAME` a variable that has a whole path. */
export function placeOf(places: readonly string[], { home, env }: Home): string | undefined {
  const [place] = places.flatMap((one) => {
    const variable = /^\$(\w+)/.exec(one)?.[1]
    if (variable === undefined) return [one.replace('~', () => home)]
    const value = env[variable]
    return value === undefined || !isAbsolute(value) ? [] : [value + one.slice(variable.length + 1)]
  })
  return place
}
