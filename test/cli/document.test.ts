import { describe, expect, it } from 'vitest'
import { mistakeLines, parseFileDocument } from '#cli/document.ts'
import type { Mistake } from '#cli/yaml-tree.ts'
import { measured } from '../support/cpu-time.ts'

const COMPLETE = `\
# What a team needs.
providers:
  - name: openai
    dialect: chat-completions
    base_url: https://api.openai.com/v1
    secret: { env: OPENAI_API_KEY }
models:
  - id: gpt-5.5
    display_name: GPT-5.5
    kind: chat
    context_window: 272000
    max_output_tokens: 128000
    price: { input: 1.25, output: 10, cache_read: 0.125, cache_write: 1.25 }
    targets:
      - { provider: openai, model: gpt-5.5 }
packages:
  - name: team
    type: monthly
    credits: 50
    timezone: Europe/Berlin
    limits: { requests_per_minute: 60, tokens_per_minute: 200000, concurrent_requests: 8 }
    models: all
    valid_until: 2027-12-31
`

function mistakesIn(text: string): readonly Mistake[] {
  const read = parseFileDocument(text)
  return read.type === 'mistakes' ? read.mistakes : []
}

function mistake(line: number, column: number, field: string, message: string): Mistake {
  return { line, column, field, message }
}

const MODEL = `\
models:
  - id: a
    context_window: 1000
    targets: [{ provider: p, model: m }]
`

describe('a document without mistakes', () => {
  it('is read as it is written, dates as text', () => {
    const read = parseFileDocument(COMPLETE)
    expect(read).toMatchObject({
      type: 'document',
      document: {
        providers: [{ name: 'openai', secret: { env: 'OPENAI_API_KEY' } }],
        models: [{ id: 'gpt-5.5', price: { cache_read: 0.125 }, targets: [{ provider: 'openai', model: 'gpt-5.5' }] }],
        packages: [{ name: 'team', limits: { concurrent_requests: 8 }, valid_until: '2027-12-31' }],
      },
    })
  })

  it('may name a provider that only the server can know', () => {
    expect(mistakesIn(MODEL)).toEqual([])
  })

  it('may share a value by an anchor and its aliases, often', () => {
    const packages = Array.from({ length: 300 }, (_, index) => `  - { name: p${index}, type: topup, limits: *limits }`)
    const text = `packages:\n  - { name: first, type: topup, limits: &limits { requests_per_minute: 1 } }\n`
    const read = parseFileDocument(text + packages.join('\n'))
    expect(read.type === 'document' && read.document.packages?.[300]?.limits).toEqual({ requests_per_minute: 1 })
  })

  it('may begin with a byte order mark and end its lines as Windows does', () => {
    expect(mistakesIn(`\ufeff${MODEL.replaceAll('\n', '\r\n')}`)).toEqual([])
  })
})

describe('YAML that cannot be read', () => {
  const cases: readonly (readonly [what: string, text: string, expected: Mistake])[] = [
    [
      'a bracket that is not closed',
      'models:\n  - { id: a\npackages: []\n',
      mistake(3, 1, '', 'Flow map in block collection must be sufficiently indented and end with a }.'),
    ],
    ['a quote that is not closed', 'models:\n  - id: "a\n', mistake(3, 1, '', 'Missing closing "quote.')],
    [
      'items that are indented differently',
      'models:\n  - id: a\n   context_window: 1\n',
      mistake(3, 1, '', 'Sequence item without - indicator.'),
    ],
    ['a tab', 'models:\n\t- id: a\n', mistake(2, 1, '', 'Tabs are not allowed as indentation; use spaces.')],
    [
      'a tab between spaces',
      'models:\n  - id: a\n\t  kind: chat\n',
      mistake(3, 1, '', 'Tabs are not allowed as indentation; use spaces.'),
    ],
    [
      'a second document',
      'models: []\n---\nmodels: []\n',
      mistake(2, 1, '', 'The file holds more than one document; only one is allowed.'),
    ],
    [
      'a tag',
      'models: !secret [a]\n',
      mistake(1, 9, '', 'The tag here is not known. No tags are needed in this file.'),
    ],
    ['a list as a name', 'models: []\n? [a]\n: b\n', mistake(2, 3, '', 'The name of a field must be plain text.')],
  ]

  it.each(cases)('names the line and column of %s', (_, text, expected) => {
    expect(mistakesIn(text)).toEqual([expected])
  })

  it('says that a file is nested too deeply', () => {
    expect(mistakesIn('['.repeat(20_000)).map(({ line, message }) => [line, message])).toEqual([
      [1, 'The file is nested too deeply.'],
    ])
  })

  it.each([
    ['a block scalar', 'models: |sk-live-1234\n  a\n'],
    ['a tag', 'models: !sk-live-1234 a\n'],
    ['an escape', 'models: "\\qsk-live-1234"\n'],
    ['an unexpected token', 'models: [a]\nsk-live-1234: ]\n'],
    ['a text after a text', 'models: "a" sk-live-1234\n'],
    ['an alias', 'models: *sk-live-1234\n'],
    ['a text alone', 'sk-live-1234'],
  ])('does not repeat the text around %s', (_, text) => {
    const mistakes = mistakesIn(text)
    expect(mistakes).toHaveLength(1)
    expect(JSON.stringify(mistakes)).not.toContain('sk-live')
  })
})

describe('a document with mistakes', () => {
  const cases: readonly (readonly [what: string, text: string, expected: Mistake])[] = [
    ['an unknown field', `${MODEL}    contxt: 1\n`, mistake(5, 5, 'models.0.contxt', 'is not a known field')],
    ['an unknown section', `${MODEL}modles: []\n`, mistake(5, 1, 'modles', 'is not a known field')],
    ['a field named like a prototype', '__proto__: { a: 1 }\n', mistake(1, 1, '__proto__', 'is not a known field')],
    ['a field without a name', `${MODEL}: x\n`, mistake(5, 1, '""', 'is not a known field')],
    ['a wrong type', MODEL.replace('1000', 'many'), mistake(3, 5, 'models.0.context_window', 'must be integer')],
    ['a section that is no list', 'models:\n  a: 1\n', mistake(1, 1, 'models', 'must be array')],
    ['a section without content', 'providers: []\nmodels:\n', mistake(2, 1, 'models', 'must be array')],
    ['an item without content', 'models:\n  - \n', mistake(2, 5, 'models.0', 'must be object')],
    [
      'a negative price',
      `${MODEL}    price: { input: 1, output: -10 }\n`,
      mistake(5, 24, 'models.0.price.output', 'must be >= 0'),
    ],
    [
      'a price that is not a number',
      `${MODEL}    price: { input: .nan, output: 1 }\n`,
      mistake(5, 14, 'models.0.price.input', 'must be number'),
    ],
    [
      'a missing field, on the line of its parent',
      `${MODEL}    price:\n      input: 1\n`,
      mistake(5, 5, 'models.0.price.output', 'is required'),
    ],
    [
      'a missing field of an item, where the item begins',
      MODEL.replace('id: a', 'kind: chat'),
      mistake(2, 5, 'models.0.id', 'is required'),
    ],
    [
      'a missing field in a list within a line',
      MODEL.replace(', model: m', ''),
      mistake(4, 15, 'models.0.targets.0.model', 'is required'),
    ],
    [
      'a choice that does not exist',
      'packages:\n  - name: a\n    type: weekly\n',
      mistake(3, 5, 'packages.0.type', 'must be one of monthly, daily, topup, unlimited'),
    ],
    [
      'a secret that is written out, without repeating it',
      'providers:\n  - name: a\n    dialect: demo\n    secret: sk-live-1234\n',
      mistake(4, 5, 'providers.0.secret', 'must be { env: NAME } or { file: PATH }'),
    ],
    [
      'a secret from two places',
      'providers:\n  - name: a\n    dialect: demo\n    secret: { env: A, file: b }\n',
      mistake(4, 5, 'providers.0.secret', 'must be { env: NAME } or { file: PATH }'),
    ],
    [
      'one of several secrets that is written out',
      'providers:\n  - name: a\n    secrets:\n      - label: b\n        secret: sk-live-1234\n',
      mistake(5, 9, 'providers.0.secrets.0.secret', 'must be { env: NAME } or { file: PATH }'),
    ],
    [
      'one of several secrets without a label',
      'providers:\n  - name: a\n    secrets:\n      - secret: { env: A }\n',
      mistake(4, 9, 'providers.0.secrets.0.label', 'is required'),
    ],
    [
      'models that are neither all nor a list',
      'packages:\n  - { name: a, type: topup, models: some }\n',
      mistake(2, 29, 'packages.0.models', 'must be the word all or a list of model ids'),
    ],
    [
      'a field that is given twice',
      'models:\n  - id: a\n    kind: chat\n    id: b\n',
      mistake(4, 5, 'models.0.id', 'is given twice'),
    ],
    ['a section that is given twice', `${MODEL}models: []\n`, mistake(5, 1, 'models', 'is given twice')],
    [
      'two models with one id',
      `${MODEL}  - { id: a, context_window: 1, targets: [{ provider: p, model: m }] }\n`,
      mistake(5, 7, 'models.1.id', 'is the same as models.0.id'),
    ],
    [
      'two providers with one name',
      'providers:\n  - { name: a, dialect: demo }\n  - { name: b, dialect: demo }\n  - { name: a, dialect: demo }\n',
      mistake(4, 7, 'providers.2.name', 'is the same as providers.0.name'),
    ],
    [
      'two packages with one name',
      'packages:\n  - { name: a, type: topup }\n  - type: daily\n    name: a\n',
      mistake(4, 5, 'packages.1.name', 'is the same as packages.0.name'),
    ],
    [
      'a price that no micro-credit can express',
      `${MODEL}    price: { input: 0.0000001, output: 1 }\n`,
      mistake(5, 14, 'models.0.price.input', 'must have at most six decimals'),
    ],
    [
      'credits that no micro-credit can express',
      'packages:\n  - name: a\n    type: topup\n    credits: 1.1234567\n',
      mistake(4, 5, 'packages.0.credits', 'must have at most six decimals'),
    ],
    [
      'a time zone that does not exist',
      'packages:\n  - name: a\n    type: daily\n    timezone: Mars/Base\n',
      mistake(4, 5, 'packages.0.timezone', 'is not a known time zone, such as Europe/Berlin'),
    ],
    [
      'an alias of nothing',
      'models: *nothing\n',
      mistake(1, 9, 'models', 'is an alias of an anchor that is not complete before it'),
    ],
    [
      'a value that contains itself',
      'models: &all\n  - *all\n',
      mistake(2, 5, 'models.0', 'is an alias of an anchor that is not complete before it'),
    ],
    [
      'an empty file',
      '# Nothing yet.\n',
      mistake(1, 1, '', 'The file is empty; it can have providers, models and packages.'),
    ],
    ['a list', '- a\n', mistake(1, 1, '', 'The file must have providers, models and packages as its fields.')],
    ['a file that is too large', '#'.repeat(1_048_577), mistake(1, 1, '', 'The file is larger than 1 MiB.')],
  ]

  it.each(cases)('names the line, column and field of %s', (_, text, expected) => {
    expect(mistakesIn(text)).toEqual([expected])
  })

  it('lists its mistakes from top to bottom', () => {
    const text = `${MODEL.replace('1000', 'many')}    price: { input: -1, output: -2 }\n    extra: 1\n`
    expect(mistakesIn(text).map(({ line, column, field }) => [line, column, field])).toEqual([
      [3, 5, 'models.0.context_window'],
      [5, 14, 'models.0.price.input'],
      [5, 25, 'models.0.price.output'],
      [6, 5, 'models.0.extra'],
    ])
  })

  it('names unknown fields even when there are more than a checker counts', () => {
    const names = Array.from({ length: 20 }, (_, index) => `x${index}: 1`)
    expect(mistakesIn(`${MODEL}${names.join('\n')}\n`)[0]).toEqual(mistake(5, 1, 'x0', 'is not a known field'))
  })

  it('finds a wrong value at its anchor when it came through an alias', () => {
    const text = 'packages:\n  - name: a\n    type: topup\n    limits: &l\n      requests_per_minute: 0\n'
    expect(mistakesIn(`${text}  - { name: b, type: topup, limits: *l }\n`)).toContainEqual(
      mistake(5, 7, 'packages.1.limits.requests_per_minute', 'must be >= 1'),
    )
  })

  it('is turned into lines that editors make links of', () => {
    const lines = mistakeLines('conf/farebox.yaml', [
      mistake(3, 5, 'models.0.id', 'is required'),
      mistake(1, 1, '', 'No.'),
    ])
    expect(lines).toEqual(['conf/farebox.yaml:3:5: models.0.id is required', 'conf/farebox.yaml:1:1: No.'])
  })
})

describe('aliases that multiply', () => {
  const TOO_MANY = 'is one alias too many: together they stand for too many values'

  it('are stopped at the alias that goes too far', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    const lines = names.map((name, index) => {
      const item = index === 0 ? 'x' : `*${names[index - 1]}`
      return `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(', ')}]`
    })
    const { result, cpuMs } = measured(() => mistakesIn(lines.join('\n')))
    expect(result).toEqual([mistake(6, 8, 'f.0', TOO_MANY)])
    expect(cpuMs).toBeLessThan(1_000)
  })

  it('are stopped when there are many of a small one', () => {
    const text = `a: &a 1\nb: [${'*a, '.repeat(5_000)}]\n`
    expect(mistakesIn(text)).toEqual([mistake(2, 5 + 4 * 1_000, 'b.1000', TOO_MANY)])
  })
})
