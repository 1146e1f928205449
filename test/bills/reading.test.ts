// Files with reports: which are read, how, and which are refused as a whole.

import { describe, expect, it } from 'vitest'
import { readReport } from '#bills/read.ts'
import { amountOf, decimalText, modelNameOf, ofCents } from '#bills/report.ts'

const OPENAI_USAGE = [
  'start_time,end_time,start_time_iso,project_id,num_model_requests,api_key_id,model,batch,input_tokens,output_tokens,input_cached_tokens',
  '1790812800,1790899200,2026-10-01T00:00:00+00:00,proj_1,3,key_a,gpt-4o-mini-2024-07-18,False,100,20,40',
  '1790899200,1790985600,2026-10-02T00:00:00+00:00,,,,,,,,',
].join('\n')
const ANTHROPIC_USAGE = [
  'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,' +
    'usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count',
  '2026-10-01,claude-sonnet-4-5-20250929,"farebox, home",Default,standard,≤ 200k,100,1,2,30,7,0',
].join('\r\n')

function report(text: string) {
  const read = readReport(text)
  if (read.type === 'problem') throw new Error(read.message)
  return read.report
}

function problem(text: string): string {
  const read = readReport(text)
  return read.type === 'problem' ? read.message : 'no problem'
}

describe('a file of a console', () => {
  it('of OpenAI has the cached tokens taken out of the input, and days on which nothing was used', () => {
    const day = { startMs: 1_790_812_800_000, endMs: 1_790_899_200_000 }
    const counts = { input: 60, cache_read: 40, cache_write: 0, output: 20 }
    expect(report(OPENAI_USAGE)).toEqual({
      usage: [
        {
          ...day,
          model: 'gpt-4o-mini-2024-07-18',
          counts,
          requests: 3,
          account: 'key_a',
          identity: expect.any(String) as string,
        },
      ],
      usageSpans: [day, { startMs: day.endMs, endMs: day.endMs + 86_400_000 }],
      costs: [],
      costSpans: [],
    })
  })

  it('of Anthropic has both kinds of cache writes, and says how its columns are read', () => {
    const read = readReport(ANTHROPIC_USAGE)
    const counts = { input: 100, cache_read: 30, cache_write: 3, output: 7 }
    expect(read).toMatchObject({ report: { usage: [{ counts, account: 'farebox, home', requests: undefined }] } })
    expect(read).toMatchObject({ preview: { format: 'Anthropic, usage', lines: 1 } })
    expect(read).toMatchObject({
      preview: {
        columns: expect.arrayContaining([{ column: 'web_search_count', meaning: null, example: null }]) as object,
      },
    })
  })

  it.each([
    ['gpt-4o-2024-08-06, cached input', 'tokens'],
    ['web search tool calls', 'tool'],
    ['assistants api | file search', 'tool'],
    ['Code_Interpreter sessions', 'tool'],
    ['priority surcharge', 'other'],
    ['fine-tuning of websearcher', 'other'],
  ])('of OpenAI has an amount for %s, which is for %s', (item, kind) => {
    const head = 'start_time,end_time,amount_value,amount_currency,line_item'
    const line = `1790812800,1790899200,0.5,usd,"${item}"`
    expect(report([head, line].join('\n')).costs).toMatchObject([{ kind }])
  })

  it('counts a line once however often it is there, and the later of two that differ in numbers', () => {
    const [head = '', line = ''] = OPENAI_USAGE.split('\n')
    const revised = line.replace(',100,20,40', ',120,20,40')
    const other = line.replace('proj_1', 'proj_2')
    const { usage } = report([head, line, line, revised, other].join('\n'))
    expect(usage.map(({ counts }) => counts.input)).toEqual([80, 60])
  })

  it.each([
    ['of other columns', 'a,b\n1,2', 'The columns are of no file that Farebox reads.'],
    ['of half a line', `${OPENAI_USAGE}\n1790985600,17910`, 'Line 4 has 2 fields in place of 11.'],
    [
      'with a count that is none',
      OPENAI_USAGE.replace(',100,', ',-1,'),
      'Line 2: a count is no whole number of at least 0.',
    ],
    [
      'with more cached than read',
      OPENAI_USAGE.replace(',100,20,40', ',30,20,40'),
      'Line 2: a count is no whole number',
    ],
    ['without models', OPENAI_USAGE.replace('gpt-4o-mini-2024-07-18', ''), 'group the report by model'],
    ['of minutes', OPENAI_USAGE.replace('1790899200,', '1790812860,'), 'it does not say of which hours or days it is'],
    ['that ends within a quote', ANTHROPIC_USAGE.slice(0, ANTHROPIC_USAGE.indexOf(' home')), 'only a part of one'],
    ['of nothing', '', 'The columns are of no file'],
  ])('%s is refused', (_, text, says) => {
    expect(problem(text)).toContain(says)
  })
})

describe('pages', () => {
  const costs = (results: readonly object[]) =>
    JSON.stringify({
      data: [{ starting_at: '2026-10-01T00:00:00Z', ending_at: '2026-10-02T00:00:00Z', results }],
      has_more: false,
    })

  it('of Anthropic have amounts in cents', () => {
    const tokens = { amount: '123.45678', currency: 'USD', cost_type: 'tokens', model: 'claude-sonnet-4-5' }
    const search = { amount: '1000', currency: 'USD', cost_type: 'web_search', model: null }
    const lines = report(costs([tokens, search])).costs
    expect(lines.map(({ amount, kind, model }) => [decimalText(amount.parts), kind, model])).toEqual([
      ['1.2345678', 'tokens', 'claude-sonnet-4-5'],
      ['10', 'tool', undefined],
    ])
  })

  it('of OpenAI have numbers, and the model in the line item', () => {
    const of = (value: number, lineItem: string | null) => ({ amount: { value, currency: 'usd' }, line_item: lineItem })
    const items = [of(0.06, 'gpt-4o-2024-08-06, cached input'), of(1e-7, 'web search tool calls'), of(2, null)]
    expect(
      report(costs(items)).costs.map(({ amount, kind, model }) => [decimalText(amount.parts), kind, model]),
    ).toEqual([
      ['0.06', 'tokens', 'gpt-4o-2024-08-06'],
      ['0.0000001', 'tool', undefined],
      ['2', 'tokens', undefined],
    ])
  })

  it('of costs that were asked for are about their days also where nothing was billed', () => {
    const day = { startMs: Date.parse('2026-10-01T00:00:00Z'), endMs: Date.parse('2026-10-02T00:00:00Z') }
    const page = { ...(JSON.parse(costs([])) as object), report: 'costs' }
    expect(report(JSON.stringify(page))).toEqual({ usage: [], usageSpans: [], costs: [], costSpans: [day] })
  })

  it.each([
    ['half a page', costs([{ amount: '1' }]).slice(0, -20)],
    ['an answer of something else', '{"error":{"message":"no rights"}}'],
    ['an amount that is none', costs([{ amount: 'many' }])],
    ['both kinds in one', costs([{ amount: '1' }, { model: 'm', output_tokens: 1 }])],
    ['a count that is no number', costs([{ model: 'm', input_tokens: 1.5 }])],
  ])('%s are refused', (_, text) => {
    expect(readReport(text).type).toBe('problem')
  })
})

it.each([
  ['0.8958740000000000', '0.895874'],
  ['-3.5', '-3.5'],
  ['1.5e+3', '1500'],
  ['0.0000000000019', '0.000000000001'],
])('the amount %s is exact', (text, shown) => {
  expect(decimalText(amountOf(text)?.parts ?? 0n)).toBe(shown)
})

it.each(['', '1,5', '0x10', '1e99999', 'Infinity', '9'.repeat(16)])('%j is no amount', (text) => {
  expect(amountOf(text)).toBeUndefined()
})

it('cents have two more places', () => {
  expect(ofCents({ parts: 150n * 10n ** 12n, places: 0 })).toEqual({ parts: 15n * 10n ** 11n, places: 2 })
})

it.each([
  ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
  ['Claude Sonnet 4.5', 'claude-sonnet-4-5'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['gpt-4.1', 'gpt-4-1'],
])('%s goes by the name %s', (name, plain) => {
  expect(modelNameOf(name)).toBe(plain)
})
