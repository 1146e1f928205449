// Reads members of what somebody else wrote.

type Path = readonly (string | number)[]

/** A member of a member; undefined where there is none. */
export function at(value: unknown, ...path: Path): unknown {
  return follow(value, path)
}

export function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name)
  return Array.isArray(list) ? list : []
}

/** An empty text where it is none. */
export function textAt(value: unknown, ...path: Path): string {
  const text = follow(value, path)
  return typeof text === 'string' ? text : ''
}

function follow(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([key]) => key === String(name))?.[1]
  }, value)
}
