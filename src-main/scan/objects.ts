// The objects in a JSON document that is too large to be read at once: one at a time, found by counting brackets. Nothing of the document
// is kept but the object that is being read.

import { createReadStream } from 'node:fs'
import type { JsonObject } from '#dialect/turn.ts'
import { CHUNK_BYTES, MAX_RECORD_BYTES, markedObject, type RecordOptions } from '#scan/lines.ts'

export type ObjectOptions = RecordOptions & {
  /** How many objects and lists are around each: 0 for the document itself, 1 for those in a list, 2 for those in a list of an object. */
  readonly depth: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACES = { open: 0x7b, close: 0x7d } as const
const BRACKETS = { open: 0x5b, close: 0x5d } as const

/** Yields each marked object. What is no JSON yields what looks like an object in it, or nothing. */
export function readObjects(path: string, options: ObjectOptions): AsyncGenerator<JsonObject> {
  return objectsIn(createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>, options)
}

/** The same of a document that comes in pieces. */
export async function* objectsIn(
  pieces: AsyncIterable<Buffer>,
  { depth, ...options }: ObjectOptions,
): AsyncGenerator<JsonObject> {
  const splitter = new Splitter(depth, options.onLong)
  for await (const chunk of pieces) {
    for (const bytes of splitter.objectsIn(chunk)) {
      const value = markedObject(bytes, options.marks)
      if (value !== undefined) yield value
    }
  }
}

class Splitter {
  readonly #depth: number
  readonly #onLong: () => void
  #open = 0
  #isInText = false
  #isEscaped = false
  /** Whether an object has begun; its bytes of earlier chunks, and how many they are. */
  #isInside = false
  #rest: Buffer[] = []
  #length = 0

  constructor(depth: number, onLong: () => void) {
    this.#depth = depth
    this.#onLong = onLong
  }

  *objectsIn(chunk: Buffer): Generator<Buffer> {
    let start = 0
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]
      if (this.#isInText) this.#readText(byte)
      else if (byte === QUOTE) this.#isInText = true
      else if (byte === BRACES.open || byte === BRACKETS.open) {
        if (byte === BRACES.open && this.#open === this.#depth) {
          this.#isInside = true
          start = index
        }
        this.#open += 1
      } else if (byte === BRACES.close || byte === BRACKETS.close) {
        this.#open -= 1
        if (this.#isInside && this.#open === this.#depth) {
          const whole = this.#end(chunk.subarray(start, index + 1))
          if (whole !== undefined) yield whole
        }
      }
    }
    if (this.#isInside) this.#keep(chunk.subarray(start))
  }

  #readText(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInText = false
  }

  /** Beyond the bound nothing is kept but how long it is. */
  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length > MAX_RECORD_BYTES) this.#rest = []
    else this.#rest.push(part)
  }

  #end(part: Buffer): Buffer | undefined {
    this.#keep(part)
    const isLong = this.#length > MAX_RECORD_BYTES
    const whole = Buffer.concat(this.#rest)
    this.#isInside = false
    this.#rest = []
    this.#length = 0
    if (!isLong) return whole
    this.#onLong()
    return undefined
  }
}
