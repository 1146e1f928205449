// JSON schemas as Anthropic takes them: of a tool's input an object at the top, of an answer only some keywords. What is taken
// out of an answer's schema is told to the model in the description instead, where it can be said in a few words.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Keywords whose value stays as it is. */
const KEPT = new Set(['type', 'title', 'description', 'enum', 'const', 'default', 'required', '$ref'])
/** Keywords whose value is a schema for each name. */
const MAPS = new Set(['properties', '$defs', 'definitions'])
/** Keywords whose value is a list of schemas, by the keyword that is taken for them. */
const LISTS: Readonly<Record<string, string>> = { anyOf: 'anyOf', oneOf: 'anyOf', allOf: 'allOf' }
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])
/** What a model can be told in words. */
const TOLD = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'format',
])
/** Combinations that Anthropic refuses at the top of a tool's schema. */
const COMBINATIONS = ['anyOf', 'oneOf', 'allOf'] as const

/** The schema of an answer. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const clean: Record<string, unknown> = {}
  const told: string[] = []
  for (const [name, value] of Object.entries(schema)) {
    const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined
    if (KEPT.has(name)) clean[name] = value
    else if (MAPS.has(name) && isRecord(value)) clean[name] = mapSchemas(value)
    else if (list !== undefined && Array.isArray(value)) clean[list] = [...asArray(clean[list]), ...value.map(cleanAny)]
    else if (name === 'items') clean[name] = cleanAny(value)
    else if (isTaken(name, value)) clean[name] = value
    else if (TOLD.has(name) && isScalar(value)) told.push(`${name}: ${value}`)
  }
  if (told.length > 0) {
    const description = typeof clean['description'] === 'string' ? `${clean['description']} ` : ''
    clean['description'] = `${description}(${told.join(', ')})`
  }
  if (clean['type'] === 'object' || isRecord(clean['properties'])) clean['additionalProperties'] = false
  return clean
}

/** The schema of a tool's input. Only its top has rules: it is an object, and no combination of several. */
export function toolSchema(parameters: JsonObject | undefined): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} }
  const combined = COMBINATIONS.flatMap((name) => {
    const branches = parameters[name]
    return Array.isArray(branches) ? [{ name, branches }] : []
  })
  const { anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...rest } = parameters
  const isObject = parameters['type'] === 'object' && isRecord(parameters['properties'])
  if (combined.length === 0 && isObject) return parameters
  const properties = new Map(Object.entries(isRecord(rest['properties']) ? rest['properties'] : {}))
  const required = new Set(stringsOf(rest['required']))
  for (const { name, branches } of combined) {
    const schemas = branches.map((branch: unknown) => resolve(branch, parameters))
    for (const schema of schemas) addProperties(properties, schema['properties'])
    const lists = schemas.map((schema) => stringsOf(schema['required']))
    // All of several have to hold, or any: then only what each of them asks for is needed.
    const common =
      name === 'allOf' ? lists.flat() : (lists[0] ?? []).filter((key) => lists.every((list) => list.includes(key)))
    for (const key of common) required.add(key)
  }
  const named = [...required].filter((key) => properties.has(key))
  const { required: _required, ...others } = rest
  return {
    ...others,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(named.length === 0 ? {} : { required: named }),
  }
}

function addProperties(known: Map<string, unknown>, properties: unknown): void {
  if (!isRecord(properties)) return
  for (const [name, schema] of Object.entries(properties)) {
    const before = known.get(name)
    if (before === undefined) known.set(name, schema)
    else if (JSON.stringify(before) !== JSON.stringify(schema)) known.set(name, { anyOf: [before, schema] })
  }
}

/** A branch, or what it refers to in the same schema. */
function resolve(branch: unknown, root: JsonObject): JsonObject {
  if (!isRecord(branch)) return {}
  const path = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(branch['$ref']))
  const definitions = path?.[1] === undefined ? undefined : root[path[1]]
  const definition = isRecord(definitions) && path?.[2] !== undefined ? definitions[path[2]] : undefined
  return isRecord(definition) ? definition : branch
}

function mapSchemas(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cleanAny(schema)]))
}

function cleanAny(schema: unknown): unknown {
  return isRecord(schema) ? cleanSchema(schema) : schema
}

function isTaken(name: string, value: unknown): boolean {
  if (name === 'format') return typeof value === 'string' && FORMATS.has(value)
  return name === 'minItems' && (value === 0 || value === 1)
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}
