// Files of variables (`NAME=value`), as dotenv and shells read them. Of two lines with one name the last counts.

import { parse } from 'dotenv'
import {
  appendLine,
  lineEnd,
  Refused,
  splice,
  type Content,
  type Format,
  type Path,
  type Range,
} from '#connect/format.ts'

export const ENV_FORMAT: Format = {
  newEntries: 'last',
  read: (text) => parse(text),
  put(text, path, content) {
    const name = nameOf(path)
    const found = find(text, name)
    const source = rendered(content)
    return found === undefined ? appendLine(text, `${name}=${source}`) : splice(text, found.value, source)
  },
  remove(text, path) {
    const found = find(text, nameOf(path))
    return found === undefined ? text : splice(text, found.line)
  },
  sourceAt(text, path) {
    const found = find(text, nameOf(path))
    return found === undefined ? undefined : text.slice(found.value.start, found.value.end)
  },
  isBlank: (text) => text.trim() === '',
}

type Variable = { readonly name: string; readonly line: Range; readonly value: Range }

const VARIABLE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*/

function find(text: string, name: string): Variable | undefined {
  return variablesOf(text).findLast((variable) => variable.name === name)
}

function variablesOf(text: string): Variable[] {
  const found: Variable[] = []
  for (let at = 0; at < text.length;) {
    const head = VARIABLE.exec(text.slice(at, lineEnd(text, at)))
    if (head?.[1] === undefined) {
      at = lineEnd(text, at)
      continue
    }
    const start = at + head[0].length
    const end = valueEnd(text, start)
    found.push({ name: head[1], line: { start: at, end: lineEnd(text, end) }, value: { start, end } })
    at = lineEnd(text, end)
  }
  return found
}

/** A value in quotes may go over several lines; any other ends with its line. */
function valueEnd(text: string, start: number): number {
  const quote = text[start]
  if (quote === '"' || quote === "'" || quote === '`') {
    const close = text.indexOf(quote, start + 1)
    if (close !== -1) return close + 1
  }
  const line = text.slice(start, lineEnd(text, start))
  const comment = line.search(/[ \t]#/)
  const value = comment === -1 ? line.replace(/\r?\n?$/, '') : line.slice(0, comment)
  return start + value.replace(/(?<![ \t])[ \t]+$/, '').length
}

function nameOf([step, ...rest]: Path): string {
  if (typeof step !== 'string' || rest.length > 0) throw new Refused('uneditable', 'A variable has one name.')
  return step
}

function rendered(content: Content): string {
  if ('source' in content) return content.source
  const value = String(content.value)
  return /^[\w./:@~+,=-]*$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`
}
