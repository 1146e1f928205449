// JSON schemas as Gemini takes them: a small part of OpenAPI's, in which one unknown keyword refuses the whole request.
// Keywords are copied from a list, references are put in place, and what has no counterpart becomes something near it. A
// schema only describes what a model should write, so that leaving out a restriction is better than a refusal.

import { mergeSchemas, unionOf, withEnumNames, without } from '#dialect/gemini/schema-union.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What references may add to one request, counted in characters: a few small ones could name each other without end. */
export class SchemaAllowance {
  #left = 1_000_000

  /** False once nothing is left. */
  spend(characters: number): boolean {
    this.#left -= characters
    return this.#left > 0
  }
}

type Place = {
  readonly root: JsonObject
  readonly allowance: SchemaAllowance
  readonly depth: number
  /** The references that this place is inside of; empty outside of any. */
  readonly inside: readonly string[]
}

const MAX_DEPTH = 40
/** How often a schema that refers to itself is put into itself. */
const MAX_RECURSION = 2
const MAX_LISTED_VALUES = 100

/** What stands for a place at which any value may be. Only arrays are missing, which would have to say what is in them. */
const ANY: JsonObject = {
  anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }],
}

/** Keywords that say what a value looks like, beside those that only restrict or describe it. */
const SHAPE_KEYWORDS = ['type', '$ref', 'properties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf']

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object']

/** The formats that are taken, by type. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}

/** Restrictions that are taken, by type. All are numbers. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
}

/** The schema in Gemini's words; undefined for an object without members, which has to be left out as a whole. */
export function cleanSchema(schema: JsonObject, allowance = new SchemaAllowance()): JsonObject | undefined {
  const cleaned = cleanWhole(schema, allowance)
  return cleaned === undefined ? undefined : withEnumNames(cleaned)
}

/** The same for a function's parameters, which have to be an object: one that allows all that the alternatives do. */
export function cleanParameters(schema: JsonObject, allowance = new SchemaAllowance()): JsonObject | undefined {
  const cleaned = cleanWhole({ type: 'object', ...schema }, allowance)
  const variants = cleaned?.['anyOf']
  if (cleaned === undefined || !Array.isArray(variants)) {
    return cleaned?.['type'] === 'object' ? withEnumNames(cleaned) : undefined
  }
  const objects = variants.filter(isRecord).filter((variant) => variant['type'] === 'object')
  const union = mergeSchemas(objects.map((variant) => without(variant, 'required')))
  return isEmptyObject(union) ? undefined : withEnumNames(union)
}

function cleanWhole(schema: JsonObject, allowance: SchemaAllowance): JsonObject | undefined {
  const cleaned = clean(schema, { root: schema, allowance, depth: 0, inside: [] })
  return isEmptyObject(cleaned) ? undefined : cleaned
}

function isEmptyObject(schema: JsonObject): boolean {
  const properties = schema['properties']
  if (schema['type'] !== 'object' || 'anyOf' in schema) return false
  return !isRecord(properties) || Object.keys(properties).length === 0
}

function clean(schema: unknown, place: Place): JsonObject {
  if (!isRecord(schema)) return ANY
  if (place.depth > MAX_DEPTH || (place.inside.length > 0 && !place.allowance.spend(weight(schema)))) {
    return { type: 'object' }
  }
  const inner = { ...place, depth: place.depth + 1 }
  const { $ref: reference, allOf, anyOf, oneOf } = schema
  if (typeof reference === 'string') return cleanReference(schema, reference, inner)
  if (Array.isArray(allOf) && allOf.length > 0) return cleanAll(schema, allOf, inner)
  const own = cleanPlain(schema, inner)
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf
  // Alternatives beside members only say which of the members go together.
  if (!Array.isArray(alternatives) || isRecord(own['properties'])) return own
  const variants = alternatives
    .filter((variant) => !isNull(variant))
    .map((variant) => clean(isRecord(variant) ? withType(variant, schema['type']) : variant, inner))
  const isNullable = schema['nullable'] === true || alternatives.some(isNull)
  return unionOf(variants, { description: descriptionOf(schema), isNullable })
}

/** An alternative that says nothing of its type has the one of the schema around it. */
function withType(variant: JsonObject, type: unknown): JsonObject {
  return type === undefined || SHAPE_KEYWORDS.some((name) => name in variant) ? variant : { ...variant, type }
}

function cleanAll(schema: JsonObject, allOf: readonly unknown[], inner: Place): JsonObject {
  const { allOf: _, ...rest } = schema
  const hasShape = SHAPE_KEYWORDS.some((name) => name in rest)
  const members = [...(hasShape ? [rest] : []), ...allOf].map((member) => clean(member, inner))
  const description = descriptionOf(schema)
  const merged = mergeSchemas(members.filter((member) => member !== ANY))
  return description === undefined || 'anyOf' in merged ? merged : { ...merged, description }
}

/** The schema that a reference names, with what stands beside the reference. */
function cleanReference(schema: JsonObject, reference: string, place: Place): JsonObject {
  const { $ref: _, ...beside } = schema
  const times = place.inside.filter((known) => known === reference).length
  const isAllowed = times < MAX_RECURSION && place.allowance.spend(0)
  const found = isAllowed ? resolve(place.root, reference) : undefined
  if (found === undefined) {
    const description = descriptionOf(schema)
    return description === undefined ? { type: 'object' } : { type: 'object', description }
  }
  const inside = [...place.inside, reference]
  return clean(isRecord(found) ? { ...found, ...beside } : found, { ...place, inside })
}

/** A schema by a pointer into the same document. Anything else names a document that nobody has. */
function resolve(root: JsonObject, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const name = unescaped(step)
    if (Array.isArray(found)) found = found[Number(name)]
    else if (isRecord(found) && Object.hasOwn(found, name)) found = found[name]
    else return undefined
  }
  return found
}

function unescaped(step: string): string {
  const pointed = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointed)
  } catch {
    // A percent sign that is part of the name.
    return pointed
  }
}

/** A schema without references and alternatives. */
function cleanPlain(schema: JsonObject, place: Place): JsonObject {
  const allowed = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : undefined
  const types = typesOf(schema, allowed)
  const description = descriptionOf(schema)
  const isNullable = types.includes('null') || schema['nullable'] === true || allowed?.includes(null) === true
  const known = types.filter((type) => TYPES.includes(type))
  if (known.length === 0) {
    if (types.includes('null'))
      return { type: 'string', nullable: true, ...(description === undefined ? {} : { description }) }
    return description === undefined ? ANY : unionOf([ANY], { description, isNullable })
  }
  const variants = known.map((type) => {
    const values = known.length === 1 ? allowed : allowed?.filter((value) => fits(value, type))
    return cleanTyped(type, schema, { place, allowed: values })
  })
  return unionOf(variants, { description, isNullable })
}

/** The types that a schema names, or else the one that its other keywords speak of. */
function typesOf(schema: JsonObject, allowed: readonly unknown[] | undefined): readonly string[] {
  const named = Array.isArray(schema['type']) ? schema['type'] : [schema['type']]
  const types = named.filter((type) => typeof type === 'string').map((type) => type.toLowerCase())
  if (types.length > 0) return [...new Set(types)]
  if (isRecord(schema['properties'])) return ['object']
  if (schema['items'] !== undefined || Array.isArray(schema['prefixItems'])) return ['array']
  return [...new Set((allowed ?? []).map(typeOfValue))]
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'object' ? 'object' : typeof value
}

function fits(value: unknown, type: string): boolean {
  const own = typeOfValue(value)
  return own === type || (own === 'integer' && type === 'number')
}

type Typed = { readonly place: Place; readonly allowed: readonly unknown[] | undefined }

function cleanTyped(type: string, schema: JsonObject, { place, allowed }: Typed): JsonObject {
  const format = schema['format']
  return {
    type,
    ...(typeof format === 'string' && FORMATS[type]?.includes(format) === true ? { format } : {}),
    ...limitsOf(type, schema),
    ...(allowed === undefined ? {} : valuesOf(type, allowed)),
    ...(type === 'array' ? { items: itemsOf(schema, place) } : {}),
    ...(type === 'object' ? membersOf(schema, place) : {}),
  }
}

function limitsOf(type: string, schema: JsonObject): JsonObject {
  const limits = (LIMITS[type] ?? []).map((name): [string, unknown] => [name, schema[name]])
  return Object.fromEntries(limits.filter(([, value]) => typeof value === 'number' && Number.isFinite(value)))
}

/** Only texts may be listed. For other types the values are told in words, so that the type stays what it is. */
function valuesOf(type: string, allowed: readonly unknown[]): JsonObject {
  const values = allowed.filter((value) => value !== null && typeof value !== 'object').map(String)
  const distinct = [...new Set(values)].filter((value) => value !== '')
  if (distinct.length === 0) return {}
  if (type === 'string') return { enum: distinct }
  if (type === 'array' || type === 'object') return {}
  return { description: `One of: ${distinct.slice(0, MAX_LISTED_VALUES).join(', ')}.` }
}

/** A list whose places have different schemas becomes one whose items may have any of them. */
function itemsOf(schema: JsonObject, place: Place): JsonObject {
  const { items, prefixItems } = schema
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [items]
  return unionOf(
    places.map((item) => clean(item, place)),
    { description: undefined, isNullable: false },
  )
}

function membersOf(schema: JsonObject, place: Place): JsonObject {
  const { properties, required } = schema
  if (!isRecord(properties)) return {}
  const members = Object.entries(properties).map(([name, member]): [string, unknown] => [name, clean(member, place)])
  if (members.length === 0) return {}
  const names = new Set(members.map(([name]) => name))
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string' && names.has(name)) : []
  return {
    properties: Object.fromEntries(members),
    ...(needed.length === 0 ? {} : { required: [...new Set(needed)] }),
  }
}

function isNull(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  const { type } = schema
  return type === 'null' || (Array.isArray(type) && type.length === 1 && type[0] === 'null') || schema['const'] === null
}

function descriptionOf(schema: JsonObject): string | undefined {
  const description = schema['description']
  return typeof description === 'string' && description !== '' ? description : undefined
}

/** About as many characters as a schema adds itself, without those below it. */
function weight(schema: JsonObject): number {
  let characters = 32
  for (const [name, value] of Object.entries(schema)) {
    characters += name.length
    if (typeof value === 'string') characters += value.length
    else if (name === 'enum' || name === 'required') characters += JSON.stringify(value).length
    else if (name === 'properties' && isRecord(value))
      for (const key of Object.keys(value)) characters += key.length + 16
  }
  return characters
}
