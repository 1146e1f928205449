// Reads source text well enough to hold rules against it: imports, the length of functions, cycles. It knows the layout
// that the formatter guarantees, not the grammar; a text that is built to fool it will.

import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/** `path` is relative to the folder of all sources, with forward slashes. */
export type SourceFile = { readonly path: string; readonly text: string }

/** `target` is a path like a SourceFile's; outside ones are packages or, with `node:`, parts of the platform. */
export type Import = {
  readonly type: 'inside' | 'outside'
  readonly target: string
  readonly isTypeOnly: boolean
  /** Loaded when the code that holds it runs, not with its file. */
  readonly isDynamic: boolean
}

const SOURCE_FILE = /\.(ts|tsx|mts|mjs|js)$/

export function readSources(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => SOURCE_FILE.test(path))
    .map((path) => ({ path: path.replaceAll(sep, '/'), text: readFileSync(join(folder, path), 'utf8') }))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** Comments, and what can hold something that looks like one: strings, templates and regular expressions. */
const TOKEN = new RegExp(
  [
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`\/\/[^\n]*`,
    String.raw`'(?:\\.|[^'\\\n])*'`,
    String.raw`"(?:\\.|[^"\\\n])*"`,
    '`(?:\\\\[\\s\\S]|[^`\\\\])*`',
    String.raw`(?<=[(,=:[!&|?{};+>]\s*|\breturn\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`,
  ].join('|'),
  'g',
)

/** The same lines without their comments. */
export function withoutComments(text: string): string {
  return text.replace(TOKEN, (token) => {
    const isComment = token.startsWith('//') || token.startsWith('/*')
    return isComment ? token.replace(/[^\n]+/g, '') : token
  })
}

const BINDINGS = String.raw`(?:[\w$]+|\*\s*as\s+[\w$]+|\{[^}]*\})(?:\s*,\s*(?:\*\s*as\s+[\w$]+|\{[^}]*\}))?`
const STATIC_IMPORT = new RegExp(String.raw`^import\s+(type\s+)?${BINDINGS}\s*from\s*['"]([^'"]+)['"]`, 'gm')
const RE_EXPORT = /^export\s+(type\s+)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*['"]([^'"]+)['"]/gm
const BARE_IMPORT = /^import\s+()['"]([^'"]+)['"]/gm
const DYNAMIC_IMPORT = /(typeof\s+)?\bimport\(\s*['"`]([^'"`]+)['"`]/g

/** Every import of a file. Data files are left out. `{ type A }` counts as a value import: Node still loads the file. */
export function importsOf(file: SourceFile): Import[] {
  const code = withoutComments(file.text)
  return [STATIC_IMPORT, RE_EXPORT, BARE_IMPORT, DYNAMIC_IMPORT]
    .flatMap((pattern) =>
      [...code.matchAll(pattern)].map((match) => ({ match, isDynamic: pattern === DYNAMIC_IMPORT })),
    )
    .map(({ match, isDynamic }) => {
      return { ...resolve(file.path, match[2] ?? ''), isTypeOnly: (match[1] ?? '') !== '', isDynamic }
    })
    .filter((found) => !found.target.endsWith('.json'))
}

function resolve(from: string, specifier: string): Pick<Import, 'type' | 'target'> {
  if (specifier.startsWith('.')) return { type: 'inside', target: posix.join(posix.dirname(from), specifier) }
  if (specifier.startsWith('#')) return { type: 'inside', target: specifier.slice(1) }
  if (specifier.startsWith('node:')) return { type: 'outside', target: specifier }
  const nameParts = specifier.startsWith('@') ? 2 : 1
  return { type: 'outside', target: specifier.split('/').slice(0, nameParts).join('/') }
}

/** The lines of code of a text: neither blank nor comments. */
export function codeLines(text: string): number {
  return countCode(withoutComments(text).split('\n'))
}

/** Blocks after a parameter list or an arrow with more than `most` lines of code, by the number of their first line. */
export function longBlocks(text: string, most: number): { readonly line: number; readonly length: number }[] {
  const lines = withoutComments(text).split('\n')
  return lines.flatMap((line, index) => {
    if (!/=> \{$|\).*[^=,(:\s] \{$/.test(line)) return []
    const indent = /^ */.exec(line)?.[0] ?? ''
    const rest = lines.slice(index + 1).findIndex((candidate) => candidate.startsWith(`${indent}}`))
    const length = countCode(lines.slice(index, index + rest + 2))
    return length > most ? [{ line: index + 1, length }] : []
  })
}

function countCode(lines: readonly string[]): number {
  return lines.filter((line) => line.trim() !== '').length
}

/** One cycle for each file that closes one, as the list of files on the way round. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, insideTargets(file)]))
  const finished = new Set<string>()
  const cycles: string[][] = []
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      cycles.push([...way.slice(way.indexOf(path)), path])
      return
    }
    if (finished.has(path)) return
    for (const target of targets.get(path) ?? []) visit(target, [...way, path])
    finished.add(path)
  }
  for (const file of files) visit(file.path, [])
  return cycles
}

function insideTargets(file: SourceFile): string[] {
  return importsOf(file).flatMap((found) => (found.type === 'inside' ? [found.target] : []))
}
