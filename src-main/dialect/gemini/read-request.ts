// Reads a request in the Gemini format: checks the rules for the members that routing and metering need. The path names the model and
// whether a stream is wanted. Members that Farebox does not know are left alone, and are the provider's to judge.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AskedInPath, ClientRequest } from '#dialect/dialect.ts'
import { field, spellingOf } from '#dialect/gemini/fields.ts'
import { checkReading } from '#dialect/gemini/one-reading.ts'
import {
  checkFields,
  countRule,
  isRecord,
  numberRule,
  objectRule,
  parseBody,
  readModel,
  readText,
  stringRule,
  textOf,
  type BodyText,
  type FieldRule,
} from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What may be asked of a model by which an answer is generated. */
export const GENERATE = 'generateContent'
export const STREAM = 'streamGenerateContent'

const ROLES = new Set<unknown>([undefined, null, '', 'user', 'model', 'function', 'system'])
const MAX_CANDIDATES = 128
const CONFIG = 'generationConfig'
/** Members that decide what a call costs: spelt in another way they would be served and not be seen. */
const METERED = new Set([CONFIG, 'maxOutputTokens', 'candidateCount', 'serviceTier'].map((name) => name.toLowerCase()))

const RULES: readonly FieldRule[] = [
  objectRule('systemInstruction'),
  objectRule(CONFIG),
  objectRule('toolConfig'),
  stringRule('serviceTier'),
  { name: 'tools', says: 'an array of tools', allows: (value) => Array.isArray(value) && value.every(isRecord) },
]

const CONFIG_RULES: readonly FieldRule[] = [
  countRule('maxOutputTokens', Number.MAX_SAFE_INTEGER),
  countRule('candidateCount', MAX_CANDIDATES),
  numberRule('temperature', 0, 2),
  numberRule('topP', 0, 1),
]

/**
 * The request, or a refusal that names the member that is wrong. Without a path, as in a test request of the dashboard, the members
 * `model` and `stream` say what it would.
 */
export function readGeminiRequest(text: BodyText, byteLength: number, asked?: AskedInPath): ClientRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const { value } = body
  const model = asked?.model ?? readModel(value)
  if (typeof model !== 'string') return model
  const problem =
    checkReading(body) ??
    checkSpelling(value, '') ??
    checkContents(field(value, 'contents')) ??
    checkMembers(value, RULES, '')
  if (problem !== undefined) return problem
  const config = readConfig(value)
  if (isRefusal(config)) return config
  const cap = field(config, 'maxOutputTokens')
  const candidates = field(config, 'candidateCount')
  const isStream = asked === undefined ? value['stream'] === true : asked.method === STREAM
  return {
    model,
    isStream,
    outputCap: typeof cap === 'number' ? cap : undefined,
    outputCapName: 'maxOutputTokens',
    choices: typeof candidates === 'number' ? candidates : 1,
    wantsUsage: true,
    streamType: isStream && asked?.isEvents === false ? 'application/json; charset=utf-8' : undefined,
    body,
  }
}

/** A request to count its input: the same members, or a whole request in a member. */
export function readGeminiCountRequest(
  text: BodyText,
  byteLength: number,
  asked?: AskedInPath,
): ClientRequest | Refusal {
  const outer = parseBody(text, byteLength)
  if (isRefusal(outer)) return outer
  const name = spellingOf(outer.value, 'generateContentRequest')
  const where = name === undefined ? undefined : outer.scan.members.get(name)
  if (where === undefined) return readGeminiRequest(text, byteLength, asked)
  return readGeminiRequest(readText(textOf(text).slice(where.start, where.end)), byteLength, asked)
}

/** How generation is configured, after its rules; an empty object where nothing is said. */
function readConfig(value: JsonObject): JsonObject | Refusal {
  const config = field(value, CONFIG)
  if (!isRecord(config)) return {}
  return checkSpelling(config, `${CONFIG}.`) ?? checkMembers(config, CONFIG_RULES, `${CONFIG}.`) ?? config
}

function checkSpelling(object: JsonObject, prefix: string): Refusal | undefined {
  for (const name of Object.keys(object)) {
    const plain = name.replaceAll('_', '').toLowerCase()
    if (!METERED.has(plain) || METERED_SPELLINGS.has(name)) continue
    const param = prefix + name
    return refuse('invalid_request', `The member '${param}' must be written in camelCase or snake_case.`, { param })
  }
  return undefined
}

const METERED_SPELLINGS = new Set([
  CONFIG,
  'generation_config',
  'maxOutputTokens',
  'max_output_tokens',
  'candidateCount',
  'candidate_count',
  'serviceTier',
  'service_tier',
])

/** The rules for members in either spelling. */
function checkMembers(object: JsonObject, rules: readonly FieldRule[], prefix: string): Refusal | undefined {
  const given = Object.fromEntries(rules.map(({ name }) => [prefix + name, field(object, name)]))
  return checkFields(
    given,
    rules.map((rule) => ({ ...rule, name: prefix + rule.name })),
  )
}

function checkContents(contents: unknown): Refusal | undefined {
  const wrong = (param: string, says: string) => refuse('invalid_request', `'${param}' ${says}.`, { param })
  if (contents === undefined) return wrong('contents', 'is required')
  if (!Array.isArray(contents) || contents.length === 0) return wrong('contents', 'must be a non-empty array')
  for (const [index, content] of contents.entries()) {
    const path = `contents[${index}]`
    if (!isRecord(content)) return wrong(path, 'must be an object')
    if (!ROLES.has(content['role'])) return wrong(`${path}.role`, 'must be user or model')
    const { parts } = content
    if (!Array.isArray(parts))
      return wrong(`${path}.parts`, parts === undefined || parts === null ? 'is required' : 'must be an array')
    const at = parts.findIndex((part) => !isRecord(part))
    if (at !== -1) return wrong(`${path}.parts[${at}]`, 'must be an object')
  }
  return undefined
}
