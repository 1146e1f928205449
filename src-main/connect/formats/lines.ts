// A file of commands, of which Farebox adds whole lines and reads none. They go to the top, behind a `#!`: there no line of the file can
// reach into them.

import {
  appendLine,
  lineEnd,
  lineStart,
  newlineOf,
  splice,
  type Format,
  type Path,
  type Range,
} from '#connect/format.ts'

export const LINES_FORMAT: Format = {
  newEntries: 'first',
  read: (text) => {
    const counts = new Map<string, number>()
    for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1)
    counts.delete('')
    return Object.fromEntries(counts)
  },
  put(text, path) {
    if (find(text, path) !== undefined) return text
    const at = text.startsWith('#!') ? lineEnd(text, 0) : 0
    if (at === text.length) return appendLine(text, lineOf(path))
    return splice(text, { start: at, end: at }, `${lineOf(path)}${newlineOf(text)}`)
  },
  remove(text, path) {
    const range = find(text, path)
    return range === undefined ? text : splice(text, range)
  },
  sourceAt: (text, path) => (find(text, path) === undefined ? undefined : lineOf(path)),
  isBlank: (text) => text.trim() === '',
}

function lineOf(path: Path): string {
  return path.map(String).join('')
}

function find(text: string, path: Path): Range | undefined {
  const line = lineOf(path)
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + 1)) {
    const whole = { start: lineStart(text, at), end: lineEnd(text, at) }
    if (text.slice(whole.start, whole.end).replace(/\r?\n$/, '') === line) return whole
  }
  return undefined
}
