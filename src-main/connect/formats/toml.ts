// TOML. The file is parsed for the places of its members, which are spliced into its text: a member of the root before the first table, one of
// a table behind its heading or beside those that name it with dots, and a new table at the end. Tables that are written inside a line are
// read and not edited.

import { getStaticTOMLValue, ParseError, parseTOML, type AST } from 'toml-eslint-parser'
import {
  appendLine,
  insistOnFew,
  lineEnd,
  lineStart,
  LINES_AND_ENTRIES,
  MAX_LINES_AND_ENTRIES,
  newlineOf,
  Refused,
  splice,
  unreadable,
  type Content,
  type Format,
  type Path,
  type Range,
  type Step,
} from '#connect/format.ts'
import { remembered } from '#connect/formats/remembered.ts'
import { fromEntries, isObject } from '#connect/values.ts'

export const TOML_FORMAT: Format = {
  newEntries: 'last',
  read: (text) => getStaticTOMLValue(parse(text)),
  put(text, path, content) {
    const names = namesOf(path)
    const found = findValue(text, names)
    if (found !== undefined) return splice(text, rangeOf(found.value), rendered(content))
    if (tablesBelow(text, names).length > 0)
      throw new Refused('taken', `It has a table [${heading(names)}] already. Give that another name, and try again.`)
    const value = valueOf(content)
    if (isObject(value)) return withTables(text, names, value)
    return withKey(text, names, rendered(content))
  },
  remove(text, path, before) {
    const names = namesOf(path)
    const found = findValue(text, names)
    if (found !== undefined) return withoutMadeHeading(withoutLines(text, rangeOf(found)), names.slice(0, -1), before)
    return tablesBelow(text, names).reduceRight(withoutTable, text)
  },
  sourceAt(text, path) {
    const found = findValue(text, namesOf(path))
    if (found === undefined) return undefined
    const { start, end } = rangeOf(found.value)
    return text.slice(start, end)
  },
  isBlank: (text) => text.trim() === '',
}

type KeyValue = AST.TOMLKeyValue

const parse = remembered((text): AST.TOMLProgram => {
  insistOnFew(text, LINES_AND_ENTRIES, MAX_LINES_AND_ENTRIES)
  try {
    return parseTOML(text, { tomlVersion: '1.0' })
  } catch (error) {
    throw unreadable('TOML', error instanceof ParseError ? error.lineNumber : undefined)
  }
})

function namesOf(path: Path): string[] {
  return path.map((step: Step) => {
    if (typeof step === 'string') return step
    throw new Refused('uneditable', 'Entries of a list are not edited in TOML.')
  })
}

function nodesOf(text: string): (KeyValue | AST.TOMLTable)[] {
  return parse(text).body[0].body
}

/** Every member with a value of its own, by its whole name. */
function membersOf(text: string): { readonly names: readonly (string | number)[]; readonly member: KeyValue }[] {
  return nodesOf(text).flatMap((node) =>
    node.type === 'TOMLKeyValue'
      ? [{ names: keyNames(node), member: node }]
      : node.body.map((member) => ({ names: [...node.resolvedKey, ...keyNames(member)], member })),
  )
}

function keyNames({ key }: KeyValue): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))
}

function findValue(text: string, names: readonly string[]): KeyValue | undefined {
  return membersOf(text).find((found) => isSameName(found.names, names))?.member
}

/** The tables of a name and those below it, in the order of the file. */
function tablesBelow(text: string, names: readonly string[]): AST.TOMLTable[] {
  return nodesOf(text).filter(
    (node): node is AST.TOMLTable =>
      node.type === 'TOMLTable' && isSameName(node.resolvedKey.slice(0, names.length), names),
  )
}

function isSameName(left: readonly (string | number)[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index])
}

function rangeOf({ range: [start, end] }: { readonly range: readonly [number, number] }): Range {
  return { start, end }
}

/** A table of its own at the end of the file, and one for each object in it. A last line without an end stays one. */
function withTables(text: string, names: readonly string[], value: Readonly<Record<string, unknown>>): string {
  const newline = newlineOf(text)
  const lines = tableLines(names, value).join(newline)
  if (text === '') return `${lines}${newline}`
  return text.endsWith('\n') ? `${text}${newline}${lines}${newline}` : `${text}${newline}${newline}${lines}`
}

function tableLines(names: readonly string[], value: Readonly<Record<string, unknown>>): string[] {
  const own = Object.entries(value).filter(([, member]) => !isObject(member))
  const inner = Object.entries(value).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]))
  const head = own.length > 0 || inner.length === 0 ? [`[${heading(names)}]`] : []
  const lines = [...head, ...own.map(([name, member]) => `${keyText(name)} = ${literal(member)}`)]
  return inner.reduce((made, [name, member]) => {
    const table = tableLines([...names, name], member)
    return made.length === 0 ? table : [...made, '', ...table]
  }, lines)
}

function withKey(text: string, names: readonly string[], source: string): string {
  const name = names.at(-1) ?? ''
  const table = names.slice(0, -1)
  const line = `${keyText(name)} = ${source}`
  if (table.length === 0) return atTop(text, line)
  const found = headingOf(text, table)
  if (found !== undefined) return withLine(text, headingEnd(text, found), line)
  const dotted = lastDotted(text, table)
  if (dotted === undefined) return withTables(text, table, fromEntries([[name, valueOf({ source })]]))
  return withLine(text, dotted.end, `${heading(names.slice(dotted.depth))} = ${source}`)
}

function headingOf(text: string, names: readonly string[]): AST.TOMLTable | undefined {
  return tablesBelow(text, names).find((node) => isSameName(node.resolvedKey, names))
}

/** Where the last member ends whose name leads through a table by dots: such a table has no heading. `depth`: of the table that it is in. */
function lastDotted(text: string, names: readonly string[]) {
  const found = membersOf(text).findLast(({ names: own, member }) => {
    const depth = own.length - keyNames(member).length
    return depth < names.length && own.length > names.length && isSameName(own.slice(0, names.length), names)
  })
  if (found === undefined) return undefined
  return { end: rangeOf(found.member).end, depth: found.names.length - keyNames(found.member).length }
}

/** Behind the line that a place is in. */
function withLine(text: string, offset: number, line: string): string {
  const at = lineEnd(text, offset)
  return at === text.length ? appendLine(text, line) : splice(text, { start: at, end: at }, `${line}${newlineOf(text)}`)
}

function headingEnd(text: string, table: AST.TOMLTable): number {
  return text.indexOf(']', table.key.range[1])
}

/** Before the first member of the root; where there is none, before everything: behind a table's heading it would be the table's. */
function atTop(text: string, line: string): string {
  const [first] = nodesOf(text)
  if (first === undefined) return appendLine(text, line)
  const at = first.type === 'TOMLKeyValue' ? lineStart(text, first.range[0]) : 0
  return splice(text, { start: at, end: at }, `${line}${newlineOf(text)}`)
}

function withoutLines(text: string, { start, end }: Range): string {
  return withoutWhole(text, { start: lineStart(text, start), end: lineEnd(text, end) })
}

/** Without whole lines. Where these are the last and have no end, the line before them has none afterwards. */
function withoutWhole(text: string, { start, end }: Range): string {
  const isCut = end === text.length && !text.endsWith('\n')
  const newline = isCut ? (/\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0) : 0
  return splice(text, { start: start - newline, end })
}

/**
 * A heading that was made for a member and has nothing under it any more says nothing where the table has others below it, which is where it
 * is left over: a table that has nothing else is taken out as a whole.
 */
function withoutMadeHeading(text: string, names: readonly string[], before: string): string {
  const made = headingOf(text, names)
  const isLeftOver = made !== undefined && made.body.length === 0 && headingOf(before, names) === undefined
  return isLeftOver ? withoutTable(text, made) : text
}

/** With the empty line that leads to it. */
function withoutTable(text: string, table: AST.TOMLTable): string {
  const { start, end } = rangeOf(table)
  const from = lineStart(text, start)
  const gap = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, from))?.[1]?.length ?? 0
  return withoutWhole(text, { start: from - gap, end: lineEnd(text, end) })
}

function valueOf(content: Content): unknown {
  if ('value' in content) return content.value
  const { value } = getStaticTOMLValue(parse(`value = ${content.source}`)) as { value: unknown }
  return value
}

function rendered(content: Content): string {
  return 'source' in content ? content.source : literal(content.value)
}

function heading(names: readonly string[]): string {
  return names.map(keyText).join('.')
}

function keyText(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name)
}

function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `${keyText(name)} = ${literal(member)}`)
    return `{ ${members.join(', ')} }`
  }
  return String(value)
}

/** JSON's escapes are TOML's, but for the one character that JSON leaves as it is. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
