// Bounds for the tokens of texts, whichever vendor's tokenizer counts them. All numbers come from the corpus in test/input-estimates,
// whose table stands in docs/ledger.md; decision 0029 has the reasons.

/**
 * The most tokens for a byte. A token is at least one byte of the text that the tokenizer sees, but Claude's sees marks for words and
 * capitals in it too, and a text in Unicode's normal form.
 */
const TOKENS_PER_BYTE = 2
const GROWING_TOKENS_PER_BYTE = 3
/** Characters that become three times as long there: Ⱥ, Ⱦ, İ, ligatures of Arabic, and musical signs. */
const GROWING = /[\u0130\u023a\u023e\ufdfa\ufdfb\u{1d15e}-\u{1d164}\u{1d1bb}-\u{1d1c0}]/u

/** By how much vendors' tokenizers exceed ours on prose and code at most; German in the present one of Claude's is next to it. */
const MARGIN = 2.1
/** Longer texts are not worth a count, which is made on the main thread in part: most contexts would not hold them. */
const MAX_COUNTED = 1024 * 1024

/** The largest context that any vendor documents, for models of which nobody says how large theirs is. */
const LARGEST_CONTEXT = 10_000_000

/** The most tokens for each byte of a text. */
export function mostTokensPerByte(text: string, byteLength: number): number {
  // As many bytes as characters are ASCII, which is nearly all that comes.
  const isGrowing = byteLength !== text.length && GROWING.test(text)
  return isGrowing ? GROWING_TOKENS_PER_BYTE : TOKENS_PER_BYTE
}

/**
 * No token of any public vocabulary is longer, but for runs of one sign: OpenAI's, DeepSeek's, Meta's and Alibaba's end at 128 bytes.
 * Of runs Claude 2's vocabulary has tokens of up to 1,024 spaces.
 */
const MAX_BYTES_PER_TOKEN = 128
/** Of a run of one sign so many bytes count in full, and of the rest each sixteenth, so that the longest token of one is 124. */
const RUN_BYTES = 64
const RUN_PART = 1 / 16

/** The bytes of a text, of which long runs of one sign count for less: any tokenizer makes a token of at most 128 of them. */
export function denseBytes(text: string): number {
  let bytes = 0
  let run = 0
  let before = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) ?? 0
    if (code > 0xffff) index += 1
    if (code !== before) {
      bytes += runBytes(run)
      run = 0
      before = code
    }
    run += bytesOf(code)
  }
  return bytes + runBytes(run)
}

function runBytes(bytes: number): number {
  return bytes <= RUN_BYTES ? bytes : RUN_BYTES + (bytes - RUN_BYTES) * RUN_PART
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code > 0xffff ? 4 : 3
}

/** The bytes of text from which on any tokenizer counts at least so many tokens. */
export function bytesOfTokens(tokens: number): number {
  return tokens * MAX_BYTES_PER_TOKEN
}

/** The fewest tokens that any tokenizer makes of so many dense bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.floor(Math.max(0, bytes) / MAX_BYTES_PER_TOKEN)
}

/** The most tokens that any tokenizer makes of so many bytes. */
export function mostTokensOf(bytes: number): number {
  return bytes * GROWING_TOKENS_PER_BYTE
}

/** Whether a count says anything about the most tokens that others count. */
export function isCountable(text: string): boolean {
  return text.length <= MAX_COUNTED && !GROWING.test(text)
}

/**
 * The most tokens of texts of which our tokenizer counted so many. It has long tokens where others have none (rows of signs, words
 * of some languages) and takes three digits for one; so each kind of character adds what others count beyond the margin, and no
 * text comes to less than the least that its characters come to.
 */
export function closerTextTokens(texts: readonly string[], counted: number): number {
  const numbers = new Float64Array(MIN_TOKENS.length)
  for (const text of texts) countKinds(text, numbers)
  const added = numbers.reduce((sum, number, kind) => sum + number * (ADDED[kind] ?? 0), 0)
  const least = numbers.reduce((sum, number, kind) => sum + number * (MIN_TOKENS[kind] ?? 0), 0)
  return Math.ceil(Math.max(counted * MARGIN + added, least))
}

/** Adds how many characters of each kind a text has. */
function countKinds(text: string, numbers: Float64Array): void {
  let before = SMALL
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 0x80 ? (ASCII_KINDS[code] ?? SIGN) : kindOf(code)
    // Words begin with their space, so that only further ones come to something.
    if (kind !== SPACE || before === SPACE) numbers[kind] = (numbers[kind] ?? 0) + 1
    before = kind
  }
}

const SMALL = 0
const CAPITAL = 1
const DIGIT = 2
const SPACE = 3
const SIGN = 4
const TWO_BYTES = 5
const CHINESE = 6
const KOREAN = 7
const THREE_BYTES = 8
const HALF = 9

/** What a character of each kind adds to the counted tokens with their margin. */
const ADDED: readonly number[] = [0, 0, 0.3, 1 / 12, 0, 0.45, 0.15, 0.3, 0.6, 0]
/** What it comes to at least. */
const MIN_TOKENS: readonly number[] = [0.6, 1, 1, 1 / 12, 1, 1, 1.5, 1.8, 2.25, 1.5]

const ASCII_KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code <= 0x20) return SPACE
  const character = String.fromCharCode(code)
  if (character >= '0' && character <= '9') return DIGIT
  if (character >= 'a' && character <= 'z') return SMALL
  return character >= 'A' && character <= 'Z' ? CAPITAL : SIGN
})

function kindOf(code: number): number {
  if (code < 0x800) return TWO_BYTES
  if (code >= 0x2e80 && code < 0xa000) return CHINESE
  if (code >= 0xac00 && code < 0xd7b0) return KOREAN
  // Four bytes are two units of UTF-16.
  return code >= 0xd800 && code < 0xe000 ? HALF : THREE_BYTES
}

/** What a bound for the input of one request is made of. */
export type InputBound = {
  /** Tokens that the request can come to by its own bytes. */
  readonly tokens: number
  /** Whether it refers to what is not in it. */
  readonly isOpen: boolean
  /** Tokens that the model can read at all; 0 where nobody knows. */
  readonly contextWindow: number
  /** A number of tokens that the request likely has at least. It may exceed a context that was entered too small. */
  readonly likelyTokens: number
}

/**
 * The most input tokens of a request: what its bytes can come to, or, where they do not say it, all that the context can hold. A
 * provider refuses what exceeds the context, so that the bound ends there too.
 */
export function mostInputTokens({ tokens, isOpen, contextWindow, likelyTokens }: InputBound): number {
  const most = Math.max(contextWindow > 0 ? contextWindow : LARGEST_CONTEXT, likelyTokens)
  if (isOpen) return most
  return contextWindow > 0 ? Math.min(tokens, most) : tokens
}
