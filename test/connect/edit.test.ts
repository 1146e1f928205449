// Whatever a file looks like: an edit changes the named members and no other character, and taking it back leaves what was there,
// wherever else the file changed in between.

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { merged } from '#connect/diff.ts'
import { withMembers, withoutMembers, type Member } from '#connect/edit.ts'
import { Refused, type Format, type Path } from '#connect/format.ts'
import { ENV_FORMAT } from '#connect/formats/env.ts'
import { JSON_FORMAT } from '#connect/formats/json.ts'
import { TOML_FORMAT } from '#connect/formats/toml.ts'
import { YAML_FORMAT } from '#connect/formats/yaml.ts'
import { isObject, valueAt } from '#connect/values.ts'
import {
  envFile,
  envPath,
  envValueOf,
  jsonFile,
  jsonPath,
  membersOf,
  plainPath,
  tomlFile,
  tomlPath,
  tomlValueOf,
  yamlFile,
} from './generated-files.ts'
import { cases, isLong } from '../support/cases.ts'

const RUNS = cases(60, 200, 10_000)

type Kind = {
  readonly name: string
  readonly format: Format
  readonly files: fc.Arbitrary<string>
  readonly members: fc.Arbitrary<Member[]>
  /** A line that says nothing. */
  readonly note: string
}

const KINDS: readonly Kind[] = [
  { name: 'JSON with comments', format: JSON_FORMAT, files: jsonFile, members: membersOf(jsonPath), note: '// note' },
  { name: 'YAML', format: YAML_FORMAT, files: yamlFile, members: membersOf(plainPath), note: '# note' },
  { name: 'TOML', format: TOML_FORMAT, files: tomlFile, members: membersOf(tomlPath, tomlValueOf), note: '# note' },
  { name: 'variables', format: ENV_FORMAT, files: envFile, members: membersOf(envPath, envValueOf), note: '# note' },
]

/** Where something of another kind is on the way, or in TOML a table inside a line or one of that name, an edit would take it away. */
function mayBeRefused(format: Format, text: string, { path }: Member): boolean {
  const values = format.read(text)
  if (format === TOML_FORMAT && isObject(valueAt(values, path))) return true
  return path.some((step, index) => {
    const at = valueAt(values, path.slice(0, index))
    if (at === undefined || (at === null && format !== TOML_FORMAT)) return false
    return typeof step === 'string' ? !isObject(at) || /= *\{/.test(text) : !Array.isArray(at)
  })
}

function editOrRefusal(format: Format, text: string, members: readonly Member[]): string | undefined {
  try {
    return withMembers(format, text, members)
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

/** How many characters of `text` are in the other one at its beginning and its end. */
function sharedEnds(text: string, other: string): number {
  let head = 0
  while (head < text.length && text[head] === other[head]) head += 1
  let tail = 0
  while (tail < text.length - head && tail < other.length - head && text.at(-1 - tail) === other.at(-1 - tail))
    tail += 1
  return head + tail
}

function valuesOrNone(format: Format, text: string): unknown {
  try {
    return format.read(text)
  } catch {
    return undefined
  }
}

function withoutEmptyLines(text: string): string {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .join('\n')
}

function isThere(format: Format, text: string, path: Path): boolean {
  return valueAt(format.read(text), path) !== undefined
}

describe.each(KINDS)('$name', { timeout: isLong ? 600_000 : 20_000 }, ({ format, files, members, note }) => {
  it('gets its members, keeps every other character, and gives them back', () => {
    const property = fc.property(files, members, (text, given) => {
      const after = editOrRefusal(format, text, given)
      if (after === undefined) {
        expect(given.some((member) => mayBeRefused(format, text, member))).toBe(true)
        return
      }
      for (const { path, value } of given) expect(valueAt(format.read(after), path)).toEqual(value)
      expect(withoutMembers(format, { before: text, after, current: after }, given)).toEqual({ text, left: [] })
      const [only] = given
      if (given.length === 1 && only !== undefined && !isThere(format, text, only.path.slice(0, 1))) {
        expect(sharedEnds(text, after)).toBe(text.length)
      }
    })
    fc.assert(property, { numRuns: RUNS, seed: 1 })
  })

  it('gives them back also when it changed elsewhere', () => {
    const property = fc.property(files, members, (text, given) => {
      const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`
      const before = `${note} 1\n${note} 2\n${note} 3\n${whole}${note} 4\n${note} 5\n${note} 6\n`
      const after = editOrRefusal(format, before, given)
      if (after === undefined) return
      const elsewhere = (version: string) => `${note} new\n${version}${note} at the end\n`
      const undone = withoutMembers(format, { before, after, current: elsewhere(after) }, given)
      expect(format.read(undone.text)).toEqual(format.read(before))
      expect(undone).toEqual({ text: elsewhere(before), left: [] })
    })
    fc.assert(property, { numRuns: RUNS, seed: 2 })
  })

  it('gives them back also when somebody wrote right beside them, and keeps what was written', () => {
    const line = `${note} beside`
    const property = fc.property(files, members, fc.nat(), (text, given, place) => {
      const after = editOrRefusal(format, text, given)
      if (after === undefined) return
      const lines = after.split(/(?<=\n)/)
      const newline = after.includes('\r\n') ? '\r\n' : '\n'
      const current = lines.toSpliced(place % lines.length, 0, `${line}${newline}`).join('')
      // Within a text of several lines it is no note.
      if (!isDeepStrictEqual(valuesOrNone(format, current), format.read(after))) return
      const undone = withoutMembers(format, { before: text, after, current }, given)
      expect(undone.left).toEqual([])
      const rest = undone.text.split(/(?<=\n)/).filter((one) => one.trim() !== line)
      expect(format.read(undone.text)).toEqual(format.read(text))
      // In JSON a line more is the space between two braces.
      if (format === JSON_FORMAT) return
      // What stands behind a last line without an end gives it one.
      const isCut = text !== '' && !text.endsWith('\n')
      const [whole, was] = [rest.join(''), text].map((one) => (isCut ? one.trimEnd() : one)) as [string, string]
      // The empty line above our table is above what somebody wrote between the two, and stays.
      if (format === TOML_FORMAT && lines[place % lines.length]?.startsWith('['))
        expect(withoutEmptyLines(whole)).toBe(withoutEmptyLines(was))
      else expect(whole).toBe(was)
    })
    fc.assert(property, { numRuns: RUNS, seed: 4 })
  })

  it('leaves a member that somebody changed, and takes the others back', () => {
    const property = fc.property(files, members, (text, given) => {
      const [mine, ...others] = given
      const after = editOrRefusal(format, text, given)
      if (after === undefined || mine === undefined) return
      const last = mine.path.at(-1)
      const other = typeof last === 'object' ? { ...last, by: 'somebody else' } : 'somebody else'
      const current = editOrRefusal(format, after, [{ path: mine.path, value: other }])
      if (current === undefined) return
      let undone: ReturnType<typeof withoutMembers>
      try {
        undone = withoutMembers(format, { before: text, after, current }, given)
      } catch (error) {
        if (error instanceof Refused) return
        throw error
      }
      expect(undone.left).toHaveLength(1)
      const says = format.read(undone.text)
      expect(valueAt(says, mine.path)).toEqual(other)
      for (const { path } of others) expect(valueAt(says, path)).toEqual(valueAt(format.read(text), path))
    })
    fc.assert(property, { numRuns: RUNS, seed: 3 })
  })
})

describe('an edit of TOML', () => {
  it.each([
    ['below a table that has a heading of its own', '[a.b]\nx = 1\n', ['a', 'c'], '[a.b]\nx = 1\n\n[a]\nc = "new"\n'],
    ['in an empty table', '[a.b] # mine\n', ['a', 'b', 'c'], '[a.b] # mine\nc = "new"\n'],
    ['in an empty table at the end', '[a.b]', ['a', 'b', 'c'], '[a.b]\nc = "new"'],
    ['beside names with dots', 'a.x = 1 # mine\nz = 2\n', ['a', 'c'], 'a.x = 1 # mine\na.c = "new"\nz = 2\n'],
    ['beside those of a table', '[t]\na.x.y = 1\n', ['t', 'a', 'x', 'c'], '[t]\na.x.y = 1\na.x.c = "new"\n'],
    ['behind a file without an end', 'x = 1', ['t', 'c'], 'x = 1\n\n[t]\nc = "new"'],
    ['behind empty lines', '\n\n', ['t', 'c'], '\n\n\n[t]\nc = "new"\n'],
    ['with a name that has dots', '[a]\n', ['a', 'b.c'], '[a]\n"b.c" = "new"\n'],
  ] as const)('%s is taken back to the byte, also where it cannot be merged', (_where, before, path, after) => {
    const member = { path, value: 'new' }
    const root = { path: ['root'], value: 'mine' }
    expect(withMembers(TOML_FORMAT, before, [member])).toBe(after)
    const both = withMembers(TOML_FORMAT, before, [member, root])
    // Somebody changed one of the two: that stays, and the other one goes without a trace.
    const current = both.replace('root = "mine"', 'root = "other"')
    const undone = withoutMembers(TOML_FORMAT, { before, after: both, current }, [member, root])
    expect(undone.left).toEqual(['root'])
    expect(undone.text.replace(/root = "other"\r?\n?/, '')).toBe(before)
  })

  it.each([
    ['a table inside a line', 'a = { x = 1 }\n', ['a', 'c']],
    ['a list of tables', '[[a]]\nx = 1\n', ['a', 'c']],
    ['a member that is no table', 'a = 1\n', ['a', 'c']],
  ] as const)('is refused where it would reach into %s', (_what, text, path) => {
    expect(() => withMembers(TOML_FORMAT, text, [{ path, value: 'new' }])).toThrow(Refused)
  })
})

describe('two changes of one text', () => {
  const base = 'one\ntwo\nthree\nfour\n'
  it.each([
    [
      'one takes lines away and the other writes before them',
      'one\nfour\n',
      'one\nnew\ntwo\nthree\nfour\n',
      'one\nnew\nfour\n',
    ],
    ['between them', 'one\nfour\n', 'one\ntwo\nnew\nthree\nfour\n', 'one\nnew\nfour\n'],
    ['behind them', 'one\nfour\n', 'one\ntwo\nthree\nnew\nfour\n', 'one\nnew\nfour\n'],
    [
      'one changes a line and the other writes behind it',
      'one\n2\nthree\nfour\n',
      'one\ntwo\nnew\nthree\nfour\n',
      'one\n2\nnew\nthree\nfour\n',
    ],
    ['both change the same line', 'one\n2\nthree\nfour\n', 'one\ntoo\nthree\nfour\n', undefined],
    ['both write at the same place', 'one\na\ntwo\nthree\nfour\n', 'one\nb\ntwo\nthree\nfour\n', undefined],
    [
      'one writes within lines that the other one changes',
      'one\n2\n3\nfour\n',
      'one\ntwo\nnew\nthree\nfour\n',
      undefined,
    ],
    ['one takes away and the other writes within and changes', 'one\n', 'one\ntwo\nnew\nthree\n4\n', undefined],
  ])('%s', (_what, mine, theirs, both) => {
    expect(merged(base, mine, theirs)).toBe(both)
    expect(merged(base, theirs, mine)).toBe(both)
  })
})
