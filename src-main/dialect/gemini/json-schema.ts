// Schemas as Gemini's clients write them, as JSON Schema for providers of other dialects: types in capitals, `nullable`, and bounds that are
// texts. JSON Schema itself goes through as it is. The scan of the body bounds how deep they are.

import { camelOf } from '#dialect/gemini/fields.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

const ONE = new Set(['items', 'additionalProperties', 'not'])
const MANY = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NAMED = new Set(['properties', '$defs', 'definitions'])
/** 64-bit numbers, which are texts in the JSON of protocol buffers. */
const BOUNDS = new Set('minItems maxItems minLength maxLength minProperties maxProperties'.split(' '))
const LEFT_OUT = new Set(['nullable', 'propertyOrdering', 'example'])

export function toJsonSchema(schema: unknown): JsonObject {
  return isRecord(schema) ? convert(schema) : {}
}

function convert(schema: JsonObject): JsonObject {
  const converted: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(schema)) {
    const name = camelOf(given)
    if (LEFT_OUT.has(name)) continue
    if (name === 'type') converted['type'] = typeOf(value)
    else if (ONE.has(name)) converted[name] = isRecord(value) ? convert(value) : value
    else if (MANY.has(name) && Array.isArray(value))
      converted[name] = value.map((one: unknown) => (isRecord(one) ? convert(one) : one))
    else if (NAMED.has(name) && isRecord(value)) converted[name] = named(value)
    else if (BOUNDS.has(name)) converted[name] = typeof value === 'string' ? Number(value) : value
    else converted[name] = value
  }
  if (converted['type'] === undefined) delete converted['type']
  return schema['nullable'] === true ? withNull(converted) : converted
}

function named(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isRecord(value) ? convert(value) : value]),
  )
}

function typeOf(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value === 'TYPE_UNSPECIFIED' ? undefined : value.toLowerCase()
}

function withNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}
