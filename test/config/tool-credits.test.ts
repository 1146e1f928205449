import { describe, expect, it } from 'vitest'
import { readToolCredits } from '#config/tool-credits.ts'

describe('the credits that tools may cost on a day', () => {
  it('are read by tool, in small letters as tools are counted', () => {
    expect([...(readToolCredits(' Claude-Code=5, codex = 2.500001') ?? [])]).toEqual([
      ['claude-code', 5],
      ['codex', 2.500001],
    ])
  })

  it.each([
    '',
    'codex',
    'codex=',
    'codex=0',
    'codex=-1',
    'codex=1e3',
    'codex=0.0000001',
    'codex=1,codex=2',
    'a=1,',
    'a b=1',
  ])('are not read from %j', (text) => {
    expect(readToolCredits(text)).toBeUndefined()
  })

  it('are those of fifty tools at most', () => {
    const of = (count: number) => Array.from({ length: count }, (_, index) => `tool-${index}=1`).join(',')
    expect(readToolCredits(of(50))?.size).toBe(50)
    expect(readToolCredits(of(51))).toBeUndefined()
  })
})
