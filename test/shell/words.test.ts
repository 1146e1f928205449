// The words of the tray in every language, and as functions of them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGE_NAMES } from '#renderer/data/languages.ts'
import { readWords, Words } from '#shell/words.ts'
import { ENGLISH, NOW_MS, WORDS_DIR } from './support.ts'

const LANGUAGES = readdirSync(WORDS_DIR).map((name) => name.replace('.json', ''))
const PLURAL = /_(zero|one|two|few|many|other)$/
const DASHBOARD = join(import.meta.dirname, '..', '..', 'src-renderer', 'i18n')

function catalogue(language: string): Record<string, string> {
  return JSON.parse(readFileSync(join(WORDS_DIR, `${language}.json`), 'utf8')) as Record<string, string>
}

const placeholders = (text: string) => [...text.matchAll(/\{\{\w+\}\}/g)].map(([found]) => found).toSorted()

describe.each(LANGUAGES)('the words in %s', (language) => {
  const english = catalogue('en')
  const words = catalogue(language)

  it('are all there and no more, with a text for each plural that the language has', () => {
    const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const wanted = Object.keys(english).flatMap((key) => {
      if (!PLURAL.test(key)) return [key]
      return key.endsWith('_other') ? plurals.map((form) => key.replace(PLURAL, `_${form}`)) : []
    })
    expect(Object.keys(words).toSorted()).toEqual(wanted.toSorted())
  })

  it('have the places for values that the English ones have, and none is empty', () => {
    for (const [key, text] of Object.entries(words)) {
      expect(text.trim(), key).not.toBe('')
      const like = english[key] ?? english[key.replace(PLURAL, '_other')] ?? ''
      expect(placeholders(text), key).toEqual(placeholders(like))
    }
  })

  it('say the same warnings as the overview', () => {
    const overview = JSON.parse(readFileSync(join(DASHBOARD, language, 'overview.json'), 'utf8')) as {
      attention: { kinds: Record<string, string> }
    }
    const said = Object.keys(words).filter((key) => key.startsWith('attention.') && !key.startsWith('attention.more'))
    expect(said.toSorted()).toEqual(
      Object.keys(overview.attention.kinds)
        .map((kind) => `attention.${kind}`)
        .toSorted(),
    )
  })
})

it('there are words of the tray in every language of the dashboard', () => {
  expect(LANGUAGES.toSorted()).toEqual(Object.keys(LANGUAGE_NAMES).toSorted())
})

describe('words', () => {
  it('are those of the first wish that there are any of, else English', () => {
    expect(readWords(WORDS_DIR, ['fi', 'de-CH', 'en']).language).toBe('de')
    expect(readWords(WORDS_DIR, ['fi']).language).toBe('en')
    expect(readWords(WORDS_DIR, []).language).toBe('en')
  })

  it('show a key that has no text instead of breaking', () => {
    const words = new Words('en', { a_other: '{{count}} of {{nothing}}' })
    expect([words.text('b'), words.counted('a', 1)]).toEqual(['b', '1 of '])
  })

  it('say how far away something is in its largest whole unit', () => {
    const HOUR = 3_600_000
    expect([50 * HOUR, 5 * HOUR, 90_000, 10].map((ms) => ENGLISH.relative(NOW_MS + ms, NOW_MS))).toEqual([
      'in 2 days',
      'in 5 hours',
      'in 1 minute',
      'in 0 minutes',
    ])
  })
})
