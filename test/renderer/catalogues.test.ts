// Holds the words of the dashboard against its code: both languages say the same things, nothing is missing, nothing is left over.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeSettings, readConfig } from '#config/config.ts'
import { readSources, withoutComments } from '../support/sources.ts'

const RENDERER = join(import.meta.dirname, '..', '..', 'src-renderer')
const LANGUAGES = readdirSync(join(RENDERER, 'i18n')).filter((name) => !name.includes('.'))
const NAMES = cataloguesOf('en')

/** A key in code: `exact`, or what its fixed parts match where the middle is computed. */
type Use = { readonly catalogue: string; readonly key: RegExp; readonly text: string }

describe('the catalogues', () => {
  it('exist in every language', () => {
    expect(LANGUAGES.toSorted()).toEqual(['de', 'en'])
    for (const language of LANGUAGES) expect(cataloguesOf(language)).toEqual(NAMES)
  })

  it.each(NAMES)('%s has the same keys with the same placeholders in both languages', (name) => {
    const english = catalogue('en', name)
    const german = catalogue('de', name)
    expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted())
    for (const [key, text] of english) expect(placeholders(german.get(key) ?? ''), key).toEqual(placeholders(text))
    for (const text of [...english.values(), ...german.values()]) expect(text.trim()).not.toBe('')
  })

  const uses = readSources(RENDERER).flatMap((file) => usesIn(file.path, withoutComments(file.text)))

  it('have every key that the code asks for', () => {
    const missing = uses.filter((use) => !keysOf(use.catalogue).some((key) => use.key.test(key)))
    expect(missing.map((use) => `${use.catalogue}: ${use.text}`)).toEqual([])
  })

  it('say what every setting is for', () => {
    const read = readConfig({ argv: [], env: {}, platform: 'linux', homeDir: '/home/ada' })
    if (read.type === 'mistake') throw new Error(read.message)
    const said = describeSettings(read.config).map(({ name }) => `meanings.${name}`)
    expect(keysOf('settings').filter((key) => key.startsWith('meanings.'))).toEqual(expect.arrayContaining(said))
  })

  it('have no key that nothing asks for', () => {
    const isUsed = (name: string, key: string) => uses.some((use) => use.catalogue === name && use.key.test(key))
    const unused = NAMES.flatMap((name) =>
      keysOf(name).flatMap((key) => (isUsed(name, key) ? [] : [`${name}: ${key}`])),
    )
    expect(unused).toEqual([])
  })
})

describe('the scan', () => {
  const scan = (text: string) => usesIn('pages/keys/a.tsx', text).map((use) => `${use.catalogue} ${use.text}`)

  it('finds keys, computed parts, choices of two and other catalogues', () => {
    expect(scan("useTranslation('keys'); t('title')")).toEqual(['keys title'])
    expect(scan("useTranslation('common'); t(`pages.${name}`)")).toEqual(['common pages.${name}'])
    expect(scan("useTranslation('keys'); t(isOpen ? 'hide' : 'show', { a })")).toEqual(['keys hide', 'keys show'])
    expect(scan("useTranslation('keys'); t('common:close')")).toEqual(['common close'])
  })

  it('ignores what only ends in a t', () => {
    expect(scan("useTranslation('keys'); format('x'); object.t2('x')")).toEqual([])
  })
})

function cataloguesOf(language: string): string[] {
  return readdirSync(join(RENDERER, 'i18n', language))
    .map((name) => name.replace(/\.json$/, ''))
    .toSorted()
}

function catalogue(language: string, name: string): Map<string, string> {
  const value: unknown = JSON.parse(readFileSync(join(RENDERER, 'i18n', language, `${name}.json`), 'utf8'))
  return new Map(flat(value, ''))
}

function flat(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) throw new Error(`${path} is no text`)
  return Object.entries(value).flatMap(([name, member]) => flat(member, path === '' ? name : `${path}.${name}`))
}

/** Without the endings for one and for many, which the code does not name. */
function keysOf(name: string): string[] {
  return NAMES.includes(name) ? [...catalogue('en', name).keys()].map((key) => key.replace(/_(one|other)$/, '')) : []
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\{\s*(\w+)[^}]*\}\}/g)].map((match) => match[1] ?? '').toSorted()
}

/** Every `t(…)` of a file; its catalogue is the one that the file's `useTranslation` names, else the folder's. */
function usesIn(path: string, code: string): Use[] {
  const asked = [...code.matchAll(/useTranslation\('([\w-]+)'/g)]
  const inherited = asked[0]?.[1] ?? /^pages\/([\w-]+)\//.exec(path)?.[1] ?? 'common'
  return [...code.matchAll(/(?<![\w.])t\(([^()]*)/g)].flatMap((call) => {
    const first = (call[1] ?? '').split(/,\s*\{/)[0] ?? ''
    const condition = first.includes(' ? ') ? first.slice(first.indexOf(' ? ')) : first
    // A component's words are of the catalogue that it asked for last.
    const own = asked.findLast(({ index }) => index < call.index)?.[1] ?? inherited
    return [...condition.matchAll(/'([^']+)'|`([^`]+)`/g)].map((match) => useOf(own, match[1] ?? match[2] ?? ''))
  })
}

function useOf(own: string, text: string): Use {
  const [catalogueName, key] = text.includes(':') ? text.split(':') : [own, text]
  const parts = (key ?? '').split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return { catalogue: catalogueName ?? own, key: new RegExp(`^${parts.join(String.raw`[\w-]+`)}$`), text: key ?? '' }
}
