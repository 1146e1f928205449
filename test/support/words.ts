// The words of the dashboard, as the files of a language have them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const WORDS_FOLDER = join(import.meta.dirname, '..', '..', 'src-renderer', 'i18n')

/** The names of the catalogues of a language, one for each page. */
export function cataloguesOf(language: string): string[] {
  return readdirSync(join(WORDS_FOLDER, language))
    .map((name) => name.replace(/\.json$/, ''))
    .toSorted()
}

/** Every text of a catalogue by its key: `column.name`. */
export function catalogue(language: string, name: string): Map<string, string> {
  const value: unknown = JSON.parse(readFileSync(join(WORDS_FOLDER, language, `${name}.json`), 'utf8'))
  return new Map(flat(value, ''))
}

function flat(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is no text`)
  return Object.entries(value).flatMap(([name, member]) => flat(member, path === '' ? name : `${path}.${name}`))
}
