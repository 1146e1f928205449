import { describe, expect, it } from 'vitest'
import { loadPresets } from '#catalog/resources.ts'
import type { Preset } from '#contract/presets.ts'
import type { ProviderView } from '#contract/providers.ts'
import { headerRowsOf, type HeaderRow } from '#renderer/data/header-form.ts'
import {
  addFormOf,
  baseUrlOf,
  dialectsOf,
  editFormOf,
  filteredPresets,
  hasPlaceholder,
  isMoved,
  providerCreateBody,
  providerEditBody,
  readLimit,
  readStops,
  readTimeLimit,
} from '#renderer/data/provider-form.ts'

function preset(id: string): Preset {
  const found = loadPresets().find((one) => one.id === id)
  if (found === undefined) throw new Error(`there is no preset ${id}`)
  return found
}

const PROVIDER: ProviderView = {
  id: 'p',
  name: 'router',
  preset: 'openrouter',
  dialect: 'chat-completions',
  base_url: 'https://openrouter.ai/api/v1',
  network: 'public',
  secret_header: 'x-api-key',
  headers: { 'x-plain': 'v' },
  header_secrets: ['x-kept'],
  output_cap_field: 'max_completion_tokens',
  on_disconnect: 'drain',
  quirks: { stream_usage: false, tool_ids: 'any', max_stops: 0 },
  limits: { requests_per_minute: 60, credits_per_day: 1.5 },
  time_limits: { silence_ms: 5000 },
  has_secret: true,
  secret_state: 'stored',
  created_at: '2026-11-21T12:00:00.000Z',
}
const FORM = editFormOf(PROVIDER, 'en')

describe('a new provider', () => {
  it('has the name of its preset, or the next that is free', () => {
    expect(addFormOf(preset('groq'), []).name).toBe('groq')
    expect(addFormOf(preset('groq'), ['groq', 'groq-2', 'groq-4']).name).toBe('groq-3')
    expect(addFormOf(preset('custom'), ['custom']).name).toBe('')
  })

  it('has the base URL of a dialect, none where the preset has nothing but a placeholder', () => {
    expect(baseUrlOf(preset('gemini'), 'gemini')).toMatch(/^https:.*\/v1beta$/)
    expect(baseUrlOf(preset('gemini'), 'chat-completions')).toMatch(/\/openai$/)
    expect(baseUrlOf(preset('gemini'), 'messages')).toBe('')
    expect(baseUrlOf(preset('custom'), 'messages')).toBe('')
    expect(dialectsOf(preset('anthropic'))).toEqual(['messages'])
  })

  it('is not sent while its name, its base URL or a secret that it needs is missing', () => {
    const groq = preset('groq')
    const form = { ...addFormOf(groq, []), secret: 'sk' }
    expect(providerCreateBody(form, groq)).toBeDefined()
    expect(providerCreateBody({ ...form, name: '  ' }, groq)).toBeUndefined()
    expect(providerCreateBody({ ...form, baseUrl: ' ' }, groq)).toBeUndefined()
    expect(providerCreateBody({ ...form, secret: ' ' }, groq)).toBeUndefined()
  })

  it('is not sent while there is a placeholder in its base URL', () => {
    const azure = preset('azure-openai')
    const form = { ...addFormOf(azure, []), secret: 'sk' }
    expect(hasPlaceholder(form.baseUrl)).toBe(true)
    expect(providerCreateBody(form, azure)).toBeUndefined()
    const own = { ...form, baseUrl: 'https://mine.openai.azure.com/openai/v1' }
    expect(providerCreateBody(own, azure)).toMatchObject({ base_url: own.baseUrl, preset: 'azure-openai' })
  })

  it('needs no secret where its preset has none or leaves it open, and never sends an empty one', () => {
    for (const id of ['ollama', 'vllm']) {
      const body = providerCreateBody(addFormOf(preset(id), []), preset(id))
      expect(body).toMatchObject({ network: 'local' })
      expect(body).not.toHaveProperty('secret')
    }
  })

  it('is found among the presets by all words of a search', () => {
    const found = (text: string) => filteredPresets(loadPresets(), text).map(({ id }) => id)
    expect(found('OPENAI azure')).toEqual(['azure-openai'])
    expect(found('gemini messages')).toEqual(['custom'])
    expect(found('gemini nobody')).toEqual([])
    expect(found('  ')).toHaveLength(loadPresets().length)
  })
})

describe('an edit', () => {
  it('of nothing is empty', () => {
    expect(providerEditBody(FORM, PROVIDER, 'en')).toEqual({})
    const bare = { ...PROVIDER, quirks: {}, limits: {}, time_limits: {} }
    expect(providerEditBody(editFormOf(bare, 'de'), bare, 'de')).toEqual({})
  })

  it('of the demo provider, which has no base URL, is empty too', () => {
    const demo = { ...PROVIDER, dialect: 'demo', base_url: '', secret_header: 'authorization' }
    expect(providerEditBody(editFormOf(demo, 'en'), demo, 'en')).toEqual({})
    expect(providerEditBody({ ...FORM, baseUrl: ' ' }, PROVIDER, 'en')).toBeUndefined()
  })

  it('sends limits, time limits and quirks whole, because each replaces what was there', () => {
    const quirks = { ...FORM.quirks, stream_usage: 'yes', max_stops: '', tool_ids: '' }
    const times = { ...FORM.times, connect_ms: ' 250 ' }
    expect(providerEditBody({ ...FORM, concurrent: '3', tokens: '900', quirks, times }, PROVIDER, 'en')).toEqual({
      limits: { concurrent_requests: 3, requests_per_minute: 60, tokens_per_minute: 900, credits_per_day: 1.5 },
      time_limits: { connect_ms: 250, silence_ms: 5000 },
      quirks: { stream_usage: true },
    })
  })

  it('takes limits away that were emptied', () => {
    expect(providerEditBody({ ...FORM, requests: '', creditsPerDay: '' }, PROVIDER, 'en')).toEqual({ limits: {} })
  })

  it('writes and reads credits the way of the language', () => {
    const german = editFormOf(PROVIDER, 'de')
    expect(german.creditsPerDay).toBe('1,5')
    expect(providerEditBody({ ...german, creditsPerDay: '2,25' }, PROVIDER, 'de')).toMatchObject({
      limits: { credits_per_day: 2.25 },
    })
  })

  it.each([
    { concurrent: '0' },
    { requests: '1.5' },
    { tokens: '-1' },
    { creditsPerDay: '-1' },
    { creditsPerDay: '1,000' },
    { times: { ...FORM.times, connect_ms: '86400001' } },
    { quirks: { ...FORM.quirks, max_stops: '65' } },
  ])('is not sent with %j', (wrong) => {
    expect(providerEditBody({ ...FORM, ...wrong }, PROVIDER, 'en')).toBeUndefined()
  })
})

describe('numbers', () => {
  it('are whole and within their bounds, and nothing typed is no limit', () => {
    expect([readLimit(''), readLimit(' 7 '), readLimit('0'), readLimit('1000000001'), readLimit('ten')]).toEqual([
      null,
      7,
      undefined,
      undefined,
      undefined,
    ])
    expect([readTimeLimit('86400000'), readTimeLimit('86400001')]).toEqual([86_400_000, undefined])
    expect([readStops('0'), readStops('64'), readStops('-1')]).toEqual([0, 64, undefined])
  })
})

describe('another base URL', () => {
  it('is of another origin by scheme, host or port, and not by its path', () => {
    expect(isMoved('https://a.example/v1', 'https://a.example/v2 ')).toBe(false)
    expect(isMoved('https://a.example/v1', 'https://a.example:443/v1')).toBe(false)
    expect(isMoved('https://a.example/v1', 'http://a.example/v1')).toBe(true)
    expect(isMoved('http://127.0.0.1:1/v1', 'http://127.0.0.1:2/v1')).toBe(true)
  })

  it('is none while it is being typed', () => {
    expect(isMoved('https://a.example/v1', 'https:/')).toBe(false)
    expect(isMoved('https://a.example/v1', '')).toBe(false)
  })
})

describe('headers', () => {
  const rows = headerRowsOf(PROVIDER)
  const row = (name: string, value: string, isSecret = false): HeaderRow => ({ name, value, isSecret, isKept: false })
  const body = (...headers: HeaderRow[]) => providerEditBody({ ...FORM, headers }, PROVIDER, 'en')

  it('that are kept as secrets are shown without their value, and stay as they are', () => {
    expect(rows).toEqual([row('x-plain', 'v'), { name: 'x-kept', value: '', isSecret: true, isKept: true }])
    expect(body(...rows)).toEqual({})
  })

  it('are sent whole where they are plain, and as changes where they are secret', () => {
    expect(body(...rows, row('X-New ', ' n'), row('x-more', 's', true), row('', ''))).toEqual({
      headers: { 'x-plain': 'v', 'x-new': 'n' },
      header_secrets: { 'x-more': 's' },
    })
    expect(body(row('x-plain', 'v'))).toEqual({ header_secrets: { 'x-kept': null } })
    expect(body(...rows.map((one) => (one.isKept ? { ...one, value: 'new' } : one)))).toEqual({
      header_secrets: { 'x-kept': 'new' },
    })
  })

  it.each([
    ['a name', [row('', 'v')]],
    ['a value', [row('x-a', '')]],
    ['a secret value', [row('x-a', '', true)]],
    ['names of their own', [row('x-a', '1'), row('X-A', '2')]],
  ])('are not sent without %s', (_what, more) => {
    expect(body(...more)).toBeUndefined()
  })
})
