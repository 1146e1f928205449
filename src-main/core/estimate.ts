// Token estimates from sizes alone. They are used for holds, for output caps and, marked as estimated, for charges when
// a provider reports no usage and nobody counted. A real tokenizer is far too slow to run on every request.

/** English prose and code average about four UTF-8 bytes per token; other scripts need more bytes for a token, not fewer. */
const BYTES_PER_TOKEN = 4
/** No common tokenizer needs more than one token per three bytes of ordinary text over a whole request. */
const BYTES_PER_TOKEN_WORST = 3
/** What providers count at most for one image or document part of ordinary size. */
const TOKENS_PER_MEDIA_PART = 1_600

/** How large a request's input is: bytes of text, and parts that are embedded media (their bytes are not text). */
export type InputSize = { readonly textBytes: number; readonly mediaParts: number }

/** The likely number of input tokens. */
export function estimateInputTokens(size: InputSize): number {
  return Math.ceil(size.textBytes / BYTES_PER_TOKEN) + size.mediaParts * TOKENS_PER_MEDIA_PART
}

/** A number of input tokens that the real count rarely exceeds, for holds. */
export function worstCaseInputTokens(size: InputSize): number {
  return Math.ceil(size.textBytes / BYTES_PER_TOKEN_WORST) + size.mediaParts * TOKENS_PER_MEDIA_PART
}

/** The likely number of output tokens of text that was delivered, at least 1 when there was any. */
export function estimateOutputTokens(textBytes: number): number {
  return Math.ceil(textBytes / BYTES_PER_TOKEN)
}

/** The bytes of a text of so many output tokens, as the estimate has it. */
export function outputBytesOf(tokens: number): number {
  return tokens * BYTES_PER_TOKEN
}
