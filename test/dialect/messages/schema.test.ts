import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelFacts } from '#dialect/messages/model-facts.ts'
import { cleanSchema, toolSchema } from '#dialect/messages/schema.ts'

describe('the schema of an answer', () => {
  it.each([
    [
      { type: 'string', minLength: 2, pattern: '^a' },
      { type: 'string', description: '(minLength: 2, pattern: ^a)' },
    ],
    [
      { type: 'integer', minimum: 0, description: 'Age' },
      { type: 'integer', description: 'Age (minimum: 0)' },
    ],
    [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date' },
    ],
    [
      { type: 'string', format: 'phone' },
      { type: 'string', description: '(format: phone)' },
    ],
    [
      { type: 'array', minItems: 1, uniqueItems: true },
      { type: 'array', minItems: 1, description: '(uniqueItems: true)' },
    ],
    [
      { type: 'array', minItems: 3 },
      { type: 'array', description: '(minItems: 3)' },
    ],
    [
      { oneOf: [{ type: 'string', maxLength: 3 }, { const: 5 }] },
      { anyOf: [{ type: 'string', description: '(maxLength: 3)' }, { const: 5 }] },
    ],
    [{ anyOf: [{ const: 1 }], oneOf: [{ const: 2 }] }, { anyOf: [{ const: 1 }, { const: 2 }] }],
    [{ $schema: 'x', not: {}, if: {}, patternProperties: {}, type: 'null' }, { type: 'null' }],
    [{ type: 'object' }, { type: 'object', additionalProperties: false }],
    [
      { items: { type: 'object', additionalProperties: { type: 'string' } } },
      { items: { type: 'object', additionalProperties: false } },
    ],
    [
      { $defs: { a: { minimum: 1 } }, $ref: '#/$defs/a' },
      { $defs: { a: { description: '(minimum: 1)' } }, $ref: '#/$defs/a' },
    ],
  ])('%j becomes %j', (schema, clean) => {
    expect(cleanSchema(schema)).toEqual(clean)
  })

  it('keeps properties that are called like keywords', () => {
    const properties = {
      pattern: { type: 'string' },
      minimum: { type: 'number' },
      oneOf: { type: 'string' },
      items: { type: 'null' },
    }
    expect(cleanSchema({ type: 'object', properties, required: ['pattern'] })).toEqual({
      type: 'object',
      properties,
      required: ['pattern'],
      additionalProperties: false,
    })
  })

  it('is clean once it was cleaned, and never a reason to throw', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('type', 'items', 'anyOf', 'oneOf', 'properties', 'required', 'minimum', '__proto__'),
          fc.jsonValue(),
        ),
        (schema) => {
          const { description: _, ...clean } = cleanSchema(schema)
          expect(cleanSchema(clean)).toEqual(clean)
          expect(toolSchema(schema)).toMatchObject({ type: 'object' })
        },
      ),
    )
  })
})

describe("the schema of a tool's input", () => {
  it.each([
    [undefined, { type: 'object', properties: {} }],
    [{}, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [
      { type: ['object', 'null'], properties: { a: {} } },
      { type: 'object', properties: { a: {} } },
    ],
    [
      { type: 'object', properties: { a: { minimum: 1 } }, additionalProperties: true },
      { type: 'object', properties: { a: { minimum: 1 } }, additionalProperties: true },
    ],
  ])('%j becomes %j', (parameters, schema) => {
    expect(toolSchema(parameters)).toEqual(schema)
  })

  it('has what several alternatives ask for, as far as all of them do', () => {
    const one = { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'string' } }, required: ['kind', 'x'] }
    const two = { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] }
    for (const name of ['anyOf', 'oneOf']) {
      expect(toolSchema({ [name]: [one, { $ref: '#/$defs/two' }], $defs: { two } })).toEqual({
        type: 'object',
        properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: { type: 'string' } },
        required: ['kind'],
        $defs: { two },
      })
    }
    expect(toolSchema({ allOf: [one, two] })).toMatchObject({ required: ['kind', 'x'] })
  })
})

describe('what a model takes', () => {
  it.each([
    ['claude-2.1', 'none', 'all', true, false],
    ['claude-3-5-sonnet-20241022', 'none', 'all', true, false],
    ['anthropic.claude-3-haiku-20240307-v1:0', 'none', 'all', true, false],
    ['claude-3-7-sonnet-latest', 'budget', 'all', true, false],
    ['claude-opus-4-20250514', 'budget', 'all', true, false],
    ['claude-sonnet-4@20250514', 'budget', 'all', true, false],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'budget', 'all', true, false],
    ['claude-opus-4-1-20250805', 'budget', 'one', true, true],
    ['anthropic/claude-sonnet-4.5', 'budget', 'one', true, true],
    ['claude-haiku-4-5', 'budget', 'one', true, true],
    ['claude-opus-4-6', 'adaptive', 'one', false, true],
    ['claude-opus-4-7', 'adaptive', 'none', false, true],
    ['claude-sonnet-5', 'adaptive', 'none', false, true],
    ['claude-novelty-9', 'adaptive', 'none', false, true],
    ['kimi-k3', 'budget', 'all', true, false],
  ])('is known of %s', (name, thinking, sampling, prefill, schema) => {
    expect(modelFacts(name)).toMatchObject({ thinking, sampling, prefill, schema })
  })
})
