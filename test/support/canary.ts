// Marker strings, and the search for them in every byte of every file, in the forms in which a program could have written
// them down.

import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Marker texts by what they stand for. */
export type Canaries = Readonly<Record<string, string>>

/** A text that occurs nowhere by chance: letters and digits only, which survive escaping in JSON, URLs and headers. */
export function canary(): string {
  return `Cy${randomBytes(12).toString('hex')}`
}

/** Every file in a folder that holds one of the texts in any form, as `file: what (form)`. */
export async function findInFolder(folder: string, canaries: Canaries): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file)
      return findInBytes(bytes, canaries).map((hit) => `${file}: ${hit}`)
    }),
  )
  return found.flat()
}

/** What the bytes hold of the texts, as `what (form)`. */
export function findInBytes(bytes: Buffer, canaries: Canaries): string[] {
  const sought = Object.entries(canaries).flatMap(([what, text]) =>
    formsOf(text).map(([form, needle]) => ({ name: `${what} (${form})`, needle })),
  )
  const found = presentIn(
    bytes,
    sought.map(({ needle }) => needle),
  )
  return sought.filter((_, index) => found.has(index)).map(({ name }) => name)
}

/**
 * Which of many texts occur in the bytes, by their places in the list. All of them are looked for in one pass, by their last bytes,
 * in which they differ most: there are hundreds, and a pass for each takes most of a minute over the files of a folder.
 */
function presentIn(bytes: Buffer, needles: readonly Buffer[]): Set<number> {
  const found = new Set<number>()
  const byEnd = new Map<number, number[]>()
  const isEnd = new Uint8Array(1 << HASH_BITS)
  for (const [index, needle] of needles.entries()) {
    if (needle.length < END_BYTES) throw new RangeError(`a text to look for has fewer than ${END_BYTES} bytes`)
    const end = needle.readInt32BE(needle.length - END_BYTES)
    byEnd.set(end, [...(byEnd.get(end) ?? []), index])
    isEnd[hashOf(end)] = 1
  }
  let end = 0
  for (let place = 0; place < bytes.length; place++) {
    end = (end << 8) | (bytes[place] ?? 0)
    if (isEnd[hashOf(end)] === 0) continue
    for (const index of byEnd.get(end) ?? []) {
      const needle = needles[index]
      if (needle === undefined || found.has(index)) continue
      const start = place + 1 - needle.length
      if (start >= 0 && bytes.compare(needle, 0, needle.length, start, place + 1) === 0) found.add(index)
    }
  }
  return found
}

const END_BYTES = 4
const HASH_BITS = 16

function hashOf(end: number): number {
  return Math.imul(end, 0x9e_37_79_b1) >>> (32 - HASH_BITS)
}

function formsOf(text: string): (readonly [form: string, needle: Buffer])[] {
  const utf8 = Buffer.from(text)
  const hex = utf8.toString('hex')
  const escaped = Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
    '',
  )
  const packed = [0, 1, 2].map((offset) => base64Inside(utf8, offset))
  return [
    ['raw', utf8],
    ['JSON-escaped', Buffer.from(escaped)],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['hex', Buffer.from(hex)],
    ['upper-case hex', Buffer.from(hex.toUpperCase())],
    ...packed.map((needle, offset) => [`base64 at ${offset}`, Buffer.from(needle)] as const),
    ...packed.map((needle, offset) => [`base64url at ${offset}`, Buffer.from(base64Url(needle))] as const),
  ]
}

/** The characters that base64 of a longer text has for these bytes, when they begin so many bytes into a group of three. */
function base64Inside(bytes: Buffer, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  // Characters at both ends that also hold bits of the neighbours are left out.
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

function base64Url(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}
