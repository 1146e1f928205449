// Members put into a text and taken back. What comes out is read again and must say what was there and the members, and nothing else: an edit
// that would say anything more or less is refused.

import { merged } from '#connect/diff.ts'
import { Refused, type Format, type Path } from '#connect/format.ts'
import { isSame, pathText, valueAt, withMember, withoutMember } from '#connect/values.ts'

/** `kept` are names in its value that the tool itself writes: they do not make it somebody else's. */
export type WrittenMember = { readonly path: Path; readonly kept?: readonly string[] }
/** `isSecret`: its value is a secret, or holds one. */
export type Member = WrittenMember & { readonly value: unknown; readonly isSecret?: true }

export function withMembers(format: Format, text: string, members: readonly Member[]): string {
  const expected = members.reduce(
    (values, { path, value }) => withMember(values, path, value, format.newEntries),
    format.read(text),
  )
  return checked(format, expected, () =>
    members.reduce((edited, { path, value }) => format.put(edited, path, { value }), text),
  )
}

function checked(format: Format, expected: unknown, edit: () => string): string {
  const text = orNothing(edit)
  if (
    text !== undefined &&
    isSame(
      orNothing(() => format.read(text)),
      expected,
    )
  )
    return text
  throw new Refused(
    'uneditable',
    'It is written in a way that Farebox cannot edit without touching more than its own lines. Write what is there in lines of its own, and try again.',
  )
}

/** An edit that makes a text unreadable is found out by the next one. */
function orNothing<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt()
  } catch (error) {
    if (error instanceof Refused && error.reason === 'unreadable') return undefined
    throw error
  }
}

/** A file as it was before Farebox wrote, as it wrote it, and as it is now. */
export type Versions = { readonly before: string; readonly after: string; readonly current: string }

export type Undone = {
  readonly text: string
  /** Members that somebody changed since: they stay. */
  readonly left: readonly string[]
}

/** Takes members out of a text, or puts back what they were, wherever else the text has changed. */
export function withoutMembers(format: Format, versions: Versions, members: readonly WrittenMember[]): Undone {
  const { before, after, current } = versions
  if (current === after) return { text: before, left: [] }
  const [old, written, now] = [before, after, current].map((text) => format.read(text))
  const saysSame = ({ path, kept = [] }: WrittenMember, other: unknown) =>
    isSame(withoutNames(valueAt(now, path), kept), withoutNames(valueAt(other, path), kept))
  const own = members.filter((member) => saysSame(member, written)).map(({ path }) => path)
  const left = members
    .filter((member) => !own.includes(member.path) && !saysSame(member, old))
    .map(({ path }) => pathText(path))
  const expected = own.reduce((values, path) => undoneValue(values, path, old), now)
  if (own.length === members.length) {
    const text = merged(after, before, current)
    if (
      text !== undefined &&
      isSame(
        orNothing(() => format.read(text)),
        expected,
      )
    )
      return { text, left }
  }
  const undo = () => own.reduce((edited, path) => undoneText(format, edited, { path, before }), current)
  return { text: checked(format, expected, undo), left }
}

/** A value without the names in it that the tool itself writes. */
export function withoutNames(value: unknown, names: readonly string[]): unknown {
  return names.reduce((rest, name) => withoutMember(rest, [name]), value)
}

function undoneValue(values: unknown, path: Path, old: unknown): unknown {
  const part = changedPart(path, old, values)
  const was = valueAt(old, part)
  return was === undefined ? withoutMember(values, part) : withMember(values, part, was, 'last')
}

function undoneText(format: Format, text: string, { path, before }: { path: Path; before: string }): string {
  const now = format.read(text)
  const part = changedPart(path, format.read(before), now)
  const source = format.sourceAt(before, part)
  if (source !== undefined) return format.put(text, part, { source })
  return valueAt(now, part) === undefined ? text : format.remove(text, part, before)
}

/** The highest member on a path that held nothing before, and that has nothing in it now but this path. */
function changedPart(path: Path, old: unknown, now: unknown): Path {
  for (let length = 1; length < path.length; length++) {
    const part = path.slice(0, length)
    const was = valueAt(old, part)
    if ((was === undefined || was === null) && isAlone(now, path, length)) return part
  }
  return path
}

function isAlone(values: unknown, path: Path, length: number): boolean {
  return path.slice(length).every((_, index) => {
    const inner = valueAt(values, path.slice(0, length + index))
    return typeof inner === 'object' && inner !== null && Object.keys(inner).length === 1
  })
}
