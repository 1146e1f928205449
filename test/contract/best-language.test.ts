import { describe, expect, it } from 'vitest'
import { bestLanguage } from '#contract/best-language.ts'

const OFFERED = ['en', 'de', 'zh-Hans', 'pt-BR'] as const

describe('bestLanguage', () => {
  it.each([
    [['de-AT'], 'de'],
    [['fr', 'de', 'en'], 'de'],
    [['zh-CN', 'en'], 'zh-Hans'],
    [['zh-TW', 'en'], 'en'],
    [['zh'], 'zh-Hans'],
    [['pt-PT'], 'pt-BR'],
    [['fr'], undefined],
    [['no tag', 'en-GB'], 'en'],
    [[], undefined],
  ] as const)('serves who wants %j with %s', (wanted, language) => {
    expect(bestLanguage(wanted, OFFERED)).toBe(language)
  })
})
