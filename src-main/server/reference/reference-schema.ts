// Schemas as a reader wants them: a line for each member, with its type in words.

import { escapeHtml, type Html } from '#server/reference/html.ts'
import { isObject, SCHEMA_PLACE, type Json, type JsonObject } from '#server/reference/openapi-schemas.ts'

export type Field = {
  /** Such as `limits.requests_per_minute` or `targets[].provider`. */
  readonly name: string
  readonly type: Html
  readonly isRequired: boolean
  readonly note: Html
}

/** A schema with a name: the members of an object, of each of several forms, or what else it is. */
export function schemaHtml(schema: JsonObject): Html {
  const forms = formsOf(schema).filter((form) => isObject(form['properties']))
  if (forms.length === 0) return `<p class="line">${typeHtml(schema)}</p>`
  return forms.map((form) => fieldsHtml(fieldsOf(form, ''))).join('<p class="line">or</p>')
}

export function fieldsHtml(fields: readonly Field[]): Html {
  if (fields.length === 0) return '<p class="line">No members.</p>'
  const rows = fields.map(({ name, type, isRequired, note }) => {
    const optional = isRequired ? '' : ' <span class="note">optional</span>'
    const more = note === '' ? '' : `<br><span class="note">${note}</span>`
    const code = `<code>${escapeHtml(name).replaceAll('.', '.<wbr>')}</code>`
    return `<tr><td>${code}${optional}</td><td>${type}${more}</td></tr>`
  })
  const head = '<tr><th scope="col">name</th><th scope="col">type</th></tr>'
  return `<div class="scroll"><table class="fields"><thead>${head}</thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** The type of a value in words, with a link where it has a name. */
export function typeHtml(schema: JsonObject): Html {
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    const name = escapeHtml(reference.slice(SCHEMA_PLACE.length))
    return `<a href="#schema-${name}">${name}</a>`
  }
  const choices = schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']])
  if (Array.isArray(choices)) return choices.map((choice: Json) => `<code>${literal(choice)}</code>`).join(', ')
  const forms = schema['anyOf']
  if (Array.isArray(forms)) return forms.map((form: Json) => typeHtml(isObject(form) ? form : {})).join(' or ')
  const items = schema['items']
  if (isObject(items)) return `list of ${typeHtml(items)}`
  return plainType(schema)
}

/** The members of an object, those of unnamed objects within it among them. */
function fieldsOf(schema: JsonObject, prefix: string): Field[] {
  const { properties, required } = schema
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, member]): Field[] => {
    if (!isObject(member)) return []
    const path = prefix === '' ? name : `${prefix}.${name}`
    const isRequired = Array.isArray(required) && required.includes(name)
    const description = member['description']
    const note = typeof description === 'string' ? escapeHtml(description) : ''
    return [{ name: path, type: typeHtml(member), isRequired, note }, ...innerFields(member, path)]
  })
}

function innerFields(member: JsonObject, path: string): Field[] {
  return formsOf(member).flatMap((form) => {
    const { items } = form
    return isObject(items) ? fieldsOf(items, `${path}[]`) : fieldsOf(form, path)
  })
}

function formsOf(schema: JsonObject): JsonObject[] {
  const forms = schema['anyOf']
  return Array.isArray(forms) ? forms.filter((form: Json) => isObject(form)) : [schema]
}

function literal(value: Json): Html {
  return escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
}

function plainType(schema: JsonObject): Html {
  const { type, format } = schema
  if (format === 'date-time') return 'time'
  if (format === 'date') return 'date'
  const word = typeof type === 'string' ? TYPE_WORDS[type] : undefined
  return `${word ?? 'anything'}${boundsOf(schema)}`
}

/** Such as ` (1 to 1000)`, for what a reader could run into. */
function boundsOf(schema: JsonObject): Html {
  const low = schema['minimum'] ?? schema['exclusiveMinimum']
  const high = schema['maximum']
  if (typeof low === 'number' && typeof high === 'number') return ` (${shown(low)} to ${shown(high)})`
  if (typeof low === 'number') return ` (from ${shown(low)})`
  const { minLength, maxLength } = schema
  if (typeof minLength === 'number' && typeof maxLength === 'number' && minLength >= SHORTEST_TOLD)
    return ` (${minLength} to ${maxLength} characters)`
  return ''
}

/** A shorter least length is nothing that anybody runs into. */
const SHORTEST_TOLD = 8

function shown(value: number): string {
  return value.toLocaleString('en')
}
