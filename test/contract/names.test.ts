// Names are of characters that can be seen. Every text that the admin API takes is looked at: it is a name, or it is listed here with
// what it is instead, so that a field that is added tomorrow has to be thought about.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADMIN_API, type Endpoint } from '#contract/admin-api.ts'
import { Name } from '#contract/fields.ts'
import { FileDocument } from '#contract/schemas.ts'
import { check } from '#contract/validate.ts'
import { isName, isVisible, nameFrom } from '#contract/visible.ts'
import { measured } from '../support/cpu-time.ts'

type Schema = {
  readonly type?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Marks are put in order in quadratic time: all of these would take seconds. */
const MAX_CPU_MS = 500

/** What is looked up and given to nothing: it may have been stored before. */
const LOOKED_UP =
  'signIn.name setThresholds.name session account_keys key model provider package packages owner member actor action models preset timezone interface'.split(
    ' ',
  )
/** What is shown to nobody, or is read as something else than a text. */
const OTHERWISE =
  'ticket password old_password code secret passphrase idempotency_id expires valid_until before from to since until version env'.split(
    ' ',
  )
/** What the operating system and the rules of host names judge. */
/** What one reader takes or refuses as it stands: the text of a setting. */
const READ_WHOLE = ['setSetting.value']
const PLACES = 'base_url url address names certificate_file key_file file'.split(' ')
/** What becomes a name, or stands beside one in the ledger. */
const GIVEN = ['name', 'owner', 'display_name', 'reason', 'model of a target']

type Field = { readonly place: string; readonly name: string; readonly schema: Schema }

function texts(schema: Schema, place: string, name = ''): Field[] {
  if (schema.const !== undefined || schema.enum !== undefined) return []
  const below = [
    ...Object.entries(schema.properties ?? {}).map(([member, value]) => texts(value, `${place}.${member}`, member)),
    ...(schema.items === undefined ? [] : [texts(schema.items, place, name)]),
    ...(schema.anyOf ?? []).map((one) => texts(one, place, name)),
  ].flat()
  return schema.type === 'string' ? [{ place, name, schema }] : below
}

const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries(ADMIN_API)
const fields = [
  ...endpoints.flatMap(([action, { body, query }]) =>
    [body, query].flatMap((part) => (part === undefined ? [] : texts(part as Schema, action))),
  ),
  ...texts(FileDocument as Schema, 'farebox.yaml'),
]

/** Whether more than its form is looked at. */
function isJudged(schema: Schema): boolean {
  return '~refine' in schema
}

/** ASCII alone, or digits and words of our own. */
function isNarrow({ pattern = '' }: Schema): boolean {
  return /^\^\[\\u0021-\\u007e\]|^\^[([]?[-\w|([\]?]*[0-9a-z]/.test(pattern)
}

const UNSEEN: readonly (readonly [string, string])[] = [
  ['a zero-width space', 'a\u200bb'],
  ['a zero-width joiner', 'a\u200db'],
  ['a byte order mark', '\ufeffab'],
  ['a soft hyphen', 'a\u00adb'],
  ['a right-to-left override', 'a\u202eb'],
  ['an isolate', 'a\u2066b\u2069'],
  ['a mark of direction', 'a\u200fb'],
  ['an Arabic letter mark', 'a\u061cb'],
  ['half of a character', 'a\ud800b'],
  ['the other half of one', 'a\udc00b'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['a tag', 'a\u{e0041}b'],
  ['a variation selector', 'a\ufe0fb'],
  ['a supplementary variation selector', 'a\u{e0100}b'],
  ['a Mongolian vowel separator', 'a\u180eb'],
  ['a Hangul filler', 'a\u3164b'],
  ['a halfwidth Hangul filler', 'a\uffa0b'],
  ['a joiner of graphemes', 'a\u034fb'],
  ['a character that nobody assigned', 'a\u0378b'],
  ['one that will never be', 'a\uffffb'],
  ['one of private use', 'a\ue000b'],
  ['an empty braille pattern', 'a\u2800b'],
  ['a control of the terminal', 'a\u001bb'],
  ['a control of the second kind', 'a\u009bb'],
  ['a tab', 'a\tb'],
  ['a newline', 'a\nb'],
  ['DEL', 'a\u007fb'],
  ['a note of music that is a format', 'a\u{1d173}b'],
]
const ALIKE: readonly (readonly [string, string])[] = [
  ['a space that does not break', 'a\u00a0b'],
  ['an ideographic space', 'a\u3000b'],
  ['a space in front', ' ab'],
  ['a space behind', 'ab '],
  ['a space alone', ' '],
  ['letters that are not composed', 'Mu\u0308ller'],
]

describe('each text that the admin API takes', () => {
  it('is a name, or was thought about', () => {
    const known = [...LOOKED_UP, ...OTHERWISE, ...PLACES, ...READ_WHOLE]
    const unknown = fields.filter(
      ({ name, place, schema }) =>
        !isJudged(schema) && !isNarrow(schema) && !known.includes(name) && !known.includes(place),
    )
    // A target's `model` is the provider's name for it, which is given; a query's is one that is there.
    expect(unknown.map(({ place }) => place)).toEqual([])
    const given = fields.filter(({ schema }) => isJudged(schema))
    expect(new Set(given.map(({ name }) => (name === 'model' ? 'model of a target' : name)))).toEqual(new Set(GIVEN))
  })

  it.each(UNSEEN)('is refused with %s, wherever it becomes a name', (_what, text) => {
    const given = fields.filter(({ name, schema }) => isJudged(schema) || (name === 'id' && isNarrow(schema)))
    expect(given.length).toBeGreaterThan(20)
    for (const { place, schema } of given)
      expect([place, check(schema as never, text).type]).toEqual([place, 'invalid'])
  })

  it('is refused where it is no text at all', () => {
    for (const value of [5, null, {}, ['a'], true]) expect(check(Name, value).type).toBe('invalid')
  })

  it('says what is wrong with a name', () => {
    const checked = check(Name, 'a\u202eb')
    const message = 'must be of visible characters alone, in composed form (NFC), with no space at its ends'
    expect(checked).toMatchObject({ type: 'invalid', problems: [{ message }] })
  })
})

describe('a name', () => {
  it.each(ALIKE)('is refused with %s, and a reason is not', (_what, text) => {
    expect([isName(text), isVisible(text)]).toEqual([false, true])
  })

  it.each([
    'Ann',
    'Müller & Söhne',
    '日本語 チーム',
    'فريق العمل',
    'צוות',
    'ทีม',
    'नमस्ते',
    'a  b',
    '🚀',
    "O'Neil (2)",
    'e^x → ∞',
  ])('may be %s', (text) => {
    expect(isName(text)).toBe(true)
  })

  it('from elsewhere becomes one, whatever it was', () => {
    const marked = `a${'\u0316\u0301'.repeat(100_000)}`
    expect(measured(() => [nameFrom(marked, 100), isName(marked)]).cpuMs).toBeLessThan(MAX_CPU_MS)
    expect(nameFrom('GPT\u202e 6\u00a0\u200bLuna \n', 100)).toBe('GPT 6 Luna')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
        const name = nameFrom(text, most)
        expect(isName(name)).toBe(true)
        expect(Array.from(name).length).toBeLessThanOrEqual(most)
      }),
    )
  })
})
