// YAML. The document is parsed for the places of its members, and members are spliced into its text, each on one line: writing the parsed
// document anew would move comments and change how values are written.

import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import {
  appendLine,
  insistOnFew,
  lineAt,
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
import { entryIndex, fromEntries } from '#connect/values.ts'

export const YAML_FORMAT: Format = {
  newEntries: 'first',
  read: (text) => {
    const { contents } = parse(text)
    return saysNothing(contents) ? {} : valueOf(contents)
  },
  put(text, path, content) {
    const { contents } = parse(text)
    if (!saysNothing(contents)) return putAt({ text, node: contents, path, content })
    const [step = '', ...rest] = path
    if (typeof step !== 'string')
      throw new Refused('uneditable', 'It has no list there. Move away what is, and try again.')
    return appendLine(text, `${step}: ${rendered(nested(rest, content))}`)
  },
  remove(text, path) {
    const { contents } = parse(text)
    const parent = find(contents, path.slice(0, -1))
    const step = path.at(-1)
    if (parent === undefined || step === undefined) return text
    insistOnNoAnchorsAlong(contents, path)
    if (isMap(parent) && typeof step === 'string') return withoutPair(text, parent, step)
    if (isSeq(parent) && typeof step !== 'string') return withoutItem(text, parent, step)
    return text
  },
  sourceAt(text, path) {
    const node = find(parse(text).contents, path)
    return node === undefined ? undefined : text.slice(rangeOf(node).start, rangeOf(node).end)
  },
  isBlank: (text) => text.trim() === '',
}

const parse = remembered((text): { readonly contents: Node | null } => {
  insistOnFew(text, LINES_AND_ENTRIES, MAX_LINES_AND_ENTRIES)
  const document = documentOf(text)
  const [error] = document.errors
  if (error !== undefined) throw unreadable('YAML', lineAt(text, error.pos[0]))
  return document
})

/** A document that is empty, perhaps but for the mark at its beginning. */
function saysNothing(contents: Node | null): contents is null {
  return contents === null || (isScalar(contents) && contents.value === null)
}

function documentOf(text: string) {
  try {
    return parseDocument(text, { logLevel: 'error', uniqueKeys: false })
  } catch {
    // It is nested deeper than the parser's stack goes.
    throw unreadable('YAML')
  }
}

/** Aliases and tags stay as they are written: what they stand for is none of an edit's business. */
function valueOf(node: unknown): unknown {
  if (isMap(node)) return fromEntries(node.items.map((pair) => [keyOf(pair), valueOf(pair.value)]))
  if (isSeq(node)) return node.items.map(valueOf)
  if (isScalar(node)) return node.value
  return isAlias(node) ? `*${node.source}` : null
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
}

function pairOf(map: YAMLMap, name: string): Pair<Node, Node | null> | undefined {
  return map.items.findLast((pair) => keyOf(pair) === name) as Pair<Node, Node | null> | undefined
}

function child(node: unknown, step: Step): Node | undefined {
  if (typeof step === 'string') return isMap(node) ? (pairOf(node, step)?.value ?? undefined) : undefined
  return isSeq(node) ? (node.items[entryIndex(node.items.map(valueOf), step)] as Node | undefined) : undefined
}

function find(node: unknown, path: Path): Node | undefined {
  return path.reduce<unknown>((at, step) => child(at, step), node) as Node | undefined
}

/** A collection in lines ends with its last value: the comments behind it are somebody's. */
function rangeOf(node: Node): Range {
  const [start = 0, end = 0] = node.range ?? []
  const last = isCollection(node) && node.flow !== true ? node.items.at(-1) : undefined
  const inner = isPair(last) ? (last.value ?? last.key) : last
  return { start, end: isNode(inner) ? rangeOf(inner).end : end }
}

/** An alias elsewhere stands for what an anchor names: it would say something else after a change of that. */
function insistOnNoAnchor(node: Node): void {
  if ('anchor' in node && node.anchor !== undefined) {
    throw new Refused('uneditable', `It uses '&${String(node.anchor)}' there, which other parts of it may repeat.`)
  }
}

/** The same for all that is in a node, which is replaced. */
function insistOnNoAnchors(node: Node): void {
  visit(node, { Node: (_, inner) => insistOnNoAnchor(inner as Node) })
}

/** The same for what is taken out, and for all that it is taken out of. */
function insistOnNoAnchorsAlong(root: unknown, path: Path): void {
  const nodes = [...path.keys()].flatMap((length) => find(root, path.slice(0, length)) ?? [])
  for (const node of nodes) insistOnNoAnchor(node)
  const last = find(root, path)
  if (last !== undefined) insistOnNoAnchors(last)
}

type YamlPut = { readonly text: string; readonly node: Node; readonly path: Path; readonly content: Content }

function putAt({ text, node, path, content }: YamlPut): string {
  const [step, ...rest] = path
  if (step === undefined) return withValue(text, node, content)
  insistOnNoAnchor(node)
  const inner = child(node, step)
  const isLeft = inner !== undefined && (rest.length === 0 || !(isScalar(inner) && inner.value === null))
  if (isLeft) return putAt({ text, node: inner, path: rest, content })
  if (inner !== undefined) return withValue(text, inner, nested(rest, content))
  if (isMap(node) && typeof step === 'string')
    return withPair(text, node, `${step}: ${rendered(nested(rest, content))}`)
  if (isSeq(node) && typeof step !== 'string') return withItem(text, node, rendered(nested(rest, content)))
  throw new Refused(
    'uneditable',
    'What it has there is of another kind than Farebox needs. Move that away, and try again.',
  )
}

function withValue(text: string, node: Node, content: Content): string {
  insistOnNoAnchors(node)
  const { start, end } = rangeOf(node)
  const source = rendered(content)
  // The space that a value got before a comment goes with it.
  if (source === '' && text.startsWith(' #', end)) return splice(text, { start, end: end + 1 })
  const space = start === end && /[:-]$/.test(text.slice(0, start)) ? ' ' : ''
  const tail = text.slice(start, end).endsWith('\n') ? newlineOf(text) : ''
  // A comment needs a space before it.
  const behind = text[end] === '#' ? ' ' : tail
  return splice(text, { start, end }, `${space}${source}${source.endsWith('\n') ? '' : behind}`)
}

function withPair(text: string, map: YAMLMap, line: string): string {
  const [first] = map.items as Pair<Node>[]
  return first === undefined
    ? inBrackets(text, map, line)
    : before(text, rangeOf(first.key).start, { line, flow: map.flow })
}

function withItem(text: string, list: YAMLSeq, value: string): string {
  const [first] = list.items as Node[]
  if (first === undefined) return inBrackets(text, list, value)
  const { start } = rangeOf(first)
  if (list.flow === true) return before(text, start, { line: value, flow: true })
  return before(text, text.lastIndexOf('-', start - 1), { line: `- ${value}`, flow: false })
}

/** Into a collection that has nothing in it, and so is written with brackets. */
function inBrackets(text: string, node: Node, content: string): string {
  const start = rangeOf(node).start + 1
  return splice(text, { start, end: start }, content)
}

/** Before what begins at an offset: on a line of its own, at the same column. */
function before(text: string, offset: number, { line, flow }: { line: string; flow: boolean | undefined }): string {
  const at = { start: offset, end: offset }
  if (flow === true) return splice(text, at, `${line}, `)
  const column = offset - lineStart(text, offset)
  return splice(text, at, `${line}${newlineOf(text)}${' '.repeat(column)}`)
}

function withoutPair(text: string, map: YAMLMap, name: string): string {
  const pair = pairOf(map, name)
  if (pair === undefined) return text
  const start = rangeOf(pair.key).start
  const end = pair.value === null ? rangeOf(pair.key).end : rangeOf(pair.value).end
  return map.flow === true ? withoutFlow(text, { start, end }) : withoutLines(text, { start, end })
}

function withoutItem(text: string, list: YAMLSeq, step: Exclude<Step, string>): string {
  const item = child(list, step)
  if (item === undefined) return text
  const { start, end } = rangeOf(item)
  if (list.flow === true) return withoutFlow(text, { start, end })
  return withoutLines(text, { start: text.lastIndexOf('-', start - 1), end })
}

function withoutFlow(text: string, { start, end }: Range): string {
  const comma = /^\s*,\s*/.exec(text.slice(end))?.[0].length
  if (comma !== undefined) return splice(text, { start, end: end + comma })
  const before = /,\s*$/.exec(text.slice(0, start))?.[0].length ?? 0
  return splice(text, { start: start - before, end })
}

/** Whole lines; where others share the first of them, up to what follows at the same column. */
function withoutLines(text: string, { start, end }: Range): string {
  const from = lineStart(text, start)
  const behind = text.slice(start, end).endsWith('\n') ? end : lineEnd(text, end)
  if (text.slice(from, start).trim() === '') return splice(text, { start: from, end: behind })
  const indent = /^ */.exec(text.slice(behind))?.[0].length ?? 0
  return splice(text, { start, end: behind + indent })
}

function nested(path: Path, content: Content): Content {
  if (path.length === 0) return content
  const value = 'source' in content ? YAML_FORMAT.read(content.source) : content.value
  return {
    value: path
      .toReversed()
      .reduce((made: unknown, step) => (typeof step === 'string' ? { [step]: made } : [made]), value),
  }
}

/** JSON is YAML, and stays on its line. */
function rendered(content: Content): string {
  return 'source' in content
    ? content.source
    : JSON.stringify(content.value).replaceAll(/":(?=[^ ])|,(?=")/g, (at) => `${at} `)
}
