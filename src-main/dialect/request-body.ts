// What every dialect's request has in common: a JSON object with a model, kept as text for passing on and as a value for
// reading.

import type { InputSize } from '#core/estimate.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { JsonMeter, type JsonBounds } from '#dialect/json-meter.ts'
import { scanObject, type ObjectScan, type ScanProblem } from '#dialect/json-text.ts'

export type RequestBody = {
  readonly text: string
  readonly scan: ObjectScan
  readonly value: Readonly<Record<string, unknown>>
  readonly size: InputSize
  /** Of the text, as it came. */
  readonly byteLength: number
}

/** What a text says: read where it is used, or elsewhere before, where it is so long that reading it would hold others up. */
export type ReadText = {
  readonly text: string
  readonly scan: ObjectScan | ScanProblem
  /** undefined where it is not JSON, or was not looked at because the scan found a problem. */
  readonly value: unknown
}

/** The text of a body, perhaps read already. */
export type BodyText = string | ReadText

export function textOf(body: BodyText): string {
  return typeof body === 'string' ? body : body.text
}

/** For a text that is not read where it is used. */
export function readText(text: string): ReadText {
  const scan = scanObject(text)
  const isRefused = 'problem' in scan && scan.problem !== 'not-an-object'
  return { text, scan, value: isRefused ? undefined : parseMeasured(text) }
}

/** A text around another one: its value with an empty object for that member, and the member itself. */
export type NestedText = { readonly value: unknown; readonly inner: ReadText | undefined }

/** Takes an object out of the member `name` of another one, as the text that it is. */
export function readNested(text: string, name: string): NestedText {
  const { scan, value } = readText(text)
  const where = 'problem' in scan ? undefined : scan.members.get(name)
  if (where === undefined || !isRecord(value) || !isRecord(value[name])) return { value, inner: undefined }
  return { value: { ...value, [name]: {} }, inner: readText(text.slice(where.start, where.end)) }
}

/**
 * Members that decide what a call costs. Some providers match names without regard to case: one that is spelt `Model` beside
 * `model` would be served and never be priced.
 */
const METERED_MEMBERS = new Set([
  'model',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'background',
  'n',
  'best_of',
  'size',
  'quality',
  'partial_images',
  'stream',
  'stream_options',
  'input',
])

/** Parses a body, or says what is wrong with it. `byteLength` is its size on the wire. */
export function parseBody(body: BodyText, byteLength: number): RequestBody | Refusal {
  const { text, scan, value } = typeof body === 'string' ? readText(body) : body
  if ('problem' in scan) {
    if (scan.problem === 'too-deep') return refuse('invalid_request', 'The body is nested too deeply.')
    if (scan.problem === 'duplicate-member') {
      return refuse('invalid_request', `The member '${scan.name}' stands twice in the body.`, memberParam(scan.name))
    }
  }
  if (value === undefined) return refuse('invalid_request', 'The body is not valid JSON.')
  if ('problem' in scan || !isRecord(value)) return refuse('invalid_request', 'The body must be a JSON object.')
  // V8 misreads an escaped name when an earlier text had one that looks like it (nodejs/node#63785): what is read here would
  // not be what the provider reads.
  for (const name of scan.members.keys()) {
    if (!Object.hasOwn(value, name)) {
      return refuse('invalid_request', 'The body has escapes in the names of its members. Write them without.')
    }
    const metered = meteredName(name)
    if (metered !== undefined && metered !== name) {
      return refuse('invalid_request', `The member '${name}' must be written '${metered}'.`, { param: name })
    }
  }
  const size = { textBytes: Math.max(0, byteLength - scan.mediaLength), mediaParts: scan.mediaParts }
  return { text, scan, value, size, byteLength }
}

/** How a member must be written that decides what a call costs, whatever its case; undefined for all others. */
export function meteredName(name: string): string | undefined {
  const lower = name.toLowerCase()
  return METERED_MEMBERS.has(lower) ? lower : undefined
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of what providers send: an answer with the likelihoods of some thousand tokens comes near them. */
export const ANSWER_BOUNDS: JsonBounds = {
  depth: 150_000,
  pieces: 600_000,
  members: 300_000,
  outermost: 1000,
  values: 1_500_000,
}

/** A text of this length can be made of anything and is parsed at once all the same. */
export const SHORT_LENGTH = 64 * 1024

/** undefined for a text that is not JSON, or is made of more than anybody has to read. */
export function parseJson(text: string): unknown {
  if (text.length > SHORT_LENGTH && new JsonMeter(ANSWER_BOUNDS).push(Buffer.from(text)) !== undefined) return undefined
  return parseMeasured(text)
}

/** For a text that was measured while it arrived. undefined where it is not JSON. */
export function parseMeasured(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller answers for it; the parser's message would quote the content.
    return undefined
  }
}

function memberParam(name: string | undefined): { param?: string } {
  return name === undefined ? {} : { param: name }
}

/** A rule for one optional member: says what it must be when the value breaks it. null counts as not given. */
export type FieldRule = { readonly name: string; readonly says: string; allows(value: unknown): boolean }

/** The first rule that the body breaks, as a refusal that names the member. */
export function checkFields(value: RequestBody['value'], rules: readonly FieldRule[]): Refusal | undefined {
  for (const rule of rules) {
    const member = value[rule.name]
    if (member === undefined || member === null || rule.allows(member)) continue
    return refuse('invalid_request', `'${rule.name}' must be ${rule.says}.`, { param: rule.name })
  }
  return undefined
}

/** The model's name, which every request must give. */
export function readModel(value: RequestBody['value']): string | Refusal {
  return requiredText(value, 'model')
}

/** A text that a request must give, and that must say something. */
export function requiredText(value: RequestBody['value'], param: string): string | Refusal {
  const text = value[param]
  if (text === undefined || text === null) return refuse('invalid_request', `'${param}' is required.`, { param })
  if (typeof text === 'string' && text !== '') return text
  return refuse('invalid_request', `'${param}' must be a non-empty string.`, { param })
}

export function numberRule(name: string, minimum: number, maximum: number): FieldRule {
  const allows = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum
  return { name, says: `a number from ${minimum} to ${maximum}`, allows }
}

export function countRule(name: string, maximum: number): FieldRule {
  const allows = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maximum
  return { name, says: `an integer from 1 to ${maximum}`, allows }
}

export function stringRule(name: string): FieldRule {
  return { name, says: 'a string', allows: (value) => typeof value === 'string' }
}

export function booleanRule(name: string): FieldRule {
  return { name, says: 'true or false', allows: (value) => typeof value === 'boolean' }
}

export function objectRule(name: string): FieldRule {
  return { name, says: 'an object', allows: isRecord }
}
