// Reads the `generationConfig` of a client's request: sampling, thinking, and the form of the answer.

import { field } from '#dialect/gemini/fields.ts'
import { toJsonSchema } from '#dialect/gemini/json-schema.ts'
import { dropOthers } from '#dialect/gemini/read-parts.ts'
import type { Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import { EFFORTS, type Conversation, type JsonObject, type OutputFormat, type ReasoningWish } from '#dialect/turn.ts'

const PREFIX = 'generationConfig.'
const MEMBERS = new Set(
  [
    'temperature topP topK seed presencePenalty frequencyPenalty stopSequences maxOutputTokens candidateCount',
    'responseMimeType responseSchema responseJsonSchema _responseJsonSchema responseModalities thinkingConfig',
  ].flatMap((names) => names.split(' ')),
)
const THINKING_MEMBERS = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel'])
const JSON_TYPE = 'application/json'
const SCHEMA_NAME = 'output'

type GenerationWishes = Pick<Conversation, 'sampling' | 'stop' | 'reasoning' | 'format'>

export function readGeneration(config: JsonObject, reading: Reading): GenerationWishes {
  const modalities = field(config, 'responseModalities')
  if (Array.isArray(modalities) && modalities.some((one) => String(one).toUpperCase() !== 'TEXT')) {
    reading.drop(`${PREFIX}responseModalities`)
  }
  dropOthers(config, PREFIX, MEMBERS, reading)
  return {
    sampling: {
      temperature: number(config, 'temperature', reading),
      topP: number(config, 'topP', reading),
      topK: number(config, 'topK', reading),
      seed: number(config, 'seed', reading),
      presencePenalty: number(config, 'presencePenalty', reading),
      frequencyPenalty: number(config, 'frequencyPenalty', reading),
    },
    stop: readStop(field(config, 'stopSequences'), reading),
    reasoning: readThinking(field(config, 'thinkingConfig'), reading),
    format: readFormat(config, reading),
  }
}

function number(config: JsonObject, name: string, reading: Reading): number | undefined {
  const value = field(config, name)
  if (value === undefined || typeof value === 'number') return value
  return reading.refuse(PREFIX + name, 'must be a number')
}

function readStop(value: unknown, reading: Reading): readonly string[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((text) => typeof text === 'string'))
    return value.filter((text) => text !== '')
  reading.refuse(`${PREFIX}stopSequences`, 'must be an array of strings')
  return []
}

/** A client that does not want to see thoughts still sends back the signatures that stand in its parts. */
function readThinking(config: unknown, reading: Reading): ReasoningWish {
  if (!isRecord(config)) return { effort: undefined, budgetTokens: undefined, isShown: false, keepsSeal: true }
  dropOthers(config, 'thinkingConfig.', THINKING_MEMBERS, reading)
  const isShown = field(config, 'includeThoughts') === true
  const shown = isShown ? { isShown } : { isShown, keepsSeal: true }
  const budget = field(config, 'thinkingBudget')
  const level = field(config, 'thinkingLevel')
  const effort = EFFORTS.find((known) => typeof level === 'string' && known === level.toLowerCase())
  if (budget === 0) return { effort: 'none', budgetTokens: undefined, isShown: false }
  if (budget !== undefined && typeof budget !== 'number') {
    reading.refuse('generationConfig.thinkingConfig.thinkingBudget', 'must be a number')
  }
  // A budget of -1 leaves it to the model.
  const budgetTokens = typeof budget === 'number' && budget > 0 ? budget : undefined
  return { effort, budgetTokens, ...shown }
}

function readFormat(config: JsonObject, reading: Reading): OutputFormat | undefined {
  const type = field(config, 'responseMimeType')
  const schema = field(config, 'responseJsonSchema') ?? config['_responseJsonSchema'] ?? field(config, 'responseSchema')
  if (type !== undefined && type !== JSON_TYPE) {
    if (type !== 'text/plain') reading.drop(`${PREFIX}responseMimeType`)
    return undefined
  }
  if (schema === undefined) return type === undefined ? undefined : { type: 'json' }
  if (!isRecord(schema)) return reading.refuse(`${PREFIX}responseSchema`, 'must be a schema object')
  return {
    type: 'json-schema',
    name: SCHEMA_NAME,
    description: undefined,
    schema: toJsonSchema(schema),
    isStrict: undefined,
  }
}
