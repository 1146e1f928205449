import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as gemini from '#dialect/gemini/schema.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { measured } from '../../support/cpu-time.ts'
import { cases } from '../../support/cases.ts'

const ALLOWED = new Set(
  'type format description nullable enum items properties required minItems maxItems minLength maxLength minimum maximum anyOf'.split(
    ' ',
  ),
)

const { SchemaAllowance } = gemini

/** A schema in Gemini's words with its types as JSON schema has them, so that it reads like the one that was given. */
function inWords(schema: JsonObject): JsonObject {
  const { type, properties, items, anyOf } = schema
  if (typeof type === 'string' && !/^[A-Z]+$/.test(type)) throw new Error(`Gemini has no type '${type}'`)
  const members = isRecord(properties) ? Object.entries(properties).map(([name, one]) => [name, wordsOf(one)]) : []
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: type.toLowerCase() } : {}),
    ...(isRecord(properties) ? { properties: Object.fromEntries(members) as JsonObject } : {}),
    ...(items === undefined ? {} : { items: wordsOf(items) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(wordsOf) } : {}),
  }
}

function wordsOf(schema: unknown): unknown {
  return isRecord(schema) ? inWords(schema) : schema
}

const cleanSchema = (...args: Parameters<typeof gemini.cleanSchema>) => wordsOfCleaned(gemini.cleanSchema(...args))
const cleanParameters = (...args: Parameters<typeof gemini.cleanParameters>) =>
  wordsOfCleaned(gemini.cleanParameters(...args))

function wordsOfCleaned(schema: JsonObject | undefined): JsonObject | undefined {
  return schema === undefined ? undefined : inWords(schema)
}

it('has types in upper case, as in the enum of the API, and none that is a member of that name', () => {
  const schema = { type: 'object', properties: { type: { type: ['string', 'array'], items: { enum: ['object'] } } } }
  expect(gemini.cleanParameters(schema)).toEqual({
    type: 'OBJECT',
    properties: {
      type: { anyOf: [{ type: 'STRING' }, { type: 'ARRAY', items: { type: 'STRING', enum: ['object'] } }] },
    },
  })
})

/** Everything that Gemini would refuse in a schema, by its path. */
function problems(schema: unknown, path = '$'): string[] {
  if (!isRecord(schema)) return [`${path} is no schema`]
  const found = Object.keys(schema)
    .filter((name) => !ALLOWED.has(name))
    .map((name) => `${path}.${name}`)
  const { type, anyOf, items, properties, required } = schema
  if (anyOf !== undefined) {
    if (Object.keys(schema).length > 1) found.push(`${path} has more than anyOf`)
    if (!Array.isArray(anyOf) || anyOf.length < 2) return [...found, `${path}.anyOf is too short`]
    return [...found, ...anyOf.flatMap((variant, index) => problems(variant, `${path}.anyOf[${index}]`))]
  }
  if (typeof type !== 'string') found.push(`${path} has no type`)
  if (type === 'array') found.push(...problems(items, `${path}.items`))
  const values = schema['enum']
  if (values !== undefined) {
    const isSound = type === 'string' && Array.isArray(values) && values.every((value) => typeof value === 'string')
    if (!isSound) found.push(`${path}.enum`)
  }
  const members = isRecord(properties) ? properties : {}
  for (const [name, member] of Object.entries(members)) found.push(...problems(member, `${path}.${name}`))
  if (Array.isArray(required)) {
    found.push(
      ...required.filter((name) => !Object.hasOwn(members, String(name))).map((name) => `${path} needs ${name}`),
    )
  }
  return found
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

/** One property through the cleaner. */
function property(schema: unknown, more: JsonObject = {}): unknown {
  const cleaned = cleanSchema(object({ value: schema }, more))
  const properties = cleaned?.['properties']
  return isRecord(properties) ? properties['value'] : undefined
}

const CORPUS: Readonly<Record<string, JsonObject>> = {
  'a zod schema with draft and exclusive bounds': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      count: { type: 'integer', exclusiveMinimum: 0, maximum: 9007199254740991 },
      tags: { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true, minItems: 1 },
      mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
      kind: { const: 'fixed' },
      link: { type: 'string', format: 'uri' },
      at: { type: 'string', format: 'date-time' },
      record: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'number' } },
      tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    },
    required: ['count', 'gone'],
    additionalProperties: false,
  },
  'a pydantic schema with definitions': {
    $defs: {
      Color: { enum: ['red', 'green'], title: 'Color', type: 'string' },
      Item: {
        properties: {
          color: { $ref: '#/$defs/Color', description: 'Its color' },
          price: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null, title: 'Price' },
        },
        required: ['color'],
        title: 'Item',
        type: 'object',
      },
    },
    properties: { items: { items: { $ref: '#/$defs/Item' }, title: 'Items', type: 'array' } },
    required: ['items'],
    title: 'Order',
    type: 'object',
  },
  'an MCP tool with unions and type arrays': {
    type: 'object',
    properties: {
      filter: {
        oneOf: [
          { type: 'string', pattern: '^a' },
          { type: 'array', items: { type: ['string', 'number'] } },
        ],
      },
      limit: { type: ['integer', 'null'], multipleOf: 5 },
      anything: {},
      yes: true,
      no: false,
      list: { type: 'array' },
      deep: {
        allOf: [{ $ref: '#/definitions/Base' }, { properties: { extra: { type: 'boolean' } }, required: ['extra'] }],
      },
    },
    definitions: { Base: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    patternProperties: { '^x-': { type: 'string' } },
    if: { properties: {} },
    else: {},
    not: {},
  },
  'a schema with upper-case types': { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
  'a schema with wrong keywords': {
    type: 'object',
    properties: {
      a: { type: 42 },
      b: { enum: 'x' },
      c: { required: 'yes' },
      d: 7,
      e: { anyOf: [] },
      f: { allOf: [7] },
    },
    required: [1, 'a', 'a'],
  },
}

describe('cleanSchema', () => {
  it.each(Object.entries(CORPUS))('leaves nothing that Gemini refuses in %s', (_name, schema) => {
    expect(problems(cleanSchema(schema))).toEqual([])
    expect(problems(cleanParameters(schema))).toEqual([])
  })

  it('keeps what Gemini takes', () => {
    const schema = object(
      {
        name: { type: 'string', description: 'A name', minLength: 1, maxLength: 5 },
        size: { type: 'number', minimum: 0, maximum: 10, format: 'double' },
        list: { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 3 },
      },
      { required: ['name'], description: 'Everything' },
    )
    expect(cleanSchema(schema)).toEqual(schema)
  })

  it.each([
    ['const as an enum of one', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['a type array with null as nullable', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'a type array as alternatives',
      { type: ['string', 'integer'] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'a union with null as nullable',
      { anyOf: [{ type: 'number' }, { type: 'null' }] },
      { type: 'number', nullable: true },
    ],
    ['null in an enum as nullable', { enum: ['a', null] }, { type: 'string', nullable: true, enum: ['a'] }],
    [
      'constants in a union as one alternative each',
      { anyOf: [{ const: 'a' }, { const: 'b' }] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', enum: ['b'] },
        ],
      },
    ],
    [
      'oneOf as anyOf',
      { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      {
        anyOf: [{ type: 'string' }, { type: 'boolean' }],
      },
    ],
    [
      'numbers in an enum as words',
      { type: 'integer', enum: [1, 2] },
      { type: 'integer', description: 'One of: 1, 2.' },
    ],
    [
      'numbers in an enum of texts as texts',
      { type: 'string', enum: [1, 'b', ''] },
      { type: 'string', enum: ['1', 'b'] },
    ],
    ['an object without members', { type: 'object', additionalProperties: true }, { type: 'object' }],
    ['a null type', { type: 'null' }, { type: 'string', nullable: true }],
    [
      'the description of a union at its first alternative',
      { description: 'D', anyOf: [{ type: 'string' }, { type: 'number' }] },
      {
        anyOf: [{ type: 'string', description: 'D' }, { type: 'number' }],
      },
    ],
    [
      'alternatives of the type around them',
      { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
      { type: 'string' },
    ],
    [
      'an unknown reference as any object',
      { $ref: 'https://example.com/x.json', description: 'D' },
      { type: 'object', description: 'D' },
    ],
    ['a reference to no member of the prototype', { $ref: '#/constructor' }, { type: 'object' }],
  ])('writes %s', (_name, schema, expected) => {
    expect(property(schema)).toEqual(expected)
  })

  it('merges the members of allOf', () => {
    const schema = {
      allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })],
      description: 'Both',
    }
    expect(property(schema)).toEqual({
      type: 'object',
      description: 'Both',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
    })
  })

  it('resolves references with escapes, and what stands beside them wins', () => {
    const more = { $defs: { 'a/b %': { type: 'string', description: 'inner' } } }
    expect(property({ $ref: '#/$defs/a~1b%20%25', description: 'outer' }, more)).toEqual({
      type: 'string',
      description: 'outer',
    })
    expect(property({ $ref: '#/$defs/a~1b %' }, more)).toEqual({ type: 'string', description: 'inner' })
  })

  it('keeps members that are named like those of every object', () => {
    const schema: unknown = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{"type":"number"}},"required":["__proto__","valueOf"]}',
    )
    const cleaned = isRecord(schema) ? cleanSchema(schema) : undefined
    expect(JSON.stringify(cleaned)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{"type":"number"}},"required":["__proto__"]}',
    )
  })

  it('is nothing for an object without members', () => {
    expect(cleanSchema({ type: 'object' })).toBeUndefined()
    expect(cleanSchema({ $schema: 'x', type: 'object', properties: {}, additionalProperties: false })).toBeUndefined()
  })

  it('cuts a schema that refers to itself', () => {
    const tree = object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } })
    const text = JSON.stringify(cleanSchema(tree))
    expect(text.split('"name"').length - 1).toBe(3)
    expect(problems(JSON.parse(text))).toEqual([])
    expect(property({ $ref: '#/$defs/a' }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } })).toEqual({
      type: 'object',
    })
  })

  it('stays bounded for references that double at each step, over all tools of a request', () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        object(
          { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } },
          { description: 'x'.repeat(1000) },
        ),
      ]),
    )
    const hostile = object({ a: { $ref: '#/$defs/d0' } }, { $defs: definitions })
    const allowance = new SchemaAllowance()
    const { result: total, cpuMs } = measured(() =>
      Array.from({ length: 50 }, () => JSON.stringify(cleanParameters(hostile, allowance)).length),
    )
    expect(total.reduce((sum, length) => sum + length, 0)).toBeLessThan(3_000_000)
    expect(cpuMs).toBeLessThan(2000)
  })

  it('takes time in proportion to a schema of nested unions and merges', () => {
    let schema: JsonObject = { type: 'string' }
    for (let depth = 0; depth < 30; depth++) {
      schema = { allOf: [object({ a: schema })], properties: { b: { anyOf: [schema, { type: 'null' }] } } }
      if (depth > 8) schema = object({ c: schema })
      if (JSON.stringify(schema).length > 300_000) break
    }
    const { result, cpuMs } = measured(() => problems(cleanSchema(schema)))
    expect(result).toEqual([])
    expect(cpuMs).toBeLessThan(2000)
  })

  it('takes a document that many references name no longer than its allowance allows', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, { type: 'string' }]))
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`r${index}`, { $ref: '#/$defs/wide' }]),
    )
    const { result: text, cpuMs } = measured(() =>
      JSON.stringify(gemini.cleanSchema(object(many, { $defs: { wide: object(wide) } }))),
    )
    expect(text.length).toBeLessThan(5_000_000)
    expect(cpuMs).toBeLessThan(2000)
  })

  it('leaves nothing that Gemini refuses in any schema', () => {
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(
          true,
          false,
          null,
          7,
          {},
          { type: 'null' },
          { const: 1 },
          { $ref: '#' },
          { $ref: '#/$defs/a' },
        ),
        fc.record(
          {
            type: fc.constantFrom<unknown>(
              'string',
              'object',
              'array',
              'integer',
              ['string', 'null'],
              ['object', 'array'],
              'x',
              null,
            ),
            enum: fc.array(fc.constantFrom<unknown>('a', '', 1, null, true, {}), { maxLength: 3 }),
            properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 3 }),
            required: fc.array(fc.constantFrom<unknown>('a', 'b', 1), { maxLength: 3 }),
            items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
            anyOf: fc.array(tie('schema'), { maxLength: 3 }),
            allOf: fc.array(tie('schema'), { maxLength: 3 }),
            description: fc.constantFrom<unknown>('d', 3),
            format: fc.constantFrom('date-time', 'uri'),
            minimum: fc.constantFrom<unknown>(1, '1'),
            nullable: fc.constantFrom<unknown>(true, 'x'),
            $defs: fc.constant({ a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } }),
          },
          { requiredKeys: [] },
        ),
      ),
    }))
    fc.assert(
      fc.property(schema, (value) => {
        if (!isRecord(value)) return
        const cleaned = cleanSchema(value)
        const parameters = cleanParameters(value)
        if (cleaned !== undefined) expect(problems(cleaned)).toEqual([])
        if (parameters !== undefined) expect(problems(parameters)).toEqual([])
        if (parameters !== undefined) expect(parameters['type']).toBe('object')
      }),
      { numRuns: cases(600, 2000, 20_000) },
    )
  })
})

describe('cleanParameters', () => {
  it('makes one object of alternatives', () => {
    const schema = {
      oneOf: [
        object({ a: { type: 'string' } }, { required: ['a'] }),
        object({ b: { type: 'number' } }, { required: ['b'] }),
      ],
    }
    expect(cleanParameters(schema)).toEqual(object({ a: { type: 'string' }, b: { type: 'number' } }))
  })

  it('gives a schema without a type the only one that parameters can have', () => {
    expect(cleanParameters({ properties: { a: { type: 'string' } } })).toEqual(object({ a: { type: 'string' } }))
  })

  it('is nothing for what is no object', () => {
    expect(cleanParameters({ type: 'string' })).toBeUndefined()
    expect(cleanParameters({ anyOf: [{ type: 'string' }, { type: 'number' }] })).toBeUndefined()
  })
})
