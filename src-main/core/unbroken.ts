// Cuts texts for a tokenizer, which takes each run of one kind of character as one word and needs time that grows with the
// square of a word's length. Nobody writes long words, but minified code, embedded files and hostile requests have them.

/** Longer than words and rules of dashes. A cut costs at most about one token, so that a count grows by little. */
const LONGEST_RUN = 128
/** About this many UTF-16 units make a piece of ordinary text. */
const PIECE_LENGTH = 16_384

const LETTER = 1
const SYMBOL = 2
const SPACE = 4
const ANY = LETTER | SYMBOL | SPACE

/**
 * The text in pieces that together are the text, each of at most 32 Ki UTF-16 units. In no piece is a run of letters, of
 * symbols or of white space longer than 128 units. Each bound may be exceeded by one unit, so that no surrogate pair is cut
 * in two. Linear.
 */
export function* unbrokenPieces(text: string): Generator<string> {
  let start = 0
  let [letters, symbols, spaces] = [0, 0, 0]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kinds = kindsOf(code)
    letters = (kinds & LETTER) === 0 ? 0 : letters + 1
    symbols = (kinds & SYMBOL) === 0 ? 0 : symbols + 1
    spaces = (kinds & SPACE) === 0 ? 0 : spaces + 1
    const next = text.charCodeAt(index + 1)
    const isLong = letters >= LONGEST_RUN || symbols >= LONGEST_RUN || spaces >= LONGEST_RUN
    if (!isLong && !isEnough(index + 1 - start, kinds, next)) continue
    if (isPair(code, next)) continue
    yield text.slice(start, index + 1)
    start = index + 1
    letters = symbols = spaces = 0
  }
  if (start < text.length) yield text.slice(start)
}

/** A piece ends best between a word and a space, where a tokenizer ends a word anyway. */
function isEnough(length: number, kinds: number, next: number): boolean {
  if (length < PIECE_LENGTH) return false
  return (kinds === LETTER && next === 0x20) || length >= 2 * PIECE_LENGTH
}

/** The kinds of run that a character can continue. */
function kindsOf(code: number): number {
  if (code >= 0x80) return CJK_STOPS.has(code) ? SYMBOL : ANY
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return LETTER
  if (code >= 0x30 && code <= 0x39) return 0
  // Line ends behind symbols belong to them.
  if (code === 0x0a || code === 0x0d) return SYMBOL | SPACE
  return code === 0x20 || (code >= 0x09 && code <= 0x0c) ? SPACE : SYMBOL
}

/** Commas and full stops of scripts that write without spaces: behind them a new run begins. */
const CJK_STOPS: ReadonlySet<number> = new Set([0x3001, 0x3002, 0xff01, 0xff0c, 0xff1a, 0xff1b, 0xff1f])

function isPair(code: number, next: number): boolean {
  return code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff
}
