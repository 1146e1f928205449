// What counts more for a tool than what Farebox wrote: variables of this terminal or of a file that shells read, and other files of the tool.
// Values are looked at and never said: they may be secrets.

import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Overrides } from '#connect/adapter.ts'
import { pathOf } from '#connect/expand.ts'
import { Refused, type Path } from '#connect/format.ts'
import { FORMATS } from '#connect/plan.ts'
import { isSameFile } from '#connect/tool-file.ts'
import { pathText, valueAt } from '#connect/values.ts'
import type { Picture, ToolPicture } from '#doctor/picture.ts'

/** Below the home folder. */
const PROFILES =
  '.profile .bashrc .bash_profile .bash_login .zshenv .zprofile .zshrc .config/fish/config.fish .config/environment'.split(
    ' ',
  )
/** Settings and profiles are small; what is larger is something else. */
const MAX_BYTES = 4 * 1_048_576

/** Every such place, to be read before "wins". */
export function winningPlaces(tool: ToolPicture, picture: Picture): string[] {
  const { overrides } = tool.adapter
  if (overrides === undefined || tool.journal?.state !== 'connected') return []
  return [...winningVariables(overrides, tool, picture), ...winningFiles(overrides, tool, picture)]
}

function winningVariables({ variables = [] }: Overrides, tool: ToolPicture, picture: Picture): string[] {
  const { env, home } = picture.surroundings
  const lines = PROFILES.flatMap((name) => linesOf(join(home, name)))
  return variables.flatMap((name) => {
    const isSet = isForeign(env[name], tool)
    const by = lines.find((line) => isForeign(valueSetBy(line.text, name), tool))
    if (by !== undefined) return [`The variable ${name}, which ${by.file} sets in line ${by.number},`]
    return isSet ? [`The variable ${name} of this terminal`] : []
  })
}

/** What Farebox gave the tool itself is no other value. */
function isForeign(value: unknown, { journal, keyValue }: ToolPicture): boolean {
  if (value === undefined || value === null || value === '') return false
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const url = journal?.told?.url
  return !(keyValue !== undefined && text.includes(keyValue)) && !(url !== undefined && text.includes(url))
}

type Line = { readonly file: string; readonly number: number; readonly text: string }

function linesOf(file: string): Line[] {
  const lines = readText(file)?.split('\n') ?? []
  return lines.map((text, index) => ({ file, number: index + 1, text }))
}

/** `export NAME=value`, or what fish has for it; undefined where the line does not set the variable. */
function valueSetBy(line: string, name: string): string | undefined {
  const found = /^\s*(?:export\s+)?(\w+)=(.*)$/.exec(line) ?? /^\s*set\s+(?:-\w+\s+)+(\w+)\s+(\S.*)?$/.exec(line)
  const [, set, value = ''] = found ?? []
  return set === name ? unquoted(value) : undefined
}

function unquoted(text: string): string {
  const value = text.trim()
  const end = value.lastIndexOf(value.charAt(0))
  return /^["']/.test(value) && end > 0 ? value.slice(1, end) : value
}

function winningFiles({ files = [] }: Overrides, tool: ToolPicture, { surroundings, workingDir }: Picture): string[] {
  const isOwn = (path: string) => tool.files.some(({ entry }) => isSameFile(entry.file, path))
  return files.flatMap(({ places, format, members }) => {
    const place = pathOf(places, surroundings)
    const path = place === '' ? undefined : resolve(workingDir, place)
    const text = path === undefined ? undefined : readText(path)
    if (path === undefined || text === undefined || isOwn(path)) return []
    if (members === undefined) return [path]
    const values = valuesOf(text, format)
    const found = members.filter((member: Path) => isForeign(valueAt(values, member), tool))
    return found.map((member: Path) => `${pathText(member)} in ${path}`)
  })
}

/** A file that cannot be read as what it should be is not the tool's either. */
function valuesOf(text: string, format: keyof typeof FORMATS): unknown {
  try {
    return FORMATS[format].read(text)
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

/** undefined where there is no such file, or none that may be read. */
function readText(path: string): string | undefined {
  try {
    const stats = statSync(path)
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined
  } catch {
    // It is not there, or somebody else's: it says nothing to us.
    return undefined
  }
}
