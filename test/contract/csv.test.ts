import { describe, expect, it } from 'vitest'
import { csvLine, csvText } from '#contract/csv.ts'

describe('csvText', () => {
  it('ends every line in CR LF and leaves unknown fields empty', () => {
    expect(csvText([['a', { number: '1.5' }, undefined], ['b']])).toBe('a,1.5,\r\nb\r\n')
  })

  it.each([
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    [' spaced ', '" spaced "'],
  ])('quotes %j', (field, text) => {
    expect(csvText([[field]])).toBe(`${text}\r\n`)
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '\r=1'])(
    'makes text of %j, which a sheet would run',
    (field) => {
      expect(
        csvText([[field]])
          .replace(/^"/, '')
          .startsWith("'"),
      ).toBe(true)
    },
  )

  it('leaves numbers below zero as numbers, and takes nothing else for a number', () => {
    expect(csvText([[{ number: '-0.000001' }, { number: '=1+1' }, { number: '-1+cmd' }]])).toBe(
      "-0.000001,'=1+1,'-1+cmd\r\n",
    )
  })
})

describe('a line of CSV', () => {
  const cases: readonly (readonly [what: string, field: string | number | boolean | null, expected: string])[] = [
    ['leaves plain text alone', 'gpt-5.5', 'gpt-5.5'],
    ['quotes a comma', 'a,b', '"a,b"'],
    ['doubles quotes', 'a "b"', '"a ""b"""'],
    ['quotes a line end', 'a\r\nb', '"a\r\nb"'],
    ['keeps spaces at the ends', ' a ', '" a "'],
    ['leaves an unknown field empty', null, ''],
    ['writes 0 as 0', 0, '0'],
    ['writes a small charge in full', 0.000001, '0.000001'],
    ['writes a negative number as a number', -1.5, '-1.5'],
    ['writes true and false', false, 'false'],
    ['makes text of a formula', '=1+1', "'=1+1"],
    ['makes text of a formula with a comma', '=HYPERLINK("http://a","b")', `"'=HYPERLINK(""http://a"",""b"")"`],
    ['makes text of a plus', '+1', "'+1"],
    ['makes text of a minus', '-1', "'-1"],
    ['makes text of an at sign', '@SUM(A1)', "'@SUM(A1)"],
    ['makes text of a tab', '\t=1', `"'\t=1"`],
    ['makes text of a line end before a formula', '\r=1', `"'\r=1"`],
    ['makes text of a formula after spaces', ' =1', `"' =1"`],
    ['makes text of a full-width equals sign', '\uff1d1', "'\uff1d1"],
    ['leaves an equals sign inside alone', 'a=1', 'a=1'],
    ['quotes a semicolon, which parts fields elsewhere', 'a;b', '"a;b"'],
    ['makes text of a formula behind a semicolon', 'a;=1+1', `"a;'=1+1"`],
    ['makes text of it in quotes too', 'a; "@SUM(A1)"', `"a;' ""@SUM(A1)"""`],
    ['makes text of each', '=1;-1;+1', `"'=1;'-1;'+1"`],
  ]

  it.each(cases)('%s', (_, field, expected) => {
    expect(csvLine(['x', field])).toBe(`x,${expected}\r\n`)
  })
})
