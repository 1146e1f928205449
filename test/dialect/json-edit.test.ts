import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { scanArray } from '#dialect/json-text.ts'
import { parseBody } from '#dialect/request-body.ts'
import { isRefusal } from '#core/refusal.ts'

function editedText(text: string, edits: readonly JsonEdit[]): string | undefined {
  const body = parseBody(text, text.length)
  if (isRefusal(body)) throw new Error(body.message)
  return editedMembers(body, edits).get('a')
}

describe('an edit', () => {
  it.each([
    ['replaces a value', '{"a":[1, {"b" : 2}]}', [{ path: ['a', 1, 'b'], value: '"x"' }], '[1,{"b":"x"}]'],
    ['takes a member out', '{"a":{"b":1,"c":2}}', [{ path: ['a', 'b'], value: undefined }], '{"c":2}'],
    ['adds a member', '{"a":{}}', [{ path: ['a', 'b'], value: '1' }], '{"b":1}'],
    ['takes the first item out', '{"a":[1,2,3]}', [{ path: ['a', 0], value: undefined }], '[2,3]'],
    ['takes the only item out', '{"a":[ 1 ]}', [{ path: ['a', 0], value: undefined }], '[]'],
    [
      'takes out what is edited inside as well',
      '{"a":[{"b":1}]}',
      [
        { path: ['a', 0, 'b'], value: '2' },
        { path: ['a', 0], value: undefined },
      ],
      '[]',
    ],
    ['resolves a name that stands twice', '{"a":{"b":1,"b":2}}', [{ path: ['a', 'c'], value: '3' }], '{"b":2,"c":3}'],
  ] satisfies [string, string, JsonEdit[], string][])('%s', (_, text, edits, expected) => {
    expect(editedText(text, edits)).toBe(expected)
  })

  it('leaves the values beside it as they were written', () => {
    const text = '{"a":[{"id":"x","input":{"n":12345678901234567890.10,"s":"\\u00e9, ]}\\""}},[1e400 , "]"]]}'
    const edited = editedText(text, [{ path: ['a', 0, 'id'], value: '"y"' }])
    expect(edited).toBe('[{"id":"y","input":{"n":12345678901234567890.10,"s":"\\u00e9, ]}\\""}},[1e400 , "]"]]')
  })

  it('of nothing is nothing', () => {
    expect(editedText('{"a":[1]}', [])).toBeUndefined()
  })
})

it('finds the items of any array', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1), (items, space) => {
      const text = JSON.stringify(items, null, space)
      const found = scanArray(text).map(({ start, end }) => text.slice(start, end))
      expect(found.map((one) => JSON.parse(one) as unknown)).toEqual(JSON.parse(text))
    }),
  )
})
