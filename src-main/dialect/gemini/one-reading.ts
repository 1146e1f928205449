// Sees to it that a request has one reading. Google takes each member in two spellings, and the last where one stands twice; a member
// that is read here in one way and by the provider in another would be served and never be priced.

import { refuse, type Refusal } from '#core/refusal.ts'
import { camelOf, doubled } from '#dialect/gemini/fields.ts'
import { scanArray, scanObject, type ObjectScan } from '#dialect/json-text.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The objects, and lists of them, in which Google knows the members; what stands anywhere else is somebody's own JSON. */
type Shape = { readonly [name: string]: Shape }

const MEDIA: Shape = { inlineData: {}, fileData: {} }
const PART: Shape = {
  ...MEDIA,
  functionCall: {},
  functionResponse: { parts: MEDIA },
  executableCode: {},
  codeExecutionResult: {},
  toolCall: {},
  toolResponse: {},
}
const CONTENT: Shape = { parts: PART }
const REQUEST: Shape = {
  contents: CONTENT,
  systemInstruction: CONTENT,
  generationConfig: { thinkingConfig: {} },
  tools: { functionDeclarations: {} },
}

type WrittenJson = { readonly text: string; readonly value: unknown }

/** Why a request could be read in two ways; undefined where it cannot. */
export function checkReading({ text, value, scan }: WrittenJson & { value: JsonObject; scan: ObjectScan }) {
  return checkObject({ text, value }, scan, REQUEST, '')
}

function check({ text, value }: WrittenJson, shape: Shape, path: string): Refusal | undefined {
  if (Array.isArray(value)) return checkItems({ text, value }, shape, path)
  if (!isRecord(value)) return undefined
  const scan = scanObject(text)
  if (!('problem' in scan)) return checkObject({ text, value }, scan, shape, `${path}.`)
  const param = scan.name === undefined ? path : `${path}.${scan.name}`
  return refuse('invalid_request', `The member '${param}' stands twice in the body.`, { param })
}

function checkItems(
  given: WrittenJson & { value: readonly unknown[] },
  shape: Shape,
  path: string,
): Refusal | undefined {
  for (const [index, { start, end }] of scanArray(given.text).entries()) {
    const item = { text: given.text.slice(start, end), value: given.value[index] }
    const problem = check(item, shape, `${path}[${index}]`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function checkObject(
  { text, value }: WrittenJson & { value: JsonObject },
  { members }: ObjectScan,
  shape: Shape,
  prefix: string,
): Refusal | undefined {
  const twice = doubled(value)
  if (twice !== undefined) {
    const param = prefix + camelOf(twice)
    return refuse('invalid_request', `'${param}' stands in two spellings. Leave out one of them.`, { param })
  }
  for (const [name, { start, end }] of members) {
    // V8 misreads some names that are escaped, see parseBody.
    if (!Object.hasOwn(value, name)) {
      return refuse('invalid_request', 'The body has escapes in the names of its members. Write them without.')
    }
    const known = camelOf(name)
    const inner = Object.hasOwn(shape, known) ? shape[known] : undefined
    const member = { text: text.slice(start, end), value: value[name] }
    const problem = inner === undefined ? undefined : check(member, inner, prefix + known)
    if (problem !== undefined) return problem
  }
  return undefined
}
