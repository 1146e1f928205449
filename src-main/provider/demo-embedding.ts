// Embeddings of the demo provider: unit vectors that follow from the input alone. Equal inputs are equal, others are not
// related; they mean nothing.

import { packFloats } from '#dialect/embeddings/vectors.ts'
import { isRecord } from '#dialect/request-body.ts'
import { countTokens } from '#provider/demo-chat.ts'

const DEFAULT_DIMENSIONS = 256
const MAX_DIMENSIONS = 4096

/** The answer to a checked embeddings request. */
export function demoEmbeddings(body: unknown): object {
  const request = isRecord(body) ? body : {}
  const inputs = listInputs(request['input'])
  const dimensions =
    typeof request['dimensions'] === 'number' ? Math.min(request['dimensions'], MAX_DIMENSIONS) : DEFAULT_DIMENSIONS
  const isPacked = request['encoding_format'] === 'base64'
  const data = inputs.map((input, index) => {
    const vector = vectorOf(JSON.stringify(input), dimensions)
    return { object: 'embedding', index, embedding: isPacked ? packFloats(vector) : vector }
  })
  const tokens = inputs.reduce<number>(
    (sum, input) => sum + (typeof input === 'string' ? countTokens(input) : input.length),
    0,
  )
  return {
    object: 'list',
    data,
    model: String(request['model']),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

function listInputs(input: unknown): (string | unknown[])[] {
  if (!Array.isArray(input)) return [String(input)]
  if (typeof input[0] === 'number') return [input]
  return input.map((item) => (Array.isArray(item) ? item : String(item)))
}

/** A pseudo-random unit vector, seeded with a hash (FNV-1a) of the text and continued with xorshift. */
function vectorOf(text: string, dimensions: number): number[] {
  let state = 0x811c9dc5
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  const values = Array.from({ length: dimensions }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 0x80000000
  })
  const length = Math.hypot(...values) || 1
  return values.map((value) => Math.fround(value / length))
}
