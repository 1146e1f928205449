// Numbers as spreadsheets write them: `1,234.5` in one country is `1.234,5` in another. Which of them a file means is found out from
// all of its numbers; where they leave it open, nobody guesses.

import type { Separator } from '#bills/csv.ts'

export type DecimalMark = '.' | ','

/** A number as a file has it. Counts are whole, so that a mark before three digits of them can only set thousands apart. */
export type NumberText = { readonly text: string; readonly isCount: boolean }

/** `1,234` and `1.234`, which are two numbers each. */
const OPEN = /^-?[1-9]\d{0,2}[.,]\d{3}$/
const NUMBER = /^-?[\d.,]+(?:e[+-]?\d+)?$/i

/** The mark before decimals in all of these; undefined where they contradict each other, or could be read in two ways. */
export function decimalMarkOf(numbers: Iterable<NumberText>, separator: Separator): DecimalMark | undefined {
  const found = new Set<DecimalMark>()
  const open = new Set<DecimalMark>()
  for (const number of numbers) {
    const text = withoutSigns(number.text)
    const mark = markIn(text, number.isCount)
    if (mark !== undefined) found.add(mark)
    else if (OPEN.test(text)) open.add(text.includes('.') ? '.' : ',')
  }
  const [only, second] = found
  if (only !== undefined) return second === undefined ? only : undefined
  const usual = separator === ';' ? ',' : '.'
  // Fields with commas between them are written where numbers have points; elsewhere the other mark may be the decimal one as well.
  return separator !== ',' && open.has(otherOf(usual)) ? undefined : usual
}

/** The number with a point before its decimals and nothing between thousands; what is no such number stays as it is. */
export function numberText(text: string, mark: DecimalMark): string {
  const plain = withoutSigns(text)
  const group = otherOf(mark)
  const grouped = mark === '.' ? /^-?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/ : /^-?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/
  const digits = grouped.test(plain) ? plain.replaceAll(group, '') : plain
  return digits.includes(group) || !NUMBER.test(digits) ? text : digits.replace(mark, '.')
}

/** Whether it is a number in either way of writing. */
export function isNumberText(text: string): boolean {
  return /^-?(?:\d+|\d{1,3}(?:([.,' \u00a0\u202f\u2019])\d{3})(?:\1\d{3})*)(?:[.,]\d+)?$/.test(text)
}

function markIn(text: string, isCount: boolean): DecimalMark | undefined {
  if (!NUMBER.test(text)) return undefined
  const marks = text.match(/[.,]/g) ?? []
  const [first, last] = [marks[0], marks.at(-1)] as (DecimalMark | undefined)[]
  if (first === undefined || last === undefined) return undefined
  if (first !== last) return last
  if (marks.length > 1) return /^-?\d{1,3}(?:[.,]\d{3})+$/.test(text) ? otherOf(first) : undefined
  if (!OPEN.test(text)) return first
  return isCount ? otherOf(first) : undefined
}

function otherOf(mark: DecimalMark): DecimalMark {
  return mark === '.' ? ',' : '.'
}

/** Without the sign of a currency, spaces and apostrophes. */
function withoutSigns(text: string): string {
  return text.replaceAll(/[\s\u00a0\u202f'\u2019$€£¥]/g, '').replace('\u2212', '-')
}
