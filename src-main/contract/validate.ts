// Checks values against the contract's schemas and says in plain words which field is wrong. One validator serves the admin
// API and farebox.yaml, so that both refuse the same things in the same words.

import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/** `path` leads to the value, such as `['models', 0, 'price', 'input']`; `message` is a sentence about it. */
export type Problem = { readonly path: readonly (string | number)[]; readonly message: string }

export type Checked<Value> =
  | { readonly type: 'valid'; readonly value: Value }
  | { readonly type: 'invalid'; readonly problems: readonly Problem[] }

const validators = new WeakMap<TSchema, Validator>()

/** The value, typed, or everything that is wrong with it. Never throws for any value. */
export function check<Schema extends TSchema>(schema: Schema, value: unknown): Checked<Static<Schema>> {
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = Compile(schema)
    validators.set(schema, validator)
  }
  if (validator.Check(value)) return { type: 'valid', value: value as Static<Schema> }
  return { type: 'invalid', problems: describe(validator.Errors(value)) }
}

/** One line for an error body: the first problem, with its field. */
export function firstProblem(problems: readonly Problem[]): { message: string; param: string } {
  const problem = problems[0] ?? { path: [], message: 'is not valid' }
  const param = problem.path.join('.')
  return { message: param === '' ? `The body ${problem.message}.` : `'${param}' ${problem.message}.`, param }
}

type SchemaError = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

function describe(errors: readonly SchemaError[]): Problem[] {
  const problems: Problem[] = []
  const explained = new Set<string>()
  for (const error of errors) {
    const path = error.instancePath.split('/').slice(1).map(segment)
    for (const problem of explain(error, path)) {
      const key = problem.path.join('/')
      if (explained.has(key)) continue
      explained.add(key)
      problems.push(problem)
    }
  }
  return problems
}

function segment(text: string): string | number {
  const plain = text.replaceAll('~1', '/').replaceAll('~0', '~')
  return /^(0|[1-9][0-9]*)$/.test(plain) ? Number(plain) : plain
}

function explain(error: SchemaError, path: (string | number)[]): Problem[] {
  const names = (member: string) => (error.params[member] as readonly string[] | undefined) ?? []
  switch (error.keyword) {
    case 'required':
      return names('requiredProperties').map((name) => ({ path: [...path, name], message: 'is required' }))
    case 'additionalProperties':
      return names('additionalProperties').map((name) => ({ path: [...path, name], message: 'is not a known field' }))
    case 'boolean':
      // The false schema behind an unknown member. The checker stops after a few errors, and these come before the
      // `additionalProperties` that sums them up, so a value with many unknown members has no other.
      return [{ path, message: 'is not a known field' }]
    case 'enum':
      return [{ path, message: `must be one of ${names('allowedValues').join(', ')}` }]
    default:
      return [{ path, message: error.message }]
  }
}
