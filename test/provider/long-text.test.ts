import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { bodyOf } from '#provider/long-text.ts'

describe('the body of a request to a provider', () => {
  it('is its text where that is short', () => {
    expect(bodyOf('{"a":1}')).toEqual({ body: '{"a":1}', headers: {} })
  })

  it.each([
    ['ascii', 'hello world '.repeat(200_000)],
    ['characters of all lengths', 'aé漢😀'.repeat(400_000)],
    ['pairs that a cut would part', `x${'😀'.repeat(1_200_000)}`],
    ['pairs that a cut would part elsewhere', '😀'.repeat(1_200_000)],
  ])('is the same bytes in pieces where it is long: %s', async (_, text) => {
    const { body, headers } = bodyOf(text)
    if (!(body instanceof Readable)) throw new Error('it is not in pieces')
    const bytes = await buffer(body)
    expect(bytes.equals(Buffer.from(text))).toBe(true)
    expect(headers['content-length']).toBe(String(bytes.length))
  })
})
