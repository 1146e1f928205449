// The parser of forms, however the bytes of one are cut into chunks, beside what the runtime's own reader of forms makes of them.

import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { boundaryOf, FormParser, MalformedForm } from '#dialect/form-parser.ts'
import { isLong } from '../support/cases.ts'

const RUNS = isLong ? 10_000 : 300

type Part = { readonly name: string; readonly fileName: string | undefined; readonly content: string }

function parse(bytes: Buffer, boundary: string, sizes: readonly number[]): { parts: Part[]; isOver: boolean } {
  const parser = new FormParser(boundary)
  const parts: Part[] = []
  let pieces: Buffer[] = []
  let head: { name: string; fileName: string | undefined } | undefined
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    // A chunk is the parser's for one call alone, as those of a socket are.
    const chunk = Buffer.from(bytes.subarray(at, at + size))
    for (const event of parser.push(chunk)) {
      if (event.type === 'head') head = { name: event.name, fileName: event.fileName }
      else if (event.type === 'piece') pieces.push(Buffer.from(event.bytes))
      else if (head !== undefined) {
        parts.push({ ...head, content: Buffer.concat(pieces).toString('latin1') })
        pieces = []
      }
    }
    chunk.fill(0)
    at += size
  }
  return { parts, isOver: parser.isOver }
}

/** Of bytes from which boundaries, and what nearly is one, come by chance. */
const content = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '--b', '\r\n--', '\r\n--b', '\r\n--bo', 'x', '\xff'), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''))
  .filter((text) => !`\r\n${text}\r\n`.includes('\r\n--bou'))

const part = fc.record({
  name: fc.stringMatching(/^[a-z]{1,8}$/),
  fileName: fc.option(fc.stringMatching(/^[a-zü .]{1,12}$/), { nil: undefined }),
  content,
})

describe('the parser of forms', () => {
  it('reads what was written, however it is cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), sizes, (parts, cuts) => {
        const text = parts.map(({ name, fileName, content: said }) => {
          const file = fileName === undefined ? '' : `; filename="${fileName}"`
          const head = Buffer.from(`--bou\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`)
          return Buffer.concat([head, Buffer.from(said, 'latin1'), Buffer.from('\r\n')])
        })
        const bytes = Buffer.concat([...text, Buffer.from('--bou--\r\n')])
        expect(parse(bytes, 'bou', cuts)).toEqual({ parts, isOver: true })
      }),
      { numRuns: RUNS },
    )
  })

  it('takes nothing for the end but the last boundary', () => {
    const bytes = Buffer.from('--bou\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n--bou--')
    for (let length = 0; length < bytes.length; length++) {
      expect(parse(bytes.subarray(0, length), 'bou', [7]).isOver).toBe(false)
    }
    expect(parse(bytes, 'bou', [7]).isOver).toBe(true)
  })

  // Milliseconds; an expression that tries each way to divide the spaces takes the better part of a minute.
  it('is done at once with a head that is full of spaces', { timeout: 20_000 }, () => {
    const head = `content-disposition: form-data; name="a"\r\nx:${' '.repeat(4000)}\0`
    expect(() => parse(Buffer.from(`--bou\r\n${head}\r\n\r\n`), 'bou', [5000])).toThrow(MalformedForm)
  })

  it.each([
    ['filename="a\\"b.mp3"', 'a"b.mp3'],
    ['filename="C:\\dir\\a.mp3"', 'C:\\dir\\a.mp3'],
    ['filename="a%22b"', 'a%22b'],
    [`filename*=UTF-8''%C3%BC.mp3`, 'ü.mp3'],
    [`filename="u.mp3"; filename*=utf-8''%C3%BC.mp3`, 'ü.mp3'],
    ['filename=plain.mp3', 'plain.mp3'],
    ['filename=""', ''],
  ])('reads the name of a file that is written as %s', (written, fileName) => {
    const bytes = Buffer.from(`--bou\r\ncontent-disposition: form-data; name="a"; ${written}\r\n\r\nx\r\n--bou--\r\n`)
    expect(parse(bytes, 'bou', [1000]).parts).toEqual([{ name: 'a', fileName, content: 'x' }])
  })
})

it.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data; charset=utf-8; boundary="a b"', 'a b'],
  ['Multipart/Form-Data;BOUNDARY=----WebKitFormBoundary0', '----WebKitFormBoundary0'],
  ['multipart/form-data; boundary="a"; x=y', 'a'],
  ['multipart/form-data', undefined],
  ['multipart/form-data; xboundary=a', undefined],
  ['multipart/form-data; boundary=a b', undefined],
])('the boundary of %s is %s', (type, boundary) => {
  expect(boundaryOf(type)).toBe(boundary)
})
