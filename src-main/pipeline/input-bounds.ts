// How many input tokens a request can come to at most, for its hold. The sure bound needs no tokenizer: a token is at least one byte. The
// closer one is counted, for those whose credits the sure one does not fit into. docs/ledger.md says what both are made of.

import { mostTokens, worstCaseInputTokens } from '#core/estimate.ts'
import { surveyInput } from '#dialect/input-survey.ts'
import type { EmbeddingRequest } from '#dialect/embeddings/read-request.ts'
import type { RequestBody } from '#dialect/request-body.ts'
import type { Survey } from '#dialect/survey.ts'

export type CountTokens = (texts: readonly string[]) => Promise<number>

interface InputBounds {
  /** What is not in the request, in words; empty for ordinary requests. */
  readonly references: readonly string[]
  most(contextWindow: number): number
  closer(count: CountTokens, contextWindow: number): Promise<number>
}

/** What providers put before a conversation by themselves: their own instructions, and the frame around each message. */
const FRAME_TOKENS = 256
const LIKELY_FRAME_TOKENS = 96
/** What Anthropic documents for the instructions that come with tools, and then some. */
const TOOLS_FRAME_TOKENS = 1_024
/** A translation or a provider's template can say more about a tool than its definition does. */
const TOOL_TOKENS = 64
/** Marks around each input are covered by its quotes. */
const EMBEDDING_FRAME_TOKENS = 16
/** By how much the vendors' tokenizers exceed ours at most. */
const MARGIN = 2

/** The bounds of a request with a conversation. Surveyed on first use: a call that is refused before has no need of it. */
export class ConversationBounds implements InputBounds {
  readonly #body: RequestBody
  #survey: Survey | undefined

  constructor(body: RequestBody) {
    this.#body = body
  }

  get references(): readonly string[] {
    return this.#surveyed().references
  }

  most(contextWindow: number): number {
    const { images } = this.#surveyed()
    const textBytes = this.#body.byteLength - images.reduce((sum, image) => sum + image.length, 0)
    return this.#bound(contextWindow, textBytes + FRAME_TOKENS)
  }

  async closer(count: CountTokens, contextWindow: number): Promise<number> {
    const most = this.most(contextWindow)
    if (this.#surveyed().isOpen) return most
    const counted = await count(textsBetween(this.#body.text, this.#surveyed().images))
    return Math.min(most, this.#bound(contextWindow, Math.ceil(counted * MARGIN) + LIKELY_FRAME_TOKENS))
  }

  #bound(contextWindow: number, textTokens: number): number {
    const { toolCount, imageTokens, addedDigits, isOpen } = this.#surveyed()
    const tools = toolCount === 0 ? 0 : TOOLS_FRAME_TOKENS + toolCount * TOOL_TOKENS
    return mostTokens({
      tokens: textTokens + tools + imageTokens + addedDigits,
      isOpen,
      contextWindow,
      likelyTokens: worstCaseInputTokens(this.#body.size),
    })
  }

  #surveyed(): Survey {
    this.#survey ??= surveyInput(this.#body.value)
    return this.#survey
  }
}

/** The bounds of a request for embeddings. Each of several inputs may be as long as the context, so that it bounds none but a lone one. */
export class EmbeddingBounds implements InputBounds {
  readonly #request: EmbeddingRequest
  #known: readonly string[] | undefined

  constructor(request: EmbeddingRequest) {
    this.#request = request
  }

  get references(): readonly string[] {
    this.#known ??= embeddingReferences(this.#request)
    return this.#known
  }

  most(contextWindow: number): number {
    return this.#bound(
      contextWindow,
      this.#request.tokenCount ?? this.#request.body.byteLength + EMBEDDING_FRAME_TOKENS,
    )
  }

  async closer(count: CountTokens, contextWindow: number): Promise<number> {
    const most = this.most(contextWindow)
    if (this.#request.tokenCount !== undefined || this.references.length > 0) return most
    const counted = await count([unescaped(this.#request.body.text)])
    return Math.min(most, this.#bound(contextWindow, Math.ceil(counted * MARGIN) + EMBEDDING_FRAME_TOKENS))
  }

  #bound(contextWindow: number, tokens: number): number {
    const { input } = this.#request.body.value
    const isLone = typeof input === 'string'
    const isOpen = this.references.length > 0
    const likelyTokens = this.#request.tokenCount ?? worstCaseInputTokens(this.#request.body.size)
    if (isLone) return mostTokens({ tokens, isOpen, contextWindow, likelyTokens })
    if (!isOpen) return tokens
    const inputs = Array.isArray(input) ? input.length : 1
    return tokens + inputs * mostTokens({ tokens: 0, isOpen, contextWindow, likelyTokens: 0 })
  }
}

/** Models of images take addresses and files where others take texts. */
function embeddingReferences({ body }: EmbeddingRequest): readonly string[] {
  const { input, ...others } = body.value
  const inputs = Array.isArray(input) ? input : [input]
  const isAddress = inputs.some((text) => typeof text === 'string' && /^\s*(?:https?|data|gs|s3|file):\S*$/i.test(text))
  return [...(isAddress ? ['an input by its address'] : []), ...surveyInput(others).references]
}

/** The text as the model will read it, without the images, whose order is that of the text. */
function textsBetween(json: string, images: readonly string[]): string[] {
  const text = unescaped(json)
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

/** Enough of an image to find it by. */
const IMAGE_HEAD = 128

const ESCAPE = /\\(?:u([\da-fA-F]{4})|(.))/g
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function unescaped(json: string): string {
  if (!json.includes('\\')) return json
  return json.replaceAll(ESCAPE, (_, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPED[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
