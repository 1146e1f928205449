// No regular expression of Farebox takes more than linear time, whatever text it is applied to: a provider, a file or a client chooses
// that text, and a search that takes seconds holds up every call. An expression is rewritten rather than listed here.

import { join } from 'node:path'
import { parseSync, Visitor, type CallExpression, type NewExpression } from 'oxc-parser'
import { afterEach, expect, it, vi } from 'vitest'
import { superLinearPart } from './support/regex-growth.ts'
import { readSources } from './support/sources.ts'

type Expression = { readonly source: string; readonly flags: string }
type Found = { readonly path: string; readonly literals: readonly Expression[]; readonly constructed: number }

const FILES = ['src-main', 'src-renderer'].flatMap((folder) =>
  readSources(join(import.meta.dirname, '..', folder)).map(({ path, text }) =>
    expressionsIn(`${folder}/${path}`, text),
  ),
)

/** Files that make expressions out of parts, and how each of these is made. */
const MAKERS: Readonly<Record<string, () => Promise<unknown>>> = {
  'src-main/bills/csv.ts': async () => {
    const { csvRows, SEPARATORS } = await import('#bills/csv.ts')
    return SEPARATORS.map((separator) => [...csvRows('a', separator)])
  },
  'src-main/connect/hidden-secrets.ts': () => import('#connect/hidden-secrets.ts'),
  'src-main/contract/mail-address.ts': async () => (await import('#contract/mail-address.ts')).isMailAddress('a@b'),
  'src-main/contract/visible.ts': () => import('#contract/visible.ts'),
  'src-main/core/judgements.ts': () => import('#core/judgements.ts'),
  'src-main/dialect/answer-call-ids.ts': () => import('#dialect/answer-call-ids.ts'),
  'src-main/dialect/overflow.ts': () => import('#dialect/overflow.ts'),
  'src-main/provider/redaction.ts': async () => {
    const { redactionFor } = await import('#provider/redaction.ts')
    const secrets = [
      'sk-proj-aaaaaaaa+bbbb/cccc=dddd',
      'short',
      `eyJhbGciOiJIUzI1NiJ9.${'ab-c_1'.repeat(30)}`,
      'aaaaaaaa',
      'a%25%2f&#',
    ]
    for (const secret of secrets) redactionFor([secret])?.text(`%${secret}`, true)
  },
}

afterEach(() => void vi.unstubAllGlobals())

it('no regular expression in the sources takes more than linear time', () => {
  const slow = FILES.flatMap(({ path, literals }) =>
    literals.flatMap(({ source, flags }) => {
      const part = superLinearPart(source, flags)
      return part === undefined ? [] : [`${path}: /${source}/${flags}: ${part}`]
    }),
  )
  expect(FILES.flatMap(({ literals }) => literals).length).toBeGreaterThan(500)
  expect(slow).toEqual([])
})

it('no regular expression that is made of parts takes more than linear time', async () => {
  const made: Expression[] = []
  class Recorded extends RegExp {
    constructor(source: string | RegExp, flags?: string) {
      super(source, flags)
      made.push({ source: this.source, flags: this.flags })
    }
  }
  vi.stubGlobal('RegExp', Recorded)
  const makers = FILES.filter(({ constructed }) => constructed > 0)
  expect(makers.map(({ path }) => path)).toEqual(Object.keys(MAKERS))
  for (const { path, constructed } of makers) {
    const before = made.length
    await MAKERS[path]?.()
    expect(made.length - before, path).toBeGreaterThanOrEqual(constructed)
  }
  vi.unstubAllGlobals()
  expect(made.filter(({ source, flags }) => superLinearPart(source, flags) !== undefined)).toEqual([])
})

/** Literals, the patterns of schemas, and how many are made of parts. */
function expressionsIn(path: string, text: string): Found {
  const { program, errors } = parseSync(path, text)
  expect(errors, path).toEqual([])
  const literals: Expression[] = []
  let constructed = 0
  const countMade = ({ callee }: NewExpression | CallExpression) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') constructed += 1
  }
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex !== null) literals.push({ source: node.regex.pattern, flags: node.regex.flags })
      else if (typeof node.value === 'string' && /^\^.*\$$/.test(node.value))
        literals.push({ source: node.value, flags: 'u' })
    },
    NewExpression: countMade,
    CallExpression: countMade,
  }).visit(program)
  return { path, literals, constructed }
}
