// Numbers of files, as spreadsheets of all countries write them.

import { describe, expect, it } from 'vitest'
import type { Separator } from '#bills/csv.ts'
import { decimalMarkOf, isNumberText, numberText, type DecimalMark } from '#bills/numbers.ts'

function markOf(amounts: readonly string[], separator: Separator, counts: readonly string[] = []) {
  const numbers = [
    ...amounts.map((text) => ({ text, isCount: false })),
    ...counts.map((text) => ({ text, isCount: true })),
  ]
  return decimalMarkOf(numbers, separator)
}

describe('the mark before decimals', () => {
  it.each<[string, DecimalMark | undefined, readonly string[], Separator, readonly string[]]>([
    ['is a point where one stands before two digits', '.', ['1', '0.06'], ';', []],
    ['is a comma where one stands before two digits', ',', ['0,06'], ',', []],
    ['is the last of two different ones', ',', ['1.234,567'], ',', []],
    ['is not what stands twice', '.', ['1,234,567'], ';', []],
    ['is not what sets thousands of a count apart', ',', ['1.234'], '\t', ['12.345']],
    ['is what a count that is written with decimals has', '.', [], ';', ['3.0']],
    ['stands behind a zero', ',', ['0,123'], ',', []],
    ['stands behind more than three digits', ',', ['1234,567'], ',', []],
    ['is found behind the sign of a currency', ',', ['- 30,73 €'], ',', []],
    ['is a point between commas, where nothing says otherwise', '.', ['1,234', '5'], ',', []],
    ['is a comma between semicolons, where nothing says otherwise', ',', ['1,234'], ';', []],
    ['is a point between tabs, where nothing says otherwise', '.', ['1.234'], '\t', []],
    ['is not guessed between semicolons', undefined, ['1.234'], ';', []],
    ['is not guessed between tabs', undefined, ['1,234'], '\t', []],
    ['is not known where numbers contradict each other', undefined, ['0.06', '0,06'], ',', []],
    ['is not known where an amount and a count contradict each other', undefined, ['0.06'], ',', ['1.000']],
    ['is not looked for in what is no number', '.', ['01.10.2026', 'n/a'], ',', []],
  ])('%s', (_, mark, amounts, separator, counts) => {
    expect(markOf(amounts, separator, counts)).toBe(mark)
  })
})

it.each<[string, DecimalMark, string]>([
  ['1,234,567.89', '.', '1234567.89'],
  ['$1,234.50', '.', '1234.50'],
  ['1.234.567,89', ',', '1234567.89'],
  ['1 234,5', ',', '1234.5'],
  ["1'234.5", '.', '1234.5'],
  ['\u22120,5 €', ',', '-0.5'],
  ['1,5E-07', ',', '1.5E-07'],
  ['1e-7', '.', '1e-7'],
  // None of these is a number as its file writes them, so that its line is refused.
  ['1,23', '.', '1,23'],
  ['1.23', ',', '1.23'],
  ['1,23,456', '.', '1,23,456'],
  ['R$ 5', '.', 'R$ 5'],
])('%s with %j before decimals is %s', (text, mark, plain) => {
  expect(numberText(text, mark)).toBe(plain)
})

it.each(['0', '-3.5', '6,282.708', '6.282,708', '1 234', '260,580'])('%s is a number', (text) => {
  expect(isNumberText(text)).toBe(true)
})

it.each(['2026-10-01', '01.10.2026', '≤ 200k', '1,23,456,7', 'ABC1', ''])('%j is none', (text) => {
  expect(isNumberText(text)).toBe(false)
})
