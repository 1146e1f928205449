// Reads from a provider's refusal which members of a request it does not take. Models of one provider differ in that, and no
// table can know them all: a translated request that holds one too many is sent again without it.

import { append } from '#core/append.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Members that can be left out without a request becoming another one. None of them decides what a call costs. */
const OPTIONAL = new Set([
  'frequency_penalty',
  'include',
  'metadata',
  'output_config',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'stop_sequences',
  'store',
  'temperature',
  'thinking',
  'top_k',
  'top_p',
  'user',
  'verbosity',
])

/** The two names of one member; a provider that does not take the one takes the other. */
const OUTPUT_CAPS: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
}

/** What providers write about a member that they do not take; the name follows, or stands before. */
const SENTENCES = [
  /unsupported parameter: ["'`]?([a-z_]+)/i,
  /unrecognized request arguments? supplied: ([a-z_]+(?:, [a-z_]+)*)/i,
  /unknown (?:parameter|name|field):? ["'`]?([a-z_]+)/i,
  /property ["'`]([a-z_]+)["'`] is unsupported/i,
  // From the beginning of a word alone: tried at each letter of a long one, it would take the square of its length.
  /(?<![a-z_])([a-z_]+)["'`]? (?:is|are) not (?:supported|allowed|permitted)/i,
  // Not behind a dot: a member of a message may have the name of one of the request.
  /(?<![\w.])([a-z_]+)(?:\.[a-z_.]+)?: extra inputs are not permitted/i,
  /does not support (?:the )?(?:parameter )?["'`]?([a-z_]+)/i,
]
/** About the value that was sent, not about the member. */
const VALUE_SENTENCE = /unsupported value: ["'`]?([a-z_]+)/i
const MAX_WORDS = 4000

export type Unsupported = {
  /** Members that the target never takes. */
  readonly members: readonly string[]
  /** Members whose value was refused; another one may be taken. */
  readonly values: readonly string[]
}

/** Names of members that a provider's refusal says it does not take; empty where it is about something else. */
export function unsupportedMembers(body: unknown): Unsupported {
  if (!isRecord(body)) return { members: [], values: [] }
  const error = isRecord(body['error']) ? body['error'] : body
  const names = [...listed(error), ...listed(body)]
  const message = typeof error['message'] === 'string' ? error['message'].slice(0, MAX_WORDS) : ''
  const { code, param } = error
  const value = VALUE_SENTENCE.exec(message)?.[1]
  if (value !== undefined || code === 'unsupported_value') {
    return { members: [], values: known([value ?? (typeof param === 'string' ? param : '')]) }
  }
  const isAboutParam = code === 'unsupported_parameter' || code === 'unknown_parameter'
  if (isAboutParam && typeof param === 'string') names.push(param)
  for (const sentence of SENTENCES) append(names, sentence.exec(message)?.[1]?.split(', ') ?? [])
  return { members: known(names), values: [] }
}

/** Of names as providers write them, with paths behind a dot, those of members that can be left out or renamed. */
function known(names: readonly string[]): string[] {
  const members = new Set(names.map((name) => name.split('.')[0] ?? name))
  return [...members].filter((name) => OPTIONAL.has(name) || Object.hasOwn(OUTPUT_CAPS, name))
}

/** Pydantic's list of what it does not allow, as Mistral and vLLM send it. */
function listed(error: JsonObject): string[] {
  const message = isRecord(error['message']) ? error['message'] : error
  const { detail } = message
  if (!Array.isArray(detail)) return []
  return detail.slice(0, 64).flatMap((item: unknown) => {
    if (!isRecord(item) || item['type'] !== 'extra_forbidden' || !Array.isArray(item['loc'])) return []
    // Where it stands in the body, from the outside in: only members of the request itself can be left out.
    const [first, second]: readonly unknown[] = item['loc']
    const name = first === 'body' ? second : first
    return typeof name === 'string' ? [name] : []
  })
}

/** The other name of an output cap; undefined for every other member, which is left out. */
export function otherName(member: string): string | undefined {
  return Object.hasOwn(OUTPUT_CAPS, member) ? OUTPUT_CAPS[member] : undefined
}
