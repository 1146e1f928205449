// Regular expressions for one secret in everything that it may be written in: escapes of JSON, URLs and HTML, base64 at any
// place of a longer text, and hexadecimal digits. They are for bytes read as Latin-1. `telling` is how many characters must be
// there; as many of the others as follow belong to the match.

/** How much longer an escape makes a character: four backslashes, `u` and four digits. */
export const LONGEST_ESCAPE = 9
/** Characters of a secret that are looked for one by one; of a longer one, what looks like its rest is taken as well. */
const MAX_EXACT = 64

/** A character that secrets are made of, or an escape of one. */
const ANY_CHARACTER = '(?:[\\w.~=+\\/-]|%(?:25)?[0-9a-fA-F]{2}|\\\\{1,4}u[0-9a-fA-F]{4}|&#[xX]?[0-9a-fA-F]{1,5};)'

export function escapedPattern(secret: string, telling: number): string {
  const characters = Array.from(secret.slice(0, MAX_EXACT), escapedCharacter)
  const further = secret.length > MAX_EXACT ? `${ANY_CHARACTER}{0,${secret.length}}` : ''
  const rest = characters.slice(telling).reduceRight((after, character) => `(?:${character}${after})?`, further)
  return characters.slice(0, telling).join('') + rest
}

/** The three ways in which base64 cuts a text, depending on what stands before it, such as `Bearer ` or a name and a colon. */
export function base64Patterns(secret: string, telling: number): string[] {
  const rest = `(?:[\\w+=-]|\\\\?\\/|%[0-9a-fA-F]{2}){0,${secret.length * 2}}`
  return base64Texts(secret, telling).map((text) => Array.from(text, base64Character).join('') + rest)
}

function base64Texts(secret: string, telling: number): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret.slice(0, telling))])
    // The first and the last character may hold bits of what stands beside the secret.
    return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3))
  })
}

export function hexPattern(secret: string, telling: number): string {
  const digits = Array.from(Buffer.from(secret.slice(0, MAX_EXACT)), (byte) => hexOf(byte))
  return digits.slice(0, telling).join('') + (digits.length > telling ? '(?:[0-9a-fA-F]{2})*' : '')
}

/**
 * What stands in every text with the secret, unless its characters are escaped: a text without it and without `ESCAPES` has no secret.
 * That is found out ten times as fast. undefined where the secret has no characters for it.
 */
export function traceOf(secret: string, telling: number): string | undefined {
  const [longest = ''] = (secret.slice(0, telling).match(/[\w.~-]+/g) ?? []).toSorted((a, b) => b.length - a.length)
  if (longest.length < SHORTEST_TRACE) return undefined
  const written = [
    ...base64Texts(secret, telling).map(traceOfBase64),
    hexPattern(secret.slice(0, LONGEST_TRACE), LONGEST_TRACE),
  ]
  return [longest.slice(-LONGEST_TRACE).replaceAll('.', '\\.'), ...written].join('|')
}

function traceOfBase64(text: string): string {
  return Array.from(text.slice(0, LONGEST_TRACE), base64Character).join('')
}

const SHORTEST_TRACE = 4
const LONGEST_TRACE = 8

/** What escapes of letters and digits begin with, as patterns. */
export const ESCAPES = ['\\\\u00', '%', '&#']

function escapedCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const bytes = Buffer.from(character).toString('latin1')
  const literals = new Set([bytes, ...(code > 0x7f && code <= 0xff ? [character] : [])])
  const inUrls = [...Buffer.from(character)].map((byte) => `%(?:25)?${hexOf(byte)}`).join('')
  const units = [...Array(character.length).keys()].map((index) => hexOf(character.charCodeAt(index), 4))
  const inJson = units.map((unit) => `\\\\{1,4}u${unit}`).join('')
  const inHtml = `&#(?:0*${code}|[xX]0*${hexOf(code, 1)});`
  const named = NAMED[character] === undefined ? [] : [`&${NAMED[character]};`]
  const plain = [...literals].map((literal) => `\\\\{0,4}${literal.replace(/[^\w]/g, '\\$&')}`)
  // A literal comes last, because it can be the first character of an escape of itself.
  return `(?:${[inUrls, inJson, inHtml, ...named, ...plain].join('|')})`
}

const NAMED: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '+': 'plus',
}

function base64Character(character: string): string {
  if (character === '+') return '(?:[+-]|%2[bB])'
  return character === '/' ? '(?:\\\\{0,4}\\/|_|%2[fF])' : character
}

/** Digits in either case. */
function hexOf(code: number, digits = 2): string {
  return code
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
