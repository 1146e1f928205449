// How many input tokens a request can come to at most, for its hold. The sure bound needs no tokenizer, only its bytes. The
// closer one is counted, for those whose credits the sure one does not fit into. docs/ledger.md says what both are made of.

import { worstCaseInputTokens, type InputSize } from '#core/estimate.ts'
import { closerTextTokens, isCountable, mostInputTokens, mostTokensPerByte } from '#core/token-bounds.ts'
import type { EmbeddingRequest } from '#dialect/embedding.ts'
import type { PassedRequest } from '#dialect/passed-dialect.ts'
import { mayBeMini } from '#dialect/image-tokens.ts'
import { surveyInput } from '#dialect/input-survey.ts'
import type { RequestBody } from '#dialect/request-body.ts'
import type { Survey } from '#dialect/survey.ts'

type CountTokens = (texts: readonly string[]) => Promise<number>

export interface InputBounds {
  /** What makes the bounds wide because it is not in the request, in words; empty for ordinary requests. */
  readonly references: readonly string[]
  /**
   * The most input tokens that a provider can count. `contextWindow` is the model's, 0 where nobody knows it; `upstreamModels` are the
   * names of those that may serve the call, because one of them counts images as nobody else does.
   */
  most(contextWindow: number, upstreamModels?: readonly string[]): number
  /** The most input tokens that an honest provider can report, with what it puts before the input by itself. */
  possible(contextWindow: number, upstreamModels?: readonly string[]): number
  /** A closer bound than that, made with our own tokenizer. */
  closer(count: CountTokens, contextWindow: number, upstreamModels?: readonly string[]): Promise<number>
}

/** What providers put before a conversation by themselves: their own instructions, and the frame around each message. */
const FRAME_TOKENS = 256
const LIKELY_FRAME_TOKENS = 96
/** The longest instructions and documents that a provider is known to add of which a request says nothing, and then some. */
const HIDDEN_TOKENS = 65_536
/** A report of no more than a token for so many bytes is believed beyond a context that was entered too small. */
const BYTES_PER_REPORTED_TOKEN = 2
/** So often a provider that runs tools may count the context for one answer. */
const MAX_ROUNDS = 32
/** What Anthropic documents for the instructions that come with tools, and then some. */
const TOOLS_FRAME_TOKENS = 1_024
/** A translation or a provider's template can say more about a tool than its definition does. */
const TOOL_TOKENS = 64
/** Marks around each input are covered by its quotes. */
const INPUTS_FRAME_TOKENS = 16
const NO_MEDIA = { bytes: 0, tokens: 0 }

/** What the bounds of a conversation are made of: plain data, because a large one is surveyed by the body thread. */
export type InputFacts = Pick<
  Survey,
  'references' | 'isOpen' | 'toolCount' | 'imageTokens' | 'miniImageTokens' | 'addedDigits'
> & {
  /** Tokens that its texts can come to. */
  readonly textTokens: number
  readonly size: InputSize
}

export function inputFacts({ text, value, byteLength, size }: RequestBody): InputFacts {
  const { images, references, isOpen, toolCount, imageTokens, miniImageTokens, addedDigits } = surveyInput(value)
  const imageBytes = images.reduce((sum, image) => sum + image.length, 0)
  const textTokens = (byteLength - imageBytes) * mostTokensPerByte(text, byteLength)
  return { references, isOpen, toolCount, imageTokens, miniImageTokens, addedDigits, textTokens, size }
}

/** The texts of a conversation without its images; undefined where a count of them would say nothing. */
export function countedTexts({ text, value }: RequestBody): readonly string[] | undefined {
  const texts = textsBetween(plain(text), surveyInput(value).images)
  return texts.every(isCountable) ? texts : undefined
}

/** Where the bounds find out about a conversation. */
export type SurveyedInput = {
  readonly facts: () => InputFacts
  readonly texts: () => readonly string[] | undefined | Promise<readonly string[] | undefined>
}

/** The bounds of a request with a conversation. Surveyed on first use: a call that is refused before has no need of it. */
export class ConversationBounds implements InputBounds {
  readonly #input: SurveyedInput
  #known: InputFacts | undefined

  constructor(input: SurveyedInput) {
    this.#input = input
  }

  get references(): readonly string[] {
    return this.#facts().references
  }

  most(contextWindow: number, upstreamModels?: readonly string[]): number {
    return this.#bound(this.#facts().textTokens + FRAME_TOKENS, contextWindow, upstreamModels)
  }

  possible(contextWindow: number, upstreamModels?: readonly string[]): number {
    const { textTokens, isOpen, size } = this.#facts()
    const context = contextReported(contextWindow, size)
    return this.#bound(textTokens + HIDDEN_TOKENS, context, upstreamModels) * (isOpen ? MAX_ROUNDS : 1)
  }

  async closer(count: CountTokens, contextWindow: number, upstreamModels?: readonly string[]): Promise<number> {
    const most = this.most(contextWindow, upstreamModels)
    if (this.#facts().isOpen) return most
    const texts = await this.#input.texts()
    if (texts === undefined) return most
    const tokens = closerTextTokens(texts, await count(texts))
    return Math.min(most, this.#bound(tokens + LIKELY_FRAME_TOKENS, contextWindow, upstreamModels))
  }

  #bound(textTokens: number, contextWindow: number, upstreamModels: readonly string[] | undefined): number {
    const { toolCount, imageTokens, miniImageTokens, addedDigits, isOpen, size } = this.#facts()
    const images = mayBeMini(upstreamModels) ? miniImageTokens : imageTokens
    const tools = toolCount === 0 ? 0 : TOOLS_FRAME_TOKENS + toolCount * TOOL_TOKENS
    return mostInputTokens({
      tokens: textTokens + tools + images + addedDigits,
      isOpen,
      contextWindow,
      likelyTokens: worstCaseInputTokens(size),
    })
  }

  #facts(): InputFacts {
    this.#known ??= this.#input.facts()
    return this.#known
  }
}

type BoundedRequest = Pick<EmbeddingRequest, 'tokenCount' | 'inputCount' | 'isLone' | 'references' | 'body'> &
  Pick<PassedRequest, 'rereadBytes' | 'media'>

/** The bounds of a request that is no conversation. Each of several inputs may be as long as the context, so that it bounds none but a lone one. */
export class InputsBounds implements InputBounds {
  readonly #request: BoundedRequest
  #known: readonly string[] | undefined
  #sizeTokens: number | undefined

  constructor(request: BoundedRequest) {
    this.#request = request
  }

  get references(): readonly string[] {
    this.#known ??= this.#request.references()
    return this.#known
  }

  most(contextWindow: number): number {
    return this.#bound(contextWindow, this.#request.tokenCount ?? this.#tokensBySize() + INPUTS_FRAME_TOKENS)
  }

  possible(contextWindow: number): number {
    return this.#bound(contextReported(contextWindow, this.#request.body.size), this.#tokensBySize() + HIDDEN_TOKENS)
  }

  #tokensBySize(): number {
    const { body, rereadBytes = 0, media = NO_MEDIA } = this.#request
    const textBytes = body.byteLength - media.bytes + rereadBytes
    this.#sizeTokens ??= textBytes * mostTokensPerByte(body.text, body.byteLength) + media.tokens
    return this.#sizeTokens
  }

  async closer(count: CountTokens, contextWindow: number): Promise<number> {
    const most = this.most(contextWindow)
    const { body, tokenCount, rereadBytes, media } = this.#request
    const text = plain(body.text)
    const isMore = rereadBytes !== undefined || media !== undefined || this.references.length > 0
    if (tokenCount !== undefined || isMore || !isCountable(text)) return most
    const tokens = closerTextTokens([text], await count([text]))
    return Math.min(most, this.#bound(contextWindow, tokens + INPUTS_FRAME_TOKENS))
  }

  #bound(contextWindow: number, tokens: number): number {
    const { isLone, inputCount, tokenCount, body } = this.#request
    const isOpen = this.references.length > 0
    const likelyTokens = tokenCount ?? worstCaseInputTokens(body.size)
    if (isLone) return mostInputTokens({ tokens, isOpen, contextWindow, likelyTokens })
    if (!isOpen) return tokens
    return tokens + inputCount * mostInputTokens({ tokens: 0, isOpen, contextWindow, likelyTokens: 0 })
  }
}

function contextReported(contextWindow: number, { textBytes }: InputSize): number {
  return contextWindow > 0 ? Math.max(contextWindow, Math.ceil(textBytes / BYTES_PER_REPORTED_TOKEN)) : contextWindow
}

/** Enough of an image to find it by. */
const IMAGE_HEAD = 128

/** The text without the images, whose order is that of the text. */
function textsBetween(text: string, images: readonly string[]): string[] {
  const texts: string[] = []
  let from = 0
  for (const image of images) {
    const at = text.indexOf(image.slice(0, IMAGE_HEAD), from)
    // An image that is not found where it should be is counted as text, which is more and never less.
    if (at === -1 || !text.startsWith(image, at)) continue
    texts.push(text.slice(from, at))
    from = at + image.length
  }
  return [...texts, text.slice(from)]
}

/**
 * A JSON text with its common escapes as what they stand for, about as the model reads it. Others stay: they come to more tokens than
 * what they stand for. That members stand twice, or nobody reads them, changes nothing here.
 */
function plain(json: string): string {
  if (!json.includes('\\')) return json
  return json.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\t', '\t').replaceAll('\\/', '/')
}
