// Holds the words of the dashboard against its code: all languages say the same things, nothing is missing, nothing is left over.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeSettings, readConfig } from '#config/config.ts'
import { ADMIN_ROUTES } from '#contract/admin-routes.ts'
import { LANGUAGE_NAMES } from '../../src-renderer/data/languages.ts'
import { readSources, withoutComments } from '../support/sources.ts'
import { catalogue, cataloguesOf, WORDS_FOLDER } from '../support/words.ts'

const RENDERER = join(import.meta.dirname, '..', '..', 'src-renderer')
const LANGUAGES = readdirSync(WORDS_FOLDER).filter((name) => !name.includes('.'))
const NAMES = cataloguesOf('en')

/** A key in code: `exact`, or what its fixed parts match where the middle is computed. */
type Use = { readonly catalogue: string; readonly key: RegExp; readonly text: string }

describe('the catalogues', () => {
  it('exist in every language that can be chosen', () => {
    expect(LANGUAGES.toSorted()).toEqual(Object.keys(LANGUAGE_NAMES).toSorted())
    for (const language of LANGUAGES) expect(cataloguesOf(language), language).toEqual(NAMES)
  })

  it.each(LANGUAGES)('say in %s all that they say in English, and nothing else', (language) => {
    const faults = NAMES.flatMap((name) =>
      faultsOf(catalogue('en', name), catalogue(language, name), language).map(
        (fault) => `src-renderer/i18n/${language}/${name}.json ${fault}`,
      ),
    )
    expect(faults).toEqual([])
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

  it('name every change that the audit log can have', () => {
    const changes = Object.entries(ADMIN_ROUTES).flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]))
    expect(keysOf('audit')).toEqual(expect.arrayContaining(changes.map((name) => `actions.${name}`)))
  })

  it('have no key that nothing asks for', () => {
    const isUsed = (name: string, key: string) => uses.some((use) => use.catalogue === name && use.key.test(key))
    const unused = NAMES.flatMap((name) =>
      keysOf(name).flatMap((key) => (isUsed(name, key) ? [] : [`${name}: ${key}`])),
    )
    expect(unused).toEqual([])
  })
})

describe('a catalogue is found fault with', () => {
  const english = new Map([
    ['title', '{{name}} of Farebox'],
    ['calls_one', '{{count}} call'],
    ['calls_other', '{{count}} calls'],
  ])
  const spanish = new Map([
    ['title', '{{name}} de Farebox'],
    ['calls_one', '{{count}} llamada'],
    ['calls_many', '{{count}} de llamadas'],
    ['calls_other', '{{count}} llamadas'],
  ])
  const but = (changes: Readonly<Record<string, string>>) => new Map([...spanish, ...Object.entries(changes)])

  it('unless it says the same in the plurals of its own language', () => {
    expect(faultsOf(english, spanish, 'es')).toEqual([])
    expect(faultsOf(english, english, 'de')).toEqual([])
    expect(
      faultsOf(
        new Map([
          ['calls_other', 'x'],
          ['calls_one', 'x'],
        ]),
        new Map([['calls_other', 'x']]),
        'ja',
      ),
    ).toEqual([])
  })

  it('for what is missing, left over, empty, or has other placeholders', () => {
    expect(faultsOf(english, new Map([['title', '{{name}}']]), 'es')).toEqual([
      'lacks calls_one',
      'lacks calls_many',
      'lacks calls_other',
    ])
    expect(faultsOf(english, english, 'es')).toEqual(['lacks calls_many'])
    expect(faultsOf(english, but({ titel: 'x' }), 'es')).toEqual(['has titel, which English does not'])
    expect(faultsOf(english, but({ calls_many: '{{total}} llamadas' }), 'es')).toEqual([
      'has other placeholders in calls_many than English',
    ])
    expect(faultsOf(english, but({ title: ' ' }), 'es')).toEqual([
      'says nothing in title',
      'has other placeholders in title than English',
    ])
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

/** What is wrong with the words of a language, as sentences that begin behind the name of their file. */
function faultsOf(english: Map<string, string>, own: Map<string, string>, language: string): string[] {
  const due = new Map([...english.keys()].flatMap((key) => formsOf(english, key, language)))
  return [
    ...[...due.keys()].filter((key) => !own.has(key)).map((key) => `lacks ${key}`),
    ...[...own.keys()].filter((key) => !due.has(key)).map((key) => `has ${key}, which English does not`),
    ...[...own].filter(([, text]) => text.trim() === '').map(([key]) => `says nothing in ${key}`),
    ...[...own]
      .filter(([key, text]) => due.has(key) && namedIn(key, text) !== namedIn(key, due.get(key) ?? ''))
      .map(([key]) => `has other placeholders in ${key} than English`),
  ]
}

/** The keys that a language has for one of English, one for each of its plurals, with what English says in that place. */
function formsOf(english: Map<string, string>, key: string, language: string): [string, string][] {
  const base = /^(.*)_(?:one|other)$/.exec(key)?.[1]
  if (base === undefined) return [[key, english.get(key) ?? '']]
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  const many = english.get(`${base}_other`) ?? ''
  return pluralCategories.map((form) => [`${base}_${form}`, english.get(`${base}_${form}`) ?? many])
}

/** "a key" says how many as well as "1 key". */
function namedIn(key: string, text: string): string {
  const names = placeholders(text)
  return (key.endsWith('_one') ? names.filter((name) => name !== 'count') : names).join(' ')
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
