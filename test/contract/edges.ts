// Values at the edges of a schema: the shortest and the longest text, the least and the most, each choice, and each member of an
// object at its edges beside a base that is known to be taken.

import type { TSchema } from 'typebox'
import { check } from '#contract/validate.ts'

export type Edge = { readonly path: string; readonly value: unknown }

type Shape = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/** Texts that mean something to some field, or are as long as they may be in one encoding and longer in another. */
const TELLING = [
  '9999-12-31',
  '0001-01-01',
  '9999-12-31T23:59:59-23:59',
  '0000-01-01T00:00:00+23:59',
  '99999d',
  'never',
  'none',
  '720h',
  'https://api.example.com/v1',
  'UTC',
  'Pacific/Kiritimati',
  '0',
  '1',
  '999999999.999999',
]
const LETTERS = ['x', 'é', '\u{1f4a1}', ' ', '"', '~', '9']

/** Bodies like `base` with one member at one of its edges, all of which the schema takes. */
export function edgesOf(schema: TSchema, base: Readonly<Record<string, unknown>>): Edge[] {
  return membersAtEdges(schema as Shape, base).filter(({ value }) => check(schema, value).type === 'valid')
}

function membersAtEdges(shape: Shape, base: unknown): Edge[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const before: unknown = isObject(base) ? base[name] : undefined
    const inside = values(member, before)
    return inside.map(({ path, value }) => ({
      path: path === '' ? name : `${name}.${path}`,
      value: { ...(isObject(base) ? base : {}), [name]: value },
    }))
  })
}

function values(shape: Shape, base: unknown): Edge[] {
  const plain = (list: readonly unknown[]) => list.map((value) => ({ path: '', value }))
  if (shape.const !== undefined) return plain([shape.const])
  if (shape.enum !== undefined) return plain(shape.enum)
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((one) => values(one, base))
  switch (shape.type) {
    case 'string':
      return plain(textsAtEdges(shape))
    case 'integer':
    case 'number':
      return plain(numbersAtEdges(shape))
    case 'boolean':
      return plain([true, false])
    case 'null':
      return plain([null])
    case 'array':
      return listsAtEdges(shape, base)
    case 'object':
      return [{ path: '', value: {} }, ...membersAtEdges(shape, base)]
    default:
      return []
  }
}

function textsAtEdges({ minLength = 0, maxLength = 300 }: Shape): string[] {
  const filled = [minLength, maxLength].flatMap((length) => LETTERS.map((letter) => letter.repeat(length)))
  return [...new Set([...filled, ...TELLING])]
}

function numbersAtEdges({ minimum, maximum, exclusiveMinimum = 0 }: Shape): number[] {
  const least = minimum ?? exclusiveMinimum + 0.000_001
  return [...new Set([least, least + 1, maximum ?? 1_000_000])]
}

function listsAtEdges({ minItems = 0, maxItems = 20, items = {} }: Shape, base: unknown): Edge[] {
  const first: unknown = Array.isArray(base) ? base[0] : undefined
  const each = values(items, first)
  const singles = each.map(({ path, value }) => ({ path: path === '' ? '0' : `0.${path}`, value: [value] }))
  const one = first ?? each[0]?.value
  const lengths = [minItems, maxItems].map((length) => ({ path: '', value: Array.from({ length }, () => one) }))
  return [...lengths, ...singles]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
