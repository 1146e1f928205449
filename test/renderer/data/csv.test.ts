import { describe, expect, it } from 'vitest'
import { csvText } from '#renderer/data/csv.ts'

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
