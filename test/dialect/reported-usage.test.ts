import { beforeEach, describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'

let generated: GeneratedText
let reported: ReportedUsage

beforeEach(() => {
  generated = new GeneratedText('utf8')
  reported = new ReportedUsage(generated)
})

function note(inputTokens?: number, outputTokens?: number, more: Partial<TokenUsage> = {}): void {
  reported.note({ ...UNKNOWN_USAGE, inputTokens, outputTokens, ...more })
}

const finals = () => [reported.isInputFinal, reported.isOutputFinal]

describe('a count', () => {
  it('is none of the whole answer before its end, and is one with it', () => {
    generated.add('text')
    note(19, 10)
    expect(finals()).toEqual([false, false])
    reported.noteEnd()
    expect(finals()).toEqual([true, true])
  })

  it('that comes behind the end is one as well', () => {
    generated.add('text')
    reported.noteEnd()
    note(19, 10)
    expect(finals()).toEqual([true, true])
  })

  it('with more generated behind it is none', () => {
    note(19, 10)
    generated.add('text')
    reported.noteComplete()
    expect(finals()).toEqual([true, false])
  })

  it('that stood still is none until the answer is complete', () => {
    for (const word of ['one ', 'two ']) {
      generated.add(word)
      note(1, 1)
    }
    reported.noteEnd()
    expect(finals()).toEqual([false, false])
    reported.noteComplete()
    expect(finals()).toEqual([true, true])
  })

  it('of nothing beside text is none, and takes no earlier one back', () => {
    generated.add('text')
    note(0, 0)
    reported.noteComplete()
    expect(finals()).toEqual([false, false])
    note(19, 10)
    note(0, 0)
    expect(finals()).toEqual([true, true])
    expect(reported.usage).toMatchObject({ inputTokens: 19, outputTokens: 10 })
  })

  it('of nothing where nothing was generated is one of the output, and none of the input', () => {
    note(0, 0)
    reported.noteComplete()
    expect(finals()).toEqual([false, true])
  })

  it('of an input that was all cached is one', () => {
    generated.add('text')
    note(0, 10, { cacheReadTokens: 90 })
    reported.noteComplete()
    expect(finals()).toEqual([true, true])
  })

  it('keeps what was said of the other class', () => {
    note(19, undefined, { cacheReadTokens: 5 })
    note(undefined, 10)
    expect(reported.usage).toMatchObject({ inputTokens: 19, cacheReadTokens: 5, outputTokens: 10 })
  })
})
