// Random JSON objects as clients may write them: with any white space, any escapes and any depth that is allowed.

import fc from 'fast-check'

const space = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n', '  ')

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'Z', '0', ' ', '{', '}', '[', ']', ':', ',', "'", '/') },
  { weight: 2, arbitrary: fc.constantFrom('é', 'ß', '模', '🚀', '\u2028', 'я') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\t', '\\u0022', '\\u005c', '\\ud83d\\ude80', '\\u007b'),
  },
)

const quoted = fc.array(character, { maxLength: 8 }).map((parts) => `"${parts.join('')}"`)

/**
 * Names hold no backslash: after a name that does, V8 misreads others (nodejs/node#63785), and these tests compare with what
 * JSON.parse says.
 */
const name = quoted.filter((text) => !String(JSON.parse(text)).includes('\\'))

const scalar = fc.oneof(
  quoted,
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1e5', '-1.5E-3', '123456789012345678901234567890', '0.10'),
)

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, tie('array'), tie('object')),
  array: fc
    .tuple(space, fc.array(fc.tuple(tie('value'), space), { maxLength: 4 }))
    .map(([inner, items]) => `[${inner}${items.map(([text, after]) => text + after).join(',')}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(name, space, tie('value')), { maxLength: 4 }))
    .map(([inner, items]) => `{${inner}${items.map(([own, gap, text]) => `${own}${gap}:${text}`).join(',')}}`),
}))

const member = fc.record({
  name,
  beforeName: space,
  beforeColon: space,
  value,
  beforeValue: space,
  after: space,
})

/** Any JSON values, as text. */
export const jsonValues: fc.Arbitrary<string> = value

/** Objects whose outermost members all have different names, whatever way those are escaped. */
export const jsonObjects: fc.Arbitrary<string> = fc
  .tuple(
    fc.uniqueArray(member, { maxLength: 6, selector: (written) => String(JSON.parse(written.name)) }),
    space,
    space,
    space,
  )
  .map(([members, before, inner, after]) => `${before}{${inner}${members.map(writeMember).join(',')}}${after}`)

function writeMember(parts: typeof member extends fc.Arbitrary<infer Value> ? Value : never): string {
  return `${parts.beforeName}${parts.name}${parts.beforeColon}:${parts.beforeValue}${parts.value}${parts.after}`
}
