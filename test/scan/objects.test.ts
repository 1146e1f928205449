// Objects of a document that is never whole in memory: the same that a parser finds, wherever the pieces of the file end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readObjects } from '#scan/objects.ts'
import { cases } from '../support/cases.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-objects-'))
  path = join(folder, 'log.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

let long = 0
async function found(text: string, depth: number, mark = ''): Promise<unknown[]> {
  writeFileSync(path, text)
  long = 0
  const objects: unknown[] = []
  for await (const object of readObjects(path, { marks: [mark], depth, onLong: () => (long += 1) }))
    objects.push(object)
  return objects
}

/** In the place of a parser: what is at that depth. */
function objectsAt(value: unknown, depth: number): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (depth > 0) return Object.values(value).flatMap((inner) => objectsAt(inner, depth - 1))
  return Array.isArray(value) ? [] : [value]
}

it('finds what is at each depth, with brackets, quotes and backslashes in its texts, across the pieces of the file', async () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('{', '}]', '"', '\\', '\\"', 'a "{" b'))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }))
  const many = fc.array(value, { maxLength: 12 })
  const property = fc.asyncProperty(
    many,
    fc.nat(600),
    fc.nat(3),
    fc.boolean(),
    async (all, before, depth, isSpaced) => {
      // So much in front that a piece of the file ends somewhere within.
      const document = ['x'.repeat(1_048_576 - before), ...all]
      expect(await found(JSON.stringify(document, null, isSpaced ? 2 : 0), depth)).toEqual(objectsAt(document, depth))
    },
  )
  await fc.assert(property, { numRuns: cases(15, 40, 400), seed: 3 })
}, 60_000)

it('passes over what has no mark, is too long, or was cut, and gives the rest', async () => {
  const document = [{ a: 1 }, { mark: 1, long: 'x'.repeat(9 * 1_048_576) }, { mark: 2 }, { mark: 3 }]
  const text = JSON.stringify(document)
  expect(await found(text, 1, '"mark"')).toEqual([{ mark: 2 }, { mark: 3 }])
  expect(long).toBe(1)
  expect(await found(text.slice(0, -5), 1, '"mark"')).toEqual([{ mark: 2 }])
})

it('takes any bytes', async () => {
  const property = fc.asyncProperty(
    fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ',', '\\', ':', 'a', ' ') }),
    fc.nat(2),
    async (text, depth) => {
      for (const object of await found(text, depth)) expect(object).toBeTypeOf('object')
    },
  )
  await fc.assert(property, { numRuns: cases(100, 300, 3000), seed: 4 })
})
