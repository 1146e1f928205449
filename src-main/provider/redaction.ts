// Takes the secrets of a provider out of what it says: some providers repeat them in their errors. All bytes of providers pass
// through here before anything else reads them, so a search must cost next to nothing where there is nothing to find.

import { RedactedBody, type Search } from '#provider/redacted-body.ts'
import {
  base64Patterns,
  escapedPattern,
  ESCAPES,
  hexPattern,
  LONGEST_ESCAPE,
  traceOf,
} from '#provider/secret-patterns.ts'

/** What stands where a secret was. It needs no escaping in JSON, in HTML or in a URL. */
const REPLACEMENT = '[secret]'
/** So many characters tell a secret from everything else; providers like to show only the first ones. */
const TELLING_LENGTH = 16
/** A shorter secret is in every text. */
const SHORTEST = 4
/** Secrets from this length on may stand inside a word; shorter ones are looked for as words of their own. */
const SHORTEST_IN_WORD = 8

/** What a provider says, without the secrets. `isError`: it has an error status, and then more is taken for a secret. */
export type Redaction = {
  /** A text that is all there is of it. */
  readonly text: (text: string, isError: boolean) => string
  /** A body that comes in pieces. */
  readonly body: (isError: boolean) => RedactedBody
  readonly headers: (headers: AnswerHeaders) => AnswerHeaders
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

const made = new WeakMap<readonly string[], Redaction | undefined>()

/** The redaction for these secrets, which is made once for each list. undefined where there is nothing to look for. */
export function redactionFor(secrets: readonly string[]): Redaction | undefined {
  if (!made.has(secrets)) made.set(secrets, redactionOf(secrets))
  return made.get(secrets)
}

function redactionOf(secrets: readonly string[]): Redaction | undefined {
  const inErrors = searchFor(secrets.filter((secret) => secret.length >= SHORTEST))
  const inAnswers = searchFor(secrets.filter(isTelling))
  if (inErrors === undefined) return undefined
  return {
    text: (text, isError) => redactedText(text, isError ? inErrors : inAnswers),
    body: (isError) => new RedactedBody(isError ? inErrors : inAnswers, REPLACEMENT),
    headers: (headers) => redactedHeaders(headers, inAnswers),
  }
}

function redactedText(text: string, search: Search | undefined): string {
  const bytes = Buffer.from(text).toString('latin1')
  const pattern = search?.patternIn(bytes)
  return pattern === undefined ? text : Buffer.from(bytes.replace(pattern, REPLACEMENT), 'latin1').toString()
}

function redactedHeaders(headers: AnswerHeaders, search: Search | undefined): AnswerHeaders {
  const pattern = search?.patternIn(Object.values(headers).join('\n'))
  if (pattern === undefined) return headers
  const redacted = (value: string) => value.replace(pattern, REPLACEMENT)
  const entries = Object.entries(headers).map(([name, value]) => {
    return [name, typeof value === 'string' ? redacted(value) : value?.map(redacted)] as const
  })
  return Object.fromEntries(entries)
}

function searchFor(secrets: readonly string[]): Search | undefined {
  if (secrets.length === 0) return undefined
  const isPart = new Uint8Array(256)
  const parts = [...Buffer.from(secrets.join('')), ...Buffer.from(secrets.join(''), 'latin1'), ...PART_BYTES]
  for (const byte of parts) isPart[byte] = 1
  const maxLength = LONGEST_ESCAPE * Math.max(...secrets.map((secret) => secret.length))
  return { patternIn: patternIn(secrets), isPart, maxLength }
}

function patternIn(secrets: readonly string[]): Search['patternIn'] {
  const traces = secrets.map((secret) => traceOf(secret, tellingLength(secret)))
  // One search for all of it takes a third of the time of one after the other.
  const trace = traces.includes(undefined) ? undefined : new RegExp([...traces, ...ESCAPES].join('|'))
  let pattern: RegExp | undefined
  return (text) => {
    if (trace?.test(text) === false) return undefined
    pattern ??= new RegExp(secrets.flatMap(patternsOf).join('|'), 'g')
    return text.search(pattern) === -1 ? undefined : pattern
  }
}

/** What escapes, base64 and hexadecimal digits are made of. */
const PART_BYTES = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=%&#;\\')

function patternsOf(secret: string): string[] {
  const telling = tellingLength(secret)
  if (secret.length < SHORTEST_IN_WORD) return [`(?<![\\w-])${escapedPattern(secret, secret.length)}(?![\\w-])`]
  return [escapedPattern(secret, telling), ...base64Patterns(secret, telling), hexPattern(secret, telling)]
}

/** How much of a secret tells that it is this one. What comes first in a JWT is the same in thousands of them. */
function tellingLength(secret: string): number {
  const common = secret.startsWith('eyJ') ? secret.indexOf('.') + 1 : 0
  return Math.min(secret.length, common + TELLING_LENGTH)
}

/** Local servers take any word for a secret, such as the name of the program; a model may use that word as well. */
function isTelling(secret: string): boolean {
  return secret.length >= TELLING_LENGTH || (secret.length >= SHORTEST_IN_WORD && /[^a-z-]/.test(secret))
}
