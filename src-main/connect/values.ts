// Members of plain values, as the texts of files are read: what a text must say after an edit is computed here, apart from the edit.

import { isDeepStrictEqual } from 'node:util'
import type { Path, Step } from '#connect/format.ts'

type Members = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** undefined where there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof step !== 'string') return Array.isArray(value) ? value[entryIndex(value, step)] : undefined
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }, root)
}

/** The values with a member put in; objects and lists on the way to it are made. */
export function withMember(root: unknown, path: Path, value: unknown, newEntries: 'first' | 'last'): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step !== 'string') {
    const entries: readonly unknown[] = Array.isArray(root) ? root : []
    const index = entryIndex(entries, step)
    const entry = withMember(entries[index], rest, value, newEntries)
    if (index >= 0) return entries.with(index, entry)
    return newEntries === 'first' ? [entry, ...entries] : [...entries, entry]
  }
  const members = isObject(root) ? root : {}
  const inner = Object.hasOwn(members, step) ? members[step] : undefined
  return fromEntries([...Object.entries(members), [step, withMember(inner, rest, value, newEntries)]])
}

export function withoutMember(root: unknown, path: Path): unknown {
  const [step, ...rest] = path
  if (step === undefined) return undefined
  if (typeof step !== 'string') {
    if (!Array.isArray(root)) return root
    const index = entryIndex(root, step)
    if (index < 0) return root
    return rest.length === 0 ? root.toSpliced(index, 1) : root.with(index, withoutMember(root[index], rest))
  }
  if (!isObject(root) || !Object.hasOwn(root, step)) return root
  const entries = Object.entries(root)
  if (rest.length === 0) return fromEntries(entries.filter(([name]) => name !== step))
  return fromEntries(entries.map(([name, value]) => [name, name === step ? withoutMember(value, rest) : value]))
}

/** Of the entries of a list, the first with these values; -1 for none. */
export function entryIndex(entries: readonly unknown[], wanted: Exclude<Step, string>): number {
  return entries.findIndex(
    (entry) => isObject(entry) && Object.entries(wanted).every(([name, value]) => entry[name] === value),
  )
}

/** An assignment to `__proto__` would change what the object is; this makes a member of that name. */
export function fromEntries(entries: readonly (readonly [string, unknown])[]): Members {
  return Object.fromEntries(entries)
}

export function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right)
}

/** A path as people read it, such as `env.ANTHROPIC_BASE_URL` or `models[name=Farebox]`. */
export function pathText(path: Path): string {
  return path
    .map((step) =>
      typeof step === 'string'
        ? step
        : `[${Object.entries(step)
            .map(([name, value]) => `${name}=${value}`)
            .join(',')}]`,
    )
    .join('.')
    .replaceAll('.[', '[')
}
