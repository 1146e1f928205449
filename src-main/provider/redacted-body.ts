// A body without secrets, piece by piece. A piece that ends in what may be the beginning of a secret is held back from there on,
// until the next one shows what it is. Events end with a line end, which is in no secret, so that a stream is never held back.

/** What is looked for: a pattern over bytes as Latin-1 text, and what a piece must be held back for. */
export type Search = {
  /** undefined for a text that has no match, which nearly all are and which costs least to find out. */
  readonly patternIn: (text: string) => RegExp | undefined
  /** By byte: whether it can be part of a match. */
  readonly isPart: Uint8Array
  /** No match is longer. */
  readonly maxLength: number
}

export class RedactedBody {
  readonly #search: Search | undefined
  readonly #replacement: string
  #held: Buffer | undefined

  /** Without a search all passes as it is. */
  constructor(search: Search | undefined, replacement: string) {
    this.#search = search
    this.#replacement = replacement
  }

  /** What can be passed on by now; undefined for nothing. */
  push(piece: Buffer): Buffer | undefined {
    if (this.#search === undefined) return piece
    const bytes = this.#held === undefined ? piece : Buffer.concat([this.#held, piece])
    const { passed, cut } = this.#redact(bytes, bytes.length - partLength(bytes, this.#search))
    this.#held = cut < bytes.length ? bytes.subarray(cut) : undefined
    return passed.length === 0 ? undefined : passed
  }

  /** What was held back. */
  end(): Buffer | undefined {
    const held = this.#held
    this.#held = undefined
    return held === undefined ? undefined : this.#redact(held, held.length).passed
  }

  /** Everything up to `cut`, or up to the end of a secret that reaches beyond. */
  #redact(bytes: Buffer, cut: number): { readonly passed: Buffer; readonly cut: number } {
    const text = bytes.toString('latin1')
    const pattern = this.#search?.patternIn(text)
    if (pattern === undefined) return { passed: cut === bytes.length ? bytes : bytes.subarray(0, cut), cut }
    let passed = ''
    let from = 0
    for (const match of text.matchAll(pattern)) {
      if (match.index >= cut) break
      passed += text.slice(from, match.index) + this.#replacement
      from = match.index + match[0].length
    }
    const end = Math.max(cut, from)
    return { passed: Buffer.from(passed + text.slice(from, end), 'latin1'), cut: end }
  }
}

/** How many bytes at the end can be part of a secret that is not all there. */
function partLength(bytes: Buffer, { isPart, maxLength }: Search): number {
  const most = Math.min(bytes.length, maxLength)
  let length = 0
  while (length < most && isPart[bytes[bytes.length - 1 - length] ?? 0] === 1) length += 1
  return length
}
