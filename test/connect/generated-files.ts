// Files as people and tools write them, made up: texts of each format with comments, odd spacing, both kinds of line ends and names beyond
// ASCII, and members that may or may not be there already.

import fc from 'fast-check'
import type { Member } from '#connect/edit.ts'
import type { Path } from '#connect/format.ts'
import { TOML_FORMAT } from '#connect/formats/toml.ts'

const NAMES = [
  'env',
  'model',
  'provider',
  'farebox',
  'a',
  'b',
  'name',
  'ключ',
  'a b',
  'x-y',
  'mcp_servers',
  '$schema',
] as const
const PLAIN_NAMES = ['env', 'model', 'provider', 'farebox', 'a', 'b', 'x-y', 'mcp_servers'] as const
const word = fc.constantFrom(
  'one',
  'http://127.0.0.1:3273',
  'ünïcode ✓',
  '',
  'true',
  'a "quoted" word',
  'C:\\path',
  '#no comment',
  '// no',
)
const scalar = fc.oneof(word, fc.integer({ min: -5, max: 99_999 }), fc.boolean())

const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.dictionary(fc.constantFrom('baseURL', 'apiKey', 'context'), scalar, {
    minKeys: 1,
    maxKeys: 2,
    noNullPrototype: true,
  }),
)

export function membersOf(paths: fc.Arbitrary<Path>, values: fc.Arbitrary<unknown> = value): fc.Arbitrary<Member[]> {
  // What is put into a list has the values by which it is found there.
  const member = fc.record({ path: paths, value: values }).map(({ path, value: given }) => {
    const last = path.at(-1)
    return { path, value: typeof last === 'object' ? { ...last, given } : given }
  })
  return fc.uniqueArray(member, { minLength: 1, maxLength: 3, selector: ({ path }) => JSON.stringify(path[0]) })
}

const gap = fc.constantFrom('', ' ', '\n', '\n\t', '\n  ', ' /* why */ ', ' // why\n', '\n\n  // two lines\n  ')

type JsonText = { readonly text: string }

const jsonText = fc.letrec<{ value: JsonText; object: JsonText; list: JsonText }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(scalar, fc.constant(null)).map((plain) => ({ text: JSON.stringify(plain) })),
    tie('object'),
    tie('list'),
  ),
  object: fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...NAMES), gap, tie('value'), gap, gap), { maxLength: 4 }),
      gap,
      fc.boolean(),
    )
    .map(([members, inside, hasTrailing]) => {
      const texts = members.map(
        ([name, before, inner, between, behind]) => `${before}${JSON.stringify(name)}:${between}${inner.text}${behind}`,
      )
      return { text: `{${texts.join(',')}${hasTrailing && texts.length > 0 ? ',' : ''}${inside}}` }
    }),
  list: fc.tuple(fc.array(fc.tuple(gap, tie('value'), gap), { maxLength: 3 }), gap).map(([entries, inside]) => ({
    text: `[${entries.map(([before, inner, behind]) => `${before}${inner.text}${behind}`).join(',')}${inside}]`,
  })),
}))

export const lineEnds = fc.constantFrom('\n', '\r\n')

export const jsonFile = fc
  .tuple(gap, jsonText.object, gap, lineEnds)
  .map(([before, object, behind, newline]) => `${before}${object.text}${behind}`.replaceAll('\n', newline))

export const jsonPath: fc.Arbitrary<Path> = fc.oneof(
  fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
  fc.constantFrom(...NAMES).map((name): Path => [name, { name: 'Farebox' }]),
)

const comment = fc.constantFrom('', '', ' # why', '  # "quoted: #')
const blank = fc.constantFrom('', '', '\n', '# a line\n', '\n# one\n# two\n\n')

function indented(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by)
}

const yamlScalar = fc.constantFrom(
  'one',
  '"two: # no"',
  "'it''s'",
  '3',
  'true',
  'http://127.0.0.1:1/v1',
  'naïve text',
  '[1, 2]',
  '{a: 1}',
  '',
  '~',
)

const yamlBlock = fc.letrec<{ map: string; value: string }>((tie) => ({
  map: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...PLAIN_NAMES), tie('value'), comment, blank), {
      minLength: 1,
      maxLength: 4,
      selector: ([name]) => name,
    })
    .map((pairs) =>
      pairs
        .map(([name, inner, note, lines]) =>
          inner.includes('\n')
            ? `${lines}${name}:${note}\n${indented(inner, '  ')}`
            : `${lines}${name}: ${inner}${note}\n`,
        )
        .join(''),
    ),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    yamlScalar,
    tie('map'),
    fc.array(yamlScalar, { minLength: 1, maxLength: 3 }).map((items) => items.map((item) => `- ${item}\n`).join('')),
  ),
}))

export const yamlFile = fc
  .tuple(fc.constantFrom('', '---\n', '# head\n', '# head\n---\n'), yamlBlock.map, fc.boolean(), lineEnds)
  .map(([head, body, isCut, newline]) => {
    const text = `${head}${body}`
    return (isCut ? text.replace(/\n$/, '') : text).replaceAll('\n', newline)
  })

export const plainPath: fc.Arbitrary<Path> = fc.array(fc.constantFrom(...PLAIN_NAMES), { minLength: 1, maxLength: 2 })

const tomlValue = fc.constantFrom(
  '1',
  '"one"',
  "'C:\\path'",
  'true',
  '[1, 2, "# no"]',
  '"""\nlines\n"""',
  '1979-05-27T07:32:00Z',
  '{ a = 1, b = "x" }',
)
const tomlLines = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...PLAIN_NAMES, '"ключ"', 'b.c', 'env . "x"', 'x.y.z'), tomlValue, comment, blank),
    {
      maxLength: 4,
      selector: ([name]) => name,
    },
  )
  .map((pairs) => pairs.map(([name, plain, note, lines]) => `${lines}${name} = ${plain}${note}\n`).join(''))
const TOML_HEADINGS = [
  '[t1]',
  '[t2.in]',
  '[t2]',
  '[t3]',
  '[ t4 . "in" ]',
  '[model_providers]',
  '[model_providers.mine]',
  '[x.y]',
  '[[list]]',
  '[list.in]',
] as const
const tomlTable = fc
  .tuple(fc.constantFrom(...TOML_HEADINGS), comment, fc.oneof(fc.constant(''), tomlLines))
  .map(([heading, note, lines]) => ({ heading, text: `${heading}${note}\n${lines}` }))

/** The same list may come twice, and a table may have members before the heading of the one that it is in. */
export const tomlFile = fc
  .tuple(
    tomlLines,
    fc.uniqueArray(tomlTable, {
      maxLength: 5,
      selector: ({ heading, text }) => (heading.startsWith('[[') ? text : heading),
    }),
    fc.boolean(),
    lineEnds,
  )
  .map(([root, tables, isCut, newline]) => {
    const text = `${root}${tables.map((table) => table.text).join('\n')}`
    return (isCut ? text.replace(/\n$/, '') : text).replaceAll('\n', newline)
  })
  // What names one thing in two ways is no TOML.
  .filter(isToml)

function isToml(text: string): boolean {
  try {
    TOML_FORMAT.read(text)
    return true
  } catch {
    return false
  }
}

export const tomlPath: fc.Arbitrary<Path> = fc.oneof(
  plainPath,
  fc.constantFrom<Path>(
    ['t1', 'model'],
    ['t2', 'in', 'a'],
    ['t2', 'model'],
    ['t2', 'in', 'below'],
    ['model_providers', 'farebox'],
    ['model_providers', 'mine', 'name'],
    ['t4', 'in', 'env'],
    ['t4', 'other'],
    ['b', 'mine'],
    ['x', 'y', 'mine'],
    ['t1', 'x', 'mine'],
    ['list', 'mine'],
  ),
)

export const tomlValueOf = fc.oneof(
  word.filter((text) => !text.includes('\n')),
  fc.integer(),
  fc.boolean(),
  value,
)

const envValue = fc.constantFrom(
  'one',
  '"two words"',
  "'three'",
  '',
  '"a # b"',
  'x # note',
  '"line one\nline two"',
  'sk-1234567890',
)
const envLine = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'export '), fc.constantFrom('A', 'GEMINI_API_KEY', 'FAREBOX_API_KEY', 'b_c'), envValue)
    .map(([head, name, plain]) => `${head}${name}=${plain}\n`),
  fc.constantFrom('\n', '# note\n', '  # GEMINI_API_KEY=old\n'),
)

export const envFile = fc
  .tuple(fc.array(envLine, { maxLength: 6 }), fc.boolean(), lineEnds)
  .map(([lines, isCut, newline]) => {
    const text = lines.join('')
    return (isCut ? text.replace(/\n$/, '') : text).replaceAll('\n', newline)
  })

export const envPath: fc.Arbitrary<Path> = fc.constantFrom<Path>(['GEMINI_API_KEY'], ['FAREBOX_API_KEY'], ['NEW_ONE'])
export const envValueOf = fc.constantFrom('http://127.0.0.1:3273', 'fbx_abcDEF123', 'two words')
