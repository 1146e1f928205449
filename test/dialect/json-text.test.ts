import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editObject, removeMember, scanObject, type ObjectScan } from '#dialect/json-text.ts'
import { jsonObjects, jsonValues } from './json-arbitrary.ts'
import { cases } from '../support/cases.ts'

/** Without backslashes, for the reason that the random objects have none in their names. */
const names = fc.oneof(
  fc.string({ maxLength: 6 }).filter((text) => !text.includes('\\')),
  fc.constantFrom('model', '__proto__', 'a"b', 'é'),
)
const numRuns = cases(300, 1000, 10_000)

function scan(text: string): ObjectScan {
  const found = scanObject(text)
  if ('problem' in found) expect.fail(`${found.problem} in ${text}`)
  return found
}

function edit(text: string, edits: Readonly<Record<string, string>>): string {
  return editObject(text, scan(text), new Map(Object.entries(edits)))
}

describe('scanning', () => {
  it('finds every member of any object, and nothing else', () => {
    fc.assert(
      fc.property(jsonObjects, (text) => {
        const { members, closingBrace } = scan(text)
        const parsed = new Map(Object.entries(JSON.parse(text) as object))
        expect(new Set(members.keys())).toEqual(new Set(parsed.keys()))
        for (const [name, { start, end }] of members) {
          const value = text.slice(start, end)
          expect(value).toBe(value.trim())
          expect(JSON.parse(value)).toEqual(parsed.get(name))
        }
        expect(text.slice(closingBrace).trim()).toBe('}')
      }),
      { numRuns },
    )
  })

  it.each([
    ['quotes', String.raw`{"a":"\"model\":\"x\"","b":1}`, ['a', 'b']],
    ['backslashes before the closing quote', String.raw`{"a":"\\","b":"\\\\","c":"\\\"}","d":1}`, ['a', 'b', 'c', 'd']],
    ['brackets', '{"a":"}]{[","b":[{"c":"}"}]}', ['a', 'b']],
    ['commas and colons', '{"a":"x,\\"y\\":1","b":{"c":1,"d":2}}', ['a', 'b']],
    ['other scripts', '{"ключ":"значение","模型":"🚀","\\ud83d\\ude80":1}', ['ключ', '模型', '🚀']],
    [
      'names that objects inherit',
      '{"__proto__":1,"constructor":2,"toString":3}',
      ['__proto__', 'constructor', 'toString'],
    ],
    ['an empty name', '{"":1}', ['']],
  ])('is not led astray by %s', (_, text, names) => {
    expect([...scan(text).members.keys()]).toEqual(names)
  })

  it.each([
    ['model', '{"model":"a","model":"b"}'],
    ['model', '{"model":"a","x":{"model":1},"model":"a"}'],
    ['model', String.raw`{"model":"a","mod\u0065l":"b"}`],
    ['model', String.raw`{"\u006d\u006f\u0064\u0065\u006c":"a","model":"b"}`],
    ['a/b', String.raw`{"a\/b":1,"a/b":2}`],
    ['', '{"":1, "" :2}'],
    ['__proto__', '{"__proto__":1,"__proto__":2}'],
  ])('names %j when it stands twice: %s', (name, text) => {
    expect(scanObject(text)).toEqual({ problem: 'duplicate-member', name })
  })

  it('finds a member that stands twice in any object, however its name is escaped', () => {
    const name = names.filter((text) => text !== '')
    fc.assert(
      fc.property(jsonObjects, name, (object, repeated) => {
        const units = Array.from(repeated.split(''), (unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
        const escaped = units.map((unit) => `\\u${unit}`).join('')
        const inside = object.trim().slice(1, -1).trim()
        const text = `{"${escaped}":1,${inside === '' ? '' : `${inside},`}${JSON.stringify(repeated)}:2}`
        expect(scanObject(text)).toMatchObject({ problem: 'duplicate-member' })
      }),
      { numRuns: 300 },
    )
  })

  it('lets members of inner objects stand twice: nobody reads those', () => {
    expect([...scan('{"a":{"b":1,"b":2},"c":[{"b":1},{"b":2}]}').members.keys()]).toEqual(['a', 'c'])
  })

  it.each([
    [64, undefined],
    [65, 'too-deep'],
    [100_000, 'too-deep'],
  ])('bounds the depth: %d levels', (depth, problem) => {
    const arrays = `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    for (const text of [arrays, objects])
      expect(scanObject(text)).toMatchObject(problem === undefined ? {} : { problem })
    expect('problem' in scanObject(arrays)).toBe(problem !== undefined)
  })

  it.each(['', ' ', '1', '"{}"', 'null', '[]', '[{"a":1}]', '{', '{"a"', '{"a":', '{"a":"', '{"a":[1'])(
    'finds no object in %j',
    (text) => {
      expect(scanObject(text)).toMatchObject({ problem: 'not-an-object' })
    },
  )

  it('ends for any text at all', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'a', '1', '\\"', '\\u00', '\n', 'é')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const found = scanObject(text)
        if (!('problem' in found)) expect(text.charAt(found.closingBrace)).toMatch(/[}\]]/)
      }),
      { numRuns },
    )
  })
})

describe('media', () => {
  const base64 = Buffer.alloc(3000, 'picture').toString('base64')

  it.each([
    ['a data URL', `data:image/png;base64,${base64}`],
    ['bare base64', base64],
    ['base64 for URLs', base64.replaceAll('+', '-').replaceAll('/', '_')],
    ['base64 with line ends', base64.replaceAll(/.{76}/g, '$&\r\n')],
  ])('are counted as parts and not as text: %s', (_, content) => {
    const text = JSON.stringify({ a: [{ url: content }] })
    const { mediaParts, mediaLength } = scan(text)
    expect([mediaParts, mediaLength]).toEqual([1, JSON.stringify(content).length])
  })

  it('are recognised with the escaped slashes that some clients write', () => {
    const text = JSON.stringify({ url: `data:image/png;base64,${base64}` }).replaceAll('/', '\\/')
    expect(scan(text).mediaParts).toBe(1)
  })

  it.each([
    ['prose', 'All work and no play makes Jack a dull boy. '.repeat(100)],
    ['text in a script without spaces', '春眠不觉晓处处闻啼鸟夜来风雨声花落知多少'.repeat(200)],
    ['minified code', 'function(a,b){return{a:b[0],"c":`${a}`}};'.repeat(100)],
    ['a table of numbers', '1,2,3,4,5,6,7,8;'.repeat(300)],
    ['a short data URL', 'data:image/png;base64,iVBORw0KGgo='],
  ])('are not what is only long: %s', (_, content) => {
    expect(scan(JSON.stringify({ messages: [{ content }] }))).toMatchObject({ mediaParts: 0, mediaLength: 0 })
  })
})

describe('editing', () => {
  it('gives what parsing and assigning gives, and leaves all other text untouched', () => {
    fc.assert(
      fc.property(jsonObjects, names, jsonValues, fc.nat(), (text, fresh, written, pick) => {
        const before = scan(text)
        const names = [fresh, ...before.members.keys()]
        const edited = names[pick % names.length] ?? fresh
        const result = editObject(text, before, new Map([[edited, written]]))

        const assigned = JSON.parse(text) as object
        const value: unknown = JSON.parse(written)
        Object.defineProperty(assigned, edited, { value, enumerable: true, configurable: true, writable: true })
        expect(JSON.stringify(JSON.parse(result))).toBe(JSON.stringify(assigned))

        const where = before.members.get(edited) ?? { start: before.closingBrace, end: before.closingBrace }
        expect(result.startsWith(text.slice(0, where.start))).toBe(true)
        expect(result.endsWith(text.slice(where.end))).toBe(true)
        const inserted = result.slice(where.start, result.length - (text.length - where.end))
        expect(inserted.endsWith(written)).toBe(true)
      }),
      { numRuns },
    )
  })

  it('changes several members at once, in whatever order they are named', () => {
    fc.assert(
      fc.property(jsonObjects, fc.dictionary(names, jsonValues), (text, changes) => {
        const edits = new Map(Object.entries(changes))
        const result = editObject(text, scan(text), edits)
        const expected = new Map(Object.entries(JSON.parse(text) as object))
        for (const [name, written] of edits) expected.set(name, JSON.parse(written))
        expect(new Map(Object.entries(JSON.parse(result) as object))).toEqual(expected)
      }),
      { numRuns },
    )
  })

  it('keeps every character of the rest: odd spaces, escapes and numbers', () => {
    const text = '{ "model" :\t"a",\n  "n": 1.0e+02 , "x":"\\u00e9\\/" }\n'
    expect(edit(text, { model: '"b"' })).toBe('{ "model" :\t"b",\n  "n": 1.0e+02 , "x":"\\u00e9\\/" }\n')
    expect(edit(text, { max_tokens: '5' })).toBe(
      '{ "model" :\t"a",\n  "n": 1.0e+02 , "x":"\\u00e9\\/" ,"max_tokens":5}\n',
    )
    expect(edit(text, {})).toBe(text)
  })

  it('edits a member whose name is escaped where it stands', () => {
    expect(edit(String.raw`{"mod\u0065l":"a","b":1}`, { model: '"c"' })).toBe(String.raw`{"mod\u0065l":"c","b":1}`)
  })

  it('adds to an empty object', () => {
    expect(edit('{}', { a: '1', b: '2' })).toBe('{"a":1,"b":2}')
    expect(edit(' { } ', { a: '1' })).toBe(' { "a":1} ')
  })

  it('writes a name that needs escapes', () => {
    expect(edit('{}', { 'a"\n': '1' })).toBe(String.raw`{"a\"\n":1}`)
  })
})

describe('removing', () => {
  it('gives what parsing and deleting gives, and leaves the other members as they are written', () => {
    fc.assert(
      fc.property(jsonObjects, fc.nat(), (text, pick) => {
        const before = scan(text)
        // A quote in a name is the one thing that no member has which is ever removed.
        const names = ['none', ...before.members.keys()].filter((name) => !/["\\]/.test(name))
        const removed = names[pick % names.length] ?? 'none'
        const result = removeMember(text, before, removed)

        const expected = new Map(Object.entries(JSON.parse(text) as object))
        expected.delete(removed)
        expect(new Map(Object.entries(JSON.parse(result) as object))).toEqual(expected)
        const after = scan(result)
        for (const [name, { start, end }] of after.members) {
          const where = before.members.get(name)
          expect(result.slice(start, end)).toBe(text.slice(where?.start, where?.end))
        }
      }),
      { numRuns },
    )
  })
})
