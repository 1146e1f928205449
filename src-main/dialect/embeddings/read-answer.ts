// Passes an embeddings answer on in the format that the client asked for. The OpenAI SDKs ask for base64 by default and decode
// whatever comes without checking: a float array would silently become a quarter as many wrong numbers.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { ANSWER_BOUNDS, isRecord } from '#dialect/request-body.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

export type EmbeddingFormat = 'float' | 'base64'

/** The most inputs that a request may have, as lists of 1,536 numbers each. */
const BOUNDS = { ...ANSWER_BOUNDS, values: 2048 * 1536 + 500_000 }

export class EmbeddingAnswerReader implements AnswerReader {
  readonly #format: EmbeddingFormat
  readonly #whole = new WholeAnswer(BOUNDS)
  readonly generated = new GeneratedText('utf8')
  readonly reported = new ReportedUsage(this.generated)
  #bytes: Buffer = Buffer.alloc(0)
  isComplete = false

  constructor(format: EmbeddingFormat) {
    this.#format = format
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): void {
    const answer = this.#whole.json()
    if (answer['error'] !== undefined && answer['error'] !== null) throw reportedError(answer['error'])
    const data = answer['data']
    if (!Array.isArray(data) || !data.every(isEmbedding)) {
      throw new UpstreamFailure('malformed', 'The provider did not answer with embeddings.')
    }
    this.reported.note(embeddingUsage(readUsage(answer['usage'])))
    this.reported.noteComplete()
    this.isComplete = true
    const isAsAsked = data.every((item) => (typeof item.embedding === 'string') === (this.#format === 'base64'))
    if (isAsAsked) this.#bytes = this.#whole.bytes()
    else {
      const converted = data.map((item) => ({ ...item, embedding: convert(item.embedding, this.#format) }))
      this.#bytes = Buffer.from(JSON.stringify({ ...answer, data: converted }))
    }
  }

  final(): Buffer {
    return this.#bytes
  }
}

/**
 * Embeddings generate nothing: a provider that leaves out the member does not leave its value unknown. And nothing is embedded
 * without input, so that 0 says as little as a count that is missing.
 */
function embeddingUsage(usage: TokenUsage | undefined): TokenUsage | undefined {
  if (usage === undefined) return undefined
  const isNothing = usage.inputTokens === 0 && (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0) === 0
  return { ...usage, inputTokens: isNothing ? undefined : usage.inputTokens, outputTokens: 0 }
}

type Embedding = { readonly embedding: string | readonly number[] }

function isEmbedding(item: unknown): item is Embedding {
  if (!isRecord(item)) return false
  const { embedding } = item
  return (
    typeof embedding === 'string' || (Array.isArray(embedding) && embedding.every((value) => typeof value === 'number'))
  )
}

function convert(embedding: string | readonly number[], format: EmbeddingFormat): string | number[] {
  if (format === 'base64') return typeof embedding === 'string' ? embedding : packFloats(embedding)
  return typeof embedding === 'string' ? unpackFloats(embedding) : [...embedding]
}

/** Little-endian 32-bit floats in base64, the form of OpenAI's `encoding_format: base64`. */
export function packFloats(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

function unpackFloats(packed: string): number[] {
  const bytes = Buffer.from(packed, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4))
}
