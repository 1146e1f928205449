// Files of consoles beside those of OpenAI and Anthropic, and all of them as a spreadsheet saves them again.

import { describe, expect, it } from 'vitest'
import { readReport } from '#bills/read.ts'
import { decimalText, modelNameOf, type CostLine } from '#bills/report.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

function read(text: string) {
  const result = readReport(text)
  if (result.type === 'problem') throw new Error(result.message)
  if (result.preview === undefined) throw new Error('It was read as pages.')
  return { report: result.report, preview: result.preview }
}

function problem(text: string): string {
  const result = readReport(text)
  return result.type === 'problem' ? result.message : 'no problem'
}

const shown = ({ startMs, endMs, kind, currency, amount, account }: CostLine) => [
  new Date(startMs).toISOString(),
  (endMs - startMs) / HOUR,
  kind,
  currency,
  decimalText(amount.parts),
  account,
]

describe('the activity of OpenRouter', () => {
  const HEAD =
    'generation_id,created_at,cost_total,cost_web_search,byok_usage_inference,tokens_prompt,tokens_completion,' +
    'tokens_reasoning,tokens_cached,model_permaslug,provider_name,variant,cancelled,user,api_key_disabled,api_key_name'
  const LINES = [
    'gen-1,2026-10-01 03:46:57.713,0.0123,0,0,1000,137,0,400,anthropic/claude-4.5-sonnet-20250929,Anthropic,standard,false,,false,farebox',
    'gen-2,2026-10-01 23:59:59.999,0,0,0,20,5,0,0,openai/gpt-oss-120b,X,free,false,,false,farebox',
    'gen-3,2026-10-02T00:00:00Z,0.5,0,0,7,8,0,0,openai/gpt-oss-120b,X,standard,true,,false,mine',
  ]

  it('has a request and its cost in each line, by day', () => {
    const { report, preview } = read([HEAD, ...LINES].join('\n'))
    const startMs = Date.parse('2026-10-01T00:00:00Z')
    const days = [
      { startMs, endMs: startMs + DAY },
      { startMs: startMs + DAY, endMs: startMs + 2 * DAY },
    ]
    expect(report).toMatchObject({ usageSpans: days, costSpans: days })
    expect(report.usage.map(({ model, requests, account, counts }) => [model, requests, account, counts])).toEqual([
      [
        'anthropic/claude-4.5-sonnet-20250929',
        1,
        'farebox',
        { input: 600, cache_read: 400, cache_write: 0, output: 137 },
      ],
      ['openai/gpt-oss-120b:free', 1, 'farebox', { input: 20, cache_read: 0, cache_write: 0, output: 5 }],
      ['openai/gpt-oss-120b', 1, 'mine', { input: 7, cache_read: 0, cache_write: 0, output: 8 }],
    ])
    expect(report.costs.map(({ amount }) => decimalText(amount.parts))).toEqual(['0.0123', '0', '0.5'])
    expect(preview).toMatchObject({ format: 'OpenRouter, activity', lines: 3, otherLines: 0 })
    expect(preview.columns).toContainEqual({ column: 'cost_total', meaning: 'amount', example: '0.0123' })
    expect(preview.columns).toContainEqual({ column: 'cost_web_search', meaning: null, example: null })
  })

  it('has the same line by its id alone, whatever else was changed', () => {
    const [line = ''] = LINES
    const later = line.replace('0.0123', '0.02').replace(',false,,false,', ',false,,true,')
    const { report } = read([HEAD, line, later].join('\n'))
    expect(report.costs.map(({ amount }) => decimalText(amount.parts))).toEqual(['0.02'])
    expect(report.usage).toHaveLength(1)
  })
})

describe('a file of Google Cloud', () => {
  const DAYS =
    'Date,Service description,Service ID,SKU description,SKU ID,Usage amount,Usage unit,List cost ($),Other savings ($),Unrounded subtotal ($),Subtotal ($)'
  const TABLE =
    'Billing account name,Project name,Project ID,Service description,Service ID,SKU description,SKU ID,Credit type,' +
    'Cost type,Usage start date,Usage end date,Usage amount,Usage unit,Unrounded Cost ($),Cost ($)'

  it('by day has the exact amounts of models, in days of Pacific time', () => {
    const { report, preview } = read(
      [
        DAYS,
        '2026-08-15,Gemini API,AEFD,Generate content output token count gemini 2.5 flash short input text,911A,"622,403",count,1.56,0.00,1.555990,1.56',
        '2026-08-15,Cloud Run,152E,CPU Allocation Time,1,5,second,1.00,0.00,1.000000,1.00',
        '2026-08-15,Gemini API,AEFD,Grounding with Google Search,2,3,count,0.10,0.00,0.105000,0.11',
        '2026-12-15,Vertex AI,C7E2,Notebook core hours,3,3,hour,0.10,0.00,0.2,0.20',
        ',,,,,,,,Subtotal,2.660990,2.67',
      ].join('\n'),
    )
    expect(report.costs.map(shown)).toEqual([
      ['2026-08-15T07:00:00.000Z', 24, 'tokens', 'USD', '1.55599', undefined],
      ['2026-08-15T07:00:00.000Z', 24, 'tool', 'USD', '0.105', undefined],
      ['2026-12-15T08:00:00.000Z', 24, 'other', 'USD', '0.2', undefined],
    ])
    expect(report.costs.map(({ model }) => model)).toEqual([undefined, undefined, undefined])
    expect(preview).toMatchObject({ lines: 5, otherLines: 2 })
    expect(preview.columns).toContainEqual({ column: 'Subtotal ($)', meaning: null, example: null })
  })

  it('of an invoice says its currency before its columns, and has days that are included', () => {
    const { report, preview } = read(
      [
        'Invoice number,123,',
        'Currency,AUD,',
        'Total amount due,"$1,000.00",',
        TABLE,
        'acct,p,proj-1,Gemini API,S,Gemini 2.5 Pro Text Input,K,,Usage,2026-11-01,2026-11-30,"6,282.708",count,12.345678,12.35',
        'acct,p,proj-2,Gemini API,S,Gemini 2.5 Pro Text Input,K,Promotion,Usage,2026-11-01,2026-11-30,,,-2,-2.00',
        ',,,,,,,,Rounding error,,,,,-0.003441,-0.00',
        ',,,,,,,,Total,,,,,10.3,10.30',
      ].join('\n'),
    )
    // November has an hour more there.
    expect(report.costs.map(shown)).toEqual([
      ['2026-11-01T07:00:00.000Z', 30 * 24 + 1, 'tokens', 'AUD', '12.345678', 'proj-1'],
      ['2026-11-01T07:00:00.000Z', 30 * 24 + 1, 'tokens', 'AUD', '-2', 'proj-2'],
    ])
    expect(preview).toMatchObject({ format: 'Google Cloud, cost table', lines: 4, otherLines: 2 })
  })

  it('of BigQuery has hours, and names of columns with points or without', () => {
    const { report } = read(
      [
        'service.description,sku.description,project.id,usage_start_time,usage_end_time,cost,currency,export_time',
        'Vertex AI,Gemini 2.5 Flash Text Output - Predictions,p,2026-10-01 07:00:00 UTC,2026-10-01 08:00:00 UTC,0.000123,EUR,2026-10-01 12:00:00 UTC',
        'Vertex AI,Gemini 2.5 Flash Text Output - Predictions,p,2026-10-01 07:00:00 UTC,2026-10-01 08:00:00 UTC,-0.0001,EUR,2026-10-02 12:00:00 UTC',
      ].join('\n'),
    )
    expect(report.costs.map(shown)).toEqual([
      ['2026-10-01T07:00:00.000Z', 1, 'tokens', 'EUR', '0.000123', 'p'],
      ['2026-10-01T07:00:00.000Z', 1, 'tokens', 'EUR', '-0.0001', 'p'],
    ])
  })

  it('whose currency is in the names of columns alone says that', () => {
    const line =
      'acct,p,proj-1,Gemini API,S,Gemini 2.5 Pro Text Input,K,,Usage,2026-10-01,2026-10-31,1,count,12.345678,12.35'
    expect(read([TABLE.replaceAll('($)', '(€)'), line].join('\n')).report.costs[0]?.currency).toBe('EUR')
    expect(read([TABLE.replaceAll('($)', '(R$)'), line].join('\n')).report.costs[0]?.currency).toBe('R$')
  })

  it('without an amount is another file', () => {
    expect(problem(DAYS.replace(',Unrounded subtotal ($),Subtotal ($)', ''))).toContain('of no file that Farebox reads')
  })
})

describe('a file that a spreadsheet saved again', () => {
  const COSTS = [
    ['start_time', 'end_time', 'amount_value', 'amount_currency', 'line_item'],
    ['1790812800', '1790899200', '1234.5', 'usd', 'gpt-4o-2024-08-06, input'],
    ['1790899200', '1790985600', '0.0625', 'usd', 'gpt-4o-2024-08-06, input'],
  ]
  const amounts = (text: string) => read(text).report.costs.map(({ amount }) => decimalText(amount.parts))

  it.each([
    ['semicolons and decimal commas', ';', (value: string) => value.replace('.', ',')],
    ['tabs and decimal commas', '\t', (value: string) => value.replace('.', ',')],
    ['tabs and points', '\t', (value: string) => value],
    [
      'semicolons, decimal commas and points between thousands',
      ';',
      (value: string) => value.replace('1234.5', '1.234,5').replace('0.', '0,'),
    ],
    ['commas and quoted decimal commas', ',', (value: string) => `"${value.replace('.', ',')}"`],
  ])('with %s says the same', (_, separator, written) => {
    const text = COSTS.map((row) =>
      row.map((value) => (/^\d+\.\d+$/.test(value) ? written(value) : `"${value}"`)).join(separator),
    ).join('\r\n')
    expect(amounts(text)).toEqual(['1234.5', '0.0625'])
  })

  it('with amounts that can be read in two ways is refused', () => {
    const text = COSTS.map((row) => row.join(';').replace('1234.5', '1.234').replace('0.0625', '5')).join('\n')
    expect(problem(text)).toContain('Its numbers can be read in two ways')
  })

  it('has days as its country writes them', () => {
    const text = [
      'usage_date_utc;model;cost_usd',
      '01.10.2026;claude-sonnet-4-5;0,25',
      '2026-10-02;claude-sonnet-4-5;0,5',
    ].join('\n')
    expect(read(text).report.costSpans.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10))).toEqual([
      '2026-10-01',
      '2026-10-02',
    ])
    expect(problem(text.replace('01.10.2026', '10/01/2026'))).toContain('it does not say of which days it is')
    expect(problem(text.replace('01.10.2026', '31.13.2026'))).toContain('it does not say of which days it is')
  })

  it('says how it is written', () => {
    const text = COSTS.map((row) => row.map((value) => value.replace('.5', ',5').replace('0.0', '0,0')).join(';')).join(
      '\n',
    )
    expect(read(text).preview).toMatchObject({ separator: ';', decimalMark: ',' })
  })
})

it.each([
  ['anthropic/claude-4.5-sonnet-20250929', 'anthropic/claude-sonnet-4.5'],
  ['deepseek/deepseek-r1-20250120:free', 'deepseek/deepseek-r1:free'],
])('%s is the model %s', (one, other) => {
  expect(modelNameOf(one)).toBe(modelNameOf(other))
})

it.each([
  ['openai/gpt-5.4', 'openai/gpt-4.5'],
  ['deepseek/deepseek-r1:free', 'deepseek/deepseek-r1'],
  ['ft:gpt-4o-mini:acme::1', 'ft:gpt-4o-mini:acme::2'],
])('%s is another model than %s', (one, other) => {
  expect(modelNameOf(one)).not.toBe(modelNameOf(other))
})
