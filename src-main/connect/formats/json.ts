// JSON with comments and trailing commas. A new member goes before the first one of its object and a new entry behind the last one of its
// list, so that no comma and no comment of the file has to move. Of members of one name the last counts, as for JSON.parse.

import { parseTree, type Node, type ParseError } from 'jsonc-parser'
import {
  insistOnFew,
  lineAt,
  lineStart,
  newlineOf,
  Refused,
  splice,
  unreadable,
  type Content,
  type Format,
  type Path,
  type Step,
} from '#connect/format.ts'
import { remembered } from '#connect/formats/remembered.ts'
import { entryIndex, fromEntries } from '#connect/values.ts'

/** Of nodes in each other; a member is one and its value another. */
const MAX_DEPTH = 1_000
/** By their commas. */
const MAX_ENTRIES = 300_000

export const JSON_FORMAT: Format = {
  newEntries: 'last',
  read: (text) => {
    const root = parse(text)
    return root === undefined ? {} : valueOf(root)
  },
  put(text, path, content) {
    const root = parse(text)
    if (root !== undefined) return putAt({ text, node: root, path, content })
    const layout = layoutOf(text)
    return `${appended(text, layout)}${rendered(nested(path, content), layout)}${layout.newline}`
  },
  remove(text, path) {
    const node = find(parse(text), path)
    return node === undefined ? text : withoutNode(text, node.parent?.type === 'property' ? node.parent : node)
  },
  sourceAt(text, path) {
    const node = find(parse(text), path)
    return node === undefined ? undefined : text.slice(node.offset, endOf(node))
  },
  isBlank: (text) => ['', '{}', '[]'].includes(text.replace(/\s/g, '')),
}

/** A text that has no value yet, ready for one. */
function appended(text: string, { newline }: Layout): string {
  if (text.trim() === '') return ''
  return text.endsWith('\n') ? text : `${text}${newline}`
}

const parse = remembered((text): Node | undefined => {
  insistOnFew(text, /,/g, MAX_ENTRIES)
  const errors: ParseError[] = []
  const root = treeOf(text, errors)
  const [error] = errors
  if (error !== undefined) throw unreadable('JSON', lineAt(text, error.offset))
  if (root !== undefined) insistOnShallow(root)
  if (root !== undefined && root.type !== 'object' && root.type !== 'array') throw unreadable('JSON')
  return root
})

function treeOf(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch {
    // It is nested deeper than the parser's stack goes.
    throw unreadable('JSON')
  }
}

/** Refuses what is nested deeper than a person writes: an edit goes as deep as its values do, and has no more than its stack. */
function insistOnShallow(root: Node): void {
  let level: readonly Node[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw unreadable('JSON')
    level = level.flatMap(({ children }) => children ?? [])
  }
}

function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf)
  if (node.type !== 'object') return node.value
  return fromEntries(propertiesOf(node).map(({ name, value }) => [name, valueOf(value)]))
}

function propertiesOf(node: Node): { name: string; value: Node; property: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? []
    return key === undefined || value === undefined ? [] : [{ name: String(key.value), value, property }]
  })
}

function child(node: Node, step: Step): Node | undefined {
  if (typeof step === 'string') {
    return node.type === 'object' ? propertiesOf(node).findLast(({ name }) => name === step)?.value : undefined
  }
  return node.type === 'array' ? node.children?.[entryIndex((node.children ?? []).map(valueOf), step)] : undefined
}

function find(node: Node | undefined, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((at, step) => (at === undefined ? undefined : child(at, step)), node)
}

type JsonPut = { readonly text: string; readonly node: Node; readonly path: Path; readonly content: Content }

function putAt({ text, node, path, content }: JsonPut): string {
  const [step, ...rest] = path
  const range = { start: node.offset, end: endOf(node) }
  if (step === undefined) return splice(text, range, rendered(content, layoutAt(text, node)))
  const inner = child(node, step)
  if (inner !== undefined) return putAt({ text, node: inner, path: rest, content })
  const wanted = typeof step === 'string' ? 'object' : 'array'
  if (node.type === 'null') return splice(text, range, rendered(nested(path, content), layoutAt(text, node)))
  if (node.type !== wanted)
    throw new Refused(
      'uneditable',
      `It has no ${wanted === 'array' ? 'list' : 'object'} there. Move away what is, and try again.`,
    )
  return typeof step === 'string'
    ? withMemberFirst(text, node, `${JSON.stringify(step)}: `, nested(rest, content))
    : withEntryLast(text, node, nested(rest, content))
}

/** A member before the first one, on a line of its own where that one is. */
function withMemberFirst(text: string, node: Node, key: string, content: Content): string {
  const [first] = node.children ?? []
  const layout = layoutOf(text)
  if (first === undefined) return withFirst(text, node, { key, content })
  const before = text.slice(lineStart(text, first.offset), first.offset)
  if (before.trim() !== '') {
    return splice(text, { start: first.offset, end: first.offset }, `${key}${compact(content)}, `)
  }
  const member = `${key}${rendered(content, { ...layout, base: before })},${layout.newline}${before}`
  return splice(text, { start: first.offset, end: first.offset }, member)
}

/** Into an object or a list that has nothing in it but white space and comments, which stay. */
function withFirst(text: string, node: Node, { key, content }: { key: string; content: Content }): string {
  const layout = layoutOf(text)
  const outer = indentAt(text, node.offset)
  const inside = text.slice(node.offset + 1, endOf(node) - 1)
  const at = { start: node.offset + 1, end: node.offset + 1 }
  if (inside !== '' && !inside.includes('\n')) return splice(text, at, ` ${key}${compact(content)}`)
  const base = outer + layout.unit
  const line = `${layout.newline}${base}${key}${rendered(content, { ...layout, base })}`
  return splice(text, at, inside === '' ? `${line}${layout.newline}${outer}` : line)
}

function withEntryLast(text: string, node: Node, content: Content): string {
  const last = node.children?.at(-1)
  const layout = layoutOf(text)
  if (last === undefined) return withFirst(text, node, { key: '', content })
  const end = { start: endOf(last), end: endOf(last) }
  const before = text.slice(lineStart(text, last.offset), last.offset)
  if (before.trim() !== '') return splice(text, end, `, ${compact(content)}`)
  return splice(text, end, `,${layout.newline}${before}${rendered(content, { ...layout, base: before })}`)
}

/** Takes a member or an entry out, with one of the commas beside it and the white space that led to the next one. */
function withoutNode(text: string, node: Node): string {
  const siblings = node.parent?.children ?? []
  const index = siblings.indexOf(node)
  const next = siblings[index + 1]
  const previous = siblings[index - 1]
  if (next !== undefined) {
    const comma = endOf(node) + commaIn(text.slice(endOf(node), next.offset)) + 1
    const gap = /^\s*/.exec(text.slice(comma, next.offset))?.[0].length ?? 0
    return splice(text, { start: node.offset, end: comma + gap })
  }
  if (previous !== undefined) {
    const comma = endOf(previous) + commaIn(text.slice(endOf(previous), node.offset))
    const between = text.slice(comma + 1, node.offset)
    return splice(text, { start: comma, end: endOf(node) }, between.trim() === '' ? '' : between)
  }
  const parent = node.parent
  if (parent === undefined) return text
  const rest = text.slice(endOf(node), endOf(parent) - 1).replace(/^\s*,/, '')
  const before = text.slice(parent.offset + 1, node.offset)
  const inside = `${before}${rest}`
  return splice(text, { start: parent.offset + 1, end: endOf(parent) - 1 }, inside.trim() === '' ? '' : inside)
}

/** Where the comma is between two nodes, past the comments. */
function commaIn(gap: string): number {
  return gap.replace(/\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length)).indexOf(',')
}

type Layout = { readonly newline: string; readonly unit: string; readonly base: string }

/** The newline of a text and what it is indented by; two spaces where it does not say. */
function layoutOf(text: string): Layout {
  const unit = /\n([\t]+|[ ]{2,8})(?=["\]{[])/.exec(text)?.[1] ?? '  '
  return { newline: newlineOf(text), unit: unit.startsWith('\t') ? '\t' : unit, base: '' }
}

function layoutAt(text: string, node: Node): Layout {
  return { ...layoutOf(text), base: indentAt(text, node.offset) }
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''
}

function endOf(node: Node): number {
  return node.offset + node.length
}

/** The members on the way to a content, made around it. */
function nested(path: Path, content: Content): Content {
  if ('source' in content && path.length === 0) return content
  const inner = 'source' in content ? JSON_FORMAT.read(`{"v":${content.source}}`) : undefined
  const value = 'source' in content ? (inner as { v: unknown }).v : content.value
  return { value: path.toReversed().reduce((made: unknown, step) => wrapped(step, made), value) }
}

function wrapped(step: Step, value: unknown): unknown {
  return typeof step === 'string' ? fromEntries([[step, value]]) : [value]
}

function rendered(content: Content, { newline, unit, base }: Layout): string {
  if ('source' in content) return content.source
  return JSON.stringify(content.value, null, unit).replaceAll('\n', `${newline}${base}`)
}

/** For a file whose members share a line. */
function compact(content: Content): string {
  return 'source' in content ? content.source : JSON.stringify(content.value)
}
