// Reads an answer with embeddings, of any provider, and gives it out when all of it is there: as it came, or in the words of its client.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { EmbeddingDialect } from '#dialect/dialect.ts'
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from '#dialect/embedding.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { ANSWER_BOUNDS } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

/** The most inputs that a request may have, as lists of 1,536 numbers each. */
const BOUNDS = { ...ANSWER_BOUNDS, values: 2048 * 1536 + 500_000 }

export type EmbeddingWords<Read extends Embeddings> = {
  /** Throws UpstreamFailure for what is no answer. */
  read(answer: JsonObject): Read
  /** The answer as JSON text; undefined where the provider's own bytes are what the client reads. */
  write(read: Read, usage: TokenUsage): string | undefined
}

export class WholeEmbeddings<Read extends Embeddings> implements AnswerReader {
  readonly #words: EmbeddingWords<Read>
  readonly #whole = new WholeAnswer(BOUNDS)
  readonly generated = new GeneratedText('utf8')
  readonly reported = new ReportedUsage(this.generated)
  #read: Read | undefined

  constructor(words: EmbeddingWords<Read>) {
    this.#words = words
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  get isComplete(): boolean {
    return this.#read !== undefined
  }

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): void {
    const read = this.#words.read(this.#whole.json())
    this.reported.note(embeddingUsage(read.usage))
    this.reported.noteComplete()
    this.#read = read
  }

  final(usage: TokenUsage): Buffer {
    const text = this.#read && this.#words.write(this.#read, usage)
    return text === undefined ? this.#whole.bytes() : Buffer.from(text)
  }
}

export type EmbeddingTranslation = {
  readonly client: Pick<EmbeddingDialect, 'writeAnswer'>
  readonly request: EmbeddingRequest
  readonly provider: Pick<EmbeddingProvider, 'read'>
}

/** Reads an answer in a provider's words and writes it in its client's. There has to be one vector for each of `count` inputs. */
export function translatedEmbeddings(
  { client, request, provider }: EmbeddingTranslation,
  count: number,
): WholeEmbeddings<Embeddings> {
  return new WholeEmbeddings({
    read: (answer) => {
      const read = provider.read(answer)
      if (read.vectors.length === count) return read
      throw new UpstreamFailure('malformed', 'The provider did not answer with one embedding for each input.')
    },
    write: ({ vectors }, usage) => client.writeAnswer(vectors, usage, request),
  })
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
