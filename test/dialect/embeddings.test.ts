import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { newEmbeddingPass } from '#dialect/embeddings/read-answer.ts'
import { packFloats } from '#dialect/embeddings/vectors.ts'

const USAGE = { prompt_tokens: 8, total_tokens: 8 }

function answer(embeddings: readonly unknown[], members: object = {}): Buffer {
  const data = embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  return Buffer.from(JSON.stringify({ object: 'list', data, model: 'e-🚀', usage: USAGE, ...members }))
}

type Format = 'float' | 'base64'

function read(form: Format, bytes: Buffer) {
  const reader = newEmbeddingPass({ form })
  reader.push(bytes)
  reader.end()
  return { reader, sent: reader.final(UNKNOWN_USAGE) }
}

function embeddings(sent: Buffer): unknown[] {
  return (JSON.parse(sent.toString('utf8')) as { data: { embedding: unknown }[] }).data.map((item) => item.embedding)
}

/** What clients do with base64: four bytes for each number, as they come. */
function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  return [...new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))]
}

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true })
const vectors = fc.array(fc.array(float32, { maxLength: 20 }), { maxLength: 5 })

describe('embeddings', () => {
  it('pass byte for byte in the format that was asked for', () => {
    const floats = answer([[0.1, -2, 3e-8]])
    const base64 = answer([packFloats([0.5, -1])])
    expect(read('float', floats).sent).toBe(floats)
    expect(read('base64', base64).sent).toBe(base64)
  })

  it('become base64 without losing a bit of a 32-bit float', () => {
    fc.assert(
      fc.property(vectors, (values) => {
        const { sent } = read('base64', answer(values))
        expect(embeddings(sent).map((text) => floatsOf(String(text)))).toEqual(values.map(withoutMinusZero))
      }),
      { numRuns: 500 },
    )
  })

  it('become numbers without losing a bit of a 32-bit float', () => {
    fc.assert(
      fc.property(vectors, (values) => {
        const { sent } = read('float', answer(values.map(packFloats)))
        expect(embeddings(sent)).toEqual(values.map(withoutMinusZero))
      }),
      { numRuns: 500 },
    )
  })

  it('come back from both conversions as they were', () => {
    fc.assert(
      fc.property(vectors, (values) => {
        const packed = read('base64', answer(values)).sent
        const unpacked = read('float', packed).sent
        expect(read('base64', unpacked).sent.equals(packed)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('are converted one by one when a provider mixes formats', () => {
    const mixed = answer([[0.5], packFloats([0.25]), [-1]])
    expect(embeddings(read('float', mixed).sent)).toEqual([[0.5], [0.25], [-1]])
    expect(embeddings(read('base64', mixed).sent)).toEqual([packFloats([0.5]), packFloats([0.25]), packFloats([-1])])
  })

  it('keep every other member when they are converted', () => {
    const { sent } = read('base64', answer([[0.5]], { id: 'x', extra: { a: 'ü' } }))
    expect(JSON.parse(sent.toString('utf8'))).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: packFloats([0.5]) }],
      model: 'e-🚀',
      usage: USAGE,
      id: 'x',
      extra: { a: 'ü' },
    })
  })

  it('are put together from any pieces', () => {
    const whole = answer([[0.5, 1]])
    for (let at = 0; at <= whole.length; at++) {
      const reader = newEmbeddingPass({ form: 'float' })
      reader.push(whole.subarray(0, at))
      reader.push(whole.subarray(at))
      expect(reader.isComplete).toBe(false)
      reader.end()
      expect(reader.final(UNKNOWN_USAGE).equals(whole)).toBe(true)
      expect(reader.isComplete).toBe(true)
    }
  })

  it('are paid for by their input alone', () => {
    expect(read('float', answer([[1]])).reader.usage).toEqual({
      inputTokens: 8,
      outputTokens: 0,
      cacheReadTokens: undefined,
      cacheWriteTokens: undefined,
      reasoningTokens: undefined,
    })
    expect(read('float', answer([[1]], { usage: undefined })).reader.usage).toBeUndefined()
    expect(read('float', answer([[1]], { usage: { prompt_tokens: 8 } })).reader.usage?.outputTokens).toBe(0)
  })

  it.each([
    ['as a total alone, as Voyage does', { total_tokens: 8 }],
    ['with 0 in place of a number', { prompt_tokens: 0, total_tokens: 8 }],
  ])('are counted where they are told %s', (_, usage) => {
    const { reader } = read('float', answer([[1]], { usage }))
    expect(reader.usage).toMatchObject({ inputTokens: 8, outputTokens: 0 })
    expect(reader.reported).toMatchObject({ isInputFinal: true, isOutputFinal: true })
  })
})

describe('an embeddings answer that is none', () => {
  it.each([
    ['not JSON', 'data: {}'],
    ['empty', ''],
    ['cut short', '{"data":[{"embedding":[1'],
    ['an array', '[]'],
    ['without data', '{"object":"list"}'],
    ['with data that is no list', '{"data":{}}'],
    ['with an item that is no object', '{"data":[5]}'],
    ['with an item without an embedding', '{"data":[{"index":0}]}'],
    ['with an embedding that is no list of numbers', '{"data":[{"embedding":["a"]}]}'],
    ['with an error inside a success', '{"error":{"message":"no"},"data":[]}'],
  ])('is a failure: %s', (_, text) => {
    const reader = newEmbeddingPass({ form: 'float' })
    reader.push(Buffer.from(text))
    expect(() => reader.end()).toThrow(UpstreamFailure)
    expect(reader.isComplete).toBe(false)
  })

  it('is a failure when it never ends', () => {
    const reader = newEmbeddingPass({ form: 'float' })
    const chunk = Buffer.alloc(8 * 1024 * 1024)
    expect(() => {
      for (let count = 0; count < 9; count++) reader.push(chunk)
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })
})

/** JSON has no minus zero of its own: JSON.stringify writes 0. */
function withoutMinusZero(values: readonly number[]): number[] {
  return values.map((value) => (value === 0 ? 0 : value))
}
