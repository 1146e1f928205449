// The contract's schemas as an OpenAPI document has them: those with a name are written once and referred to everywhere else.

import * as gateway from '#contract/gateway-shapes.ts'
import { SHAPES } from '#contract/shapes.ts'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export type SchemaWriter = {
  /** The schema, with references in the place of those that have a name. */
  readonly write: (schema: object) => JsonObject
  /** The members of a schema, for a query: there each of them stands for itself. */
  readonly writeMembers: (schema: object) => JsonObject
  /** Everything that was referred to so far, by its name. */
  readonly components: () => Readonly<Record<string, JsonObject>>
}

const SCHEMA_PLACE = '#/components/schemas/'

export function schemaWriter(): SchemaWriter {
  const names = namesByText()
  const used = new Map<string, JsonObject>()
  const refer = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(refer)
    if (!isObject(value)) return value
    const name = mayHaveName(value) ? names.get(JSON.stringify(value)) : undefined
    if (name === undefined) return within(value)
    if (!used.has(name)) {
      // Set before its members are written, so that the order is that of first use.
      used.set(name, {})
      used.set(name, within(value))
    }
    return { $ref: `${SCHEMA_PLACE}${name}` }
  }
  const within = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, refer(member)]))
  return {
    write(schema) {
      const written = refer(plain(schema))
      return isObject(written) ? written : {}
    },
    writeMembers(schema) {
      const whole = plain(schema)
      return isObject(whole) ? within(whole) : {}
    },
    components: () => Object.fromEntries(used),
  }
}

/** Writing out every member of every schema just to look for a name takes long. */
function mayHaveName(value: JsonObject): boolean {
  return 'properties' in value || 'anyOf' in value || 'items' in value
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What a schema is called, by its text: an optional member holds a copy of the schema, which is another object. Only what has
 * members gets a name; a text or a number says itself what it is.
 */
function namesByText(): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, value] of [SHAPES, gateway].flatMap((shapes) => Object.entries<unknown>(shapes))) {
    const text = JSON.stringify(value)
    if (typeof value === 'function' || !/"properties":\{"/.test(text) || names.has(text)) continue
    names.set(text, name)
  }
  return names
}

/** What the schema library adds for itself is not part of a schema's text. */
function plain(schema: object): Json {
  return JSON.parse(JSON.stringify(schema)) as Json
}
