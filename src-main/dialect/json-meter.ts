// Measures JSON while it arrives, before anything parses it: how deep it is nested and of how many values it is made. Parsing takes a
// time for each value that its length does not tell: a body of thirty megabytes can hold ten million of them. Whether the text is valid
// is for JSON.parse to say.

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The end of a text is looked for byte by byte so far; a search costs more than that, and less for each byte behind. */
const NEAR = 64

export type JsonBounds = {
  /** Of objects and lists. */
  readonly depth: number
  /** Objects, lists and texts; the names of members are texts. Each is something to make. */
  readonly pieces: number
  /** Of all objects together. A name that was not met before is the most expensive of all. */
  readonly members: number
  /** Of the outermost object: it is gone through member by member. */
  readonly outermost: number
  /** What stands between commas: also numbers, true, false and null, which cost next to nothing. */
  readonly values: number
}

export type JsonExcess = 'too-deep' | 'too-many'

/** Takes a text piece by piece, as bytes of UTF-8 or as characters of one byte each. */
export class JsonMeter {
  readonly #bounds: JsonBounds
  #depth = 0
  #pieces = 0
  #members = 0
  #outermost = 0
  #values = 1
  #isInText = false
  /** The last piece ended with a backslash, which belongs to a character that is still to come. */
  #isEscaped = false
  #excess: JsonExcess | undefined

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  /** How many there are so far. */
  get pieces(): number {
    return this.#pieces
  }

  /** What is too much of all that was taken so far. */
  push(bytes: Uint8Array): JsonExcess | undefined {
    if (this.#excess !== undefined || bytes.length === 0) return this.#excess
    let index = this.#isEscaped ? 1 : 0
    this.#isEscaped = false
    while (index < bytes.length && this.#excess === undefined) {
      index = this.#isInText ? this.#skipText(bytes, index) : this.#readOutside(bytes, index)
    }
    this.#isEscaped = index > bytes.length
    return this.#excess
  }

  /** Index after the quote that closes the text; beyond the end where a backslash is the last byte. */
  #skipText(bytes: Uint8Array, from: number): number {
    let index = from
    while (index < bytes.length) {
      for (const near = Math.min(bytes.length, index + NEAR); index < near; index++) {
        const code = bytes[index]
        if (code === BACKSLASH) index++
        else if (code === QUOTE) {
          this.#isInText = false
          return index + 1
        }
      }
      index = plainEnd(bytes, index)
    }
    return index
  }

  /** Index after the quote that opens the next text, or the end. */
  #readOutside(bytes: Uint8Array, from: number): number {
    const { depth: mostDepth, pieces, values, members, outermost } = this.#bounds
    for (let index = from; index < bytes.length; index++) {
      switch (bytes[index]) {
        case QUOTE:
          this.#isInText = true
          this.#pieces += 1
          if (this.#pieces > pieces) this.#excess = 'too-many'
          return index + 1
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#depth += 1
          this.#pieces += 1
          if (this.#depth > mostDepth) this.#excess = 'too-deep'
          if (this.#pieces > pieces) this.#excess ??= 'too-many'
          break
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth -= 1
          break
        case COLON:
          this.#members += 1
          if (this.#depth === 1) this.#outermost += 1
          if (this.#members > members || this.#outermost > outermost) this.#excess = 'too-many'
          break
        case COMMA:
          this.#values += 1
          if (this.#values > values) this.#excess = 'too-many'
          break
        default:
      }
      if (this.#excess !== undefined) return bytes.length
    }
    return bytes.length
  }
}

/** Index of the next quote in a text that begins or goes on at `from`, or of the backslash that it belongs to. */
function plainEnd(bytes: Uint8Array, from: number): number {
  const quote = from < bytes.length ? bytes.indexOf(QUOTE, from) : from
  const end = quote === -1 ? bytes.length : quote
  let backslashes = 0
  while (end - backslashes > from && bytes[end - backslashes - 1] === BACKSLASH) backslashes += 1
  return end - (backslashes % 2)
}
