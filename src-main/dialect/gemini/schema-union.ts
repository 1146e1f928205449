// Joins schemas that are in Gemini's words already.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

type About = { readonly description: string | undefined; readonly isNullable: boolean }

/**
 * A schema for a value that fits any of several. `anyOf` must not stand beside anything else, or Vertex refuses it; a
 * description goes to the first alternative.
 */
export function unionOf(variants: readonly JsonObject[], about: About): JsonObject {
  const flat = variants.flatMap(alternativesOf)
  const distinct = flat.length < 2 ? flat : [...new Map(flat.map((one) => [JSON.stringify(one), one])).values()]
  const [first, ...others] = distinct
  const nullable = about.isNullable ? { nullable: true } : {}
  if (first === undefined) return { type: 'string', ...nullable, ...described(about.description) }
  const named = { ...first, ...nullable, ...described(joined(about.description, first['description'])) }
  if (others.length === 0) return named
  return { anyOf: [named, ...others.map((variant) => ({ ...variant, ...nullable }))] }
}

/**
 * A schema for a value that fits all of several: all members, and of every other keyword the first. Of schemas that no value
 * can fit together, those of the first type count, or those with members.
 */
export function mergeSchemas(schemas: readonly JsonObject[]): JsonObject {
  const leading = schemas.find((schema) => 'properties' in schema) ?? schemas.find((schema) => 'type' in schema)
  // Alternatives stand alone, as in `unionOf`.
  if (leading === undefined) return schemas[0] ?? { type: 'object' }
  const members = new Map<string, unknown>()
  const required = new Set<unknown>()
  const merged: Record<string, unknown> = {}
  for (const { properties, required: needed, ...others } of schemas) {
    if (others['type'] !== leading['type']) continue
    if (isRecord(properties)) {
      for (const [name, member] of Object.entries(properties)) if (!members.has(name)) members.set(name, member)
    }
    if (Array.isArray(needed)) for (const name of needed) required.add(name)
    for (const [name, value] of Object.entries(others)) merged[name] ??= value
  }
  return {
    ...merged,
    ...(members.size === 0 ? {} : { properties: Object.fromEntries(members) }),
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
}

function alternativesOf(schema: JsonObject): readonly JsonObject[] {
  const alternatives = schema['anyOf']
  return Array.isArray(alternatives) ? alternatives.filter(isRecord) : [schema]
}

/** The schema with its types as Gemini's enum names them; servers that hold requests against Google's schema take no others. */
export function withEnumNames(schema: JsonObject): JsonObject {
  const { type, properties, items, anyOf } = schema
  const members = isRecord(properties) ? Object.entries(properties) : []
  const named = ([name, member]: [string, unknown]) => [name, isRecord(member) ? withEnumNames(member) : member]
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: type.toUpperCase() } : {}),
    ...(isRecord(properties) ? { properties: Object.fromEntries(members.map(named)) } : {}),
    ...(isRecord(items) ? { items: withEnumNames(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.filter(isRecord).map(withEnumNames) } : {}),
  }
}

/** The schema but for one keyword. */
export function without(schema: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== name))
}

function joined(outer: string | undefined, inner: unknown): string | undefined {
  if (typeof inner !== 'string') return outer
  return outer === undefined ? inner : `${outer} ${inner}`
}

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description }
}
