// YAML text to a plain value, with the line and column of every part of it. Knows nothing about what the value means.
// Nothing from the text is repeated in a message: a secret may have been written there by mistake.

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Alias,
  type Document,
  type ErrorCode,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

export type Path = readonly (string | number)[]
/** Both count from 1. */
export type Position = { readonly line: number; readonly column: number }
/** `field` is the path of a value with dots, empty for the file as a whole. */
export type Mistake = Position & { readonly field: string; readonly message: string }

export type ParsedYaml =
  | { readonly type: 'parsed'; readonly value: unknown; readonly positionOf: (path: Path) => Position }
  | { readonly type: 'mistakes'; readonly mistakes: readonly Mistake[] }

/**
 * More than any real set-up has, and few enough that a small file full of aliases exhausts neither memory nor patience:
 * looking up one alias takes the library a walk through the file.
 */
const MAX_ALIASES = 1_000
const MAX_ALIASED_VALUES = 100_000

export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  // Members given twice are found below: the library compares every pair, which takes minutes for a large mapping.
  const options = { prettyErrors: false, uniqueKeys: false, stringKeys: true, logLevel: 'error' } as const
  const document = parseDocument(text, { ...options, lineCounter: lines })
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const broken = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0])
  const found = broken.length > 0 ? broken.slice(0, 1).map(described) : inspect(document.contents)
  if (found.length > 0) {
    const located = ({ offset, path, message }: Found) => ({ ...position(offset), field: fieldName(path), message })
    return { type: 'mistakes', mistakes: found.map(located) }
  }
  const positionOf = (path: Path) => position(offsetOf(document, path))
  // Aliases have been measured above, so the library's own count, which stops at 100 uses, is not needed.
  return { type: 'parsed', value: document.toJS({ maxAliasCount: -1 }), positionOf }
}

export function fieldName(path: Path): string {
  return path.map((segment) => (segment === '' ? '""' : segment)).join('.')
}

/** Our words for the codes whose messages would quote the text; the other messages are fixed sentences. */
const OWN_WORDS: Partial<Record<ErrorCode, string>> = {
  UNEXPECTED_TOKEN: 'This is not valid YAML: something here does not belong.',
  BAD_ALIAS: 'An anchor or alias here has no valid name.',
  BAD_COLLECTION_TYPE: 'The tag here does not fit its value. No tags are needed in this file.',
  BAD_DIRECTIVE: 'The directive here is not known. No directives are needed in this file.',
  BAD_DQ_ESCAPE: 'The escape sequence here is not valid; in single quotes a backslash is an ordinary character.',
  NON_STRING_KEY: 'The name of a field must be plain text.',
  RESOURCE_EXHAUSTION: 'The file is nested too deeply.',
  TAG_RESOLVE_FAILED: 'The tag here is not known. No tags are needed in this file.',
  MULTIPLE_DOCS: 'The file holds more than one document; only one is allowed.',
  TAB_AS_INDENT: 'Tabs are not allowed as indentation; use spaces.',
}

/** Only the first of the parser's complaints is worth telling: the others mostly follow from it. */
function described({ code, message, pos }: YAMLError): Found {
  const fixed = message.endsWith('.') ? message : `${message}.`
  return { offset: pos[0], path: [], message: OWN_WORDS[code] ?? fixed }
}

type Found = { readonly offset: number; readonly path: Path; readonly message: string }
type Inspection = {
  readonly anchors: Map<string, number>
  readonly found: Found[]
  aliases: number
  aliasedValues: number
}

/** Members given twice, aliases of nothing, and aliases that multiply. */
function inspect(contents: unknown): Found[] {
  const inspection: Inspection = { anchors: new Map(), found: [], aliases: 0, aliasedValues: 0 }
  measure(contents, [], inspection)
  return inspection.found
}

/** The number of values that a node stands for once its aliases are expanded. Visits nodes in the order of the text. */
function measure(node: unknown, path: Path, inspection: Inspection): number {
  if (isAlias(node)) return measureAlias(node, path, inspection)
  let size = 1
  if (isMap(node)) size += measureMap(node, path, inspection)
  if (isSeq(node)) node.items.forEach((item, index) => (size += measure(item, [...path, index], inspection)))
  // Registered after its own content, so that an alias inside it finds nothing: nothing can contain itself.
  if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) {
    inspection.anchors.set(node.anchor, size)
  }
  return size
}

function measureMap(node: YAMLMap, path: Path, inspection: Inspection): number {
  const seen = new Set<string>()
  let size = 0
  for (const { key, value } of node.items) {
    const name = keyText(key)
    const memberPath = [...path, name]
    if (seen.has(name)) inspection.found.push({ offset: startOf(key), path: memberPath, message: 'is given twice' })
    seen.add(name)
    size += measure(value, memberPath, inspection)
  }
  return size
}

function measureAlias(node: Alias, path: Path, inspection: Inspection): number {
  const size = inspection.anchors.get(node.source)
  const offset = startOf(node)
  if (size === undefined) {
    inspection.found.push({ offset, path, message: 'is an alias of an anchor that is not complete before it' })
    return 1
  }
  const isWithinBounds = isBounded(inspection)
  inspection.aliases += 1
  inspection.aliasedValues += size
  // Said once, about the alias that goes too far.
  if (isWithinBounds && !isBounded(inspection)) {
    inspection.found.push({ offset, path, message: 'is one alias too many: together they stand for too many values' })
  }
  return size
}

function isBounded({ aliases, aliasedValues }: Inspection): boolean {
  return aliases <= MAX_ALIASES && aliasedValues <= MAX_ALIASED_VALUES
}

/** Where a path leads: the name of a member, or the start of an item; for what is not there, its parent. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  for (const segment of path) {
    const parent = isAlias(node) ? node.resolve(document) : node
    const member = isMap(parent) ? pairAt(parent, segment) : isSeq(parent) ? itemAt(parent, segment) : undefined
    if (member === undefined) break
    node = member.node
    offset = member.offset
  }
  return offset
}

function pairAt(map: YAMLMap, segment: string | number) {
  const pair = map.items.find(({ key }) => keyText(key) === String(segment))
  return pair === undefined ? undefined : { node: pair.value, offset: startOf(pair.key) }
}

function itemAt(list: YAMLSeq, segment: string | number) {
  const item = typeof segment === 'number' ? list.items[segment] : undefined
  return item === undefined ? undefined : { node: item, offset: startOf(item) }
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : ''
}

function startOf(node: unknown): number {
  if (isMap(node) || isSeq(node) || isScalar(node) || isAlias(node)) return node.range?.[0] ?? 0
  return 0
}
